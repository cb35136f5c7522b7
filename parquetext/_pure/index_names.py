"""The names of a footer with ids of leaves and nodes: their entries and buckets (docs/formats.md, 3.3 and 7)."""

from __future__ import annotations

import struct

from .. import wire
from .checksum import crc32
from .flat_names import GROUP
from .flat_schema import Elements


def name_entries(elements: Elements) -> list[tuple[int, int]]:
    """Return (hash, id) for the names and the field ids of all leaves, and of all nodes except the root."""
    leaves = ((element, leaf) for leaf, element in enumerate(elements.leaves))
    groups = ((element, GROUP | node) for element, node in elements.node_of.items() if element)
    return elements.name_entries([*leaves, *groups])


def signed(cell: bytes, seed: int = 0) -> bytes:
    """Return a cell preceded by its checksum, which begins with `seed`."""
    return struct.pack("<I", crc32(cell, seed)) + cell


def bucket_of(number: int, entries: list[tuple[int, int]]) -> bytes:
    """Return a bucket with these entries."""
    head = struct.pack("<IHHI", wire.FLAT_PAGE_BYTES, wire.KIND_BUCKET, len(entries), number)
    body = head + b"".join(struct.pack("<II", *entry) for entry in entries)
    return signed(body.ljust(wire.FLAT_PAGE_BYTES - 4, b"\0"))
