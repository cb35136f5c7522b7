"""Numbers of few bits, packed without gaps."""

from __future__ import annotations

from collections.abc import Sequence

WRAP = 1 << 64


def signed(value: int) -> int:
    """Return a number modulo 2^64, between -2^63 and 2^63 - 1."""
    value %= WRAP
    return value - WRAP if value >> 63 else value


def bytes_of(count: int, width: int) -> int:
    """Return the number of bytes that hold `count` numbers of `width` bits."""
    return -(-count * width // 8)


def pack(values: Sequence[int], width: int) -> bytes:
    """Pack the values' bits, least significant first; the last byte is filled with zeros."""
    out = bytearray()
    for start in range(0, len(values), 64):
        some = values[start : start + 64]
        number = 0
        for value in reversed(some):
            number = number << width | value
        out += number.to_bytes(bytes_of(len(some), width), "little")
    return bytes(out)


def unpack(data: bytes | memoryview, bit: int, width: int, count: int) -> list[int]:
    """Unpack `count` values of `width` bits, least significant bit first; the first one is at bit `bit`."""
    if not width:
        return [0] * count
    values: list[int] = []
    mask = (1 << width) - 1
    while len(values) < count:
        # Every eight values begin at the same bit of a byte, which keeps the numbers below small.
        some = min(8, count - len(values))
        word = int.from_bytes(data[bit >> 3 : (bit + some * width + 7) >> 3], "little") >> (bit & 7)
        values += [word >> shift & mask for shift in range(0, some * width, width)]
        bit += some * width
    return values
