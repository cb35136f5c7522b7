"""Tables of pages: both implementations accept the same offset indexes and page headers, and refuse the same."""

from __future__ import annotations

import io
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.parquet_bytes import footer_of
from support.samples import examples
from support.twins import both, outcome

from parquetext._pure.page import locations
from parquetext.thrift import read, write

BEGIN, ROWS = 4, 600


def listed(table) -> list[tuple[int, ...]]:
    return list(zip(*(table.array(name).tolist() for name in ("offset", "size", "first_row")), strict=True))


def parsed(module, *arguments):
    kind, *found = outcome(module.parse, *arguments)
    return [kind, listed(found[0])] if kind == "result" else [kind, *found]


def location_of(page) -> dict[str, int]:
    return dict(zip(("offset", "compressed_page_size", "first_row_index"), page, strict=True))


def index_of(pages) -> bytes:
    return write("OffsetIndex", {"page_locations": list(map(location_of, pages))})


@st.composite
def pages_of_a_chunk(draw) -> list[list[int]]:
    sizes = draw(st.lists(st.integers(1, 1 << 20), min_size=1, max_size=40))
    first_rows = [0, *sorted(draw(st.sets(st.integers(1, ROWS - 1), min_size=len(sizes) - 1, max_size=len(sizes) - 1)))]
    offsets = [BEGIN + sum(sizes[:number]) for number in range(len(sizes))]
    return [list(page) for page in zip(offsets, sizes, first_rows, strict=True)]


@given(pages=pages_of_a_chunk())
def test_pages_one_behind_the_other_are_a_table(pages):
    end = pages[-1][0] + pages[-1][1]
    for module in both("page_table"):
        table = module.parse(index_of(pages), BEGIN, end, ROWS)
        assert listed(table) == [tuple(page) for page in pages]
        assert (len(table), table.begin, table.end, table.rows) == (len(pages), BEGIN, end, ROWS)


@settings(max_examples=examples(300))
@given(pages=pages_of_a_chunk(), data=st.data())
def test_any_other_value_of_a_member_is_refused_alike(pages, data):
    end = pages[-1][0] + pages[-1][1]
    page, member = data.draw(st.sampled_from(pages)), data.draw(st.integers(0, 2))
    least, most = (-(1 << 31), (1 << 31) - 1) if member == 1 else (-(1 << 63), (1 << 63) - 1)
    page[member] = data.draw(st.one_of(st.integers(-3, ROWS + 3), st.integers(least, most)))
    native, pure = (parsed(module, index_of(pages), BEGIN, end, ROWS) for module in both("page_table"))
    assert native == pure


@given(data=st.binary(max_size=60))
def test_any_bytes_are_read_alike(data):
    native, pure = (parsed(module, data, BEGIN, 100, ROWS) for module in both("page_table"))
    assert native == pure


@pytest.mark.parametrize("has_dictionary", [True, False])
@pytest.mark.parametrize("damage", [None, 0, 1, 40, 900])
def test_page_headers_are_walked_alike(tmp_path, has_dictionary, damage):
    data = io.BytesIO()
    table = pa.table({"n": [number % 50 for number in range(ROWS)]})
    options = {"data_page_size": 64, "write_batch_size": 16, "use_dictionary": has_dictionary}
    pq.write_table(table, data, write_page_index=True, **options)
    column = pq.read_metadata(data).row_group(0).column(0)
    begin = column.dictionary_page_offset or column.data_page_offset
    end = begin + column.total_compressed_size
    stored = bytearray(data.getvalue())
    if damage is not None:
        stored[begin + damage] ^= 0x55
    path = tmp_path / "x.parquet"
    path.write_bytes(stored)
    file = os.open(path, os.O_RDONLY)
    try:
        native, pure = (
            outcome(lambda module=module: listed(module.walk(file, len(stored), begin, end, ROWS)))
            for module in both("page_table")
        )
        short = [outcome(module.walk, file, len(stored), begin, end - 1, ROWS) for module in both("page_table")]
    finally:
        os.close(file)
    assert native == pure
    assert damage is not None or native[0] == "result"
    assert short[0] == short[1] and short[0][0] == "error"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """Return the path of a file with page indexes, its bytes and its footer."""
    path = tmp_path_factory.mktemp("indexed") / "x.parquet"
    table = pa.table({"n": [number % 50 for number in range(ROWS)]})
    pq.write_table(table, path, data_page_size=64, write_batch_size=16, write_page_index=True)
    data = path.read_bytes()
    return path, data, footer_of(data)


def loaded(path, footer: bytes, *arguments, number: int = 0) -> list:
    """Return the outcomes of loading a chunk's table, by both implementations."""
    found = []
    with open(path, "rb") as file:
        for scan, module in zip(both("scan"), both("page_table"), strict=True):
            chunks = scan.scan(footer).column(0)
            size = os.path.getsize(path)
            kind, table = outcome(module.load, file.fileno(), size, chunks, number, *arguments)[:2]
            if kind == "result" and table is not None:
                table = [listed(table), table.begin, table.end, table.rows]
            found.append([kind, table] if kind == "result" else [kind])
    return found


def test_the_table_of_a_chunk_is_loaded_from_its_file(indexed):
    path, stored, footer = indexed
    column = pq.read_metadata(path).row_group(0).column(0)
    native, pure = loaded(path, footer, ROWS)
    assert native == pure
    pages, begin, end, rows = native[1]
    assert (begin, end, rows) == (column.dictionary_page_offset, begin + column.total_compressed_size, ROWS)
    index = read("FileMetaData", footer)["row_groups"][0]["columns"][0]
    at, length = index["offset_index_offset"], index["offset_index_length"]
    assert pages == list(zip(*(part.tolist() for part in locations(stored[at : at + length])), strict=True))


@settings(max_examples=examples(100))
@given(data=st.data())
def test_a_table_of_a_changed_chunk_is_loaded_alike(indexed, data):
    path, stored, footer = indexed
    metadata = read("FileMetaData", footer)
    chunk = metadata["row_groups"][0]["columns"][0]
    name = data.draw(st.sampled_from(["offset_index_offset", "offset_index_length", "file_path", "meta_data"]))
    number = st.integers(-(1 << 40), 1 << 40) | st.integers(-9, len(stored) + 9)
    if name == "file_path":
        chunk[name] = "other.parquet"
    elif name == "meta_data":
        member = data.draw(st.sampled_from(["total_compressed_size", "data_page_offset", "dictionary_page_offset"]))
        chunk[name][member] = data.draw(number)
    elif name == "offset_index_length":
        chunk[name] = data.draw(st.integers(-9, 1 << 20))
    else:
        chunk[name] = data.draw(number)
    native, pure = loaded(path, write("FileMetaData", metadata), ROWS)
    assert native == pure


def test_a_damaged_index_or_a_chunk_without_one_has_no_table(indexed, tmp_path):
    path, stored, footer = indexed
    metadata = read("FileMetaData", footer)
    chunk = metadata["row_groups"][0]["columns"][0]
    damaged = bytearray(stored)
    damaged[chunk["offset_index_offset"] + 2] ^= 0xFF
    (tmp_path / "damaged.parquet").write_bytes(damaged)
    assert loaded(tmp_path / "damaged.parquet", footer, ROWS) == [["result", None]] * 2
    del chunk["offset_index_offset"], chunk["offset_index_length"]
    assert loaded(path, write("FileMetaData", metadata), ROWS) == [["result", None]] * 2
    with pytest.raises(IndexError):
        loaded(path, footer, ROWS, number=1)
