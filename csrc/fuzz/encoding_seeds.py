"""Write fuzz inputs to a folder: levels, indices, booleans and values, each with bytes that steer the target to them.

python csrc/fuzz/encoding_seeds.py FOLDER
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from seed_files import write

LEVELS = bytes.fromhex("07fb7f7f1c0109fefbbf3f")  # of parquet-testing's rle_boolean_encoding.parquet
MSB_FIRST = bytes.fromhex("053977")  # of parquet-format's Encodings.md
INDICES = bytes.fromhex("0206020ae41b4e93b16c39c6d21e")
LONG_RUN = b"\x04" + b"\x90\x4e\x0b" + bytes([41]) + bytes(range(80))
SPLIT = bytes(i * i % 251 for i in range(480))


def steering(choice: int, type: int = 0, limit: int = 0, count: int = 1, piece: int = 7, skipped: int = 3) -> bytes:
    """Return the bytes that csrc/fuzz/encoding.c reads from an input's end."""
    return struct.pack("<BBHHBB", choice, type, limit, count - 1, piece, skipped)


def seeds() -> Iterator[bytes]:
    for choice in (0, 8):
        yield LEVELS + steering(choice, limit=1, count=68)
        yield MSB_FIRST + steering(choice | 4, limit=7, count=8)
    for body in (INDICES, LONG_RUN):
        yield body + steering(1, limit=16, count=60)
        for type in (1, 2, 3, 7):
            yield body + steering(2 | 2 << 2, type, limit=16, count=60)
    yield struct.pack("<I", len(LEVELS)) + LEVELS + steering(2 | 1 << 2, 0, count=68)
    for type in (0, 1, 2, 3, 7):
        yield SPLIT + steering(2, type, count=12)
        yield SPLIT + steering(2 | 3 << 2, type, count=12)


if __name__ == "__main__":
    write(Path(sys.argv[1]), seeds())
