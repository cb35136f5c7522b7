"""The flat footer's pool of Arrow fields and skeletons, which projections look up (docs/formats.md, 3.3)."""

from __future__ import annotations

import struct

from .. import wire
from ..errors import ParquetextError
from . import arrow_schema
from .flat_schema import Elements

PAGE_SHIFT = 9  # a pool reference is page << 9 | offset / 8, never below 2


def pool_position(position: int) -> tuple[int, int]:
    """Return the page and the cell offset of the item at a pool reference."""
    return position >> PAGE_SHIFT, (position & (1 << PAGE_SHIFT) - 1) * 8


def _pieces(scan, names: list[bytes]) -> list[bytes]:
    """Return one piece per top-level element; none if the schema and ARROW:schema do not agree."""
    pair = scan.arrow_schema()
    if pair is None:
        return []
    try:
        schema = arrow_schema.parse(scan.pair(pair)[1])
        agree = [schema.name(index) for index in range(schema.field_count)] == names
        return [schema.piece(index) for index in range(schema.field_count)] if agree else []
    except ParquetextError:
        return []


class Pool:
    """Pages of unique items. `arrow` maps top-level elements to the pool references of their Arrow fields."""

    def __init__(self, scan, elements: Elements):
        top = [index for index in range(1, elements.count) if elements.parent[index] == 0]
        self.pages: list[bytearray] = []
        self._known: dict[bytes, int] = {}
        pieces = _pieces(scan, [elements.names[index] for index in top])
        self.arrow = {index: self.add(piece) for index, piece in zip(top, pieces, strict=False)}

    def add(self, content: bytes) -> int:
        """Return the pool reference of the item with this content; add it if it is new."""
        if content not in self._known:
            self._known[content] = self._add(content)
        return self._known[content]

    def _add(self, content: bytes) -> int:
        item = struct.pack("<II", len(content), 0) + content + bytes(-len(content) % 8)
        room = wire.FLAT_POOL_PAGE_BYTES - wire.FLAT_CELL_HEADER_BYTES
        if not self.pages or len(self.pages[-1]) + len(item) > room:
            self.pages.append(bytearray())
        page = self.pages[-1]
        page += item
        return len(self.pages) - 1 << PAGE_SHIFT | (wire.FLAT_CELL_HEADER_BYTES + len(page) - len(item)) // 8
