"""Split-block Bloom filters."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from itertools import pairwise

from .. import wire
from ..errors import wire_error
from .checksum import xxh64

__all__ = ["hashes_of", "insert", "might_contain"]

BLOCK_BYTES = 32
SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)


def might_contain(bitset, hashes: Iterable[int]) -> bytes:
    """Return a byte for each hash: 1 if the filter may contain the value, 0 if it does not.

    A hash is the XXH64 of a value's plain bytes.

    Parameters
    ----------
    bitset : bytes-like
        The filter's blocks, of 32 bytes each.
    hashes : iterable of int
        Unsigned 64-bit numbers.

    Raises
    ------
    ParquetextError
        If the bitset is empty, or its size is not a multiple of 32 bytes.
    """
    view = memoryview(bitset).cast("B")
    wanted = array("Q", hashes)
    blocks = _block_count(view)
    return bytes(_block_holds(view, _block_of(hash, blocks), hash & 0xFFFFFFFF) for hash in wanted)


def insert(bitset, hashes: Iterable[int]) -> None:
    """Set the bits of hashes in a bitset, which is changed.

    Parameters
    ----------
    bitset : bytearray
    hashes : iterable of int
        Unsigned 64-bit numbers.

    Raises
    ------
    ParquetextError
        As `might_contain` raises it.
    """
    view = memoryview(bitset).cast("B")
    added = array("Q", hashes)
    blocks = _block_count(view)
    for hash in added:
        at, key = _block_of(hash, blocks), hash & 0xFFFFFFFF
        words = struct.unpack_from("<8I", view, at)
        bits = (1 << ((key * salt & 0xFFFFFFFF) >> 27) for salt in SALT)
        struct.pack_into("<8I", view, at, *(word | bit for word, bit in zip(words, bits, strict=True)))


def hashes_of(data, offsets) -> memoryview:
    """Return the hashes of byte strings as 64-bit numbers.

    Parameters
    ----------
    data : bytes-like
        The strings, one after the other.
    offsets : bytes-like
        32-bit numbers: the begin of the first string, and the end of each string.

    Raises
    ------
    Malformed
        If a string ends before its start, or after the data (VALUE_OFFSET); the offset is that of its end in `offsets`.
    """
    view, ends = memoryview(data).cast("B"), memoryview(offsets).cast("B").cast("i")
    found = array("Q")
    for number, (begin, end) in enumerate(pairwise(ends), 1):
        if not 0 <= begin <= end <= len(view):
            raise wire_error(wire.VALUE_OFFSET, 4 * number, len(view), end & (1 << 64) - 1)
        found.append(xxh64(view[begin:end]))
    return memoryview(found)


def _block_count(view: memoryview) -> int:
    blocks, left = divmod(len(view), BLOCK_BYTES)
    if left or not 0 < blocks < 1 << 32:
        raise wire_error(wire.BAD_ARGUMENT, 0, BLOCK_BYTES, len(view))
    return blocks


def _block_of(hash: int, blocks: int) -> int:
    """Return the offset of the block of a hash."""
    return ((hash >> 32) * blocks >> 32) * BLOCK_BYTES


def _block_holds(view: memoryview, at: int, key: int) -> bool:
    words = struct.unpack_from("<8I", view, at)
    return all(word >> ((key * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(words, SALT, strict=True))
