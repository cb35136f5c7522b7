"""Where page indexes and Bloom filters lie."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, wire
from ..errors import Malformed, ParquetextError
from ..findings import Finding
from ..pruning.bloom import check_length
from .claims import Claims
from .data import Data

__all__ = ["claim_indexes"]

HEADER_BYTES = 64  # more than a Bloom filter's header takes
INDEXES = ("column-index", "offset-index")
NUM_BYTES = 1


def claim_indexes(claims: Claims, source, scan, data: Data) -> Iterator[Finding]:
    """Claim what the footer leads to beside the chunks; what lies outside of the file is a finding."""
    names = ("column_index", "offset_index", "bloom_filter")
    places = [scan.places(f"{name}_{end}") for name in names for end in ("offset", "length")]
    facts = zip(data.row_groups, data.leaves, scan.chunks("present"), *places, strict=True)
    for row_group, leaf, present, *numbers, bloom, bloom_length in facts:
        if present & wire.PRESENT_FILE_PATH:
            continue
        owner = {"row_group": row_group, "column": leaf}
        where = f"row group {row_group}, column {leaf}"
        for kind, offset, length in zip(INDEXES, numbers[::2], numbers[1::2], strict=True):
            if offset <= 0 or length <= 0:
                continue
            if claims.holds(offset, length):
                claims.add(offset, length, kind, **owner)
            else:
                message = f"{length} bytes at {offset} leave the file of {claims.size}"
                yield Finding(kind, message, offset, where)
        if bloom > 0:
            try:
                _claim_bloom(claims, source, bloom, bloom_length, present & wire.PRESENT_CRYPTO, owner)
            except ParquetextError as error:
                yield Finding.of("bloom-filter", error, where)


def _claim_bloom(claims: Claims, source, offset: int, length: int, is_encrypted: int, owner: dict) -> None:
    """A Bloom filter: its header and its bitset; as a whole where it is encrypted."""
    if length > 0 and not claims.holds(offset, length):
        raise Malformed(f"{length} bytes at {offset} leave the file of {claims.size}", offset=offset)
    if is_encrypted and length > 0:
        claims.add(offset, length, "bloom-filter", **owner)
        return
    room = length if length > 0 else claims.size - offset
    header = source.read(offset, min(HEADER_BYTES, room))
    try:
        size = kernels.thrift.struct_end(header)
        found = kernels.thrift.find(header, NUM_BYTES)
        bytes_of = None if found is None else kernels.varint.decode32(header, found[3])[0]
    except ParquetextError as error:
        raise error.at(None, offset) from None
    bitset = -1 if bytes_of is None else kernels.varint.zigzag_decode(bytes_of)
    if not 0 <= bitset <= room - size:
        raise Malformed(
            f"a Bloom filter's header says {bitset} bytes, {room - size} are there",
            offset=offset,
            expected=room - size,
            found=bitset,
        )
    try:
        check_length(offset, size, bitset, length if length > 0 else -1)
    except Malformed:
        claims.add(offset, length, "bloom-filter", **owner)
        raise
    claims.add(offset, size, "bloom-header", **owner)
    claims.add(offset + size, bitset, "bloom-bitset", **owner)
