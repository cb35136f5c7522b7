"""DELTA_BINARY_PACKED and the encodings of byte arrays, written plainly, to check decoders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile

from support.packed import pack
from support.varints import varint

__all__ = ["delta_bytes", "lengths_bytes", "offsets_and_bytes", "plain_bytes", "prefixed_bytes", "values_of"]


def delta_bytes(
    values: Sequence[int], bits: int, block: int = 128, miniblocks: int = 4, spare: int = 0, unneeded: int = 0
) -> bytes:
    """Signed `values` of `bits` bits, packed `spare` bits wider than needed; `unneeded`: widths without values."""
    size = block // miniblocks
    out = [varint(number) for number in (block, miniblocks, len(values), zigzag(values[0]) if values else 0)]
    deltas = [wrap(value - before, bits) for before, value in pairwise(values)]
    for at in range(0, len(deltas), block):
        some = deltas[at : at + block]
        least, widths, bodies = min(some), [unneeded] * miniblocks, []
        for number, first in enumerate(range(0, len(some), size)):
            packed = [delta - least for delta in some[first : first + size]]
            widths[number] = min(max(packed).bit_length() + spare, 64)
            bodies.append(pack([*packed, *[0] * (size - len(packed))], widths[number]))
        out += [varint(zigzag(least)), bytes(widths), *bodies]
    return b"".join(out)


def zigzag(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def wrap(value: int, bits: int) -> int:
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def plain_bytes(values: Sequence[bytes]) -> bytes:
    return b"".join(len(value).to_bytes(4, "little") + value for value in values)


def lengths_bytes(values: Sequence[bytes]) -> bytes:
    """DELTA_LENGTH_BYTE_ARRAY."""
    return delta_bytes([len(value) for value in values], 32) + b"".join(values)


def prefixed_bytes(values: Sequence[bytes]) -> bytes:
    """DELTA_BYTE_ARRAY."""
    prefixes = [shared(before, value) for before, value in pairwise([b"", *values])]
    suffixes = [value[prefix:] for value, prefix in zip(values, prefixes, strict=True)]
    return delta_bytes(prefixes, 32) + lengths_bytes(suffixes)


def shared(before: bytes, value: bytes) -> int:
    """How many bytes both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, value, strict=False)))


def offsets_and_bytes(values: Sequence[bytes]) -> tuple[bytes, bytes]:
    """As `kernels.encoding.decode` gives byte arrays."""
    ends = [0]
    for value in values:
        ends.append(ends[-1] + len(value))
    return b"".join(end.to_bytes(4, "little") for end in ends), b"".join(values)


def values_of(decoded) -> list[bytes]:
    """The byte arrays that `kernels.encoding.decode` gave."""
    offsets, joined = decoded
    ends = memoryview(offsets).cast("B").cast("i").tolist()
    assert ends[0] == 0 and ends[-1] == len(joined)
    return [bytes(joined[start:end]) for start, end in pairwise(ends)]
