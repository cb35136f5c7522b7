"""The Thrift footer of one leaf with its chunks' metadata whole: what pyarrow's own metadata objects come from.

A slice leaves statistics out, because values need none; this keeps every field of a chunk.
"""

from __future__ import annotations

from .. import kernels, wire
from ..errors import ParquetextError, wire_error
from .elements import parse_element
from .model import GROUP, Form, Node
from .thrift_form import ThriftForm

__all__ = ["chunk_structs", "column_footer", "schema_footer", "sorting_columns"]

STRUCT = wire.TYPE_STRUCT


def chunk_structs(form: Form, leaf: int, first: int, count: int) -> list[bytes] | None:
    """The ColumnChunk structs of a leaf in row groups ``[first, first + count)``; None where the form has none."""
    if isinstance(form, ThriftForm):
        if not form.scan.regular:
            raise wire_error(wire.IRREGULAR, found=form.scan.chunk_count, expected=form.leaf_count)
        scan, row_groups = form.scan, range(first, first + count)
        offsets, lengths = scan.chunks("chunk_offset"), scan.chunks("chunk_length")
        data, at = memoryview(scan.data), [row_group * scan.leaf_count + leaf for row_group in row_groups]
    elif isinstance(form, kernels.index.Reader):
        chunks = form.column(leaf, first, count)
        offsets, lengths = chunks.array("chunk_offset"), chunks.array("chunk_length")
        data, at = memoryview(chunks.buffer), range(count)
    elif isinstance(form, kernels.flat.Reader):
        return kernels.flat.chunk_structs(form, leaf, first, count)
    else:
        return None
    return [bytes(data[offsets[index] : offsets[index] + lengths[index]]) for index in at]


def column_footer(form: Form, leaf: int, first: int, count: int) -> bytes | None:
    """A FileMetaData whose one column is `leaf`, in row groups ``[first, first + count)``.

    Groups above the leaf have no annotations: a part of a map is none that pyarrow accepts. Row groups have their rows
    and the chunk, no sizes. None where the form has no Thrift structs of chunks.
    """
    structs = chunk_structs(form, leaf, first, count)
    if structs is None:
        return None
    rows, node, created_by = form.row_groups("num_rows"), form.node(leaf), form.created_by
    elements = [*_groups_above(form, node), node.thrift]
    parts = [b"\x15", _number(form.version), b"\x19", _list_header(len(elements)), *elements]
    parts += [b"\x16", _number(form.num_rows), b"\x19", _list_header(len(structs))]
    for index, struct in enumerate(structs):
        parts += [b"\x19", _list_header(1), struct, b"\x16\0\x16", _number(rows[first + index]), b"\0"]
    last = wire.FILE_META_DATA_ROW_GROUPS
    if created_by is not None:
        parts += [b"\x28", _sized(created_by)]
        last = wire.FILE_META_DATA_CREATED_BY
    if node.column_order:
        header = wire.FILE_META_DATA_COLUMN_ORDERS - last << 4 | wire.TYPE_LIST
        parts += [bytes([header]), _list_header(1), bytes([node.column_order << 4 | STRUCT, 0, 0])]
    return b"".join([*parts, b"\0"])


def schema_footer(form: Form) -> bytes:
    """A FileMetaData of the whole schema and all key-values, ARROW:schema as it is, without row groups."""
    base = form.slice(range(form.leaf_count), [], arrow_schema=False)
    pairs = [form.key_value(index) for index in range(form.key_value_count)]
    if not pairs:
        return base
    structs = [b"".join(b"\x18" + _sized(text) for text in pair if text is not None) + b"\0" for pair in pairs]
    end = next(field[4] for field in kernels.thrift.fields(base) if field[0] == wire.FILE_META_DATA_ROW_GROUPS)
    follows = base[end] - 0x10 if base[end] else 0  # its field id now counts from the key-values
    return b"".join((base[:end], b"\x19", _list_header(len(pairs)), *structs, bytes([follows]), base[end + 1 :]))


def _sized(text: bytes) -> bytes:
    return kernels.varint.encode(len(text)) + text


def _groups_above(form: Form, node: Node) -> list[bytes]:
    """SchemaElements of the groups above a leaf, the root first: repetition, a name, one child."""
    found = []
    while node.parent is not None:
        node = form.node(GROUP | node.parent)
        repetition = parse_element(node.thrift).repetition
        head = b"" if repetition is None or node.parent is None else b"\x35" + _number(repetition)
        found.append(b"".join((head, b"\x18" if head else b"\x48", b"\x05group\x15\x02\0")))
    return found[::-1]


def _number(value: int) -> bytes:
    return kernels.varint.encode(kernels.varint.zigzag_encode(value))


def _list_header(count: int) -> bytes:
    return bytes([count << 4 | STRUCT]) if count < 15 else bytes([0xF0 | STRUCT]) + kernels.varint.encode(count)


def sorting_columns(form: Form, row_group: int) -> list[tuple[int, bool, bool]]:
    """(leaf, descending, nulls first) of each column that a row group is sorted by."""
    if not isinstance(form, ThriftForm):
        return form.sorting_columns(row_group)
    scan = form.scan
    start, length = (scan.row_groups(f"sorting_columns_{part}")[row_group] for part in ("offset", "length"))
    data = memoryview(scan.data)[start : start + length]
    found: list[tuple[int, bool, bool]] = []
    if length:
        count, at = _items(data)
        for _ in range(count):
            found.append(_sorting_column(data, at))
            at = kernels.thrift.struct_end(data, at)
    return found


def _items(data: memoryview) -> tuple[int, int]:
    """(count, offset of the first) of a list of structs that the scan has walked."""
    count, at = (data[0] >> 4, 1) if data[0] >> 4 < 15 else kernels.varint.decode32(data, 1)
    if count and data[0] & 15 != STRUCT:
        raise ParquetextError("sorting_columns is no list of structs")
    return count, at


def _sorting_column(data: memoryview, at: int) -> tuple[int, bool, bool]:
    fields = {field[0]: field for field in kernels.thrift.fields(data, at)}

    def is_true(key: int) -> bool:
        return key in fields and fields[key][1] == wire.TYPE_TRUE

    column = fields.get(wire.SORTING_COLUMN_COLUMN_IDX)
    index = 0
    if column is not None and column[1] == wire.TYPE_I32:
        index = kernels.varint.zigzag_decode(kernels.varint.decode32(data, column[3])[0])
    return index, is_true(wire.SORTING_COLUMN_DESCENDING), is_true(wire.SORTING_COLUMN_NULLS_FIRST)
