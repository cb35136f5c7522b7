"""Compute CRC-32 and XXH64."""

from __future__ import annotations

import struct

try:
    from zlib_ng.zlib_ng import crc32 as _crc32

    _LIBRARY = "zlib-ng"
except ImportError:
    from zlib import crc32 as _crc32

    _LIBRARY = "zlib"

from .varint import unsigned

__all__ = ["crc32", "crc32_implementations", "crc32_with", "xxh64"]

PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
MASK = (1 << 64) - 1


def crc32(data, crc: int = 0, /) -> int:
    """Return the CRC-32 (IEEE 802.3, as in zlib) of `data`.

    Parameters
    ----------
    data : bytes-like
    crc : int
        The checksum of the preceding data; 0 at the start.
    """
    return _crc32(data, unsigned(crc, 32))


def crc32_implementations() -> tuple[str, ...]:
    """Return the names of the routines that can run on this machine, best first."""
    return (_LIBRARY,)


def crc32_with(name: str, data, crc: int = 0) -> int:
    """Compute `crc32` by one of `crc32_implementations`; raise ValueError for another name."""
    if name not in crc32_implementations():
        raise ValueError(f"no CRC-32 routine {name!r} here; there is {', '.join(crc32_implementations())}")
    return crc32(data, crc)


def xxh64(data, seed: int = 0) -> int:
    """Return the XXH64 of `data` as an unsigned number."""
    p1, p2, p3, p4, p5 = PRIMES
    data, seed = memoryview(data).cast("B"), unsigned(seed, 64)
    whole, length = len(data) // 32 * 32, len(data)
    result = seed + p5
    if whole:
        lanes = [seed + p1 + p2, seed + p2, seed, seed - p1]
        for words in struct.iter_unpack("<4Q", data[:whole]):
            lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
        result = sum(_rotate(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True))
        for lane in lanes:
            result = (result & MASK ^ _round(0, lane)) * p1 + p4
    result = result + length & MASK
    rest = data[whole:]
    while len(rest) >= 8:
        result = _rotate(result ^ _round(0, int.from_bytes(rest[:8], "little")), 27) * p1 + p4 & MASK
        rest = rest[8:]
    if len(rest) >= 4:
        result = _rotate(result ^ int.from_bytes(rest[:4], "little") * p1 & MASK, 23) * p2 + p3 & MASK
        rest = rest[4:]
    for byte in rest:
        result = _rotate(result ^ byte * p5 & MASK, 11) * p1 & MASK
    result = (result ^ result >> 33) * p2 & MASK
    result = (result ^ result >> 29) * p3 & MASK
    return result ^ result >> 32


def _rotate(x: int, by: int) -> int:
    x &= MASK
    return (x << by | x >> (64 - by)) & MASK


def _round(lane: int, word: int) -> int:
    return _rotate(lane + word * PRIMES[1], 31) * PRIMES[0] & MASK
