"""Read FlatBuffers from hostile bytes: offsets are checked before use, and the number of reads is bounded."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ... import wire
from ...errors import Unsupported, wire_error

_OFFSET, _BACK, _HALF = struct.Struct("<I"), struct.Struct("<i"), struct.Struct("<H")
BYTES_PER_BYTE = 16  # limit of the copied strings, which tables may share, for each byte of the buffer
SPARE_BYTES = 64 << 10
MOST_SLOTS = 32  # no known layout has a table of more than 12


class Buffer:
    """A FlatBuffers buffer and the tables in it.

    The tables and vector entries that are visited cannot have more bytes than the buffer, unless tables overlap. This
    is checked, so the time of a reader is bounded by the buffer's size.
    """

    __slots__ = ("_copied_left", "_visits_left", "_vtables", "data", "size")

    def __init__(self, data: bytes):
        self.data, self.size = bytes(data), len(data)
        self._vtables: dict[int, tuple[int, ...]] = {}
        self._visits_left = self.size
        self._copied_left = BYTES_PER_BYTE * self.size + SPARE_BYTES

    def root(self) -> Table:
        return self.table_at(0)

    def table_at(self, at: int) -> Table:
        """Return the table to which the offset at `at` refers."""
        return Table(self, self.follow(at))

    def follow(self, at: int) -> int:
        """Return the target of the offset at `at`: it is after the offset, before at least four bytes."""
        if at + 4 > self.size:
            raise wire_error(wire.BAD_OFFSET, at, self.size, at + 4)
        target = at + _OFFSET.unpack_from(self.data, at)[0]
        if not at + 4 <= target <= self.size - 4:
            raise wire_error(wire.BAD_OFFSET, at, self.size, target)
        return target

    def vector(self, at: int, width: int) -> tuple[int, int]:
        """Return the position of the first item and the number of items of the vector at an offset's target."""
        start = self.follow(at)
        count = _OFFSET.unpack_from(self.data, start)[0]
        if count * width > self.size - start - 4:
            raise wire_error(wire.BAD_OFFSET, start, self.size, start + 4 + count * width)
        return start + 4, count

    def text(self, at: int) -> bytes:
        """Return the bytes of the string or byte vector to which the offset at `at` refers."""
        start, length = self.vector(at, 1)
        self.copied(start, length)
        return self.data[start : start + length]

    def vtable(self, at: int, table: int) -> tuple[int, ...]:
        """Return the size of a table, and the positions of its fields by slot."""
        found = self._vtables.get(at)
        if found is None:
            if not 0 <= at <= self.size - 4:
                raise wire_error(wire.BAD_OFFSET, table, self.size, max(at, 0))
            length, size = _HALF.unpack_from(self.data, at)[0], _HALF.unpack_from(self.data, at + 2)[0]
            if length < 4 or length % 2 or at + length > self.size or size < 4:
                raise wire_error(wire.BAD_OFFSET, at, self.size, at + length)
            if length > 4 + 2 * MOST_SLOTS:
                slots = length // 2 - 2
                message = f"a table of {slots} slots, in no known layout there are so many"
                raise Unsupported(message, offset=at, expected=MOST_SLOTS, found=slots, code=wire.UNKNOWN_LAYOUT)
            found = struct.unpack_from(f"<{length // 2 - 1}H", self.data, at + 2)
            self._vtables[at] = found
        return found

    def visited(self, at: int, count: int) -> None:
        """Count bytes of tables or vectors that are read, first at `at`."""
        self._visits_left -= count
        if self._visits_left < 0:
            raise wire_error(wire.BAD_OFFSET, at, self.size, self.size - self._visits_left)

    def copied(self, at: int, count: int) -> None:
        """Count bytes of strings that are copied."""
        self._copied_left -= count
        if self._copied_left < 0:
            most = BYTES_PER_BYTE * self.size + SPARE_BYTES
            raise wire_error(wire.TOO_LARGE, at, most, most - self._copied_left)


class Table:
    """One table. Fields are identified by their slots."""

    __slots__ = ("at", "buffer", "entries")

    def __init__(self, buffer: Buffer, at: int):
        self.buffer, self.at = buffer, at
        self.entries = buffer.vtable(at - _BACK.unpack_from(buffer.data, at)[0], at)
        if at + self.entries[0] > buffer.size:
            raise wire_error(wire.BAD_OFFSET, at, buffer.size, at + self.entries[0])
        buffer.visited(at, self.entries[0])

    def has(self, slot: int) -> bool:
        return slot + 1 < len(self.entries) and self.entries[slot + 1] != 0

    def position(self, slot: int, width: int) -> int:
        """Return the position of a field; 0 if it is absent."""
        entry = self.entries[slot + 1] if slot + 1 < len(self.entries) else 0
        if entry == 0:
            return 0
        if not 4 <= entry <= self.entries[0] - width:
            raise wire_error(wire.BAD_OFFSET, self.at, self.entries[0], entry)
        return self.at + entry

    def room(self, slot: int) -> int:
        """Return the bytes from a field to the next one, or to the table's end; 0 if it is absent."""
        entry = self.entries[slot + 1] if self.has(slot) else 0
        return min(other for other in self.entries if other > entry) - entry if 0 < entry < self.entries[0] else 0

    def number(self, slot: int, kind: struct.Struct, default: int | None = None) -> int | None:
        at = self.position(slot, kind.size)
        return kind.unpack_from(self.buffer.data, at)[0] if at else default

    def text(self, slot: int) -> bytes | None:
        at = self.position(slot, 4)
        return self.buffer.text(at) if at else None

    def table(self, slot: int) -> Table | None:
        at = self.position(slot, 4)
        return self.buffer.table_at(at) if at else None

    def count(self, slot: int) -> int | None:
        """Return the number of tables in a vector; None if it is absent."""
        at = self.position(slot, 4)
        return self.buffer.vector(at, 4)[1] if at else None

    def tables(self, slot: int) -> Iterator[Table]:
        """Yield the tables of a vector; none if it is absent."""
        at = self.position(slot, 4)
        if not at:
            return
        start, count = self.buffer.vector(at, 4)
        self.buffer.visited(at, 4 * count)
        for entry in range(start, start + 4 * count, 4):
            yield self.buffer.table_at(entry)
