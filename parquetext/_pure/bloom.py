"""Split-block Bloom filters."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable

from .. import wire
from ..errors import wire_error

__all__ = ["might_contain"]

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
    blocks, left = divmod(len(view), BLOCK_BYTES)
    wanted = array("Q", hashes)
    if left or not 0 < blocks < 1 << 32:
        raise wire_error(wire.BAD_ARGUMENT, 0, BLOCK_BYTES, len(view))
    return bytes(_block_holds(view, ((hash >> 32) * blocks >> 32) * BLOCK_BYTES, hash & 0xFFFFFFFF) for hash in wanted)


def _block_holds(view: memoryview, at: int, key: int) -> bool:
    words = struct.unpack_from("<8I", view, at)
    return all(word >> ((key * salt & 0xFFFFFFFF) >> 27) & 1 for word, salt in zip(words, SALT, strict=True))
