"""Pack and unpack values bit by bit."""

from __future__ import annotations

__all__ = ["pack_booleans", "unpack", "unpack_msb_first"]


def unpack(data: memoryview, bit: int, width: int, count: int) -> list[int]:
    """Unpack `count` values of `width` bits, at least 1, least significant bit first; the first one is at bit `bit`."""
    values: list[int] = []
    mask = (1 << width) - 1
    while len(values) < count:
        # Every eight values begin at the same bit of a byte, which keeps the numbers below small.
        some = min(8, count - len(values))
        word = int.from_bytes(data[bit >> 3 : (bit + some * width + 7) >> 3], "little") >> (bit & 7)
        values += [word >> shift & mask for shift in range(0, some * width, width)]
        bit += some * width
    return values


def unpack_msb_first(data: memoryview, bit: int, width: int, count: int) -> list[int]:
    """Unpack values with the most significant bit first, as in BIT_PACKED levels."""
    values: list[int] = []
    mask = (1 << width) - 1
    for at in range(bit, bit + count * width, width):
        end = (at + width + 7) >> 3
        values.append(int.from_bytes(data[at >> 3 : end], "big") >> (end * 8 - at - width) & mask)
    return values


def pack_booleans(values: list[int]) -> bytes:
    """Return a bitmap of zeros and ones, least significant bit first, with spare bits 0."""
    bits = "".join(map("01".__getitem__, reversed(values)))
    return int(bits or "0", 2).to_bytes((len(values) + 7) // 8, "little")
