"""The schemas of the dialect's buffers, as tables of slots, and how to tell them apart by what a buffer holds."""

from __future__ import annotations

import struct
from itertools import islice
from typing import NamedTuple

from ... import wire
from ...errors import ParquetextError, Unsupported
from .buffer import Buffer, Table

__all__ = ["LAYOUTS", "SCALARS", "Field", "Layout", "Reading", "check_table", "tell_layout"]

SCALARS = {
    name: struct.Struct(f"<{code}")
    for name, code in (
        ("bool", "B"),
        ("i8", "b"),
        ("u8", "B"),
        ("i16", "h"),
        ("i32", "i"),
        ("u32", "I"),
        ("i64", "q"),
        ("u64", "Q"),
    )
}
DECIMAL, STATISTICS, GEOSPATIAL = 5, 8, 11  # a member of the union LogicalType; slots of ColumnMetadata
SAMPLE = 64  # tables of a kind that are looked at before a layout is believed in

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


class Reading:
    """A buffer read by a layout: fields by their names."""

    __slots__ = ("_checked", "buffer", "layout")

    def __init__(self, buffer: Buffer, layout: Layout):
        self.buffer, self.layout = buffer, layout
        self._checked: set[tuple[str, tuple[int, ...]]] = set()

    def get(self, kind: str, table: Table, name: str, default=None):
        """A field's value: a number, bytes, a table; `default` where it is absent."""
        field = self.layout.tables[kind].get(name)
        if field is None:
            return default
        if field.type in SCALARS:
            return table.number(field.slot, SCALARS[field.type], default)
        found = table.text(field.slot) if field.type == "text" else table.table(field.slot)
        return default if found is None else found

    def checked(self, kind: str, table: Table) -> Table:
        """The table, once it is known to look like one of this kind; every shape is looked at once."""
        shape = kind, table.entries
        if shape not in self._checked:
            check_table(self.layout, kind, table)
            self._checked.add(shape)
        return table

    def all(self, kind: str, table: Table, name: str):
        """The tables of a vector, each of them checked."""
        field = self.layout.tables[kind][name]
        inner = field.type[1:-1]
        return (self.checked(inner, one) for one in table.tables(field.slot))

    def one(self, kind: str, table: Table, name: str) -> Table | None:
        """The table of a field, checked."""
        field = self.layout.tables[kind].get(name)
        found = table.table(field.slot) if field else None
        return None if found is None else self.checked(field.type, found)


def check_table(layout: Layout, kind: str, table: Table) -> None:
    """Whether a table has no slot that the layout has not, and room for each field that it has.

    Raises
    ------
    Unsupported
        It is of another layout.
    """
    fields = layout.tables[kind]
    known = {field.slot: field for field in fields.values()}
    for slot in range(len(table.entries) - 1):
        if table.has(slot) and (slot not in known or table.room(slot) < known[slot].width):
            raise unknown_layout(f"slot {slot} of a {kind} is not what layout {layout.name} has there", table.at)


def unknown_layout(what: str, at: int) -> Unsupported:
    return Unsupported(f"a buffer of unknown layout: {what}", offset=at, code=wire.UNKNOWN_LAYOUT)


def tell_layout(data: bytes, *, thorough: bool = True) -> Layout:
    """The layout of a buffer, told by which slots its tables have and how wide they are, never by guessing.

    Parameters
    ----------
    data : bytes
    thorough : bool
        Look at every chunk for what tells a77d277 from 5a0baf2, in which some slots mean something else. Without it,
        the first tables of each kind are looked at, and the one may stand for the other.

    Raises
    ------
    Unsupported
        It is of no layout that is known, or of two at once.
    """
    try:
        layout = LAYOUTS[_family(Buffer(data))]
        _check_sample(Reading(Buffer(data), layout))
        if thorough and layout.name == "a77d277" and _is_later(Reading(Buffer(data), LAYOUTS["5a0baf2"])):
            layout = LAYOUTS["5a0baf2"]
    except ParquetextError as error:
        if error.code == wire.UNKNOWN_LAYOUT:
            raise
        raise unknown_layout(error.message, error.offset) from None
    return layout


def _family(buffer: Buffer) -> str:
    """Which order SchemaElement and ColumnChunk have: the root has a name and no type, a chunk has metadata."""
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


def _check_sample(reading: Reading) -> None:
    """The first tables of every kind look like those of the layout, and have what cannot be missing.

    Of a77d277 those of 5a0baf2 do, too: it has a slot more, and so far nothing else can be told.
    """
    if reading.layout.name == "a77d277":
        reading = Reading(reading.buffer, SUPERSET)
    root = reading.checked("FileMetaData", reading.buffer.root())
    for element in islice(reading.all("FileMetaData", root, "schema"), SAMPLE):
        _check_name(reading, element)
    for group in islice(reading.all("FileMetaData", root, "row_groups"), 1):
        for chunk in islice(reading.all("RowGroup", group, "columns"), SAMPLE):
            metadata = reading.one("ColumnChunk", chunk, "metadata")
            if metadata is None:
                raise unknown_layout("a ColumnChunk without metadata", chunk.at)
            reading.one("ColumnMetadata", metadata, "statistics")


def _check_name(reading: Reading, element: Table) -> None:
    """A string ends in a zero byte, which other vectors need not have."""
    position = element.position(reading.layout.tables["SchemaElement"]["name"].slot, 4)
    if not position:
        raise unknown_layout("a SchemaElement without a name", element.at)
    start, length = reading.buffer.vector(position, 1)
    if reading.buffer.data[start + length : start + length + 1] != b"\0":
        raise unknown_layout("the name of a SchemaElement is no string", start)


def _is_later(reading: Reading) -> bool:
    """Whether anything shows that the buffer is of 5a0baf2; False too where all that it has reads the same as a77d277.

    Their decimals have scale and precision the other way round, and null counts are of 8 bytes in place of 4.
    """
    earlier, later = None, None
    root = reading.buffer.root()
    for element in reading.all("FileMetaData", root, "schema"):
        if reading.get("SchemaElement", element, "logical_type_type", 0) == DECIMAL:
            options = element.table(reading.layout.tables["SchemaElement"]["logical_type"].slot)
            if options is None:
                continue
            reading.checked("DecimalOptions", options)
            first, second = (options.number(slot, SCALARS["i32"], 0) for slot in (0, 1))
            earlier = options.at if 0 <= second <= first != second else earlier
            later = options.at if 0 <= first <= second != first else later
    for group in reading.all("FileMetaData", root, "row_groups"):
        for chunk in reading.all("RowGroup", group, "columns"):
            metadata = reading.one("ColumnChunk", chunk, "metadata")
            if metadata is None:
                continue
            later = metadata.at if metadata.has(GEOSPATIAL) else later
            statistics = metadata.table(STATISTICS)
            if statistics is not None and statistics.has(0):
                if statistics.room(0) < 8 or statistics.position(0, 4) % 8:
                    earlier = statistics.at
                elif reading.buffer.data[statistics.position(0, 8) + 4 : statistics.position(0, 8) + 8] != bytes(4):
                    later = statistics.at
    if earlier is not None and later is not None:
        raise unknown_layout(f"of a77d277 by a table at {earlier}, of 5a0baf2 by another one", later)
    return later is not None
