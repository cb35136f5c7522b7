"""A small file with statistics, page indexes and a Bloom filter: each fact can be changed before it is written.

Its twelve rows: `n` (optional INT32, ascending, the last page null), `t` (required text), `x` (required DOUBLE with a
NaN) and `r` (repeated INT32 without a group around it).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from support.pages import Page, data_page, data_page_v2, levels

from parquetext import kernels, wire
from parquetext.thrift import write

__all__ = ["Parts", "bloom_bitset", "indexed_file"]

SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
PLAIN, ROWS = wire.ENCODING_PLAIN, 12
NAN = float("nan")


@dataclass
class Parts:
    """A column's parts as dictionaries with the names of parquet.thrift.

    `metadata`, `chunk` and `places` are fields that replace those made: of ColumnMetaData, of ColumnChunk, and for
    `places` the fields of each PageLocation by its number.
    """

    element: dict
    pages: list[Page]
    first_rows: list[int]
    statistics: dict
    column_index: dict
    sizes: dict | None = None
    bloom: bytes | None = None
    bloom_header: dict = field(
        default_factory=lambda: {
            "numBytes": 32,
            "algorithm": {"BLOCK": {}},
            "hash": {"XXHASH": {}},
            "compression": {"UNCOMPRESSED": {}},
        }
    )
    metadata: dict = field(default_factory=dict)
    chunk: dict = field(default_factory=dict)
    places: dict[int, dict] = field(default_factory=dict)
    offset_index: dict = field(default_factory=dict)


def bloom_bitset(values: Iterable[bytes]) -> bytes:
    """A split-block Bloom filter of one block."""
    words = [0] * 8
    for value in values:
        key = kernels.checksum.xxh64(value) & 0xFFFFFFFF
        for number, salt in enumerate(SALT):
            words[number] |= 1 << ((key * salt & 0xFFFFFFFF) >> 27)
    return struct.pack("<8I", *words)


def int32(*values: int) -> list[bytes]:
    return [struct.pack("<i", value) for value in values]


def double(*values: float) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]


def text(values: Iterable[str]) -> bytes:
    return b"".join(struct.pack("<I", len(value)) + value.encode() for value in values)


def numbers() -> Parts:
    values = [[1, 2, None, 4], [5, 6, 7, 8], [None] * 4]
    pages = [
        data_page(
            b"".join(int32(*(value for value in page if value is not None))),
            4,
            PLAIN,
            definition=levels([int(value is not None) for value in page], 1),
        )
        for page in values
    ]
    return Parts(
        {"type": wire.PHYSICAL_INT32, "repetition_type": wire.REPETITION_OPTIONAL, "name": "n"},
        pages,
        [0, 4, 8],
        {
            "null_count": 5,
            "distinct_count": 7,
            "max_value": int32(8)[0],
            "min_value": int32(1)[0],
            "is_max_value_exact": True,
            "is_min_value_exact": True,
        },
        {
            "null_pages": [False, False, True],
            "min_values": [*int32(1, 5), b""],
            "max_values": [*int32(4, 8), b""],
            "boundary_order": 1,
            "null_counts": [1, 0, 4],
            "definition_level_histograms": [1, 3, 0, 4, 4, 0],
        },
        {"definition_level_histogram": [5, 7]},
        bloom_bitset(int32(1, 2, 4, 5, 6, 7, 8)),
    )


def texts() -> Parts:
    return Parts(
        {
            "type": wire.PHYSICAL_BYTE_ARRAY,
            "repetition_type": wire.REPETITION_REQUIRED,
            "name": "t",
            "converted_type": wire.CONVERTED_UTF8,
        },
        [data_page(text("fedcba"), 6, PLAIN), data_page_v2(text("lkjihg"), 6, PLAIN)],
        [0, 6],
        {"null_count": 0, "max_value": b"m", "min_value": b"a", "is_max_value_exact": False},
        {
            "null_pages": [False, False],
            "min_values": [b"a", b"g"],
            "max_values": [b"f", b"m"],
            "boundary_order": 1,
            "null_counts": [0, 0],
        },
        {"unencoded_byte_array_data_bytes": 12},
        offset_index={"unencoded_byte_array_data_bytes": [6, 6]},
    )


def doubles() -> Parts:
    first, second = [-0.0, 1.5, NAN, 3.0, 4.0, 5.0], [0.5] * 6
    return Parts(
        {"type": wire.PHYSICAL_DOUBLE, "repetition_type": wire.REPETITION_REQUIRED, "name": "x"},
        [data_page(b"".join(double(*page)), 6, PLAIN) for page in (first, second)],
        [0, 6],
        {"null_count": 0, "max_value": double(5.0)[0], "min_value": double(0.0)[0], "nan_count": 1},
        {
            "null_pages": [False, False],
            "min_values": double(0.0, 0.5),
            "max_values": double(5.0, 0.5),
            "boundary_order": 0,
            "nan_counts": [1, 0],
        },
    )


def lists() -> Parts:
    """Rows of 2, 1, 0, 1, 1 and 1 values, twice."""
    repetition, definition = [0, 1, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 1, 1]
    page = data_page(
        b"".join(int32(1, 2, 3, 4, 5, 6)),
        7,
        PLAIN,
        definition=levels(definition, 1),
        repetition=levels(repetition, 1),
    )
    return Parts(
        {"type": wire.PHYSICAL_INT32, "repetition_type": wire.REPETITION_REPEATED, "name": "r"},
        [page, page],
        [0, 6],
        {"null_count": 2, "max_value": int32(6)[0], "min_value": int32(1)[0]},
        {
            "null_pages": [False, False],
            "min_values": int32(1, 1),
            "max_values": int32(6, 6),
            "boundary_order": 1,
            "null_counts": [1, 1],
            "repetition_level_histograms": [6, 1, 6, 1],
        },
        {"repetition_level_histogram": [12, 2], "definition_level_histogram": [2, 12]},
    )


def indexed_file(
    change: Callable[[dict[str, Parts]], object] = lambda parts: None, *, rows: int = ROWS, **footer
) -> bytes:
    """Return the file, once `change` has had its parts by the names of the columns.

    `rows` is the number in the footer; `footer` replaces footer fields, and None omits one.
    """
    columns = [numbers(), texts(), doubles(), lists()]
    parts = {column.element["name"]: column for column in columns}
    change(parts)
    out, chunks = bytearray(b"PAR1"), []
    for column in columns:
        chunks.append(_chunk(column, out))
    for column, chunk in zip(columns, chunks, strict=True):
        _add_indexes(column, chunk, out)
    schema = [{"name": "schema", "num_children": len(columns)}, *(column.element for column in columns)]
    size = sum(chunk["meta_data"]["total_uncompressed_size"] for chunk in chunks)
    fields = {
        "version": 2,
        "schema": schema,
        "num_rows": rows,
        "row_groups": [{"columns": chunks, "total_byte_size": size, "num_rows": rows}],
        "created_by": "parquetext version 0.1.0 (build pages)",
        "column_orders": [{"TYPE_ORDER": {}}] * len(columns),
    }
    fields |= footer
    data = write("FileMetaData", {name: value for name, value in fields.items() if value is not None})
    return bytes(out) + data + len(data).to_bytes(4, "little") + b"PAR1"


def _chunk(column: Parts, out: bytearray) -> dict:
    start = len(out)
    locations = []
    for number, (page, row) in enumerate(zip(column.pages, column.first_rows, strict=True)):
        data = page.to_bytes()
        position = {"offset": len(out), "compressed_page_size": len(data), "first_row_index": row}
        locations.append(position | column.places.get(number, {}))
        out += data
    column.offset_index = {"page_locations": locations} | column.offset_index
    made = {
        "type": column.element["type"],
        "encodings": [PLAIN, wire.ENCODING_RLE],
        "path_in_schema": [column.element["name"]],
        "codec": wire.CODEC_UNCOMPRESSED,
        "num_values": sum(page.count for page in column.pages),
        "total_uncompressed_size": len(out) - start,
        "total_compressed_size": len(out) - start,
        "data_page_offset": start,
        "statistics": column.statistics,
    }
    if column.bloom is not None:
        made["bloom_filter_offset"] = made["bloom_filter_length"] = 0  # known later
    if column.sizes is not None:
        made["size_statistics"] = column.sizes
    return {"file_offset": 0, "meta_data": made}


def _add_indexes(column: Parts, chunk: dict, out: bytearray) -> None:
    for name, struct_name, fields in (
        ("offset_index", "OffsetIndex", column.offset_index),
        ("column_index", "ColumnIndex", column.column_index),
    ):
        data = write(struct_name, fields)
        chunk |= {f"{name}_offset": len(out), f"{name}_length": len(data)}
        out += data
    if column.bloom is not None:
        data = write("BloomFilterHeader", column.bloom_header) + column.bloom
        chunk["meta_data"] |= {"bloom_filter_offset": len(out), "bloom_filter_length": len(data)}
        out += data
    chunk["meta_data"] |= column.metadata
    chunk |= column.chunk
    for name in [name for name, value in chunk.items() if value is None]:
        del chunk[name]
