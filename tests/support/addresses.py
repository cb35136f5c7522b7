"""Structs inside a Thrift footer: address one, and get the footer with that struct replaced or extended.

An address is a path of field ids and list indexes from FileMetaData down. Compact Thrift writes no length in front of a
struct, so a struct is replaced by splicing: nothing around it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple
from uuid import UUID

from parquetext import extension, kernels, wire
from parquetext.errors import ColumnError, ParquetextError, wire_error

__all__ = [
    "FILE_METADATA",
    "Element",
    "column_chunk",
    "column_metadata",
    "elements",
    "extend",
    "find_struct",
    "replace_struct",
    "row_group",
    "schema_element",
    "strip",
]

Address = tuple[int, ...]
ColumnName = int | str | tuple[str, ...]

FILE_METADATA: Address = ()


class Element(NamedTuple):
    """A schema element: `leaf` is its ordinal among the leaves, None for a group; the path leaves the root out."""

    index: int
    path: tuple[str, ...]
    leaf: int | None
    offset: int
    length: int


def row_group(index: int) -> Address:
    """The address of a RowGroup."""
    return wire.FILE_META_DATA_ROW_GROUPS, index


def column_chunk(footer, index: int, column: ColumnName) -> Address:
    """The address of a ColumnChunk: in row group `index`, of a leaf given by ordinal, dotted path or path.

    Raises
    ------
    ColumnError
        No leaf, or more than one, has that path.
    """
    leaf = column if isinstance(column, int) else _one(footer, column, leaves=True).leaf
    return *row_group(index), wire.ROW_GROUP_COLUMNS, leaf


def column_metadata(footer, index: int, column: ColumnName) -> Address:
    """The address of a ColumnMetaData, as `column_chunk`."""
    return *column_chunk(footer, index, column), wire.COLUMN_CHUNK_META_DATA


def schema_element(footer, name: ColumnName) -> Address:
    """The address of a SchemaElement: by its index in preorder (0 is the root), by dotted path or path.

    Raises
    ------
    ColumnError
        No element, or more than one, has that path.
    """
    index = name if isinstance(name, int) else _one(footer, name, leaves=False).index
    return wire.FILE_META_DATA_SCHEMA, index


def elements(footer) -> Iterator[Element]:
    """The schema's elements in preorder.

    Raises
    ------
    Malformed
        Not a Thrift footer, or a schema that is no tree.
    """
    found = kernels.thrift.path(footer, [wire.FILE_META_DATA_SCHEMA])
    if found is None or found[0] != wire.TYPE_LIST:
        raise wire_error(wire.MISSING_FIELD, 0, wire.FILE_META_DATA_SCHEMA)
    count, at = _list_of_structs(footer, found[1])
    leaf, open_groups = 0, []
    for index in range(count):
        fields = {id: (type, start, end) for id, type, _, start, end in kernels.thrift.fields(footer, at)}
        end = kernels.thrift.struct_end(footer, at)
        children = _children(footer, fields)
        path = (*open_groups[-1][0], _name(footer, fields, at)) if open_groups else ()
        if index and not open_groups:
            raise wire_error(wire.SCHEMA, at, index, count)
        yield Element(index, path, None if children else leaf, at, end - at)
        leaf += not children
        if open_groups:
            open_groups[-1][1] -= 1
        if children:
            open_groups.append([path, children])
        while open_groups and open_groups[-1][1] == 0:
            open_groups.pop()
        at = end
    if open_groups:
        raise wire_error(wire.SCHEMA, found[1], count + open_groups[-1][1], count)


def find_struct(footer, address: Address) -> memoryview:
    """The bytes of the struct at an address, a view into `footer`.

    Raises
    ------
    ParquetextError
        There is no struct at this address.
    Malformed
        The bytes before it are not well-formed.
    """
    start, end = _range(footer, address)
    return memoryview(footer).cast("B")[start:end]


def replace_struct(footer, address: Address, struct) -> bytes:
    """The footer with the struct at an address replaced by `struct`, which must be one whole struct.

    Raises
    ------
    Malformed
        `struct` is no Thrift struct, or goes on behind its stop; otherwise as `find_struct`.
    """
    return _rewrite(footer, address, lambda _: _whole(struct) if address else bytes(struct))


def extend(footer, address: Address, uuid: UUID | str | bytes, payload, *, text: bool = True, **options) -> bytes:
    """The footer with a block stacked on the extension of the struct at an address, as text unless told otherwise.

    `options` and errors are those of `parquetext.extension.append_block`; offsets of errors count from the footer.
    """
    return _rewrite(footer, address, lambda struct: extension.append_block(struct, uuid, payload, text=text, **options))


def strip(footer, address: Address, uuid: UUID | str | bytes | None = None) -> bytes:
    """The footer without the extension, or its block `uuid`, of the struct at an address; see `extension.strip`."""
    return _rewrite(footer, address, lambda struct: extension.strip(struct, uuid))


def _rewrite(footer, address: Address, change: Callable[[memoryview], bytes]) -> bytes:
    start, end = _range(footer, address)
    view = memoryview(footer).cast("B")
    try:
        return b"".join((view[:start], change(view[start:end]), view[end:]))
    except ParquetextError as error:
        raise error.at(error.file, start) from None


def _range(footer, address: Address) -> tuple[int, int]:
    """Where the struct lies; FileMetaData takes all bytes, what stands behind its stop included."""
    if not address:
        return 0, memoryview(footer).nbytes
    found = kernels.thrift.path(footer, address)
    if found is None or found[0] != wire.TYPE_STRUCT:
        raise ParquetextError(f"the footer has no struct at {'/'.join(map(str, address))}")
    return found[1], found[2]


def _whole(struct) -> bytes:
    end, size = kernels.thrift.struct_end(struct), memoryview(struct).nbytes
    if end != size:
        raise wire_error(wire.STRAY_BYTES, end, 0, size - end)
    return bytes(struct)


def _one(footer, name: str | tuple[str, ...], leaves: bool) -> Element:
    """The element whose path is `name`; a string is a dotted path."""

    def named(element: Element) -> bool:
        same = element.path == name if isinstance(name, tuple) else ".".join(element.path) == name
        return same and element.index > 0 and not (leaves and element.leaf is None)

    found = [element for element in elements(footer) if named(element)]
    if len(found) == 1:
        return found[0]
    what = "leaf" if leaves else "schema element"
    if not found:
        raise ColumnError(f"no {what} has the path {name!r}")
    raise ColumnError(f"{len(found)} of the schema's elements have the path {name!r}: {[one.path for one in found]}")


def _list_of_structs(footer, at: int) -> tuple[int, int]:
    """(count, offset of the first) of a list that has been skipped over before."""
    byte = memoryview(footer).cast("B")[at]
    count, first = (byte >> 4, at + 1) if byte >> 4 < 15 else kernels.varint.decode32(footer, at + 1)
    if count and byte & 15 != wire.TYPE_STRUCT:
        raise wire_error(wire.FIELD_TYPE, at, wire.TYPE_STRUCT, byte & 15)
    return count, first


def _children(footer, fields: dict) -> int:
    if wire.SCHEMA_ELEMENT_NUM_CHILDREN not in fields:
        return 0
    type, start, _ = fields[wire.SCHEMA_ELEMENT_NUM_CHILDREN]
    if type != wire.TYPE_I32:
        raise wire_error(wire.FIELD_TYPE, start, wire.TYPE_I32, type)
    count = kernels.varint.zigzag_decode(kernels.varint.decode32(footer, start)[0])
    if count < 0:
        raise wire_error(wire.SCHEMA, start, 0, -count)
    return count


def _name(footer, fields: dict, at: int) -> str:
    type, start, end = fields.get(wire.SCHEMA_ELEMENT_NAME, (None, at, at))
    if type is None:
        raise wire_error(wire.MISSING_FIELD, at, wire.SCHEMA_ELEMENT_NAME)
    if type != wire.TYPE_BINARY:
        raise wire_error(wire.FIELD_TYPE, start, wire.TYPE_BINARY, type)
    _, start = kernels.varint.decode32(footer, start)
    return bytes(memoryview(footer).cast("B")[start:end]).decode("utf-8", "surrogateescape")
