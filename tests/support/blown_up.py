"""Footers of a few hundred KB whose forms would take many MB: hostile ones."""

from __future__ import annotations

import struct
from pathlib import Path

from . import flat_footers as thrift

REQUIRED, INT32 = 0, 1


def nested(levels: int, leaves: int = 1) -> bytes:
    """Groups within groups, and `leaves` columns in the innermost one: their paths have `levels` parts each."""
    groups = [thrift.element(b"g", repetition=REQUIRED, children=1)] * (levels - 1)
    columns = [thrift.element(b"%d" % leaf, repetition=REQUIRED, type=INT32) for leaf in range(leaves)]
    elements = [
        thrift.element(b"schema", children=1),
        *groups,
        thrift.element(b"g", repetition=REQUIRED, children=leaves),
        *columns,
    ]
    return thrift.footer(elements, [])


def paths_of(levels: int, leaves: int = 1) -> int:
    """Bytes of all paths of `nested`: g.g.g, and so on, and those of its columns."""
    groups = sum(2 * level - 1 for level in range(1, levels + 1))
    return groups + sum(2 * levels + len(str(leaf)) for leaf in range(leaves))


def write_footer(path: Path, footer: bytes) -> str:
    """A file that is a footer and nothing else."""
    path.write_bytes(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return str(path)
