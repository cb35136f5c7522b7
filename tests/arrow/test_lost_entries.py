"""Lists that continue after a page without values, where pyarrow loses elements: every path of reading has them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.list_pages import list_column, list_file, list_page

import parquetext
from parquetext import sidecar
from parquetext.arrow.counted_file import CountedFile, check_fragments
from parquetext.footer.entry_counts import EntryCounts
from parquetext.footer.row_counts import RowsMissing
from parquetext.pruning import predicate_of

# Rows of each row group, and its pages: rows, or elements that continue the last row.
LAYOUTS = {
    "one list": [([[1, 2]], [[[1]], "", [2]])],
    "the last list of several": [([[1], [], None, [2, None, 3]], [[[1], []], [None, [2, None]], "", [3]])],
    "a list before others": [([[1, 2], [3], [4]], [[[1]], "", [2], [[3], [4]]])],
    "two pages without values": [([[1, 2, 3]], [[[1]], "", "", [2], "", [3]])],
    "two row groups": [([[1, 2]], [[[1]], "", [2]]), ([[3], [4, 5]], [[[3], [4]], "", [5]])],
    "a complete row group first": [([[1, 2], []], [[[1, 2], []]]), ([[3, 4]], [[[3]], "", [4]])],
}


def pages_of(parts: list, version: int) -> list:
    """Return the pages of parts: "" is a page without values, a list of lists are rows, any other one continues."""
    made = []
    for part in parts:
        is_rows = all(row is None or isinstance(row, list) for row in part)
        given = {} if part == "" else {"rows": part} if is_rows else {"continues": part}
        made.append(list_page(**given, version=version))
    return made


def write(path: Path, name: str, version: int) -> list:
    """Write a file of a layout; return its rows."""
    groups = LAYOUTS[name]
    path.write_bytes(list_file([(list_column(pages_of(parts, version)), len(rows)) for rows, parts in groups]))
    return [row for rows, _ in groups for row in rows]


@pytest.mark.parametrize("engine", [None, "pyarrow", "auto", "parquetext"])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_element_is_read(tmp_path, name, version, engine):
    path = tmp_path / "x.parquet"
    rows = write(path, name, version)
    assert parquetext.read_table(path, engine=engine)["x"].to_pylist() == rows
    lake = parquetext.dataset(path, engine=engine)
    with parquetext.ParquetFile(path, engine=engine) as file:
        assert file.read()["x"].to_pylist() == rows
        for size in (1, 2, 100):
            assert [row["x"] for batch in file.iter_batches(size) for row in batch.to_pylist()] == rows
            assert [row["x"] for batch in lake.to_batches(batch_size=size) for row in batch.to_pylist()] == rows
    assert lake.to_table()["x"].to_pylist() == rows
    assert lake.take([len(rows) - 1])["x"].to_pylist() == rows[-1:]


def test_pyarrow_loses_elements(tmp_path):
    write(tmp_path / "x.parquet", "one list", 1)
    lost = pq.read_table(tmp_path / "x.parquet")["x"].to_pylist()
    assert lost == [[1]]  # if pyarrow reads 2, too, these tests have no effect


@pytest.mark.parametrize("name", ["one list", "the last list of several", "two pages without values"])
def test_the_checks_of_encrypted_files_count_entries_of_chosen_columns_with_filters_and_of_several_files(
    tmp_path, name
):
    for part in ("a", "b"):
        write(tmp_path / f"{part}.parquet", name, 1)
    missing = pytest.raises(RowsMissing, match=r"pyarrow gives \d+ of \d+ (rows|values and nulls)")
    with CountedFile(tmp_path / "a.parquet") as file:
        for columns in (None, ["x"]):
            with missing:
                file.read(columns)
            with missing:
                list(file.iter_batches(2, columns=columns))
    found = pq.ParquetDataset(tmp_path)
    for columns in (None, ["x"]):
        with missing:
            check_fragments(found.read(columns), found.fragments, found.schema, columns, None)
        expression = pc.field("x").is_valid()
        table = found.read(columns).filter(expression)
        with missing:
            check_fragments(table, found.fragments, found.schema, columns, predicate_of(expression))


@pytest.mark.parametrize("schema", [None, pa.schema({"n": pa.int32(), "l": pa.large_list(pa.int64())})])
def test_the_checks_of_encrypted_files_accept_whole_files_of_different_schemas(tmp_path, schema):
    lists = pa.array([[1, None], [], None, [3]])
    pq.write_table(pa.table({"n": range(4), "l": lists}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"n": range(4), "l": lists, "more": lists}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"n": range(4), "more": lists}), tmp_path / "c.parquet")
    found = pq.ParquetDataset(tmp_path, schema=schema)
    for columns in (None, ["l"], ["l", "n"]):
        for predicate in (None, predicate_of([("n", ">", 1)])):
            table = found.read(columns)
            check_fragments(table, found.fragments, found.schema, columns, predicate)


NESTED = {
    "lists": pa.array([[1, None], [], None, [3]]),
    "large": pa.array([[1, None], [], None, [3]], pa.large_list(pa.int8())),
    "lists of lists": pa.array([[[1], []], [], None, [[2, 3], None]]),
    "structs": pa.array(
        [{"n": 1, "l": [1, 2]}, None, {"n": 2, "l": []}, {"n": 3, "l": None}],
        pa.struct([("n", pa.int64()), ("l", pa.list_(pa.int8()))]),
    ),
    "lists of structs": pa.array([[{"p": 1, "q": ["a"]}, None], [], None, [{"p": None, "q": []}]]),
    "maps": pa.array([[("k", [1])], [], None, [("a", None), ("b", [])]], pa.map_(pa.string(), pa.list_(pa.int64()))),
    "fixed": pa.array([[[1], [2, 3]], [[], None], None, [None, [4]]], pa.list_(pa.list_(pa.int64()), 2)),
    "dictionary": pa.array([["a", "b"], [], None, ["a"]], pa.list_(pa.dictionary(pa.int32(), pa.string()))),
}


@pytest.mark.parametrize("name", NESTED)
def test_the_entries_of_sound_columns_are_those_of_the_footer(tmp_path, name):
    table = pa.table({"before": range(4), name: NESTED[name], "a.b": range(4)})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=3)
    with pq.ParquetFile(tmp_path / "x.parquet") as file:
        counts = EntryCounts.of_metadata(file.metadata)
        groups = [file.read_row_group(number) for number in range(2)]
        for number, group in enumerate(groups):
            counts.check_table(group, [number])
        counts.check_table(pa.concat_tables([groups[0].slice(0, 1), groups[0].slice(1)]), [0])
        for batch in file.iter_batches(2, [0]):
            counts.add(batch)
        counts.check([0])
        with pytest.raises(pa.ArrowInvalid, match="values and nulls of columns in lists"):
            counts.check_table(groups[0].slice(1), [0])
        with pytest.raises(pa.ArrowInvalid, match="values and nulls of columns in lists"):
            counts.check([0])


def test_a_snapshot_of_a_store_raises_if_elements_are_missing(tmp_path, monkeypatch):
    store = sidecar.Store(tmp_path / "store")
    store.append(pa.table({"x": [[1, 2], [3]]}))
    read = pq.ParquetFile.read
    with store.snapshot() as snapshot:
        assert snapshot.read()["x"].to_pylist() == [[1, 2], [3]]
        cut = pa.table({"x": [[1], [3]]})
        monkeypatch.setattr(pq.ParquetFile, "read", lambda *given, **options: cut if read(*given, **options) else None)
        with pytest.raises(pa.ArrowInvalid, match="pyarrow gives 2 of 3 values and nulls of columns in lists"):
            snapshot.read()
