"""Many rows are decoded by us without being asked, where pyarrow gives the same; else by pyarrow."""

from __future__ import annotations

import decimal
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.noting import note_faster
from support.own_codecs import CODECS, OTHERS

import parquetext
from parquetext import kernels, wire

ROWS = 60_000


def table_of(seed: int) -> pa.Table:
    chance = random.Random(seed)
    numbers = [None if row % 10 == 3 else chance.random() for row in range(1000)] * (ROWS // 1000)
    text = [f"text {row % 500}" for row in range(ROWS)]
    return pa.table(
        {
            "id": pa.array(range(ROWS), pa.int64()),
            "number": pa.array(numbers, pa.float64()),
            "text": pa.array(text, pa.string()),
            "day": pa.array(range(ROWS), pa.int32()).cast(pa.date32()),
            "time": pa.array(range(ROWS), pa.int64()).cast(pa.timestamp("us", "UTC")),
            "price": pa.array([decimal.Decimal(row) / 100 for row in range(100)] * (ROWS // 100), pa.decimal128(9, 2)),
            "tiny": pa.array([row % 100 for row in range(ROWS)], pa.uint8()),
        }
    )


@pytest.fixture
def sooner(monkeypatch) -> list[bool]:
    """Whether each read with a filter was done by our decoder."""
    return note_faster(monkeypatch)


FILTERS = [
    None,
    [("number", "<", 0.01)],
    [("id", ">=", 30_000), ("id", "<", 30_100)],
    [[("text", "=", "text 7")], [("tiny", ">", 98), ("number", ">", 0.9)]],
    [("price", "=", decimal.Decimal("0.42"))],
    [("id", "<", 0)],
    [("id", ">=", 0)],
]


@pytest.mark.parametrize("seed", range(6))
def test_the_default_engine_returns_pyarrows_result(tmp_path, sooner, seed):
    chance, path = random.Random(seed), tmp_path / "x.parquet"
    chosen = {
        "compression": chance.choice(CODECS),
        "row_group_size": chance.choice([9_000, 25_000, ROWS]),
        "use_dictionary": chance.choice([True, False, ["text"]]),
        "data_page_version": chance.choice(["1.0", "2.0"]),
        "write_page_index": chance.choice([True, False]),
    }
    pq.write_table(table_of(seed), path, **chosen)
    for filters in FILTERS:
        names = chance.choice([None, ["text", "id", "number", "price", "day"]])
        theirs = parquetext.read_table(path, names, filters, engine="pyarrow")
        ours = parquetext.read_table(path, names, filters)
        assert ours.schema.equals(theirs.schema, check_metadata=True)
        assert ours.equals(theirs), (filters, chosen)
    assert any(sooner)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[row] for row in range(ROWS)]),
        pa.array([{"a": row} for row in range(ROWS)]),
        pa.array([str(row % 9) for row in range(ROWS)]).dictionary_encode(),
        pa.array(range(ROWS), pa.int64()).cast(pa.duration("s")),
    ],
    ids=["list", "struct", "dictionary", "duration"],
)
def test_columns_of_other_types_are_read_by_pyarrow(tmp_path, sooner, column):
    path = tmp_path / "x.parquet"
    values = {f"v{number}": pa.array(range(ROWS), pa.int64()) for number in range(5)}
    pq.write_table(pa.table({"id": range(ROWS), "other": column, **values}), path)
    for filters in FILTERS[2:3]:
        assert parquetext.read_table(path, None, filters).equals(pq.read_table(path, filters=filters))
    assert sooner == [False]


@pytest.mark.parametrize("codec", OTHERS)
def test_of_codecs_that_the_kernels_lack_one_column_alone_is_read_by_us(tmp_path, sooner, codec):
    path = tmp_path / "x.parquet"
    table = pa.concat_tables([table_of(3)] * 5)
    pq.write_table(table, path, compression=codec)
    for columns in (None, ["number"], ["text", "tiny"]):
        assert parquetext.read_table(path, columns).equals(table.select(columns or table.column_names))
    assert sooner == [False, True, False]


def test_without_libzstd_pyarrow_reads_columns_of_zstandard(tmp_path, sooner, monkeypatch):
    path, table = tmp_path / "x.parquet", table_of(3)
    pq.write_table(table, path, compression="zstd")
    monkeypatch.setattr(kernels.column, "codecs", lambda: frozenset([wire.CODEC_UNCOMPRESSED, wire.CODEC_SNAPPY]))
    assert parquetext.read_table(path).equals(table) and sooner == [False]


def test_a_frame_of_pandas_keeps_its_index_and_metadata(tmp_path, sooner):
    frame = table_of(2).to_pandas().set_index("text")
    frame.to_parquet(tmp_path / "x.parquet")
    theirs = pq.read_table(tmp_path / "x.parquet")
    ours = parquetext.read_table(tmp_path / "x.parquet")
    assert ours.schema.equals(theirs.schema, check_metadata=True) and ours.equals(theirs)
    assert any(sooner)


def test_few_rows_and_options_of_pyarrow_are_left_to_it(tmp_path, sooner):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(0).slice(0, 500), path)
    parquetext.read_table(path, None, FILTERS[1])
    parquetext.read_table(path, None, FILTERS[1], page_checksum_verification=True)
    parquetext.read_table(path, None, FILTERS[1], engine="pyarrow")
    parquetext.read_table(path)
    assert sooner == [False, False]


@pytest.mark.parametrize("codec", ["snappy", "zstd", "lz4"])
def test_damaged_files_are_refused_with_pyarrows_error(tmp_path, codec):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(1), path, compression=codec)
    chunk = pq.read_metadata(path).row_group(0).column(1)
    data = bytearray(path.read_bytes())
    data[chunk.data_page_offset + 20 : chunk.data_page_offset + 400] = bytes(380)
    path.write_bytes(data)
    messages = []
    for chosen in (None, "pyarrow"):
        with pytest.raises((pa.ArrowException, OSError)) as caught:
            parquetext.read_table(path, None, FILTERS[1], engine=chosen)
        messages.append((type(caught.value), str(caught.value)))
    assert messages[0] == messages[1]
