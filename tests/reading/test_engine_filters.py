"""Filters skip pages by the page index: the rows are those that pyarrow finds, and few pages are read for them."""

from __future__ import annotations

import io
import random

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.counted import Counted
from support.samples import examples

import parquetext
from parquetext import thrift
from parquetext.errors import Malformed

ROWS = 2000
PAGED = {"write_page_index": True, "data_page_size": 256, "write_batch_size": 16, "row_group_size": 900}


def table_of(rows: int = ROWS) -> pa.Table:
    chance = random.Random(7)
    return pa.table(
        {
            "key": pa.array(range(rows), pa.int64()),
            "text": [None if row % 7 == 0 else f"{row // 100:05d}" for row in range(rows)],
            "number": [None if row % 5 == 0 else chance.random() for row in range(rows)],
            "nan": [float("nan") if row % 100 == 3 else float(row) for row in range(rows)],
            "list": [None if row % 11 == 0 else list(range(row % 4)) for row in range(rows)],
            "struct": [None if row % 13 == 0 else {"a": row, "b": [str(row)] * (row % 3)} for row in range(rows)],
        }
    )


TABLE = table_of()


def write(path, table: pa.Table = TABLE, **options) -> str:
    pq.write_table(table, path, **{**PAGED, **options})
    return str(path)


FILTERS = [
    [("key", "=", 1234)],
    [("key", ">=", 890), ("key", "<", 910)],
    [("key", "in", [3, 899, 900, 1999, 5000])],
    [("key", ">", 1990), ("text", "=", "00019")],
    [[("key", "<", 5)], [("text", "=", "00012"), ("number", "<", 0.5)]],
    [("text", "not in", ["00003"])],
    [("nan", ">", 1500.0), ("key", "<", 1600)],
    [("key", "=", -1)],
    (pc.field("key") > 100) & (pc.field("key") < 140) & pc.field("text").is_valid(),
    pc.field("text").is_null() & (pc.field("key") < 50),
    pc.field("key") * 2 == 300,
]


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_filters_find_the_rows_that_pyarrow_finds(tmp_path, version, compression):
    path = write(tmp_path / "x.parquet", compression=compression, data_page_version=version)
    for filters in FILTERS:
        for names in (None, ["struct.b"]):
            theirs = parquetext.read_table(path, names, filters=filters)
            ours = parquetext.read_table(path, names, filters=filters, engine="parquetext")
            assert ours.schema.equals(theirs.schema, check_metadata=True)
            assert repr(ours.to_pydict()) == repr(theirs.to_pydict()), (filters, names)


def test_of_a_sorted_column_one_page_of_each_column_is_read(tmp_path):
    path = write(tmp_path / "x.parquet", use_dictionary=False, compression="none")
    with parquetext.open(path) as file:
        source = file._source = Counted(file._source)
        found = file.read(["key", "struct.a", "list"], filters=[("key", "=", 1234)], engine="parquetext")
    assert found["struct"].to_pylist() == [{"a": 1234}]
    columns = pq.read_metadata(path).row_group(1)
    for position in range(columns.num_columns):
        column = columns.column(position)
        begin, size = column.data_page_offset, column.total_compressed_size
        read = sum(length for offset, length in source.ranges if begin <= offset < begin + size)
        assert read < size / 5, column.path_in_schema
    before = pq.read_metadata(path).row_group(0).column(0)
    assert not [offset for offset, _ in source.ranges if offset == before.data_page_offset]


@settings(max_examples=examples(25))
@given(st.data())
def test_any_range_of_any_pages_is_found(tmp_path_factory, data):
    low, high = sorted((data.draw(st.integers(-10, 700)), data.draw(st.integers(-10, 700))))
    path = write(
        tmp_path_factory.getbasetemp() / "filtered.parquet",
        TABLE.slice(0, 600),
        data_page_size=data.draw(st.sampled_from([1, 100, 1000])),
        row_group_size=data.draw(st.sampled_from([50, 333, 600])),
        use_dictionary=data.draw(st.booleans()),
        data_page_version=data.draw(st.sampled_from(["1.0", "2.0"])),
        compression=data.draw(st.sampled_from(["none", "zstd"])),
    )
    found = parquetext.read_table(path, filters=[("key", ">=", low), ("key", "<", high)], engine="parquetext")
    begin, end = max(0, low), max(0, min(high, 600))
    assert repr(found.to_pydict()) == repr(TABLE.slice(begin, end - begin).to_pydict())


def changed_index(path, column: int, name: str, change) -> bytes:
    """Write a chunk's index again with the same length; return the old one."""
    chunk = thrift.read("FileMetaData", footer(path))["row_groups"][1]["columns"][column]
    offset, length = chunk[f"{name}_offset"], chunk[f"{name}_length"]
    with open(path, "r+b") as file:
        file.seek(offset)
        before = file.read(length)
        data = change(before)
        assert len(data) == length
        file.seek(offset)
        file.write(data)
    return before


def footer(path) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


@pytest.mark.parametrize("name", ["offset_index", "column_index"])
@pytest.mark.parametrize("change", [lambda data: b"\xff" * len(data), lambda data: bytes(len(data))])
def test_an_invalid_index_is_not_used(tmp_path, name, change):
    path = write(tmp_path / "x.parquet")
    changed_index(path, 0, name, change)
    found = parquetext.read_table(path, ["key"], filters=[("key", "=", 1234)], engine="parquetext")
    assert found["key"].to_pylist() == [1234]


def test_an_offset_index_that_contradicts_the_pages_is_malformed(tmp_path):
    path = write(tmp_path / "x.parquet", use_dictionary=False)

    def swapped(data: bytes) -> bytes:
        index = thrift.read("OffsetIndex", data)
        index["page_locations"][10]["first_row_index"] += 1
        return thrift.write("OffsetIndex", index)

    changed_index(path, 0, "offset_index", swapped)
    with pytest.raises(Malformed, match=r"row group 1, column key: .* the offset index says") as caught:
        parquetext.read_table(path, ["key"], filters=[("key", ">", 1000), ("key", "<", 1200)], engine="parquetext")
    assert caught.value.file == path


def test_datasets_filter_by_our_engine_as_by_pyarrow(tmp_path):
    for number in range(2):
        write(tmp_path / f"{number}.parquet", TABLE.slice(number * 1000, 1000))
    for filters in FILTERS[:5]:
        theirs = parquetext.dataset(tmp_path).to_table(["key", "list"], filters)
        ours = parquetext.dataset(tmp_path, engine="parquetext").to_table(["key", "list"], filters)
        assert ours.equals(theirs)


def test_files_without_indexes_are_filtered_all_the_same(tmp_path):
    path = write(tmp_path / "x.parquet", write_page_index=False)
    data = io.BytesIO((tmp_path / "x.parquet").read_bytes())
    theirs = pq.read_table(data, columns=["key", "struct"], filters=FILTERS[1])
    ours = parquetext.read_table(path, ["key", "struct"], filters=FILTERS[1], engine="parquetext")
    assert ours.num_rows == 20 and ours.equals(theirs)


@pytest.mark.parametrize("compression", ["none", "snappy"])
def test_ranges_of_a_remote_file_are_fetched_together(tmp_path, compression):
    from fsspec.implementations.memory import MemoryFileSystem
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    data = io.BytesIO()
    pq.write_table(TABLE, data, **{**PAGED, "compression": compression})
    memory = MemoryFileSystem()
    memory.pipe_file("/engine/x.parquet", data.getvalue())
    path = PyFileSystem(FSSpecHandler(memory)), "/engine/x.parquet"
    for filters in (None, FILTERS[0]):
        theirs = parquetext.read_table(path, filters=filters)
        with parquetext.open(path) as file:
            source = file._source
            before = source.requests
            ours = file.read(filters=filters, engine="parquetext")
            requests = source.requests - before
        assert repr(ours.to_pydict()) == repr(theirs.to_pydict())
        assert requests < 12, "there are seven leaves in three row groups"


def test_filters_of_half_floats_keep_every_row_that_may_meet_them(tmp_path):
    table = pa.table({"x": pa.array([1.5, None, float("nan"), 2.5] * 30, pa.float16())})
    path = write(tmp_path / "x.parquet", table)
    for filters in (pc.field("x").is_null(), pc.field("x").is_valid()):
        found = parquetext.read_table(path, filters=filters, engine="parquetext")
        assert repr(found.to_pydict()) == repr(table.filter(filters).to_pydict())


def test_pages_that_an_offset_index_leaves_out_are_read(tmp_path):
    path = write(tmp_path / "x.parquet", use_dictionary=False, compression="none")

    def without_one(data: bytes) -> bytes:
        index = thrift.read("OffsetIndex", data)
        positions = index["page_locations"]
        left, kept = positions[10], positions[9]
        positions[10] = {**positions[11], "first_row_index": left["first_row_index"]}
        positions[11] = {
            **positions[11],
            "first_row_index": (left["first_row_index"] + positions[12]["first_row_index"]) // 2,
        }
        assert kept["offset"] + kept["compressed_page_size"] == left["offset"]
        return thrift.write("OffsetIndex", index)

    positions = thrift.read("OffsetIndex", changed_index(path, 0, "offset_index", without_one))["page_locations"]
    first = 900 + positions[10]["first_row_index"]
    found = parquetext.read_table(path, ["key"], filters=[("key", "=", first)], engine="parquetext")
    assert found["key"].to_pylist() == [first]


def test_a_page_of_nulls_with_another_count_of_nulls_counts_for_nothing(tmp_path):
    path = write(tmp_path / "x.parquet", use_dictionary=False)

    def emptied(data: bytes) -> bytes:
        index = thrift.read("ColumnIndex", data)
        index["null_pages"][3] = True
        return thrift.write("ColumnIndex", index)

    index = thrift.read("ColumnIndex", changed_index(path, 0, "column_index", emptied))
    value = int.from_bytes(index["min_values"][3], "little")
    found = parquetext.read_table(path, ["key"], filters=[("key", "=", value)], engine="parquetext")
    assert found["key"].to_pylist() == [value]


def scattered_table(rows: int) -> pa.Table:
    chance = random.Random(11)
    return pa.table(
        {
            "chance": [chance.random() for _ in range(rows)],
            "number": pa.array(range(rows), pa.int64()),
            "text": pa.array([f"text {row % 50}" for row in range(rows)]).dictionary_encode(),
            "list": [None if row % 11 == 0 else [row] * (row % 3) for row in range(rows)],
        }
    )


@pytest.mark.parametrize("share", [0.0, 0.0005, 0.01, 0.5, 1.0])
def test_rows_that_are_scattered_are_those_that_pyarrow_finds(tmp_path, share):
    table = scattered_table(12_000)
    path = write(tmp_path / "x.parquet", table, row_group_size=5000)
    for names in (None, ["list", "number"]):
        found = parquetext.read_table(path, names, filters=[("chance", "<", share)], engine="parquetext")
        assert found.equals(pq.read_table(path, columns=names, filters=[("chance", "<", share)]))


def test_of_other_columns_only_pages_with_kept_rows_are_read(tmp_path):
    table = pa.table({"key": pa.array(range(40_000), pa.int64()), "text": [f"{row:>100}" for row in range(40_000)]})
    pages = {"data_page_size": 1 << 16, "write_batch_size": 512, "row_group_size": 40_000}
    path = write(tmp_path / "x.parquet", table, use_dictionary=False, compression="none", **pages)
    with parquetext.open(path) as file:
        file._source = source = Counted(file._source)
        # No page of keys can be ruled out by its bounds: the values alone say which row it is.
        found = file.read(["text"], filters=pc.field("key") * 2 == 40_000, engine="parquetext")
    assert found["text"].to_pylist() == [f"{20_000:>100}"]
    assert sum(length for _, length in source.ranges) < 1_000_000  # the texts take 4,160,000 bytes, the keys 320,000


def test_pages_without_kept_rows_are_not_decompressed(tmp_path, monkeypatch):
    from parquetext.encoding import pages

    table = pa.table({"key": pa.array(range(20_000), pa.int64()), "text": [f"{row:>100}" for row in range(20_000)]})
    options = {"data_page_size": 1 << 14, "write_batch_size": 128, "row_group_size": 20_000, "write_page_index": False}
    path = write(tmp_path / "x.parquet", table, use_dictionary=False, compression="zstd", **options)
    decompressed = []

    def noted(codec, data, size):
        decompressed.append(size)
        return plainly(codec, data, size)

    plainly = pages.decompress
    monkeypatch.setattr(pages, "decompress", noted)
    found = parquetext.read_table(path, ["text"], filters=[("key", "=", 15_000)], engine="parquetext")
    assert found["text"].to_pylist() == [f"{15_000:>100}"]
    assert sum(decompressed) < 300_000  # the texts take 2,080,000 bytes, the keys 160,000


@pytest.mark.parametrize("seed", range(6))
def test_random_filters_find_the_rows_that_pyarrow_finds(tmp_path, seed):
    chance = random.Random(seed)
    table = table_of(1500)
    paged = {"data_page_size": chance.choice([64, 1000, 1 << 20]), "write_batch_size": chance.choice([1, 16, 200])}
    chosen = {
        "compression": chance.choice(["none", "snappy", "zstd"]),
        "data_page_version": chance.choice(["1.0", "2.0"]),
        "row_group_size": chance.choice([100, 700, 1500]),
        "use_dictionary": chance.choice([True, False]),
        "write_page_index": chance.choice([True, False]),
    }
    path = write(tmp_path / "x.parquet", table, **paged, **chosen)
    for _ in range(8):
        low, share = chance.randrange(1500), chance.random()
        filters = chance.choice(
            [
                [("number", "<", share)],
                [("key", ">=", low), ("key", "<", low + chance.randrange(300)), ("number", ">", share)],
                [[("text", "=", f"{low // 100:05d}")], [("nan", ">", float(low))]],
                pc.field("key") * chance.randrange(2, 400) == 1200,
                pc.field("number").is_null(),
            ]
        )
        names = chance.choice([None, ["struct", "key"], ["list"], ["number", "text"], []])
        theirs = pq.ParquetFile(path).read().filter(pq.filters_to_expression(filters))
        for engine in ("parquetext", "pyarrow"):
            ours = parquetext.read_table(path, names, filters=filters, engine=engine)
            expected = pq.read_table(path, columns=names, filters=filters)
            assert ours.schema.equals(expected.schema)
            assert repr(ours.to_pydict()) == repr(expected.to_pydict()), (seed, filters, names, engine)
            assert ours.num_rows == theirs.num_rows
