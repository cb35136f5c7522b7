"""Write a slice's FileMetaData in canonical compact Thrift."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .. import wire
from ..errors import wire_error
from . import thrift, varint

__all__ = ["ARROW_SCHEMA", "Chunk", "Element", "Parts", "RowGroup", "write"]


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
    lead out of the row group. In this case the size is the first chunk's size alone. A file_offset that leads behind
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


ARROW_SCHEMA = b"ARROW:schema"
METADATA_FACTS = {
    "type": wire.TYPE_I32,
    "codec": wire.TYPE_I32,
    "num_values": wire.TYPE_I64,
    "total_uncompressed_size": wire.TYPE_I64,
    "total_compressed_size": wire.TYPE_I64,
    "data_page_offset": wire.TYPE_I64,
    "index_page_offset": wire.TYPE_I64,
    "dictionary_page_offset": wire.TYPE_I64,
    "bloom_filter_offset": wire.TYPE_I64,
    "bloom_filter_length": wire.TYPE_I32,
}


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


def _integer(value: int) -> bytes:
    return varint.encode((value << 1 ^ value >> 63) & 0xFFFFFFFFFFFFFFFF)


def _binary(value: bytes) -> bytes:
    return varint.encode(len(value)) + value


def _list(item_type: int, items: Sequence[bytes]) -> bytes:
    count = len(items)
    header = bytes([count << 4 | item_type]) if count < 15 else bytes([0xF0 | item_type]) + varint.encode(count)
    return header + b"".join(items)


def _struct(fields: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Return a struct of (id, type, value)s in the order of their ids."""
    out, last = bytearray(), 0
    for id, type, value in fields:
        out += bytes([id - last << 4 | type]) if id - last < 16 else bytes([type]) + _integer(id)
        out += value
        last = id
    return bytes(out) + b"\0"


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
        data = data[:value] + _integer(element.num_children) + data[end:]
    return data


def _metadata(statistics: Mapping[str, int], path: bytes) -> bytes:
    """Return a ColumnMetaData of the present members."""
    encodings = [_integer(encoding) for encoding in range(32) if statistics["encodings"] >> encoding & 1]
    fields = [
        (wire.COLUMN_META_DATA_ENCODINGS, wire.TYPE_LIST, _list(wire.TYPE_I32, encodings)),
        (wire.COLUMN_META_DATA_PATH_IN_SCHEMA, wire.TYPE_LIST, _path(path)),
    ]
    for name, type in METADATA_FACTS.items():
        if statistics["present"] & getattr(wire, f"PRESENT_{name.upper()}") and name in statistics:
            fields.append((getattr(wire, f"COLUMN_META_DATA_{name.upper()}"), type, _integer(statistics[name])))
    return _struct(sorted(fields))


def _path(path: bytes) -> bytes:
    return _list(wire.TYPE_BINARY, [_binary(part) for part in path.split(b"\0")])


def _header(last: int, id: int, type: int) -> bytes:
    return bytes([id - last << 4 | type]) if 0 < id - last < 16 else bytes([type]) + _integer(id)


def _with_path(chunk: bytes, metadata: int, path: bytes) -> bytes:
    """Insert path_in_schema into the chunk's ColumnMetaData at `metadata`, before the first field above it."""
    last, at, number = 0, metadata, wire.COLUMN_META_DATA_PATH_IN_SCHEMA
    put, behind = b"", None
    for id, type, header, value, end in thrift.fields(chunk, metadata):
        if id > number:
            at, put, behind = header, _header(number, id, type), value
            break
        last, at = id, end
    front = chunk[:at] + _header(last, number, wire.TYPE_LIST) + _path(path)
    return front + put + chunk[at if behind is None else behind :]


def _own_bytes(chunk: Chunk, path: bytes) -> bytes:
    """Return a chunk's Thrift bytes; add path_in_schema from the schema if it is missing, because readers need it."""
    thrift_bytes, message = bytes(chunk.thrift), wire.PRESENT_METADATA | wire.PRESENT_PATH_IN_SCHEMA
    if chunk.members["present"] & message != wire.PRESENT_METADATA:
        return thrift_bytes
    metadata = thrift.find(thrift_bytes, wire.COLUMN_CHUNK_META_DATA)
    if metadata is None or metadata[1] != wire.TYPE_STRUCT:
        return thrift_bytes
    return _with_path(thrift_bytes, metadata[3], path)


def _chunk(chunk: Chunk, path: bytes) -> bytes:
    """Return a ColumnChunk: its Thrift bytes, or a new one with the present members."""
    if chunk.thrift is not None:
        return _own_bytes(chunk, path)
    statistics = chunk.members
    present = statistics["present"]
    fields = [(wire.COLUMN_CHUNK_FILE_OFFSET, wire.TYPE_I64, _integer(0))]
    if present & wire.PRESENT_METADATA:
        fields.append((wire.COLUMN_CHUNK_META_DATA, wire.TYPE_STRUCT, _metadata(statistics, path)))
    if present & wire.PRESENT_OFFSET_INDEX and "offset_index_offset" in statistics:
        fields.append(
            (wire.COLUMN_CHUNK_OFFSET_INDEX_OFFSET, wire.TYPE_I64, _integer(statistics["offset_index_offset"]))
        )
        fields.append(
            (wire.COLUMN_CHUNK_OFFSET_INDEX_LENGTH, wire.TYPE_I32, _integer(statistics["offset_index_length"]))
        )
    if present & wire.PRESENT_COLUMN_INDEX and "column_index_offset" in statistics:
        fields.append(
            (wire.COLUMN_CHUNK_COLUMN_INDEX_OFFSET, wire.TYPE_I64, _integer(statistics["column_index_offset"]))
        )
        fields.append(
            (wire.COLUMN_CHUNK_COLUMN_INDEX_LENGTH, wire.TYPE_I32, _integer(statistics["column_index_length"]))
        )
    return _struct(fields)


def _row_group(parts: Parts, index: int) -> bytes:
    row_group, chunks = parts.row_groups[index], parts.chunks[index]
    columns = [_chunk(chunk, path) for chunk, path in zip(chunks, parts.paths, strict=True)]
    uncompressed = saturated_sum(max(chunk.members["total_uncompressed_size"], 0) for chunk in chunks)
    compressed, file_offset = placed_sizes([chunk.members for chunk in chunks], row_group.file_offset)
    fields = [
        (wire.ROW_GROUP_COLUMNS, wire.TYPE_LIST, _list(wire.TYPE_STRUCT, columns)),
        (wire.ROW_GROUP_TOTAL_BYTE_SIZE, wire.TYPE_I64, _integer(uncompressed)),
        (wire.ROW_GROUP_NUM_ROWS, wire.TYPE_I64, _integer(row_group.num_rows)),
    ]
    if file_offset != -1:
        fields.append((wire.ROW_GROUP_FILE_OFFSET, wire.TYPE_I64, _integer(file_offset)))
    fields.append((wire.ROW_GROUP_TOTAL_COMPRESSED_SIZE, wire.TYPE_I64, _integer(compressed)))
    if row_group.ordinal != -1:
        fields.append((wire.ROW_GROUP_ORDINAL, wire.TYPE_I16, _integer(row_group.ordinal)))
    return _struct(fields)


def _key_values(parts: Parts) -> list[bytes]:
    pairs = [bytes(pair) for pair in parts.key_values]
    if parts.arrow_schema:
        key, value = _binary(ARROW_SCHEMA), _binary(parts.arrow_schema)
        pairs.append(
            _struct([(wire.KEY_VALUE_KEY, wire.TYPE_BINARY, key), (wire.KEY_VALUE_VALUE, wire.TYPE_BINARY, value)])
        )
    return pairs


def _column_orders(parts: Parts) -> list[bytes]:
    """Return one ColumnOrder union per leaf: an empty struct in its member, or no member."""
    leaves = [element for index, element in enumerate(parts.elements) if parts.is_leaf(index)]
    return [_struct([(leaf.column_order, wire.TYPE_STRUCT, b"\0")] if leaf.column_order else []) for leaf in leaves]


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
    fields = [
        (wire.FILE_META_DATA_VERSION, wire.TYPE_I32, _integer(parts.version)),
        (wire.FILE_META_DATA_SCHEMA, wire.TYPE_LIST, _list(wire.TYPE_STRUCT, [_element(e) for e in parts.elements])),
        (
            wire.FILE_META_DATA_NUM_ROWS,
            wire.TYPE_I64,
            _integer(saturated_sum(group.num_rows for group in parts.row_groups)),
        ),
        (
            wire.FILE_META_DATA_ROW_GROUPS,
            wire.TYPE_LIST,
            _list(wire.TYPE_STRUCT, [_row_group(parts, index) for index in range(len(parts.row_groups))]),
        ),
    ]
    if pairs := _key_values(parts):
        fields.append((wire.FILE_META_DATA_KEY_VALUE_METADATA, wire.TYPE_LIST, _list(wire.TYPE_STRUCT, pairs)))
    if parts.created_by is not None:
        fields.append((wire.FILE_META_DATA_CREATED_BY, wire.TYPE_BINARY, _binary(parts.created_by)))
    if parts.has_column_orders:
        orders = _list(wire.TYPE_STRUCT, _column_orders(parts))
        fields.append((wire.FILE_META_DATA_COLUMN_ORDERS, wire.TYPE_LIST, orders))
    return _struct(fields)
