"""Parquet files made of given pages: any headers and bodies, for every reader to read, hostile ones among them.

    page = data_page(plain, count=3, encoding=wire.ENCODING_PLAIN)
    file = parquet_file([Column("x", wire.PHYSICAL_INT32, [page])], rows=3)

Omitted fields get the values of a correct writer; given ones are written unchanged. Nothing here uses
the encoders of the package.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import pyarrow as pa

from parquetext import wire
from parquetext.thrift import write

from .varints import varint

__all__ = [
    "Column",
    "Page",
    "compress",
    "data_page",
    "data_page_v2",
    "dictionary_page",
    "file_of_row_groups",
    "levels",
    "levels_msb_first",
    "parquet_file",
]

MAGIC = b"PAR1"
CREATED_BY = "parquetext version 0.1.0 (build pages)"  # parquet-java takes files without one for damaged by old writers
BODIES = {
    wire.PAGE_DATA_PAGE: "data_page_header",
    wire.PAGE_DICTIONARY_PAGE: "dictionary_page_header",
    wire.PAGE_DATA_PAGE_V2: "data_page_header_v2",
}
ARROW_CODECS = {
    wire.CODEC_SNAPPY: "snappy",
    wire.CODEC_GZIP: "gzip",
    wire.CODEC_BROTLI: "brotli",
    wire.CODEC_ZSTD: "zstd",
    wire.CODEC_LZ4_RAW: "lz4_raw",
}


@dataclass(frozen=True)
class Page:
    """One page as it stands in a file: the fields of its `PageHeader`, and its body as stored."""

    header: dict
    body: bytes

    def to_bytes(self) -> bytes:
        return write("PageHeader", self.header) + self.body

    def changed(self, **fields) -> Page:
        """The page with other fields in its header, of `PageHeader` or of the struct of its type."""
        own = {name: value for name, value in fields.items() if name in self.header or name == "crc"}
        name = BODIES[self.header["type"]]
        inner = self.header[name] | {name: value for name, value in fields.items() if name not in own}
        return replace(self, header=self.header | own | {name: inner})

    @property
    def encodings(self) -> set[int]:
        inner = self.header.get(BODIES.get(self.header["type"], ""), {})
        return {value for name, value in inner.items() if name.endswith("encoding")}

    @property
    def count(self) -> int:
        """Values and nulls; 0 of a dictionary."""
        return self.header[BODIES[self.header["type"]]]["num_values"] if self.is_data else 0

    @property
    def is_data(self) -> bool:
        return self.header["type"] in (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2)


@dataclass(frozen=True)
class Column:
    """One leaf of a row group.

    Attributes
    ----------
    name : str
        Dotted, where the schema is given to `parquet_file`.
    element, metadata : dict
        More fields of its `SchemaElement` and its `ColumnMetaData`, or others in place of those made.
    """

    name: str
    type: int
    pages: Sequence[Page]
    type_length: int = 0
    repetition: int = wire.REPETITION_REQUIRED
    codec: int = wire.CODEC_UNCOMPRESSED
    element: dict = field(default_factory=dict)
    metadata: dict = field(default_factory=dict)


def compress(codec: int, data: bytes) -> bytes:
    """Return the stored body of a page in this codec; LZ4 is framed as in Hadoop, one block."""
    if codec == wire.CODEC_UNCOMPRESSED:
        return data
    if codec == wire.CODEC_LZ4:
        block = compress(wire.CODEC_LZ4_RAW, data)
        return len(data).to_bytes(4, "big") + len(block).to_bytes(4, "big") + block
    return pa.compress(data, ARROW_CODECS[codec], asbytes=True)


def levels(values: Iterable[int], max_level: int) -> bytes:
    """RLE, one run for each stretch of equal levels, without a length."""
    width = (max_level.bit_length() + 7) // 8
    runs = [(value, len(list(same))) for value, same in groupby(values)] if max_level else []
    return b"".join(varint(length << 1) + value.to_bytes(width, "little") for value, length in runs)


def levels_msb_first(values: Sequence[int], max_level: int) -> bytes:
    """BIT_PACKED (4): most significant bit first, the last byte filled with zeros."""
    bits = "".join(f"{value:0{max_level.bit_length()}b}" for value in values) if max_level else ""
    return int((bits + "0" * (-len(bits) % 8)) or "0", 2).to_bytes((len(bits) + 7) // 8, "big")


def data_page(
    values: bytes,
    count: int,
    encoding: int,
    *,
    definition: bytes | None = None,
    repetition: bytes | None = None,
    level_encoding: int = wire.ENCODING_RLE,
    codec: int = wire.CODEC_UNCOMPRESSED,
) -> Page:
    """A DATA_PAGE (V1) of `count` values and nulls; levels come without their length, None: there are none."""
    prefix = level_encoding == wire.ENCODING_RLE
    parts = [
        (len(part).to_bytes(4, "little") if prefix else b"") + part
        for part in (repetition, definition)
        if part is not None
    ]
    inner = {
        "num_values": count,
        "encoding": encoding,
        "definition_level_encoding": level_encoding,
        "repetition_level_encoding": level_encoding,
    }
    body = b"".join([*parts, values])
    return _page(wire.PAGE_DATA_PAGE, len(body), compress(codec, body), inner)


def data_page_v2(
    values: bytes,
    count: int,
    encoding: int,
    *,
    rows: int | None = None,
    nulls: int = 0,
    definition: bytes = b"",
    repetition: bytes = b"",
    codec: int = wire.CODEC_UNCOMPRESSED,
    is_compressed: bool | None = None,
) -> Page:
    """A DATA_PAGE_V2 of `count` values and nulls; `is_compressed` None leaves the field out, which means true."""
    stored = values if is_compressed is False or not values else compress(codec, values)
    inner = {
        "num_values": count,
        "num_nulls": nulls,
        "num_rows": count if rows is None else rows,
        "encoding": encoding,
        "definition_levels_byte_length": len(definition),
        "repetition_levels_byte_length": len(repetition),
    }
    if is_compressed is not None:
        inner["is_compressed"] = is_compressed
    size = len(repetition) + len(definition) + len(values)
    return _page(wire.PAGE_DATA_PAGE_V2, size, repetition + definition + stored, inner)


def dictionary_page(values: bytes, count: int, *, codec: int = wire.CODEC_UNCOMPRESSED) -> Page:
    """A DICTIONARY_PAGE of PLAIN values."""
    inner = {"num_values": count, "encoding": wire.ENCODING_PLAIN}
    return _page(wire.PAGE_DICTIONARY_PAGE, len(values), compress(codec, values), inner)


def _page(type: int, size: int, body: bytes, inner: dict) -> Page:
    crc = zlib.crc32(body)
    sizes = {"uncompressed_page_size": size, "compressed_page_size": len(body)}
    return Page({"type": type, **sizes, "crc": crc - (crc >> 31 << 32), BODIES[type]: inner}, body)


def parquet_file(columns: Sequence[Column], rows: int, *, schema: Sequence[dict] | None = None) -> bytes:
    """A whole file with one row group.

    `schema` are the fields of all `SchemaElement`s, the root's first; without it each column is a leaf below the root.
    """
    return file_of_row_groups([(columns, rows)], schema=schema)


def file_of_row_groups(
    row_groups: Sequence[tuple[Sequence[Column], int]], *, schema: Sequence[dict] | None = None
) -> bytes:
    """Return a file of row groups, each given by its columns and its number of rows; `schema` as of `parquet_file`."""
    out, groups = bytearray(MAGIC), []
    for columns, rows in row_groups:
        chunks = []
        for column in columns:
            chunks.append({"file_offset": 0, "meta_data": _metadata(column, len(out))})
            for page in column.pages:
                out += page.to_bytes()
        size = sum(chunk["meta_data"]["total_uncompressed_size"] for chunk in chunks)
        groups.append({"columns": chunks, "total_byte_size": size, "num_rows": rows})
    if schema is None:
        columns = row_groups[0][0]
        schema = [{"name": "schema", "num_children": len(columns)}, *map(_element, columns)]
    footer = write(
        "FileMetaData",
        {
            "version": 2,
            "schema": list(schema),
            "num_rows": sum(rows for _, rows in row_groups),
            "row_groups": groups,
            "created_by": CREATED_BY,
        },
    )
    return bytes(out) + footer + len(footer).to_bytes(4, "little") + MAGIC


def _element(column: Column) -> dict:
    length = {"type_length": column.type_length} if column.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else {}
    made = {"type": column.type, **length, "repetition_type": column.repetition, "name": column.name} | column.element
    return dict(sorted(made.items(), key=lambda item: _ELEMENT_ORDER.index(item[0])))


_ELEMENT_ORDER = (
    "type",
    "type_length",
    "repetition_type",
    "name",
    "num_children",
    "converted_type",
    "scale",
    "precision",
    "field_id",
    "logicalType",
)


def _metadata(column: Column, start: int) -> dict:
    stored = [page.to_bytes() for page in column.pages]
    unpacked = (
        len(whole) - len(page.body) + page.header["uncompressed_page_size"]
        for page, whole in zip(column.pages, stored, strict=True)
    )
    before = 0
    for page, whole in zip(column.pages, stored, strict=True):
        if page.is_data:
            break
        before += len(whole)
    made = {
        "type": column.type,
        "encodings": sorted(set().union(*(page.encodings for page in column.pages))),
        "path_in_schema": column.name.split("."),
        "codec": column.codec,
        "num_values": sum(page.count for page in column.pages),
        "total_uncompressed_size": sum(unpacked),
        "total_compressed_size": sum(map(len, stored)),
        "data_page_offset": start + before,
    }
    if before:
        made["dictionary_page_offset"] = start
    return made | column.metadata
