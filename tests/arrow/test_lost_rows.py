"""Lists with pages without values, of which pyarrow's reader loses rows: ours gives them all, however they are read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import sidecar

ROWS = 9
NUMBERS = pa.array(range(ROWS))
LISTS = pa.array([[1, 2], [None], [3]] * 3)
STRUCTS = pa.array([[{"x": 1, "y": "a"}, {"x": 2, "y": None}], [{"x": 3, "y": "b"}], []] * 3)
TEXTS = pa.array(["a", "b", None] * 3)
TABLES = {
    "a list": pa.table({"a": LISTS}),
    "a list and a number": pa.table({"a": LISTS, "n": NUMBERS}),
    "a number and two lists": pa.table({"n": NUMBERS, "a": LISTS, "b": STRUCTS}),
    "a list in a struct": pa.table({"s": pa.StructArray.from_arrays([NUMBERS, LISTS], ["n", "a"])}),
    "two lists in a struct": pa.table({"s": pa.StructArray.from_arrays([LISTS, STRUCTS], ["a", "b"])}),
    "a map": pa.table({"m": pa.array([[("a", 1)], [("b", None), ("c", 2)], []] * 3, pa.map_(pa.string(), pa.int64()))}),
    "a list and a dictionary": pa.table({"a": LISTS, "d": TEXTS.dictionary_encode()}),
}
EVERY, SOME = True, ["a.list.element", "s.a.list.element", "b.list.element.y", "m.key_value.value"]


def write(table: pa.Table, path, **options) -> None:
    pq.write_table(table, path, data_page_size=1, **options)


def rows_of(batches) -> list[dict]:
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("engine", ["pyarrow", "auto"])
@pytest.mark.parametrize("dictionaries", [EVERY, SOME], ids=["every", "some"])
@pytest.mark.parametrize("row_group_size", [1, 4, 8])
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_batches_have_every_row(tmp_path, table, row_group_size, dictionaries, engine):
    path = tmp_path / "x.parquet"
    write(table, path, row_group_size=row_group_size, use_dictionary=dictionaries)
    for size in (1, 3, 4, 100):
        with parquetext.ParquetFile(path, engine=engine) as file:
            batches = list(file.iter_batches(size))
            assert rows_of(batches) == table.to_pylist()
            assert max(batch.num_rows for batch in batches) <= size
            for batch in batches:
                batch.validate(full=True)
    with parquetext.open(path) as file:
        assert file.read(engine=engine).to_pylist() == table.to_pylist()


def test_pyarrow_loses_them(tmp_path):
    write(TABLES["a list"], tmp_path / "x.parquet", row_group_size=4)
    lost = pq.ParquetFile(tmp_path / "x.parquet").iter_batches(3)  # a defect: mended, these tests lose their sense
    assert sum(batch.num_rows for batch in lost) < ROWS


@pytest.mark.parametrize("engine", ["pyarrow", "auto"])
@pytest.mark.parametrize("row_group_size", [1, 4])
@pytest.mark.parametrize("name", ["a list and a number", "a number and two lists"])
def test_datasets_have_every_row(tmp_path, name, row_group_size, engine):
    table = TABLES[name]
    for key in (1, 2):
        folder = tmp_path / f"key={key}"
        folder.mkdir()
        write(table, folder / "x.parquet", row_group_size=row_group_size)
    rows = [row | {"key": key} for key in (1, 2) for row in table.to_pylist()]
    some = [row for row in rows if row["n"] >= 2]
    lake = parquetext.dataset(tmp_path, engine=engine)
    assert parquetext.read_table(tmp_path, engine=engine).to_pylist() == rows
    assert lake.to_table().to_pylist() == rows
    assert lake.to_table(filter=pc.field("n") >= 2).to_pylist() == some
    assert lake.head(12).to_pylist() == rows[:12]
    assert lake.take([0, 8, 17]).to_pylist() == [rows[0], rows[8], rows[17]]
    for size in (1, 3, 100):
        assert rows_of(lake.to_batches(batch_size=size)) == rows
        assert rows_of(lake.to_batches(batch_size=size, filter=pc.field("n") >= 2)) == some
        assert lake.scanner(batch_size=size).to_reader().read_all().to_pylist() == rows
    parts = [fragment.to_table(schema=lake.schema) for fragment in lake.get_fragments()]
    assert pa.concat_tables(parts).to_pylist() == rows


def test_rows_that_our_decoder_refuses_are_missing_by_an_error(tmp_path):
    path = tmp_path / "x.parquet"
    write(pa.table({"a": [[1, 2]]}), path, compression="none")
    with parquetext.open(path) as file:
        last = file.pages("a.list.element").to_pylist()[-1]
    data = bytearray(path.read_bytes())
    end = last["offset"] + last["header_size"] + last["compressed_size"]
    data[last["offset"] + last["header_size"] : end] = b"\xff" * last["compressed_size"]
    path.write_bytes(data)
    assert list(pq.ParquetFile(path).iter_batches()) == []
    message = "pyarrow gives 0 of 1 rows"
    with parquetext.ParquetFile(path) as file:
        for read in (file.read, lambda: list(file.iter_batches()), lambda: file.read_row_group(0)):
            with pytest.raises(pa.ArrowInvalid, match=message):
                read()
    for engine in (None, "pyarrow"):
        with pytest.raises(pa.ArrowInvalid, match=message):
            parquetext.read_table(path, engine=engine)
    with pytest.raises(pa.ArrowInvalid, match=message):
        parquetext.dataset(path).to_table()


def test_a_snapshot_of_a_store_raises_if_rows_are_missing(tmp_path):
    store = sidecar.Store(tmp_path / "store")
    store.append(TABLES["a list"], row_group_size=4, data_page_size=1)
    with store.snapshot() as snapshot, pytest.raises(pa.ArrowInvalid, match="pyarrow gives 8 of 9 rows"):
        snapshot.read()
