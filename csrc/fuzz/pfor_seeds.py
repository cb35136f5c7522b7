"""Write fuzz inputs to a folder: PFOR pages and integers, each with bytes that steer the target to them.

python csrc/fuzz/pfor_seeds.py FOLDER
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from seed_files import packed_behind, placed, write


def vector(size: int, bits: int, is_64: bool, exceptions: int) -> bytes:
    head = struct.pack("<qBH" if is_64 else "<iBH", -70, bits, exceptions)
    return packed_behind(head, size, bits, exceptions, 8 if is_64 else 4)


def page(is_64: bool, log: int, count: int, bits: int, exceptions: int) -> bytes:
    """Append the bytes that csrc/fuzz/pfor.c reads from an input's end to the page."""
    size = 1 << log
    bodies = [vector(min(size, count - at), bits, is_64, exceptions) for at in range(0, count, size)]
    header = struct.pack("<BBBI", 0, log, 8 if is_64 else 4, count)
    return header + placed(bodies) + struct.pack("<Q", is_64 | count << 8)


def seeds() -> Iterator[bytes]:
    for is_64 in (False, True):
        for bits in (0, 3, 15, 25, 31, *([33, 57, 63, 64] if is_64 else [32])):
            yield page(is_64, 3, 20, bits, 1)
            yield page(is_64, 10, 1030, bits, 0)
            yield page(is_64, 5, 90, bits, 7)
        yield page(is_64, 15, 40_000, 0, 2)
        keys = [n * 7919 % 1000 if n % 50 else -(1 << 30) + n for n in range(400)]
        steering = is_64 | 2 | 3 << 4
        yield struct.pack("<400q" if is_64 else "<400i", *keys) + struct.pack("<Q", steering)


if __name__ == "__main__":
    write(Path(sys.argv[1]), seeds())
