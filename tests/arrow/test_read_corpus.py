"""Every readable file of the corpus reads as pyarrow reads it, with and without our footer."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.flat_files import write_with_flat_footer

import parquetext
from parquetext.errors import ColumnError

MOST_COLUMNS = 12  # of a file, that are read one by one


def holds_nan(table: pa.Table) -> bool:
    return not table.equals(table)


def assert_same(ours: pa.Table, theirs: pa.Table, where: str) -> None:
    assert ours.schema.equals(theirs.schema.remove_metadata(), check_metadata=True), where
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
                assert [leaf[:len(name)] for leaf in leaves].count(name) > 1, f"{path}: {name}"
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


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("form", ["thrift", "flat"])
def test_what_pyarrow_cannot_put_together_is_its_own_error(corpus, tmp_path, form):
    """A map whose keys are more than 2 GiB of text."""
    path = corpus / "parquet-testing/data/large_string_map.brotli.parquet"
    path = write_with_flat_footer(path, tmp_path / "flat.parquet") if form == "flat" else str(path)
    with pytest.raises(pa.ArrowNotImplementedError) as theirs:
        pq.ParquetFile(path).read()
    with parquetext.open(path) as file, pytest.raises(pa.ArrowNotImplementedError) as ours:
        file.read()
    assert (str(ours.value), file.form, file.findings) == (str(theirs.value), form, [])
