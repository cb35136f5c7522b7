"""Write fuzz inputs to a folder: FSST pages and texts, each with bytes that steer the target to them.

python csrc/fuzz/fsst_seeds.py FOLDER
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from seed_files import write

SYMBOLS = [b"https://", b".org/", b"a", b"index", b"\xff\0"]
TEXT = b" https://a.org/index %d?user=a%d.html" * 40


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def page(codes: list[bytes], is_fixed: bool = False) -> bytes:
    """Make pages of at most 33 values of at most 15 codes, with the bytes that csrc/fuzz/fsst.c reads from the end."""
    table = bytes([8, len(SYMBOLS), *map(len, SYMBOLS)]) + b"".join(SYMBOLS)
    lengths = [len(code) for code in codes]
    ends = varint(128) + varint(4) + varint(len(codes)) + varint(2 * lengths[0])
    if len(codes) > 1:
        packed = sum(length << 4 * n for n, length in enumerate(lengths[1:]))
        ends += bytes([0, 4, 0, 0, 0]) + packed.to_bytes(16, "little")
    return table + ends + b"".join(codes) + struct.pack("<Q", is_fixed | len(codes) << 8)


def seeds() -> Iterator[bytes]:
    for count in (1, 2, 33):
        yield page([bytes([0, 2, 1, 255, 49 + n % 9])[n % 3 :] for n in range(count)])
        yield page([b"\3"] * count, is_fixed=True)
        yield page([b"\1", b"", bytes(15)] * max(1, count // 3))
    for is_fixed in (False, True):
        yield TEXT + struct.pack("<Q", is_fixed | 2)
        yield bytes(n * n % 251 for n in range(3000)) + struct.pack("<Q", is_fixed | 2)


if __name__ == "__main__":
    write(Path(sys.argv[1]), seeds())
