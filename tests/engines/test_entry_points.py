"""One file, every way to read it, with every engine: the values are those of pyarrow."""

from __future__ import annotations

import datetime
import struct
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.list_pages import list_column, list_file, list_page
from support.pages import Column, data_page, data_page_v2, levels, parquet_file

import parquetext
from parquetext import wire

ENGINES = [None, "auto", "parquetext", "pyarrow"]
ROWS = 7
NUMBERS = pa.array(range(ROWS))
NULLS = pa.array([None if row % 3 == 0 else row for row in range(ROWS)])
NAMES = ["a.b", "", "q\"uo'te", "日本é", "A", "a", "sp ace,;\n", "`b`"]
POINT = pa.struct([("x", pa.int64()), ("y", pa.struct([("z", pa.string()), ("w.v", pa.int64())]))])
NESTED = {
    "struct": pa.array(
        [None if row == 2 else {"x": row, "y": {"z": str(row), "w.v": None}} for row in range(ROWS)], POINT
    ),
    "list": pa.array([[1, None], [], None, [3], [4, 5], [6], [7]]),
    "lists": pa.array([[[1], []], [], None, [[2, 3]], [None], [[4]], [[5]]]),
    "structs": pa.array([[{"p": 1, "q": "a"}, None], [], None, [{"p": None, "q": "b"}], [], [], [{"p": 3, "q": None}]]),
    "map": pa.array(
        [[("k", 1)], [], None, [("a", None), ("b", 2)], [], [], [("z", 9)]], pa.map_(pa.string(), pa.int64())
    ),
    "map of lists": pa.array(
        [[(1, {"v": [1, 2]})], [], None, [(2, None)], [], [], [(3, {"v": None})]],
        pa.map_(pa.int32(), pa.struct([("v", pa.list_(pa.int8()))])),
    ),
}
TYPES = {
    "decimal9": pa.array([Decimal("1.23")] * ROWS, pa.decimal128(9, 2)),
    "decimal38": pa.array([Decimal("-1.5"), None] + [Decimal(7)] * 5, pa.decimal128(38, 3)),
    "half": pa.array([0.5, None, -2, 1, 2, 3, float("inf")], pa.float16()),
    "float": pa.array([row / 3 for row in range(ROWS)], pa.float32()),
    "date": pa.array([datetime.date(2000, 1, row + 1) for row in range(ROWS)]),
    "time32": pa.array(range(ROWS), pa.time32("ms")),
    "time64": pa.array(range(ROWS), pa.time64("us")),
    "zoned": pa.array(range(ROWS), pa.timestamp("us", "UTC")),
    "nanoseconds": pa.array([row * 1000 for row in range(ROWS)], pa.timestamp("ns")),
    "fixed": pa.array([b"abcd"] * ROWS, pa.binary(4)),
    "uint8": pa.array(range(ROWS), pa.uint8()),
    "uint64": pa.array([2**64 - 1] * ROWS, pa.uint64()),
    "null": pa.nulls(ROWS),
    "large": pa.array(["x"] * ROWS, pa.large_string()),
    "dictionary": pa.array(["a", "b", None, "a", "b", "a", "c"]).dictionary_encode(),
    "boolean": pa.array([True, None] * 3 + [False]),
}
TABLES = {
    "names": pa.table([NUMBERS, NULLS] * 4, names=NAMES),
    "nested": pa.table(NESTED),
    "types": pa.table(TYPES),
    "no rows": pa.table(NESTED).slice(0, 0),
}


def moments() -> bytes:
    values = [0, 1_700_000_000_000_001, None, -5]
    stored = b"".join(value.to_bytes(12, "little", signed=True) for value in values if value is not None)
    page = data_page(stored, 4, wire.ENCODING_PLAIN, definition=levels([1, 1, 0, 1], 1))
    annotation = {"logicalType": {"TIMESTAMP": {"isAdjustedToUTC": False, "unit": {"MICROS": {}}}}}
    column = Column(
        "x",
        wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,
        [page],
        type_length=12,
        repetition=wire.REPETITION_OPTIONAL,
        element=annotation,
    )
    return parquet_file([column], 4)


def wrong_counts() -> bytes:
    pages = [
        data_page_v2(struct.pack("<2i", *both), 3, wire.ENCODING_PLAIN, definition=levels([1, 0, 1], 1))
        for both in ((1, 2), (3, 4))
    ]
    column = Column(
        "x",
        wire.PHYSICAL_INT32,
        [page.changed(num_nulls=0, num_rows=9) for page in pages],
        repetition=wire.REPETITION_OPTIONAL,
    )
    return parquet_file([column], 6)


def empty_pages() -> bytes:
    empty = data_page(b"", 0, wire.ENCODING_PLAIN)
    pages = [empty, data_page(struct.pack("<2i", 1, 2), 2, wire.ENCODING_PLAIN), empty]
    pages += [data_page(struct.pack("<i", 3), 1, wire.ENCODING_PLAIN), empty]
    return parquet_file([Column("x", wire.PHYSICAL_INT32, pages)], 3)


def empty_page_in_a_list() -> bytes:
    pages = [list_page([[5], [1]]), list_page(), list_page([[3]], continues=[2])]
    return list_file([(list_column(pages), 3)])


MADE = {
    "moments": moments,
    "wrong counts": wrong_counts,
    "empty pages": empty_pages,
    "an empty page in a list": empty_page_in_a_list,
}
# Queries that pyarrow does not answer: no rows of the first file, an error or two rows of the second one.
EXPECTED = {"empty pages": {"x": [1, 2, 3]}, "an empty page in a list": {"x": [[5], [1, 2], [3]]}}
FILES = [*(f"{name}, V{version}" for name in TABLES for version in (1, 2)), *MADE]


def write(name: str, folder: Path) -> tuple[Path, dict]:
    """The file, and its columns by name."""
    path = folder / "file.parquet"
    if name in MADE:
        path.write_bytes(MADE[name]())
        return path, EXPECTED[name] if name in EXPECTED else pq.read_table(path).to_pydict()
    table, version = name.split(", V")
    pq.write_table(TABLES[table], path, row_group_size=3, data_page_version=f"{version}.0", write_page_index=True)
    return path, TABLES[table].to_pydict()


def batches_of_file(path: Path, engine: str | None) -> pa.Table:
    with parquetext.open(path) as file:
        return pa.Table.from_batches(file.iter_batches(2, engine=engine), file.schema_arrow)


def rows_of_file(path: Path, engine: str | None) -> pa.Table:
    with parquetext.open(path) as file:
        return file.read(engine=engine)


def parquet_file_rows(path: Path, engine: str | None) -> pa.Table:
    with parquetext.ParquetFile(path, engine=engine) as file:
        return file.read()


def parquet_file_batches(path: Path, engine: str | None) -> pa.Table:
    with parquetext.ParquetFile(path, engine=engine) as file:
        return pa.Table.from_batches(file.iter_batches(2), file.schema_arrow)


def dataset_batches(path: Path, engine: str | None) -> pa.Table:
    lake = parquetext.dataset(path, engine=engine)
    return pa.Table.from_batches(lake.to_batches(batch_size=2), lake.schema)


def taken(path: Path, engine: str | None) -> pa.Table:
    lake = parquetext.dataset(path, engine=engine)
    return lake.take(list(range(lake.count_rows())))


def by_sidecar(path: Path, engine: str | None) -> pa.Table:
    parquetext.sidecar.build(path)
    return parquetext.read_table(path, engine=engine)


WAYS: dict[str, Callable[[Path, str | None], pa.Table]] = {
    "read_table": lambda path, engine: parquetext.read_table(path, engine=engine),
    "File.read": rows_of_file,
    "File.iter_batches": batches_of_file,
    "ParquetFile.read": parquet_file_rows,
    "ParquetFile.iter_batches": parquet_file_batches,
    "Dataset.to_table": lambda path, engine: parquetext.dataset(path, engine=engine).to_table(),
    "Dataset.to_batches": dataset_batches,
    "Dataset.head": lambda path, engine: parquetext.dataset(path, engine=engine).head(100),
    "Dataset.take": taken,
    "a sidecar": by_sidecar,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FILES)
def test_every_way_of_reading_gives_the_same_columns(tmp_path, name, engine):
    path, expected = write(name, tmp_path)
    for way, read in WAYS.items():
        found = read(path, engine)
        assert found.column_names == list(expected), way
        assert found.to_pydict() == expected, way


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FILES)
def test_query_engines_give_the_same_columns(tmp_path, name, engine):
    path, expected = write(name, tmp_path)
    frame = parquetext.scan_polars(path, engine=engine).collect()
    assert frame.columns == list(expected)
    rows = _plain(zip(*expected.values(), strict=True))
    assert _plain(frame.rows()) == rows
    connection = duckdb.connect()
    parquetext.register_duckdb(connection, path, name="t", engine=engine)
    found = connection.sql("select * from t").fetchall()
    assert _plain(found) == rows


def _plain(rows: Iterable[tuple]) -> list:
    return [[_plain_value(value) for value in row] for row in rows]


def _plain_value(value: object) -> object:
    """Return a value without differences in the representation of maps and time zones."""
    if isinstance(value, list) and value and all(isinstance(item, tuple) for item in value):
        value = dict(value)
    if isinstance(value, list):
        return [_plain_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain_value(item) for key, item in value.items()} or []
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value
