"""Write a slice's FileMetaData in canonical compact Thrift."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .. import wire
from ..errors import wire_error
from . import thrift
from .scan import ARROW_SCHEMA, KEY_VALUE_FIELDS, ROW_GROUP_FIELDS
from .scan_chunk import CHUNK_FIELDS, METADATA_FIELDS, METADATA_PRESENT, fields_of
from .thrift import INTEGERS
from .thrift_write import binary, field_header, integer, list_header, path_list, record, struct, struct_list

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


# parquet-java reads a row group in the split that contains *begin of the first chunk + total_compressed_size / 2*
# (``filterFileMetaDataByMidpoint`` of ``ParquetMetadataConverter``). Version 1.12.0, and every release for encrypted
# columns, uses ``file_offset`` instead.


def saturated_sum(values: Iterable[int]) -> int:
    """Return the sum, saturated at each step."""
    total = 0
    for value in values:
        total = max(INT64_MIN, min(INT64_MAX, total + value))
    return total


def _begin(fields: Mapping[str, int]) -> int:
    """Return the begin of a chunk by parquet-java's rule (``getOffset``)."""
    begin = fields["data_page_offset"]
    if fields["present"] & wire.PRESENT_DICTIONARY_PAGE_OFFSET:
        begin = min(begin, fields["dictionary_page_offset"])
    return begin


def _size(fields: Mapping[str, int]) -> int:
    return max(fields["total_compressed_size"], 0)


def placed_sizes(chunks: Sequence[Mapping[str, int]], file_offset: int) -> tuple[int, int]:
    """Return total_compressed_size and file_offset (-1: none) of a row group with these chunks.

    The size is the sum over the chunks. If the first chunk follows others, as one with a copy does, half of the sum may
    lead out of the row group. In this case the size is the first chunk's size alone. A file_offset that leads past
    the chunks is replaced by the begin of the first chunk. Sizes below 0 count as 0, and sums saturate. If the first
    chunk has no data page offset, the sum and file_offset are returned unchanged.
    """
    size = saturated_sum(map(_size, chunks))
    if not chunks or not chunks[0]["present"] & wire.PRESENT_DATA_PAGE_OFFSET:
        return size, file_offset
    positioned = (fields for fields in chunks if fields["present"] & wire.PRESENT_DATA_PAGE_OFFSET)
    end = max(saturated_sum((_begin(fields), _size(fields))) for fields in positioned)
    begin = _begin(chunks[0])
    if saturated_sum((begin, size // 2)) >= end:
        size = _size(chunks[0])
    if file_offset != -1 and saturated_sum((file_offset, size // 2)) >= end:
        file_offset = begin
    return size, file_offset


FOOTER_FIELDS = fields_of(
    "FILE_META_DATA",
    i32="version",
    i64="num_rows",
    binary="created_by",
    list="schema row_groups key_value_metadata column_orders",
)


@dataclass
class Element:
    """A schema element's Thrift bytes, and the number of its children in the slice (0: a leaf)."""

    thrift: bytes
    num_children: int
    column_order: int = 0


@dataclass
class RowGroup:
    """A row group's members; file_offset and ordinal are -1 if absent."""

    num_rows: int
    file_offset: int
    ordinal: int


@dataclass
class Chunk:
    """A chunk's members by their names in `pqx_chunk` and `pqx_places`, and its Thrift bytes if known."""

    members: Mapping[str, int]
    thrift: bytes | None = None


@dataclass
class Parts:
    """The parts of a slice, read from any footer form: elements in preorder, chunks by row group."""

    version: int
    elements: Sequence[Element]
    row_groups: Sequence[RowGroup]
    chunks: Sequence[Sequence[Chunk]]
    paths: Sequence[bytes]
    key_values: Sequence[bytes] = ()
    arrow_schema: bytes = b""
    created_by: bytes | None = None
    has_column_orders: bool = False

    def __post_init__(self):
        self.leaf_count = len(self.paths)

    def is_leaf(self, index: int) -> bool:
        return self.elements[index].num_children <= 0 and (index > 0 or self.leaf_count > 0)


def _element(element: Element) -> bytes:
    """Return the element's bytes with updated num_children."""
    data = element.thrift
    end = thrift.struct_end(data)
    if end != len(data):
        raise wire_error(wire.STRAY_BYTES, end, 0, len(data) - end)
    num_children = wire.SCHEMA_ELEMENT_NUM_CHILDREN, wire.TYPE_I32
    renewed = [field for field in thrift.fields(data) if field[:2] == num_children]
    if element.num_children > 0 and not renewed:
        raise wire_error(wire.MISSING_FIELD, 0, wire.SCHEMA_ELEMENT_NUM_CHILDREN)
    for _, _, _, value, end in reversed(renewed):
        data = data[:value] + integer(element.num_children) + data[end:]
    return data


def _metadata(members: Mapping[str, int], path: bytes) -> bytes:
    """Return a ColumnMetaData of the present members."""
    encodings = [integer(encoding) for encoding in range(32) if members["encodings"] >> encoding & 1]
    fields: dict[str, int | bytes | None] = {
        "encodings": list_header(len(encodings), wire.TYPE_I32) + b"".join(encodings),
        "path_in_schema": path_list(path),
    }
    for type, name in METADATA_FIELDS.values():
        if type in INTEGERS and members["present"] & METADATA_PRESENT[name]:
            fields[name] = members.get(name)
    return record(METADATA_FIELDS | fields_of("COLUMN_META_DATA", list="encodings"), fields)


def _with_path(chunk: bytes, metadata: int, path: bytes) -> bytes:
    """Insert path_in_schema into the chunk's ColumnMetaData at `metadata`, before the first field above it."""
    last, at, number = 0, metadata, wire.COLUMN_META_DATA_PATH_IN_SCHEMA
    put, behind = b"", None
    for id, type, header, value, end in thrift.fields(chunk, metadata):
        if id > number:
            at, put, behind = header, field_header(number, id, type), value
            break
        last, at = id, end
    front = chunk[:at] + field_header(last, number, wire.TYPE_LIST) + path_list(path)
    return front + put + chunk[at if behind is None else behind :]


def _own_bytes(thrift_bytes: bytes, present: int, path: bytes) -> bytes:
    """Return a chunk's Thrift bytes; add path_in_schema from the schema if it is missing, because readers need it."""
    message = wire.PRESENT_METADATA | wire.PRESENT_PATH_IN_SCHEMA
    if present & message != wire.PRESENT_METADATA:
        return thrift_bytes
    metadata = thrift.find(thrift_bytes, wire.COLUMN_CHUNK_META_DATA)
    if metadata is None or metadata[1] != wire.TYPE_STRUCT:
        return thrift_bytes
    return _with_path(thrift_bytes, metadata[3], path)


def _chunk(chunk: Chunk, path: bytes) -> bytes:
    """Return a ColumnChunk: its Thrift bytes, or a new one with the present members."""
    members = chunk.members
    present = members["present"]
    if chunk.thrift is not None:
        return _own_bytes(bytes(chunk.thrift), present, path)
    fields = {"file_offset": 0, "meta_data": _metadata(members, path) if present & wire.PRESENT_METADATA else None}
    for name, bit in (("offset_index", wire.PRESENT_OFFSET_INDEX), ("column_index", wire.PRESENT_COLUMN_INDEX)):
        if present & bit and f"{name}_offset" in members:
            fields |= {f"{name}_{part}": members[f"{name}_{part}"] for part in ("offset", "length")}
    return record(CHUNK_FIELDS | fields_of("COLUMN_CHUNK", struct="meta_data"), fields)


def _row_group(parts: Parts, index: int) -> bytes:
    row_group, chunks = parts.row_groups[index], parts.chunks[index]
    columns = [_chunk(chunk, path) for chunk, path in zip(chunks, parts.paths, strict=True)]
    uncompressed = saturated_sum(max(chunk.members["total_uncompressed_size"], 0) for chunk in chunks)
    compressed, file_offset = placed_sizes([chunk.members for chunk in chunks], row_group.file_offset)
    fields = {
        "columns": struct_list(columns),
        "total_byte_size": uncompressed,
        "num_rows": row_group.num_rows,
        "file_offset": None if file_offset == -1 else file_offset,
        "total_compressed_size": compressed,
        "ordinal": None if row_group.ordinal == -1 else row_group.ordinal,
    }
    return record(ROW_GROUP_FIELDS | fields_of("ROW_GROUP", list="columns"), fields)


def _key_values(parts: Parts) -> list[bytes]:
    pairs = [bytes(pair) for pair in parts.key_values]
    if parts.arrow_schema:
        values = {"key": binary(ARROW_SCHEMA), "value": binary(parts.arrow_schema)}
        pairs.append(record(KEY_VALUE_FIELDS, values))
    return pairs


def _column_orders(parts: Parts) -> list[bytes]:
    """Return one ColumnOrder union per leaf: an empty struct in its member, or no member."""
    leaves = [element for index, element in enumerate(parts.elements) if parts.is_leaf(index)]
    return [struct([(leaf.column_order, wire.TYPE_STRUCT, b"\0")] if leaf.column_order else []) for leaf in leaves]


def _check_tree(parts: Parts) -> None:
    """Check that the elements are one tree in preorder, with as many leaves as there are paths."""
    open, leaves, seen = 1, 0, 0
    for index, element in enumerate(parts.elements):
        if not open:
            break
        open += max(element.num_children, 0) - 1
        leaves += parts.is_leaf(index)
        seen += 1
    if open or seen < len(parts.elements):
        raise wire_error(wire.SCHEMA, 0, seen + open, len(parts.elements))
    if leaves != parts.leaf_count:
        raise wire_error(wire.SCHEMA, 0, parts.leaf_count, leaves)


def write(parts: Parts) -> bytes:
    """Return the slice's FileMetaData.

    num_rows is the sum over the row groups. A row group's sizes are sums over its chunks. The compressed size is
    changed if splits would otherwise not find the row group; see `placed_sizes`.

    Raises
    ------
    Malformed
        If the elements are not a tree, or if one of them is not a complete Thrift struct. Offsets count from the
        element's bytes.
    """
    _check_tree(parts)
    pairs = _key_values(parts)
    fields = {
        "version": parts.version,
        "schema": struct_list([_element(element) for element in parts.elements]),
        "num_rows": saturated_sum(group.num_rows for group in parts.row_groups),
        "row_groups": struct_list([_row_group(parts, index) for index in range(len(parts.row_groups))]),
        "key_value_metadata": struct_list(pairs) if pairs else None,
        "created_by": None if parts.created_by is None else binary(parts.created_by),
        "column_orders": struct_list(_column_orders(parts)) if parts.has_column_orders else None,
    }
    return record(FOOTER_FIELDS, fields)
