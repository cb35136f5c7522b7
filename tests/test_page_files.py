"""Files made of given pages (support.pages): readers read them, and they contain the changed fields."""

from __future__ import annotations

import io
import struct

import duckdb
import polars
import pyarrow.parquet as pq
import pytest
from support.pages import (
    Column,
    compress,
    data_page,
    data_page_v2,
    dictionary_page,
    levels,
    levels_msb_first,
    parquet_file,
)

from parquetext import wire
from parquetext.thrift import read_at

VALUES = [3, -1, 2**31 - 1, 7]
PLAIN = struct.pack("<4i", *VALUES)
WITH_NULLS = [3, None, -1, 2**31 - 1, None, 7]
PRESENT = [int(value is not None) for value in WITH_NULLS]
CODECS = [
    wire.CODEC_UNCOMPRESSED,
    wire.CODEC_SNAPPY,
    wire.CODEC_GZIP,
    wire.CODEC_BROTLI,
    wire.CODEC_LZ4,
    wire.CODEC_ZSTD,
    wire.CODEC_LZ4_RAW,
]


def optional(page, codec=0) -> Column:
    return Column("x", wire.PHYSICAL_INT32, [page], repetition=wire.REPETITION_OPTIONAL, codec=codec)


def by_pyarrow(file: bytes) -> list:
    return pq.read_table(io.BytesIO(file)).column(0).to_pylist()


@pytest.mark.parametrize("codec", CODECS)
def test_pages_of_every_codec_and_version_are_read(tmp_path, codec):
    definition = levels(PRESENT, 1)
    for page in (
        data_page(PLAIN, 6, wire.ENCODING_PLAIN, definition=definition, codec=codec),
        data_page_v2(PLAIN, 6, wire.ENCODING_PLAIN, nulls=2, definition=definition, codec=codec),
        data_page_v2(PLAIN, 6, wire.ENCODING_PLAIN, nulls=2, definition=definition, codec=codec, is_compressed=False),
    ):
        path = tmp_path / "made.parquet"
        path.write_bytes(parquet_file([optional(page, codec)], 6))
        assert by_pyarrow(path.read_bytes()) == WITH_NULLS
        assert pq.read_table(path, page_checksum_verification=True).num_rows == 6
        assert polars.read_parquet(path)["x"].to_list() == WITH_NULLS
        if codec != wire.CODEC_LZ4:  # which DuckDB does not read
            assert [row[0] for row in duckdb.read_parquet(str(path)).fetchall()] == WITH_NULLS


def test_levels_most_significant_bit_first_have_no_length():
    bits = levels_msb_first(PRESENT, 1)
    assert bits == b"\xb4"
    assert levels_msb_first([0, 3, 1, 2, 2], 3) == b"\x36\x80"
    page = data_page(PLAIN, 6, wire.ENCODING_PLAIN, definition=bits, level_encoding=wire.ENCODING_BIT_PACKED)
    assert page.body == bits + PLAIN


def test_a_dictionary_page_before_several_data_pages_is_read():
    pages = [
        dictionary_page(PLAIN, 4),
        data_page(b"\x02\x06\x01", 3, wire.ENCODING_RLE_DICTIONARY),
        data_page_v2(b"\x02\x04\x03", 2, wire.ENCODING_RLE_DICTIONARY),
    ]
    file = parquet_file([Column("x", wire.PHYSICAL_INT32, pages)], 5)
    assert by_pyarrow(file) == [-1, -1, -1, 7, 7]
    chunk = pq.read_metadata(io.BytesIO(file)).row_group(0).column(0)
    assert (chunk.has_dictionary_page, chunk.num_values) == (True, 5)


def test_nested_columns_are_read_with_a_given_schema():
    page = data_page(
        struct.pack("<3i", 1, 2, 3),
        4,
        wire.ENCODING_PLAIN,
        definition=levels([2, 2, 0, 2], 2),
        repetition=levels([0, 1, 0, 0], 1),
    )
    schema = [
        {"name": "schema", "num_children": 1},
        {"repetition_type": wire.REPETITION_OPTIONAL, "name": "a", "num_children": 1, "converted_type": 3},
        {"repetition_type": wire.REPETITION_REPEATED, "name": "list", "num_children": 1},
        {"type": wire.PHYSICAL_INT32, "repetition_type": wire.REPETITION_REQUIRED, "name": "element"},
    ]
    file = parquet_file([Column("a.list.element", wire.PHYSICAL_INT32, [page])], 3, schema=schema)
    assert by_pyarrow(file) == [[1, 2], None, [3]]


def test_changed_headers_are_written_unchanged():
    page = data_page(PLAIN, 4, wire.ENCODING_PLAIN)
    hostile = page.changed(num_values=2**31 - 1, compressed_page_size=-1, crc=5)
    assert page.changed() == page
    file = parquet_file([Column("x", wire.PHYSICAL_INT32, [hostile])], 4)
    header, end = read_at("PageHeader", file, 4)
    assert (header["crc"], header["compressed_page_size"], header["uncompressed_page_size"]) == (5, -1, 16)
    assert header["data_page_header"]["num_values"] == 2**31 - 1
    assert file[end : end + 16] == PLAIN


def test_lz4_is_framed_as_hadoop_frames_it():
    stored = compress(wire.CODEC_LZ4, PLAIN)
    assert stored[:4] == (16).to_bytes(4, "big") and int.from_bytes(stored[4:8], "big") == len(stored) - 8
