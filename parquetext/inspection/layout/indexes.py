"""Claim the bytes of page indexes and Bloom filters."""

from __future__ import annotations

from ... import wire
from ...errors import ParquetextError
from ...pruning.bloom import find_bitset
from .claims import Claims
from .data import Data

__all__ = ["claim_indexes"]

INDEXES = ("column-index", "offset-index")


def claim_indexes(claims: Claims, source, scan, data: Data, data_end: int) -> None:
    """Claim the indexes and filters in the footer, as far as they are within the file."""
    names = ("column_index", "offset_index", "bloom_filter")
    places = [scan.places(f"{name}_{end}") for name in names for end in ("offset", "length")]
    facts = zip(data.row_groups, data.leaves, scan.chunks("present"), *places, strict=True)
    for row_group, leaf, present, *numbers, bloom, bloom_length in facts:
        if present & wire.PRESENT_FILE_PATH:
            continue
        owner = {"row_group": row_group, "column": leaf}
        for kind, offset, length in zip(INDEXES, numbers[::2], numbers[1::2], strict=True):
            if offset > 0 and length > 0 and claims.holds(offset, length):
                claims.add(offset, length, kind, **owner)
        if bloom > 0:
            _claim_bloom(claims, source, bloom, bloom_length, present & wire.PRESENT_CRYPTO, data_end, owner)


def _claim_bloom(
    claims: Claims, source, offset: int, length: int, is_encrypted: int, data_end: int, owner: dict
) -> None:
    """Claim a Bloom filter: its header and its bitset; as a whole if it is encrypted or cannot be read."""
    if not is_encrypted:
        try:
            bitset = find_bitset(source.read, data_end, offset, length)
        except ParquetextError:
            pass
        else:
            claims.add(offset, bitset.offset - offset, "bloom-header", **owner)
            claims.add(bitset.offset, bitset.size, "bloom-bitset", **owner)
            return
    if length > 0 and claims.holds(offset, length):
        claims.add(offset, length, "bloom-filter", **owner)
