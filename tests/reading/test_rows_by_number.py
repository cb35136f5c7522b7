"""Rows by number: the rows and order of `table.take`, from the pages that contain them, in every shape of file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.fs import FSSpecHandler, PyFileSystem
from support.samples import examples

import parquetext
from parquetext.errors import ParquetextError, RowIndexError, Unsupported
from parquetext.storage.batched_reads import BatchedSource

ROWS = 400


def values(count: int = ROWS) -> pa.Table:
    """Columns of all physical types, with and without nulls, in and out of lists."""
    numbers = list(range(count))
    some = [None if n % 7 == 0 else n for n in numbers]
    lists = [None if n % 11 == 0 else [n + k if k % 3 else None for k in range(n % 5)] for n in numbers]
    return pa.table(
        {
            "int": pa.array(numbers, pa.int64()),
            "small": pa.array(some, pa.int16()),
            "real": pa.array([None if n is None else n / 3 for n in some], pa.float64()),
            "flag": pa.array([None if n is None else n % 3 == 0 for n in some], pa.bool_()),
            "text": pa.array([None if n is None else f"value {n}" * (n % 4) for n in some]),
            "category": pa.array([f"c{n % 10}" for n in numbers]),
            "fixed": pa.array([n.to_bytes(3, "big") for n in numbers], pa.binary(3)),
            "decimal": pa.array(numbers, pa.int64()).cast(pa.decimal128(22, 2)),
            "time": pa.array(some, pa.timestamp("us", "UTC")),
            "list": pa.array(lists, pa.list_(pa.int32())),
            "struct": pa.array([None if n % 13 == 0 else {"a": n, "b": [str(n)] * (n % 3)} for n in numbers]),
        }
    )


ENCODINGS = {
    "int": "DELTA_BINARY_PACKED",
    "small": "BYTE_STREAM_SPLIT",
    "real": "BYTE_STREAM_SPLIT",
    "flag": "RLE",
    "text": "DELTA_BYTE_ARRAY",
    "category": "DELTA_LENGTH_BYTE_ARRAY",
    "fixed": "DELTA_BYTE_ARRAY",
}
LAYOUTS = {
    "small pages": {"data_page_size": 256, "write_batch_size": 16},
    "no index": {"data_page_size": 256, "write_batch_size": 16, "write_page_index": False},
    "one page": {},
    "version 2": {"data_page_size": 256, "write_batch_size": 16, "data_page_version": "2.0"},
    "no dictionary": {"data_page_size": 256, "write_batch_size": 16, "use_dictionary": False},
    "checksums": {"data_page_size": 256, "write_batch_size": 16, "write_page_checksum": True},
    "lz4": {"data_page_size": 256, "write_batch_size": 16, "compression": "lz4"},
    "one row in a page": {"data_page_size": 1, "write_batch_size": 1},
    "encodings": {"data_page_size": 256, "write_batch_size": 16, "use_dictionary": False, "column_encoding": ENCODINGS},
    "uncompressed": {"data_page_size": 256, "write_batch_size": 16, "compression": "none"},
}


def write(path, table: pa.Table, layout: str, row_group_size: int = 120) -> str:
    options = {"write_page_index": True, "compression": "zstd"} | LAYOUTS[layout]
    pq.write_table(table, path, row_group_size=row_group_size, **options)
    return str(path)


def taken(table: pa.Table, rows: list[int]) -> pa.Table:
    return table.take(pa.array(rows, pa.int64()))


@pytest.fixture(scope="module", params=LAYOUTS)
def stored(request, tmp_path_factory) -> tuple[str, pa.Table]:
    table = values()
    path = write(tmp_path_factory.mktemp("rows") / "rows.parquet", table, request.param)
    return path, pq.read_table(path)


@pytest.mark.fast
@pytest.mark.parametrize(
    "rows",
    [[0], [399], [5, 4, 3], [7, 7, 7], [119, 120], [0, 200, 399], list(range(400)), [399, 0, 399, 1], []],
    ids=lambda rows: str(rows) if len(rows) < 400 else "all",
)
def test_rows_are_those_of_the_table_in_the_requested_order(stored, implementation, rows):
    path, table = stored
    with parquetext.open(path) as file:
        assert file.take(rows).equals(taken(table, rows))
        assert file.take(rows, engine="parquetext").equals(taken(table, rows))
        assert file.take(rows, engine="pyarrow").equals(taken(table, rows))


@settings(max_examples=examples(60))
@given(rows=st.lists(st.integers(0, ROWS - 1), max_size=40), names=st.sets(st.sampled_from(values(1).column_names)))
def test_random_rows_and_columns_are_those_of_the_table(stored, rows, names):
    path, table = stored
    names = sorted(names)
    with parquetext.open(path) as file:
        found = file.take(rows, names, engine="parquetext")
    assert found.num_rows == len(rows)
    assert not names or found.equals(taken(table.select(names), rows))


@pytest.mark.fast
@pytest.mark.parametrize(
    "rows",
    [
        np.array([3, 1], np.int32),
        np.array([3, 1], np.uint64),
        pa.array([3, 1], pa.uint8()),
        pa.chunked_array([[3], [1]]),
        range(3, -1, -2),
        (3, 1),
        pa.array([9, 3, 1]).slice(1),
        [np.int64(3), np.uint8(1)],
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_rows_may_be_given_as_any_sequence_of_integers(stored, rows):
    path, _ = stored
    assert parquetext.read_table(path, ["int"], rows=rows)["int"].to_pylist() == [3, 1]


@pytest.mark.fast
def test_a_slice_selects_rows_as_from_a_list(stored):
    path, _ = stored
    with parquetext.open(path) as file:
        for rows in (slice(None, 3), slice(-2, None), slice(None, None, -120), slice(5, 5)):
            assert file.take(rows, ["int"])["int"].to_pylist() == list(range(ROWS))[rows]


@pytest.mark.fast
@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([ROWS], ROWS),
        ([-1], -1),
        ([0, 1 << 70], 1 << 70),
        ([1 << 63, 1], 1 << 63),
        (np.array([1 << 63], np.uint64), 1 << 63),
        (range(390, 401), 400),
        ([-(1 << 70)], -(1 << 70)),
    ],
)
def test_a_row_that_does_not_exist_is_an_index_error_with_its_number(stored, rows, wrong):
    path, _ = stored
    with parquetext.open(path) as file, pytest.raises(RowIndexError, match=f"no row {wrong}: there are 400") as error:
        file.take(rows)
    assert error.value.file == path
    assert isinstance(error.value, IndexError)
    assert isinstance(error.value, pa.ArrowIndexError)


@pytest.mark.fast
@pytest.mark.parametrize(
    "rows",
    [
        *([None], pa.array([1, None]), pa.nulls(1)),
        *(["1"], "12", [1.0], pa.array([1.5]), 3, [True, False], np.array([True])),
    ],
    ids=str,
)
def test_anything_else_than_integers_is_a_type_error(stored, rows):
    path, _ = stored
    with parquetext.open(path) as file, pytest.raises(TypeError):
        file.take(rows)


@pytest.mark.fast
def test_rows_are_not_given_together_with_another_selection(stored):
    path, _ = stored
    with pytest.raises(ValueError, match="rows and filters"):
        parquetext.read_table(path, rows=[1], filters=[("int", ">", 3)])
    with parquetext.open(path) as file, pytest.raises(ValueError, match="rows and row_groups"):
        file.read(row_groups=[0], rows=[1])


@pytest.mark.fast
def test_rows_without_columns_keep_their_number(stored):
    path, _ = stored
    with parquetext.open(path) as file:
        assert file.take([5, 5, 1], []).shape == (3, 0)


@pytest.mark.fast
def test_every_entry_point_takes_rows(stored):
    path, table = stored
    rows = [350, 3, 3]
    expected = table.select(["text", "int"]).take(rows)
    assert parquetext.read_table(path, ["text", "int"], rows=rows).equals(expected)
    assert parquetext.read_table([path], ["text", "int"], rows=rows).equals(expected)
    with parquetext.ParquetFile(path) as file:
        assert file.take(rows, ["text", "int"]).equals(expected)
    lake = parquetext.dataset(path)
    assert lake.take(rows, columns=["text", "int"]).equals(expected)
    assert lake.scanner(columns=["text", "int"]).take(rows).equals(expected)
    assert next(lake.get_fragments()).take(rows, columns=["text", "int"]).equals(expected)
    assert (
        parquetext.read_table(path, ["int"], rows=rows, schema=pa.schema([("int", pa.int32())]))["int"].to_pylist()
        == rows
    )


def test_rows_of_a_remote_file_are_fetched_in_two_rounds_after_opening(stored, monkeypatch):
    path, table = stored
    memory = MemoryFileSystem()
    with open(path, "rb") as file:
        memory.pipe_file("/rows/x.parquet", file.read())
    rounds = []
    fetch = BatchedSource.read_many
    monkeypatch.setattr(BatchedSource, "read_many", lambda self, ranges: rounds.append(ranges) or fetch(self, ranges))
    rows = [3, 350, 140, 3]
    with parquetext.open((PyFileSystem(FSSpecHandler(memory)), "/rows/x.parquet")) as file:
        assert file.take(rows).equals(taken(table, rows))
    assert len(rounds) <= 2


def test_only_the_pages_of_the_rows_are_read(tmp_path):
    table = pa.table({"n": pa.array(np.random.default_rng(1).integers(0, 1 << 60, 100_000))})
    path = tmp_path / "large.parquet"
    pq.write_table(table, path, data_page_size=8192, use_dictionary=False, write_page_index=True)
    damaged = bytearray(path.read_bytes())
    with parquetext.open(path) as file:
        page, following = file.pages("n").slice(50, 2).to_pylist()
    first, last, begin, end = (each[name] for name in ("first_row", "offset") for each in (page, following))
    damaged[begin:end] = b"\xff" * (end - begin)
    path.write_bytes(damaged)
    rows = [row for row in range(0, 100_000, 777) if not first <= row < last]
    with parquetext.open(path) as file:
        assert file.take(rows)["n"].to_pylist() == table["n"].take(rows).to_pylist()
        with pytest.raises((ParquetextError, pa.ArrowException, OSError)):
            file.take([first])


@pytest.mark.fast
@pytest.mark.parametrize("engine", [None, "pyarrow", "parquetext", "auto"])
def test_texts_of_view_types_are_taken(tmp_path, engine):
    texts = ["a", None, "b", "a longer text than views contain"]
    table = pa.table(
        {
            "text": pa.array(texts, pa.string_view()),
            "bytes": pa.array([text and text.encode() for text in texts], pa.binary_view()),
            "n": range(4),
        }
    )
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    dataset = parquetext.dataset(path, engine=engine)
    for rows in ([3, 0, 1, 3], [2], slice(None, None, -1)):
        order = [*range(4)][rows] if isinstance(rows, slice) else rows
        expected = {name: [values[row] for row in order] for name, values in table.to_pydict().items()}
        for found in (parquetext.read_table(path, rows=rows, engine=engine), dataset.take(rows)):
            assert found.schema.equals(table.schema)
            assert found.to_pydict() == expected
    assert sorted(batch["n"][0].as_py() for batch in dataset.shuffled_batches(1, 1, window=4)) == [0, 1, 2, 3]


@pytest.mark.fast
def test_nested_texts_of_view_types_are_refused_if_rows_are_taken_out_of_order(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": pa.array([["a"], ["b"]], pa.list_(pa.string_view()))}), path)
    with pytest.raises(Unsupported, match=r"x\.parquet: pyarrow cannot take rows of such a column: .*string_view"):
        parquetext.read_table(path, rows=[1, 0])
