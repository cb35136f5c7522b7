"""Limits of a flat footer's size relative to the Thrift footer, known before it is built."""

from __future__ import annotations

from .. import wire
from ..errors import wire_error

__all__ = ["check_paths", "limit_of"]


def limit_of(size: int) -> int:
    """Return the largest allowed payload for a footer of `size` bytes (and extensions), whatever the footer claims."""
    return wire.FLAT_MOST_TIMES * size + wire.FLAT_MOST_BESIDE


def check_paths(scan, limit: int) -> None:
    """Raise OUT_OF_PROPORTION if the schema's paths alone exceed `limit`.

    The paths of n nested elements have O(n²) bytes.
    """
    sizes = list(scan.elements("name_length"))
    for index, parent in enumerate(scan.elements("parent")):
        if parent > 0:
            sizes[index] += sizes[parent] + 1
    found = sum(sizes[1:])
    if found > limit:
        raise wire_error(wire.OUT_OF_PROPORTION, 0, limit, found)
