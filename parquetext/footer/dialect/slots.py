"""The schemas of the dialect's buffers as tables of slots, and the detection of a buffer's schema."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ... import wire
from ...errors import ParquetextError, Unsupported
from .buffer import Buffer, Table

SCALARS = {
    name: struct.Struct(f"<{code}")
    for name, code in zip(("bool", "i8", "u8", "i16", "i32", "u32", "i64", "u64"), "BbBhiIqQ", strict=True)
}
DECIMAL, STATISTICS = 5, 8  # a member of the union LogicalType; a slot of ColumnMetadata
SAMPLE = 64  # tables of a kind that are checked before a layout is accepted

# Of parquet-format pull request 544 and apache/arrow pull requests 43793 and 48431; named by the commit in the former.
# A union takes two slots, its tag (u8) and its value. A type is a scalar, text, [Table] or a table's name.
_COMMON = """
FileMetaData: version i32, schema [SchemaElement], num_rows i64, row_groups [RowGroup], kv [KeyValue], created_by text,
    encryption_type u8, encryption Empty, footer_signing_key_metadata text
RowGroup: columns [ColumnChunk], total_byte_size i64, num_rows i64, sorting_columns [SortingColumn], file_offset i64,
    total_compressed_size i64, ordinal i16
SortingColumn: column_idx i32, descending bool, nulls_first bool
KeyValue: key text, val text
BloomFilterInfo: offset i64, length i32
TimeOptions: is_adjusted_to_utc bool, unit i8
IntOptions: bit_width i8, is_signed bool
VariantType: specification_version i8
GeometryType: crs text
GeographyType: crs text, algorithm i8
Empty:
"""
_CHUNK = """
ColumnChunk: metadata ColumnMetadata, crypto_type u8, crypto Empty, encrypted_column_metadata text
"""
_METADATA = """
ColumnMetadata: codec i8, num_values i64, total_uncompressed_size i64, total_compressed_size i64,
    key_value_metadata [KeyValue], data_page_offset i64, index_page_offset i64, dictionary_page_offset i64,
    statistics Statistics, is_fully_dict_encoded bool, bloom_filter BloomFilterInfo, geospatial_statistics Empty
"""
_NAME_FIRST = """
SchemaElement: name text, type i8, repetition_type i8, logical_type_type u8, logical_type Empty, type_length i32,
    num_children i32, field_id i32, column_order_type u8, column_order Empty
"""
_STATISTICS = """
Statistics: null_count i32, min_lo4 u32, min_lo8 u64, min_hi8 u64, min_len i8, max_lo4 u32, max_lo8 u64, max_hi8 u64,
    max_len i8, prefix text
DecimalOptions: precision i32, scale i32
"""
_TEXTS = {
    "f951a6d": _COMMON.replace(" specification_version i8", "")
    + _NAME_FIRST
    + _STATISTICS
    + """
FileMetaData: version i32, schema [SchemaElement], num_rows i64, row_groups [RowGroup], kv [KeyValue], created_by text
ColumnChunk: file_path text, metadata ColumnMetadata
ColumnMetadata: codec i8, num_values i64, total_uncompressed_size i64, total_compressed_size i64,
    key_value_metadata [KeyValue], data_page_offset i64, index_page_offset i64, dictionary_page_offset i64,
    statistics Statistics, is_fully_dict_encoded bool, bloom_filter_offset i64, bloom_filter_length i32
""",
    "a77d277": _COMMON + _CHUNK + _METADATA.replace(", geospatial_statistics Empty", "") + _NAME_FIRST + _STATISTICS,
    "5a0baf2": _COMMON
    + _CHUNK
    + _METADATA
    + _NAME_FIRST
    + _STATISTICS.replace("null_count i32", "null_count i64").replace(
        "precision i32, scale i32", "scale i32, precision i32"
    ),
    "c938fc7": _COMMON
    + _CHUNK
    + _METADATA
    + """
SchemaElement: type i8, type_length i32, repetition_type i8, name text, num_children i32, field_id i32,
    logical_type_type u8, logical_type Empty, column_order_type u8, column_order Empty
Statistics: null_count i64, distinct_count i64, min_lo4 u32, min_lo8 u64, min_hi8 u64, min_len i8, max_lo4 u32,
    max_lo8 u64, max_hi8 u64, max_len i8, prefix text
DecimalOptions: scale i32, precision i32
""",
}


class Field(NamedTuple):
    """A field's slot, type, and width in the table, in bytes."""

    slot: int
    type: str
    width: int


class Layout(NamedTuple):
    """A schema: the fields of its tables."""

    name: str
    tables: dict[str, dict[str, Field]]


def _parse(name: str, text: str) -> Layout:
    tables = {}
    for line in text.replace("\n    ", " ").strip().splitlines():
        if line:
            table, _, body = line.partition(":")
            fields = [field.split() for field in body.split(",") if field.strip()]
            tables[table] = {
                field: Field(slot, type, SCALARS[type].size if type in SCALARS else 4)
                for slot, (field, type) in enumerate(fields)
            }
    return Layout(name, tables)


LAYOUTS = {name: _parse(name, text) for name, text in _TEXTS.items()}
SUPERSET = LAYOUTS["a77d277"]._replace(
    tables=LAYOUTS["a77d277"].tables | {"ColumnMetadata": LAYOUTS["5a0baf2"].tables["ColumnMetadata"]}
)


class Row:
    """A table of a buffer with its fields by name. Each shape of a table is checked once.

    Raises
    ------
    Unsupported
        If the table has a slot that the layout lacks, or too little room for a field.
    """

    __slots__ = ("_checked", "_fields", "at", "layout", "table")

    def __init__(self, table: Table, kind: str, layout: Layout, checked: set):
        self.table, self.at, self.layout, self._checked = table, table.at, layout, checked
        self._fields = layout.tables[kind]
        if (kind, table.entries) not in checked:
            known = {field.slot: field for field in self._fields.values()}
            for slot in range(len(table.entries) - 1):
                if table.has(slot) and (slot not in known or table.room(slot) < known[slot].width):
                    raise unknown_layout(f"layout {layout.name} has no such slot {slot} of a {kind}", table.at)
            checked.add((kind, table.entries))

    @classmethod
    def root(cls, buffer: Buffer, layout: Layout) -> Row:
        return cls(buffer.root(), "FileMetaData", layout, set())

    def get(self, name: str, default=None):
        """Return a number or text; `default` if the field is absent, or if the layout lacks it."""
        field = self._fields.get(name)
        if field is None:
            return default
        if field.type in SCALARS:
            return self.table.number(field.slot, SCALARS[field.type], default)
        found = self.table.text(field.slot)
        return default if found is None else found

    def has(self, name: str) -> bool:
        return name in self._fields and self.table.has(self._fields[name].slot)

    def follow(self, name: str) -> None:
        """Check the offset of a table, and count the visit; raise Damaged if it leads out of the buffer."""
        self.table.table(self._fields[name].slot)

    def child(self, name: str, kind: str | None = None) -> Row | None:
        """Return the table in a field, or None; `kind` is that of a union's member."""
        field = self._fields.get(name)
        if field is None or (found := self.table.table(field.slot)) is None:
            return None
        return Row(found, kind or field.type, self.layout, self._checked)

    def count(self, name: str) -> int | None:
        """Return the number of tables in a vector; None if it is absent."""
        return self.table.count(self._fields[name].slot)

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the tables of a vector."""
        field = self._fields[name]
        return (Row(one, field.type[1:-1], self.layout, self._checked) for one in self.table.tables(field.slot))


def unknown_layout(what: str, at: int | None) -> Unsupported:
    return Unsupported(f"a buffer of unknown layout: {what}", offset=at, code=wire.UNKNOWN_LAYOUT)


def tell_layout(data: bytes, *, thorough: bool = True) -> Layout:
    """Return the layout of a buffer by the slots of its tables and their widths.

    Parameters
    ----------
    data : bytes
    thorough : bool
        Check every chunk for differences between a77d277 and 5a0baf2, in which some slots have another meaning.
        Without it, only the first tables of each kind are checked, and 5a0baf2 may be reported as a77d277.

    Raises
    ------
    Unsupported
        If the buffer has no known layout, or properties of two layouts.
    """
    try:
        layout = LAYOUTS[_family(Buffer(data))]
        # A buffer of 5a0baf2 has one slot more, and cannot be distinguished yet.
        _check_sample(Row.root(Buffer(data), SUPERSET if layout.name == "a77d277" else layout))
        if thorough and layout.name == "a77d277" and _is_later(Row.root(Buffer(data), LAYOUTS["5a0baf2"])):
            layout = LAYOUTS["5a0baf2"]
    except ParquetextError as error:
        if error.code == wire.UNKNOWN_LAYOUT:
            raise
        raise unknown_layout(error.message, error.offset) from None
    return layout


def _family(buffer: Buffer) -> str:
    """Return a layout with the same order of slots: the root has a name and no type, and a chunk has metadata."""
    root = buffer.root()
    element = next(root.tables(1), None)
    if element is None:
        raise unknown_layout("no schema", root.at)
    if not element.has(0):
        return "c938fc7"
    chunk = next((chunk for group in root.tables(3) for chunk in group.tables(0)), None)
    if chunk is not None and chunk.has(1) and not chunk.has(2) and not chunk.has(3):
        return "f951a6d"
    return "a77d277"


def _check_sample(root: Row) -> None:
    """Check that the first tables of each kind match the layout and have the required fields."""
    for element in islice(root.rows("schema"), SAMPLE):
        _check_name(element)
    for group in islice(root.rows("row_groups"), 1):
        for chunk in islice(group.rows("columns"), SAMPLE):
            metadata = chunk.child("metadata")
            if metadata is None:
                raise unknown_layout("a ColumnChunk without metadata", chunk.at)
            metadata.child("statistics")


def _check_name(element: Row) -> None:
    """Check that the name is a string: it ends in a zero byte, which other vectors need not have."""
    position = element.table.position(element.layout.tables["SchemaElement"]["name"].slot, 4)
    if not position:
        raise unknown_layout("a SchemaElement without a name", element.at)
    buffer = element.table.buffer
    start, length = buffer.vector(position, 1)
    if buffer.data[start + length : start + length + 1] != b"\0":
        raise unknown_layout("the name of a SchemaElement is no string", start)


def _is_later(root: Row) -> bool:
    """Return True if a table shows that the buffer has layout 5a0baf2 instead of a77d277.

    Their decimals have scale and precision in opposite order, and null counts have 8 bytes instead of 4. If no table
    shows a difference, both layouts read the same values.
    """
    earlier, later = None, None
    for element in root.rows("schema"):
        options = (
            element.child("logical_type", "DecimalOptions") if element.get("logical_type_type") == DECIMAL else None
        )
        if options is not None:
            scale, precision = options.get("scale", 0), options.get("precision", 0)
            earlier = options.at if 0 <= precision <= scale != precision else earlier
            later = options.at if 0 <= scale <= precision != scale else later
    for group in root.rows("row_groups"):
        for metadata in (chunk.child("metadata") for chunk in group.rows("columns")):
            if metadata is None:
                continue
            later = metadata.at if metadata.has("geospatial_statistics") else later
            statistics = metadata.table.table(STATISTICS)  # without a check: the layouts differ in it
            if statistics is not None and statistics.has(0):
                at = statistics.position(0, 4)
                if statistics.room(0) < 8 or at % 8:
                    earlier = statistics.at
                elif statistics.buffer.data[at + 4 : at + 8] != bytes(4):
                    later = statistics.at
    if earlier is not None and later is not None:
        raise unknown_layout(f"of a77d277 by a table at {earlier}, of 5a0baf2 by another one", later)
    return later is not None
