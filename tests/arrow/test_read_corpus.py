"""Every readable file of the corpus reads as pyarrow reads it, with and without our footer."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.flat_files import write_with_flat_footer

import parquetext
from parquetext.errors import ColumnError

MOST_COLUMNS = 12  # of a file, that are read one by one
COMPARABLE = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_binary, pa.types.is_decimal)
MOST_FILTERED = 2  # columns of a file, that are filtered by


def holds_nan(table: pa.Table) -> bool:
    return not table.equals(table)


def assert_same(ours: pa.Table, theirs: pa.Table, where: str) -> None:
    assert ours.schema.equals(theirs.schema, check_metadata=True), where
    same = repr(ours.to_pydict()) == repr(theirs.to_pydict()) if holds_nan(theirs) else ours.equals(theirs)
    assert same, where


def check(path: str) -> None:
    """Compare whole reads, each column and each leaf alone, and each row group."""
    theirs = pq.ParquetFile(path)
    with parquetext.open(path) as file:
        assert_same(file.read(), theirs.read(), path)
        leaves = file.parquet_schema.paths
        some = leaves[:MOST_COLUMNS]
        for name in dict.fromkeys([(leaf[0],) for leaf in some] + [leaf for leaf in some if len(leaf) > 1]):
            try:
                ours = file.read([name])
            except ColumnError:
                assert [leaf[: len(name)] for leaf in leaves].count(name) > 1, f"{path}: {name}"
                continue
            assert_same(ours, theirs.read([".".join(name)]), f"{path}: {name}")
        for row_group in range(min(len(file.row_groups), 3)):
            ours = file.read(row_groups=[row_group])
            assert_same(ours, theirs.read_row_group(row_group), f"{path}: row group {row_group}")
        assert file.findings == [], path


@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_every_readable_file_reads_as_pyarrow_reads_it(corpus, expected, tmp_path, form):
    paths = readable(corpus, expected)
    assert len(paths) == 349
    for path in paths:
        check(write_with_flat_footer(path, tmp_path / "flat.parquet") if form == "flat" else str(path))


def filters_for(table: pa.Table) -> list[list[tuple]]:
    """For the first columns with comparable values: a range, and a condition that no row meets."""
    found = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if table.column_names.count(name) > 1 or not any(is_kind(column.type) for is_kind in COMPARABLE):
            continue
        values = sorted({value for value in column.slice(0, 1000).drop_null().to_pylist() if value == value})
        if values:
            found += [[(name, ">=", values[len(values) // 2])], [(name, "<", values[0]), (name, "!=", values[0])]]
    return found[: 2 * MOST_FILTERED]


@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_every_readable_file_is_filtered_as_pyarrow_filters_it(corpus, expected, tmp_path, form):
    compared = 0
    for path in readable(corpus, expected):
        if form == "flat":
            path = write_with_flat_footer(path, tmp_path / "flat.parquet")
        whole = pq.ParquetFile(path).read()
        for filters in filters_for(whole):
            try:
                theirs = pq.read_table(path, filters=filters, partitioning=None)
            except (pa.ArrowException, ValueError):  # a type without comparisons, names that datasets do not take
                continue
            ours = parquetext.read_table(str(path), filters=filters)
            # pyarrow's read_table leaves out key-values that ARROW:schema does not have
            assert_same(ours, theirs.replace_schema_metadata(whole.schema.metadata), f"{path}: {filters}")
            compared += 1
    assert compared > 500


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_tables_that_pyarrow_cannot_assemble_raise_its_error(corpus, tmp_path, form):
    """A map whose keys are more than 2 GiB of text."""
    path = corpus / "parquet-testing/data/large_string_map.brotli.parquet"
    path = write_with_flat_footer(path, tmp_path / "flat.parquet") if form == "flat" else str(path)
    with pytest.raises(pa.ArrowNotImplementedError) as theirs:
        pq.ParquetFile(path).read()
    with parquetext.open(path) as file, pytest.raises(pa.ArrowNotImplementedError) as ours:
        file.read(decoded_size_limit=1 << 62)
    assert (str(ours.value), file.form, file.findings) == (str(theirs.value), form, [])


def test_files_that_pyarrow_refuses_raise_its_error_and_do_not_end_the_process(corpus):
    """A group that is annotated as nothing but nulls."""
    path = corpus / "impala/testdata/data/create_table_like_parquet_test.parquet"
    with pytest.raises(OSError, match="Null cannot be applied") as theirs:
        pq.ParquetFile(path)
    program = "import sys, parquetext; parquetext.read_table(sys.argv[1])"
    ours = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert (ours.returncode, ours.stderr.splitlines()[-1]) == (1, f"OSError: {theirs.value}")
