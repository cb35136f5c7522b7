"""Write values in canonical compact Thrift."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import wire
from . import varint
from .scan_chunk import Fields


def integer(number: int) -> bytes:
    """Return an integer's Thrift bytes."""
    return varint.encode(varint.zigzag_encode(number))


def binary(data: bytes) -> bytes:
    return varint.encode(len(data)) + data


def list_header(count: int, type: int) -> bytes:
    return bytes([count << 4 | type]) if count < 15 else bytes([0xF0 | type]) + varint.encode(count)


def struct_list(structs: Sequence[bytes]) -> bytes:
    return list_header(len(structs), wire.TYPE_STRUCT) + b"".join(structs)


def path_list(path: bytes) -> bytes:
    """Return a leaf's path, with NUL between the names, in the form of path_in_schema."""
    parts = path.split(b"\0")
    return list_header(len(parts), wire.TYPE_BINARY) + b"".join(map(binary, parts))


def field_header(last: int, id: int, type: int) -> bytes:
    """Return the header of a field that follows the field `last`."""
    return bytes([id - last << 4 | type]) if 0 < id - last < 16 else bytes([type]) + integer(id)


def struct(fields: Iterable[tuple[int, int, bytes]]) -> bytes:
    """Return a struct of (id, type, value)s in the order of their ids."""
    out, last = bytearray(), 0
    for id, type, value in fields:
        out += field_header(last, id, type) + value
        last = id
    return bytes(out) + b"\0"


def record(fields: Fields, values: Mapping[str, Any]) -> bytes:
    """Return a struct of values by their names in `fields`: integers, or the bytes of other values; None is absent."""
    ids = {name: (id, type) for id, (type, name) in fields.items()}
    return struct(
        sorted(
            (*ids[name], integer(value) if isinstance(value, int) else value)
            for name, value in values.items()
            if value is not None
        )
    )
