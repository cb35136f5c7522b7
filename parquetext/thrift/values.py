"""The bytes of parquet.thrift's structs as Python values, and back: readable, whole, and not for hot paths."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from .. import kernels, wire
from ..errors import Malformed, wire_error
from ..records import frozen
from .struct_tables import STRUCTS

COMPACT = {
    "bool": (wire.TYPE_TRUE, wire.TYPE_FALSE),
    "i8": (wire.TYPE_BYTE,),
    "i16": (wire.TYPE_I16,),
    "i32": (wire.TYPE_I32,),
    "i64": (wire.TYPE_I64,),
    "double": (wire.TYPE_DOUBLE,),
    "binary": (wire.TYPE_BINARY,),
    "string": (wire.TYPE_BINARY,),
}
BITS = {"i16": 16, "i32": 32, "i64": 64}


@frozen
class Unknown:
    """A field that the table does not have, or has with another type: its compact type and its value's bytes."""

    type: int
    data: bytes


class Fields(dict):
    """The fields of a struct that was read: a subscript for a field that the bytes lack raises Malformed."""

    def __missing__(self, name):
        raise Malformed(f"required field {name!r} is absent", code=wire.MISSING_FIELD)


def read(name: str, data) -> Fields:
    """Return the struct `name` at the start of `data`; see `read_at`."""
    return read_at(name, data, 0)[0]


def read_at(name: str, data, at: int) -> tuple[Fields, int]:
    """Return the struct `name` at ``data[at]``, and the offset after it.

    Returns
    -------
    fields : Fields
        Field name to value, in the order of the bytes: int, bool, float, str, bytes, list, or dict for a struct. A
        field that the table lacks has its id as name and an `Unknown` value. Text that is not UTF-8 keeps its bytes as
        surrogates.

    Raises
    ------
    KeyError
        No such struct in parquet.thrift.
    Malformed
        The bytes are no Thrift struct.
    """
    table, view = STRUCTS[name], memoryview(data).cast("B")
    end = kernels.thrift.struct_end(view, at)
    found = Fields()
    for id, compact, _, start, behind in kernels.thrift.fields(view, at):
        field, type = table.get(id, (id, ""))
        if compact in _compact(type) and _items_fit(type, view, start):
            found[field] = compact == wire.TYPE_TRUE if type == "bool" else _read_value(type, view, start)[0]
        else:
            found[id] = Unknown(compact, bytes(view[start:behind]))
    return found, end


def write(name: str, fields: dict) -> bytes:
    """Write a struct; fields have the order of the dict, so that `read` and `write` give the same bytes.

    A struct in it may also be given as its bytes.

    Raises
    ------
    KeyError
        No such struct, or a field that it does not have.
    """
    ids = {field: (id, type) for id, (field, type) in STRUCTS[name].items()}
    out = []
    for field, value in fields.items():
        if isinstance(value, Unknown):
            out.append((field, value.type, value.data))
        else:
            id, type = ids[field]
            compact = (wire.TYPE_TRUE if value else wire.TYPE_FALSE) if type == "bool" else _compact(type)[0]
            out.append((id, compact, b"" if type == "bool" else _write_value(type, value)))
    return joined(out) + b"\x00"


def joined(fields: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Return the fields of a struct, without its stop, from their ids, compact types and values."""
    out, previous = [], 0
    for id, type, value in fields:
        is_near = 1 <= id - previous <= 15
        out += [bytes([id - previous << 4 | type]) if is_near else bytes([type]) + integer(id), value]
        previous = id
    return b"".join(out)


def _compact(type: str) -> tuple[int, ...]:
    """Return the compact types that a value of this type may have in a field; none for no type."""
    if type.startswith("list<"):
        return (wire.TYPE_LIST,)
    return COMPACT.get(type) or ((wire.TYPE_STRUCT,) if type else ())


def _item(type: str) -> str:
    return type[len("list<") : -1]


def _items_fit(type: str, data: memoryview, at: int) -> bool:
    """Return True if a list's items have the type in the table."""
    return not type.startswith("list<") or data[at] >> 4 == 0 or data[at] & 15 in _compact(_item(type))


def _read_value(type: str, data: memoryview, at: int) -> tuple[object, int]:
    """Return (value, offset after it); the bytes have been walked before."""
    if type in BITS:
        raw, end = kernels.varint.decode64(data, at)
        return kernels.varint.zigzag_decode(raw), end
    if type == "i8":
        return struct.unpack_from("b", data, at)[0], at + 1
    if type == "bool":
        return data[at] == wire.TYPE_TRUE, at + 1
    if type == "double":
        return struct.unpack_from("<d", data, at)[0], at + 8
    if type in ("binary", "string"):
        length, start = kernels.varint.decode32(data, at)
        content = bytes(data[start : start + length])
        return content if type == "binary" else content.decode("utf-8", "surrogateescape"), start + length
    if not type.startswith("list<"):
        return read_at(type, data, at)
    count, at = list_start(data, at)
    items = []
    for _ in range(count):
        item, at = _read_value(_item(type), data, at)
        items.append(item)
    return items, at


def _write_value(type: str, value) -> bytes:
    """Write a value as in a field; a boolean as in a list."""
    if type in BITS:
        if not -1 << BITS[type] - 1 <= value < 1 << BITS[type] - 1:
            raise wire_error(wire.VARINT_OVERFLOW, 0, BITS[type], 0)
        return integer(value)
    if type == "i8":
        return struct.pack("b", value)
    if type == "bool":
        return bytes([wire.TYPE_TRUE if value else wire.TYPE_FALSE])
    if type == "double":
        return struct.pack("<d", value)
    if type in ("binary", "string"):
        return binary(value.encode("utf-8", "surrogateescape") if type == "string" else bytes(value))
    if not type.startswith("list<"):
        return value if isinstance(value, bytes) else write(type, value)
    header = list_header(len(value), _compact(_item(type))[0])
    return header + b"".join(_write_value(_item(type), item) for item in value)


def i32_of(data, field: Sequence[int] | None) -> int | None:
    """Return the number in a field of `kernels.thrift.fields` or `find`; None if the field is absent or no I32."""
    if field is None or field[1] != wire.TYPE_I32:
        return None
    return kernels.varint.zigzag_decode(kernels.varint.decode32(data, field[3])[0])


def integer(value: int) -> bytes:
    """Return the value of an integer field."""
    return kernels.varint.encode(kernels.varint.zigzag_encode(value))


def binary(data: bytes) -> bytes:
    """Return the value of a binary field."""
    return kernels.varint.encode(len(data)) + data


def names_of_path(path: bytes) -> bytes:
    """Return the value of the field path_in_schema for a path with NUL between its names."""
    names = path.split(b"\0")
    return list_header(len(names), wire.TYPE_BINARY) + b"".join(map(binary, names))


def list_header(count: int, type: int = wire.TYPE_STRUCT) -> bytes:
    """Return the header of a list of `count` items of a compact type."""
    return bytes([count << 4 | type]) if count < 15 else bytes([0xF0 | type]) + kernels.varint.encode(count)


def list_start(data, at: int) -> tuple[int, int]:
    """Return the number of items in the list at ``data[at]``, which has been walked before, and the first's offset."""
    return (data[at] >> 4, at + 1) if data[at] >> 4 < 15 else kernels.varint.decode32(data, at + 1)
