"""Write fuzz inputs to a folder: modules of modular footers, each with bytes that steer the target to them.

python csrc/fuzz/modular_seeds.py FOLDER
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from seed_files import write

I32, I64, BINARY, LIST, STRUCT, BYTE = 5, 6, 8, 9, 12, 3
PLACEMENT, NAMES, ROOT, STATISTICS = range(4)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def fields(*given: tuple[int, int, bytes]) -> bytes:
    """A struct of fields: id, compact type, value."""
    out, last = b"", 0
    for id, kind, value in given:
        out += bytes([id - last << 4 | kind]) + value
        last = id
    return out + b"\0"


def packed(numbers: Sequence[int], width: int) -> bytes:
    bits = sum(number << width * at for at, number in enumerate(numbers))
    return bytes([width]) + bits.to_bytes((len(numbers) * width + 7) // 8, "little")


def binary(data: bytes) -> bytes:
    return varint(len(data)) + data


def array(count: int, values: bytes, presence: bytes = b"", encoding: int = 0) -> bytes:
    given = [(1, I32, varint(2 * count)), (2, BINARY, binary(values))]
    given += [(3, I32, varint(2))] * encoding + [(4, BINARY, binary(presence))] * bool(presence)
    return fields(*given)


def texts(values: Sequence[bytes], width: int) -> bytes:
    offsets = [sum(map(len, values[:at])) for at in range(len(values) + 1)]
    return packed(offsets, width) + b"".join(values)


def placement(leaves: int, groups: int, width: int) -> bytes:
    chunks = leaves * groups
    numbers = array(chunks, packed([at % (1 << width) for at in range(chunks)], width))
    firsts = array(chunks + 1, packed([at % 2 for at in range(chunks + 1)], 1))
    arrays = {id: numbers for id in (1, 4, 5, 6, 7)} | {2: firsts, 3: array(1, packed([4], 3))}
    arrays |= {8: array(leaves, packed([6] * leaves, 3)), 9: array(chunks, packed([1] * chunks, 1))}
    arrays[10] = array(groups, packed([9] * groups, 4))
    return fields(*((id, STRUCT, arrays[id]) for id in sorted(arrays)))


def statistics(groups: int) -> bytes:
    nulls = array(groups, packed([3, 5], 4), varint(2) + packed([0, groups - 1], 8), 1)
    bitmap = b"\xff" * ((groups + 7) // 8)
    bounds = [array(groups, texts([bytes([at])] * groups, 9), bitmap) for at in range(3)]
    flags = array(groups, packed([1] * groups, 1))
    return fields((1, STRUCT, nulls), *((2 + at, STRUCT, bound) for at, bound in enumerate(bounds)), (5, STRUCT, flags))


def names(leaves: int) -> bytes:
    table = array(8, packed([*range(1, leaves + 1), *[0] * (8 - leaves)], 11))
    elements = array(leaves + 1, packed(range(2, leaves + 3), 5))
    return fields((1, STRUCT, table), (2, BYTE, b"\x08"), (3, BYTE, b"\x03"), (4, STRUCT, elements), (7, 2, b""))


def root() -> bytes:
    module = fields((1, I32, b"\x02"), (2, STRUCT, fields((1, I64, b"\x08"), (2, I64, b"\x10"))))
    counts = [(at, I64 if at == 4 else I32, b"\x04") for at in range(1, 5)]
    return fields(*counts, (5, LIST, b"\x2c" + module + module.replace(b"\x15\x02", b"\x15\0")))


def seeds() -> Iterator[bytes]:
    for leaves, groups in ((1, 1), (2, 5), (3, 40)):
        found = statistics(groups)
        for width in (0, 1, 13, 64):
            for options in range(8):
                steering = PLACEMENT | leaves << 8 | options << 11 | groups << 16 | len(found) << 32
                yield placement(leaves, groups, width) + found + struct.pack("<Q", steering)
        yield found + struct.pack("<Q", STATISTICS | 0b11100 << 24)
        yield names(leaves) + struct.pack("<Q", NAMES | leaves << 8)
        directory = fields((1, STRUCT, array(leaves + 1, packed(range(leaves + 1), 7))))
        yield directory + struct.pack("<Q", STATISTICS | leaves << 16)
    yield root() + struct.pack("<Q", ROOT)


if __name__ == "__main__":
    write(Path(sys.argv[1]), seeds())
