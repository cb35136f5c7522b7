"""Process any Thrift compact value: skip it, iterate over a struct's fields, find a field, follow a path."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from operator import index
from typing import Any

from .. import wire
from ..errors import wire_error
from . import varint

__all__ = ["blanked", "check_sizes", "fields", "find", "path", "skip", "struct_end"]

Field = tuple[int, int, int, int, int]

BOOLEANS = (wire.TYPE_TRUE, wire.TYPE_FALSE)
INTEGERS = {wire.TYPE_I16: 32, wire.TYPE_I32: 32, wire.TYPE_I64: 64}  # most bits of their varint
FIXED = {wire.TYPE_BYTE: 1, wire.TYPE_DOUBLE: 8, wire.TYPE_UUID: 16}
NESTED = (wire.TYPE_LIST, wire.TYPE_SET, wire.TYPE_MAP, wire.TYPE_STRUCT)
INT16_MIN, INT16_MAX = -1 << 15, (1 << 15) - 1


def skip(data, at: int, type: int, max_depth: int = wire.MAX_DEPTH) -> int:
    """Return the offset after a value.

    Parameters
    ----------
    data : bytes-like
    at : int
        Offset of the value's first byte.
    type : int
        Compact type, 1 to 13. A boolean (1 or 2) takes no byte, as in a field; as an item of a list it takes one.
    max_depth : int
        Most levels of lists, sets, maps and structs in the value, itself included; 0 to 64.

    Raises
    ------
    Malformed
        If the value is truncated, of unknown type, too deep, or has a count that exceeds the remaining bytes.
    """
    walk = Walk(data, at, max_depth)
    if not 1 <= type <= wire.TYPE_UUID:
        raise wire_error(wire.BAD_TYPE, at, 0, max(type, 0))
    return walk.skip(at, type, 0)


def struct_end(data, at: int = 0, max_depth: int = wire.MAX_DEPTH) -> int:
    """Return the offset after the stop byte of the struct at ``data[at]``; errors as in `skip`."""
    return skip(data, at, wire.TYPE_STRUCT, max_depth)


def fields(data, at: int = 0, max_depth: int = wire.MAX_DEPTH) -> list[Field]:
    """Return the fields of the struct at ``data[at]``: (id, type, offset of the header, of the value, of its end).

    A boolean's value is its type, 1 for true; the offsets of value and end are equal. Errors as in `skip`.
    """
    return list(Walk(data, at, max_depth).fields(at, 0))


def blanked(data: bytes, ids: tuple[int, ...]) -> bytes:
    """Return the struct, which must fill `data`, with one zero byte as the value of each field of these ids.

    The byte means 0 for a number, and empty for text. A boolean has no bytes and is unchanged. Structs that differ only
    in these fields have the same result. Errors as in `fields`.
    """
    made, kept = b"", 0
    for id, _, _, value, end in fields(data):
        if end > value and id in ids:
            made += data[kept:value] + b"\0"
            kept = end
    return made + data[kept:]


def check_sizes(data, most_bytes: int | None = None, most_items: int | None = None) -> None:
    """Check that strings and lists of a struct, at any depth, stay within limits; None means no limit.

    Raises
    ------
    Unsupported
        If the struct in `data` has a binary value of more than `most_bytes`, or a list, set or map of more than
        `most_items`. The error's offset is that of the length; its code is TOO_LARGE or TOO_MANY.
    Malformed
        The errors of `struct_end`.
    """
    _Measured(data, most_bytes, most_items).skip(0, wire.TYPE_STRUCT, 0)


def find(data, id: int, at: int = 0, max_depth: int = wire.MAX_DEPTH) -> Field | None:
    """Return field `id` of the struct at ``data[at]``, or None.

    The struct is read up to its stop. If the id repeats, the last field counts.
    """
    if not INT16_MIN <= index(id) <= INT16_MAX:
        raise OverflowError(f"{id} is no 16-bit field id")
    return Walk(data, at, max_depth).find(at, id, 0)


def path(data, steps: Iterable[int], at: int = 0, max_depth: int = wire.MAX_DEPTH) -> tuple[int, int, int] | None:
    """Follow `steps` from the struct at ``data[at]`` to a value: return (type, offset, offset of its end), or None.

    A step is a field's id in a struct, an index in a list or set, 2 n for the n-th key of a map and 2 n + 1 for its
    value. Only the bytes before the value, and structs on the path up to their stops, are read. Errors as in `skip`.
    """
    steps, walk = array("i", steps), Walk(data, at, max_depth)
    type, item = wire.TYPE_STRUCT, False
    for depth, step in enumerate(steps):
        if type not in NESTED:
            return None
        walk.enter(at, depth)
        item = type != wire.TYPE_STRUCT
        found: Any = walk.step_into_list(at, type, step, depth) if item else walk.find(at, step, depth)
        if found is None:
            return None
        type, at = found if item else (found[1], found[3])
    return type, at, walk.skip(at, type, len(steps), item)


class Walk:
    """A walk over bytes. `depth` is the number of containers around a value."""

    def __init__(self, data, at: int, max_depth: int):
        self.data = memoryview(data).cast("B")
        self.size, self.max_depth = len(self.data), max_depth
        varint._offset(at)
        if not 0 <= max_depth <= wire.MAX_DEPTH:
            raise wire_error(wire.BAD_ARGUMENT, 0, wire.MAX_DEPTH, max(max_depth, 0))
        if at > self.size:
            raise wire_error(wire.TRUNCATED, at, 1, 0)

    def enter(self, at: int, depth: int) -> None:
        if depth >= self.max_depth:
            raise wire_error(wire.TOO_DEEP, at, self.max_depth)

    def byte(self, at: int) -> int:
        if at >= self.size:
            raise wire_error(wire.TRUNCATED, at, 1, 0)
        return self.data[at]

    def number(self, at: int, bits: int = 32) -> tuple[int, int]:
        """Return (value, offset after it) of a varint; most take one byte."""
        if at < self.size and (byte := self.data[at]) < 0x80:
            return byte, at + 1
        return varint.decode32(self.data, at) if bits == 32 else varint.decode64(self.data, at)

    def field_header(self, at: int, previous: int) -> tuple[int, int, int]:
        """Return (id, type, offset of the value); type 0 at the stop byte."""
        byte = self.byte(at)
        if byte == 0:
            return previous, 0, at + 1
        type, delta, value = byte & 15, byte >> 4, at + 1
        if not 1 <= type <= wire.TYPE_UUID:
            raise wire_error(wire.BAD_TYPE, at, 0, type)
        if delta:
            id = previous + delta
        else:
            raw, value = self.number(value)
            id = varint.zigzag_decode(raw)
        if not INT16_MIN <= id <= INT16_MAX:
            raise wire_error(wire.FIELD_ID, at)
        return id, type, value

    def fields(self, at: int, depth: int) -> Iterator[Field]:
        """Yield the fields of the struct at `at`, in the form of `fields`."""
        self.enter(at, depth)
        id = 0
        while True:
            header = at
            id, type, at = self.field_header(header, id)
            if type == 0:
                return
            end = self.skip(at, type, depth + 1)
            yield id, type, header, at, end
            at = end

    def each(self, at: int, read: Callable[[int, int, int], int]) -> int:
        """Call ``read(id, type, offset of the value)``, which returns the value's end, for each field of a struct."""
        id, type, at = self.field_header(at, 0)
        while type:
            id, type, at = self.field_header(read(id, type, at), id)
        return at

    def find(self, at: int, id: int, depth: int) -> Field | None:
        found = None
        for field in self.fields(at, depth):
            if field[0] == id:
                found = field
        return found

    def list_header(self, at: int) -> tuple[int, int, int]:
        """Return (type of the items, count, offset of the first item)."""
        byte = self.byte(at)
        type, count, first = byte & 15, byte >> 4, at + 1
        if count == 15:
            count, first = self.number(first)
        if count > self.size - first:
            raise wire_error(wire.COUNT_TOO_LARGE, at, count, self.size - first)
        if count and not 1 <= type <= wire.TYPE_UUID:
            raise wire_error(wire.BAD_TYPE, at, 0, type)
        return type, count, first

    def map_header(self, at: int) -> tuple[int, int, int, int]:
        """Return (type of the keys, of the values, count, offset of the first key); an empty map has no types."""
        count, first = self.number(at)
        if count == 0:
            return 0, 0, 0, first
        types, first = self.byte(first), first + 1
        if count > (self.size - first) // 2:
            raise wire_error(wire.COUNT_TOO_LARGE, at, count, self.size - first)
        for type in (types >> 4, types & 15):
            if not 1 <= type <= wire.TYPE_UUID:
                raise wire_error(wire.BAD_TYPE, at, 0, type)
        return types >> 4, types & 15, count, first

    def step_into_list(self, at: int, type: int, step: int, depth: int) -> tuple[int, int] | None:
        """Return (type, offset) of the `step`-th item of a list or set, or of the `step`-th key or value of a map."""
        *kinds, count, at = self.map_header(at) if type == wire.TYPE_MAP else self.list_header(at)
        if not 0 <= step < count * len(kinds):
            return None
        for i in range(step):
            at = self.skip(at, kinds[i % len(kinds)], depth + 1, item=True)
        return kinds[step % len(kinds)], at

    def skip(self, at: int, type: int, depth: int, item: bool = False) -> int:
        """Return the offset after a value; `item` is True in a list, set or map."""
        if type in INTEGERS:
            return self.number(at, INTEGERS[type])[1]
        if type == wire.TYPE_BINARY:
            length, start = self.number(at)
            if length > self.size - start:
                raise wire_error(wire.TRUNCATED, at, length, self.size - start)
            return start + length
        if type in NESTED:
            return self.skip_nested(at, type, depth)
        if type in FIXED:
            return self.skip_bytes(at, FIXED[type])
        return self.skip_bytes(at, 1) if item else at

    def skip_bytes(self, at: int, count: int) -> int:
        if count > self.size - at:
            raise wire_error(wire.TRUNCATED, at, count, self.size - at)
        return at + count

    def skip_nested(self, at: int, type: int, depth: int) -> int:
        self.enter(at, depth)
        if type == wire.TYPE_STRUCT:
            id = 0
            while True:
                id, type, at = self.field_header(at, id)
                if type == 0:
                    return at
                at = self.skip(at, type, depth + 1)
        *kinds, count, at = self.map_header(at) if type == wire.TYPE_MAP else self.list_header(at)
        for _ in range(count):
            for kind in kinds:
                at = self.skip(at, kind, depth + 1, item=True)
        return at


class _Measured(Walk):
    """A walk that raises an error for values above a limit."""

    def __init__(self, data, most_bytes: int | None, most_items: int | None):
        super().__init__(data, 0, wire.MAX_DEPTH)
        self.most_bytes, self.most_items = most_bytes, most_items

    def skip(self, at: int, type: int, depth: int, item: bool = False) -> int:
        end = super().skip(at, type, depth, item)
        if type == wire.TYPE_BINARY and self.most_bytes is not None:
            length, _ = self.number(at)
            if length > self.most_bytes:
                raise wire_error(wire.TOO_LARGE, at, self.most_bytes, length)
        return end

    def list_header(self, at: int) -> tuple[int, int, int]:
        type, count, first = super().list_header(at)
        self._check_count(at, count)
        return type, count, first

    def map_header(self, at: int) -> tuple[int, int, int, int]:
        key, value, count, first = super().map_header(at)
        self._check_count(at, count)
        return key, value, count, first

    def _check_count(self, at: int, count: int) -> None:
        if self.most_items is not None and count > self.most_items:
            raise wire_error(wire.TOO_MANY, at, self.most_items, count)
