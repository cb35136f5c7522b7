"""The frame of a modular footer: the way from its end to the root, and the origin of its offsets.

A payload is modules, then the root. Beside a Thrift footer, the offset of the root and ``MFT1`` follow. In a file of
its own, the offset of the payload in the file, that of the root, and, after the payload, ``MFP1`` follow.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from ...errors import Malformed

ASIDE_MAGIC, ALONE_MAGIC = b"MFT1", b"MFP1"
ASIDE_TRAILER, ALONE_TRAILER = struct.Struct("<q4s"), struct.Struct("<qq")
TRAILER_BYTES = ALONE_TRAILER.size
SMALLEST_PAYLOAD = TRAILER_BYTES + 1
KINDS = SCHEMA, PLACEMENT, STATISTICS, _, _, FILE_METADATA, SCHEMA_INDEX = range(7)
REQUIRED = (SCHEMA, PLACEMENT)
BYTES_OF_CHUNK, FREE_CHUNKS = 2, 1 << 12  # a chunk with values has at least four bytes
NAMES = {
    SCHEMA: "schema",
    PLACEMENT: "placement",
    STATISTICS: "directory of statistics",
    FILE_METADATA: "file metadata",
    SCHEMA_INDEX: "schema index",
}


class Root(NamedTuple):
    """The counts of a modular footer, and (offset, length) of its modules by their kinds, as they are stored."""

    version: int
    row_groups: int
    columns: int
    rows: int
    modules: dict[int, tuple[int, int]]


class Frame(NamedTuple):
    """The end of a payload.

    Attributes
    ----------
    root, end : int
        Where the root begins and where the trailer begins, in the payload.
    start : int
        The payload's first byte as an absolute offset.
    is_alone : bool
        True if the file has no Thrift footer.
    """

    root: int
    end: int
    start: int
    is_alone: bool


def read_frame(last: bytes | memoryview, length: int) -> Frame:
    """Return the frame of a payload of `length` bytes that ends in `last`.

    Raises
    ------
    Malformed
        If the offset of the root is not in the payload; offsets count from the payload's start.
    """
    if min(len(last), length) < SMALLEST_PAYLOAD:
        message = f"{length} bytes are too few for a modular footer"
        raise Malformed(message, offset=0, expected=SMALLEST_PAYLOAD, found=length)
    start = 0
    is_alone = bytes(last[-4:]) != ASIDE_MAGIC
    if is_alone:
        start, root = ALONE_TRAILER.unpack(last[-ALONE_TRAILER.size :])
        end = length - ALONE_TRAILER.size
    else:
        (root, _), end = ASIDE_TRAILER.unpack(last[-ASIDE_TRAILER.size :]), length - ASIDE_TRAILER.size
    location = root - start if root >= end else root  # absolute, or relative to the payload
    if not 0 <= location < end:
        message = f"the root of a modular footer begins at {root}, outside of its {end} bytes"
        raise Malformed(message, offset=length - 8 if is_alone else end, expected=end, found=root)
    return Frame(location, end, start, is_alone)


def located(modules: dict[int, tuple[int, int]], frame: Frame) -> dict[int, tuple[int, int]]:
    """Return offsets in the payload and lengths of modules.

    All offsets are relative to the payload if all modules are then in front of the root; otherwise, all are absolute.

    Raises
    ------
    Malformed
        If a required module is missing, or if a module is not in front of the root.
    """
    missing = [NAMES[kind] for kind in REQUIRED if kind not in modules]
    if missing:
        raise Malformed(f"a modular footer without the module {missing[0]}", offset=frame.root)
    base = absolute_base(modules, frame)
    found = {}
    for kind, (offset, length) in modules.items():
        if not 0 <= offset - base <= frame.root or length > frame.root - (offset - base):
            name = NAMES.get(kind, str(kind))
            message = f"the module {name} of {length} bytes at {offset - base} is not in front of the root"
            raise Malformed(message, offset=frame.root, expected=frame.root, found=offset)
        found[kind] = offset - base, length
    return found


def most_chunks(length: int) -> int:
    """Return how many chunks, columns and row groups a payload of `length` bytes may have.

    Arrays of width 0 have no bytes, and each chunk of them takes hundreds of bytes in memory.
    """
    return length // BYTES_OF_CHUNK + FREE_CHUNKS


def largest_count(columns: int, row_groups: int) -> int:
    """Return the largest one of the numbers of columns, of row groups and of chunks."""
    return max(columns, row_groups, columns * row_groups)


def absolute_base(modules: dict[int, tuple[int, int]], frame: Frame) -> int:
    """Return the number that a stored offset exceeds the offset in the payload by.

    The offset of the schema alone would not do: in a small file, it may exceed that of the payload in both cases.
    """
    is_relative = all(offset + length <= frame.root for offset, length in modules.values())
    return 0 if is_relative else frame.start
