"""Encode ALP: floating-point values as integers and powers of ten; each vector uses its best pair of powers."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import copysign
from typing import NamedTuple

from .bits import pack
from .encoding_alp import HEADER, Kind

SAMPLED_VECTORS, SAMPLED_VALUES = 8, 256
CANDIDATES = 5
POSITION_BITS = 16
NO_INTEGER = (1 << 64) - 1  # wider than all packed differences


class Pair(NamedTuple):
    """Powers of ten: the value × 10^exponent × 10^-factor is the integer."""

    exponent: int
    factor: int


WHOLE = {"d": 2.0**52, "f": 2.0**23}  # values from here on have no fraction


def encode_alp(values: array, kind: Kind, size_bits: int) -> bytes:
    """Encode all values of a page in vectors of 2 ** `size_bits`."""
    size = 1 << size_bits
    vectors = [values[start : start + size] for start in range(0, len(values), size)]
    candidates = _candidates(vectors, kind)
    bodies = [_vector(vector, _choose(vector, candidates, kind), kind) for vector in vectors]
    at, offsets = 4 * len(bodies), array("I")
    for body in bodies:
        offsets.append(at)
        at += len(body)
    return HEADER.pack(0, 0, size_bits, len(values)) + offsets.tobytes() + b"".join(bodies)


def _candidates(vectors: list[array], kind: Kind) -> list[Pair]:
    """Return the pairs that are the best for most of the sampled vectors."""
    highest = len(kind.up) - 1
    pairs = [Pair(e, f) for e in range(highest, -1, -1) for f in range(e, -1, -1)]
    some = min(SAMPLED_VECTORS, len(vectors))
    best: dict[Pair, int] = {}
    for number in range(some):
        pair = _choose(vectors[number * len(vectors) // some], pairs, kind)
        best[pair] = best.get(pair, 0) + 1
    return sorted(best, key=lambda pair: (-best[pair], -pair.exponent, -pair.factor))[:CANDIDATES]


def _choose(vector: array, pairs: list[Pair], kind: Kind) -> Pair:
    """Return the pair with the fewest bits for a sample of the vector; the first one if several are equal."""
    if len(pairs) == 1:
        return pairs[0]
    some = min(SAMPLED_VALUES, len(vector))
    stretch = len(vector) // some  # one value is taken from each stretch, at a position that has no period
    positions = [number * len(vector) // some + (number * 40503 >> 8) % stretch for number in range(some)]
    sample = array(vector.typecode, map(vector.__getitem__, positions))

    def bits(pair: Pair) -> int:
        integers = [integer for integer in _integers(sample, pair, kind) if integer is not None]
        exceptions = some - len(integers)
        return some * _width(integers) + exceptions * (POSITION_BITS + kind.bits)

    return min(pairs, key=bits)


def _width(integers: Sequence[int]) -> int:
    return (max(integers) - min(integers)).bit_length() if integers else 0


def _integers(values: array, pair: Pair, kind: Kind) -> list[int | None]:
    """Return the integer of each value, None if it does not convert back to the same bits.

    Each step is rounded to the type.
    """
    code, whole, limit = kind.code, WHOLE[kind.code], 2.0 ** (kind.bits - 1)
    up, down = kind.up[pair.exponent], kind.down[pair.factor]
    scaled = array(code, [value * up for value in values])
    scaled = array(code, [value * down for value in scaled])
    # Adding a number that leaves no bits for a fraction, and subtracting it again, rounds to an integer, ties to even.
    wholes = [copysign(whole, value) for value in scaled]
    rounded = array(code, [value + add for value, add in zip(scaled, wholes, strict=True)])
    rounded = array(code, [value - add for value, add in zip(rounded, wholes, strict=True)])
    rounded = array(code, [r if -whole < value < whole else value for r, value in zip(rounded, scaled, strict=True)])
    up, down = kind.up[pair.factor], kind.down[pair.exponent]
    back = array(code, [value * up for value in rounded])
    back = array(code, [value * down for value in back])
    return [
        int(r) if abs(r) < limit and found == value and (value or copysign(1.0, value) > 0) else None
        for r, found, value in zip(rounded, back, values, strict=True)
    ]


def _vector(values: array, pair: Pair, kind: Kind) -> bytes:
    integers = _integers(values, pair, kind)
    least = min((integer for integer in integers if integer is not None), default=0)
    deltas = [NO_INTEGER if integer is None else integer - least for integer in integers]
    width = _fewest_bits([delta.bit_length() for delta in deltas], POSITION_BITS + kind.bits)
    first = next((delta for delta in deltas if delta.bit_length() <= width), 0)
    positions = array("H", [at for at, delta in enumerate(deltas) if delta.bit_length() > width])
    for at in positions:
        deltas[at] = first
    exceptions = b"".join(values[at : at + 1].tobytes() for at in positions)  # keeps a NaN's bits
    numbers = kind.numbers.pack(pair.exponent, pair.factor, len(positions), least, width)
    return numbers + pack(deltas, width) + positions.tobytes() + exceptions


def _fewest_bits(widths: list[int], exception: int) -> int:
    """Return the width by which a vector takes the fewest bits; wider values are exceptions."""

    def bits(width: int) -> int:
        return len(widths) * width + exception * sum(wide > width for wide in widths)

    return min(sorted({0, *widths} - {NO_INTEGER.bit_length()}, reverse=True), key=bits)
