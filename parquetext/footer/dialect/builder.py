"""Write FlatBuffers front to back: each table follows its vtable and precedes the targets of its offsets."""

from __future__ import annotations

import struct

from ... import wire
from ...errors import Unsupported
from .slots import SCALARS, Field, Layout

_OFFSET, _BACK, _HALF = SCALARS["u32"], SCALARS["i32"], SCALARS["i16"]


class Builder:
    """A writer of tables of a layout. Equal vtables are written once."""

    def __init__(self, layout: Layout):
        self._layout, self._out = layout, bytearray(_OFFSET.size)
        self._vtables: dict[bytes, int] = {}
        self._shapes: dict[tuple, tuple[bytes, int, list]] = {}

    def finish(self, kind: str, values: dict) -> bytes:
        """Return the buffer whose root is a table of this kind.

        Parameters
        ----------
        values : dict
            Field name to number, bytes (for a text), dict (a table), or list of dicts (a vector of tables); None means
            that the field is absent. The table of a union has its kind under the key ``""``.

        Raises
        ------
        Unsupported
            If a number does not fit in its field.
        """
        _OFFSET.pack_into(self._out, 0, self._table(kind, values))
        return bytes(self._out)

    def _table(self, kind: str, values: dict) -> int:
        """Write a table and the targets of its offsets; return its position."""
        names = tuple(name for name, value in values.items() if value is not None and name)
        vtable, size, positions = self._shape(kind, names)
        at = self._vtables.get(vtable)
        if at is None:
            self._align(_HALF.size)
            at = self._vtables[vtable] = len(self._out)
            self._out += vtable
        out = self._out
        self._align(4)
        if any(field.width == 8 for _, field, _ in positions) and len(out) % 8 == 0:
            out += bytes(4)  # the first field of 8 bytes follows the vtable's offset
        start = len(out)
        out += bytes(size)
        _BACK.pack_into(out, start, start - at)
        for name, field, entry in positions:
            if field.type in SCALARS:
                try:
                    SCALARS[field.type].pack_into(out, start + entry, values[name])
                except struct.error:
                    raise Unsupported(
                        f"{kind}.{name} has no room for {values[name]}", code=wire.UNSUPPORTED_VALUE
                    ) from None
            else:
                self._lead(start + entry, field, values[name])
        return start

    def _shape(self, kind: str, names: tuple[str, ...]) -> tuple[bytes, int, list[tuple[str, Field, int]]]:
        """Return the vtable, the size and the positions of a table with these fields, wide ones first."""
        found = self._shapes.get((kind, names))
        if found is None:
            fields = [(name, self._layout.tables[kind][name]) for name in names]
            positions, end = [], _BACK.size
            for name, field in sorted(fields, key=lambda pair: (-pair[1].width, pair[1].slot)):
                positions.append((name, field, end))
                end += field.width
            size = end + -end % 4
            entries = {field.slot: entry for _, field, entry in positions}
            words = [entries.get(slot, 0) for slot in range(max(entries, default=-1) + 1)]
            words = [4 + 2 * len(words), size, *words]
            vtable = b"".join(word.to_bytes(2, "little") for word in words)
            positions.sort(key=lambda position: position[1].slot)
            found = self._shapes[kind, names] = vtable, size, positions
        return found

    def _lead(self, position: int, field: Field, value) -> None:
        """Write the target of a field's offset, and the offset."""
        if field.type == "text":
            target = self._text(value)
        elif field.type.startswith("["):
            target = self._vector(field.type[1:-1], value)
        else:
            target = self._table(value.get("", field.type), value)
        _OFFSET.pack_into(self._out, position, target - position)

    def _text(self, value: bytes) -> int:
        self._align(4)
        start = len(self._out)
        self._out += _OFFSET.pack(len(value)) + value + b"\0"
        return start

    def _vector(self, kind: str, tables: list[dict]) -> int:
        self._align(4)
        start = len(self._out)
        self._out += _OFFSET.pack(len(tables)) + bytes(4 * len(tables))
        for position, table in zip(range(start + 4, start + 4 + 4 * len(tables), 4), tables, strict=True):
            _OFFSET.pack_into(self._out, position, self._table(kind, table) - position)
        return start

    def _align(self, size: int) -> None:
        self._out += bytes(-len(self._out) % size)
