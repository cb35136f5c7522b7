"""Draw a file as a strip of equal pieces, each in the colour of the kind of most of its bytes."""

from __future__ import annotations

import pyarrow as pa

from .part_kinds import GROUPS, group_of

__all__ = ["strip"]


def strip(parts: pa.Table, size: int, cells: int) -> list[str]:
    """The group that has most bytes of each of `cells` equal pieces of the file; fewer pieces of a smaller file."""
    cells = min(cells, size)
    if not cells:
        return []
    groups = list(GROUPS)
    kinds = [groups.index(group_of(kind)) for kind in parts["kind"].combine_chunks().dictionary.to_pylist()]
    counts = [[0] * len(groups) for _ in range(cells)]
    indices = parts["kind"].combine_chunks().indices.to_pylist()
    for offset, length, kind in zip(parts["offset"].to_pylist(), parts["length"].to_pylist(), indices, strict=True):
        group, end = kinds[kind], offset + length
        first, last = offset * cells // size, (end * cells - 1) // size
        for cell in range(first, last + 1):
            begins, ends = -(-cell * size // cells), -(-(cell + 1) * size // cells)
            counts[cell][group] += max(0, min(end, ends) - max(offset, begins))
    return [groups[max(range(len(groups)), key=count.__getitem__)] for count in counts]
