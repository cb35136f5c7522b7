"""Write fuzz inputs to a folder: ALP pages, each with bytes that steer the target to them.

python csrc/fuzz/alp_seeds.py FOLDER
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from seed_files import packed_behind, placed, write


def vector(size: int, width: int, is_double: bool, exceptions: int) -> bytes:
    numbers = struct.pack("<BBHqB" if is_double else "<BBHiB", 4, 2, exceptions, -70, width)
    return packed_behind(numbers, size, width, exceptions, 8 if is_double else 4)


def page(is_double: bool, size_bits: int, count: int, width: int, exceptions: int) -> bytes:
    """Append the bytes that csrc/fuzz/alp.c reads from an input's end to the page."""
    size = 1 << size_bits
    bodies = [vector(min(size, count - at), width, is_double, exceptions) for at in range(0, count, size)]
    steering = struct.pack("<Q", is_double | count << 8 | 5 << 32)
    return struct.pack("<BBBI", 0, 0, size_bits, count) + placed(bodies) + steering


def seeds() -> Iterator[bytes]:
    for is_double in (False, True):
        for width in (0, 3, 15, 25, 31, *([33, 57, 63, 64] if is_double else [])):
            yield page(is_double, 3, 20, width, 1)
            yield page(is_double, 10, 1030, width, 0)
            yield page(is_double, 5, 90, width, 7)
        yield page(is_double, 15, 40_000, 0, 2)


if __name__ == "__main__":
    write(Path(sys.argv[1]), seeds())
