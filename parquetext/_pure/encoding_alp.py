"""Decode ALP: FLOAT and DOUBLE as integers and powers of ten. ``csrc/src/encoding/alp.h`` describes the errors."""

from __future__ import annotations

import struct
from array import array
from typing import NamedTuple

from .. import wire
from ..errors import wire_error
from .bits import unpack

HEADER = struct.Struct("<BBBI")  # mode, integer encoding, log2 of the vector size, number of values
SIZES = 3, 15
OFFSET = 4


class Kind(NamedTuple):
    """The differences between FLOAT and DOUBLE."""

    bits: int
    code: str  # type code of `array`
    numbers: struct.Struct  # exponent, factor, exceptions, frame of reference, bit width
    up: array  # powers of ten, as correctly rounded literals
    down: array

    @property
    def bytes(self) -> int:
        return self.bits // 8


_UP = [float(f"1e{n}") for n in range(19)]
_DOWN = [float(f"1e-{n}") for n in range(19)]
KINDS = {
    wire.PHYSICAL_FLOAT: Kind(32, "f", struct.Struct("<BBHiB"), array("f", _UP[:11]), array("f", _DOWN[:11])),
    wire.PHYSICAL_DOUBLE: Kind(64, "d", struct.Struct("<BBHqB"), array("d", _UP), array("d", _DOWN)),
}


def decode_alp(view: memoryview, at: int, count: int, kind: Kind) -> tuple[bytes, int]:
    """Decode `count` values, a page's without its nulls, in ``view[at:]``; return them and their end."""
    if not count and at >= len(view):
        return b"", at
    offsets, size_bits = _read_header(view, at, count)
    vectors = (count + (1 << size_bits) - 1) >> size_bits
    left = len(view) - offsets
    if vectors > left // OFFSET:
        raise wire_error(wire.TRUNCATED, offsets, OFFSET * vectors, left)
    decoded, end = bytearray(), offsets + OFFSET * vectors
    for position in range(offsets, offsets + OFFSET * vectors, OFFSET):
        found = int.from_bytes(view[position : position + OFFSET], "little")
        if found != end - offsets:
            raise wire_error(wire.ALP_OFFSET, position, end - offsets, found)
        values = min(count, 1 << size_bits)
        end = _decode_vector(view, end, values, kind, decoded)
        count -= values
    return bytes(decoded), end


def _read_header(view: memoryview, at: int, count: int) -> tuple[int, int]:
    """Return the position of the vectors' offsets, and the vector size as a power of two."""
    left = len(view) - at
    if left < HEADER.size:
        raise wire_error(wire.TRUNCATED, at, HEADER.size, left)
    *kinds, size_bits, total = HEADER.unpack_from(view, at)
    for position, found in enumerate(kinds, at):
        if found:
            raise wire_error(wire.ALP_MODE, position, 0, found)
    if not SIZES[0] <= size_bits <= SIZES[1]:
        raise wire_error(wire.ALP_NUMBER, at + 2, SIZES[size_bits > SIZES[1]], size_bits)
    if total != count:
        raise wire_error(wire.ALP_COUNT, at + 3, count, total)
    return at + HEADER.size, size_bits


def _decode_vector(view: memoryview, at: int, values: int, kind: Kind, decoded: bytearray) -> int:
    exponent, factor, exceptions, frame, width = _read_numbers(view, at, values, kind)
    at += kind.numbers.size
    packed, left = (values * width + 7) // 8, len(view) - at
    needed = packed + exceptions * (2 + kind.bytes)
    if needed > left:
        raise wire_error(wire.TRUNCATED, at, needed, left)
    positions = _read_positions(view, at + packed, exceptions, values)
    deltas = unpack(view, at * 8, width, values)
    vector = bytearray(_scale(deltas, frame, kind.up[factor], kind.down[exponent], kind))
    stored = at + packed + 2 * exceptions
    for position, start in zip(positions, range(stored, stored + exceptions * kind.bytes, kind.bytes), strict=True):
        vector[position * kind.bytes : (position + 1) * kind.bytes] = view[start : start + kind.bytes]
    decoded += vector
    return at + needed


def _read_numbers(view: memoryview, at: int, values: int, kind: Kind) -> tuple[int, int, int, int, int]:
    size = kind.numbers.size
    if len(view) - at < size:
        raise wire_error(wire.TRUNCATED, at, size, len(view) - at)
    numbers = kind.numbers.unpack_from(view, at)
    exponent, factor, exceptions, _, width = numbers
    highest = len(kind.up) - 1
    if exponent > highest:
        raise wire_error(wire.ALP_NUMBER, at, highest, exponent)
    if factor > exponent:
        raise wire_error(wire.ALP_NUMBER, at + 1, exponent, factor)
    if exceptions > values:
        raise wire_error(wire.ALP_NUMBER, at + 2, values, exceptions)
    if width > kind.bits:
        raise wire_error(wire.BIT_WIDTH, at + size - 1, kind.bits, width)
    return numbers


def _read_positions(view: memoryview, at: int, exceptions: int, values: int) -> list[int]:
    positions = list(struct.unpack_from(f"<{exceptions}H", view, at))
    for spot_offset, position in zip(range(at, at + 2 * exceptions, 2), positions, strict=True):
        if position >= values:
            raise wire_error(wire.ALP_NUMBER, spot_offset, values - 1, position)
    return positions


def _scale(deltas: list[int], frame: int, up: float, down: float, kind: Kind) -> bytes:
    """Return (delta + frame) × up × down. The sum wraps and is signed; each step is rounded to the type."""
    half, mask = 1 << kind.bits - 1, (1 << kind.bits) - 1
    start = frame + half
    integers = [float((start + delta & mask) - half) for delta in deltas]
    if kind.code == "d":
        return array("d", [integer * up * down for integer in integers]).tobytes()
    nearest = array("f", integers)
    nearest = array("f", [value * up for value in nearest])
    return array("f", [value * down for value in nearest]).tobytes()
