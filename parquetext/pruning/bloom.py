"""Which equalities the Bloom filters of column chunks rule out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .. import kernels
from ..errors import ParquetextError
from ..thrift import values
from .predicate import Comparison

__all__ = ["Absent", "Probe", "may_hold", "read_header", "ruled_out"]

EQUALITIES = {"=", "==", "in"}
HEADER_BYTES = 64  # writers' headers have about 15
BLOCK_BYTES = 32
LARGEST = 128 << 20  # bytes of a bitset, of any writer that is known
WHOLE = 64 << 10  # a filter up to here is read at once, its header with it
WORTH_OF_A_READ = 4 << 10  # bytes of a larger one that cost as much as one block more
Read = Callable[[int, int], bytes]


class Probe(NamedTuple):
    """An equality, `in` included, and the row group where bounds leave it undecided."""

    comparison: Comparison
    row_group: int


Absent = Callable[[Sequence[Probe]], Sequence[bool]]


def ruled_out(
    alternatives: list[list[Comparison]], meets: Sequence[Sequence[bool]], row_groups: Iterable[int], absent: Absent
) -> set[int]:
    """Those of `row_groups` where no alternative can be met for want of a value.

    `meets` says of each alternative and row group whether bounds leave it; `absent` of probes whether the column's
    filter has none of the values. It is asked once, and only where its answers decide.
    """
    equalities = [[part for part in alternative if part.operator in EQUALITIES] for alternative in alternatives]
    asked: list[tuple[int, int]] = []
    probes: list[Probe] = []
    left = {row_group: [number for number, met in enumerate(meets) if met[row_group]] for row_group in row_groups}
    undecided = {row_group: numbers for row_group, numbers in left.items() if all(equalities[n] for n in numbers)}
    for row_group, numbers in undecided.items():
        for number in numbers:
            asked += [(row_group, number)] * len(equalities[number])
            probes += [Probe(part, row_group) for part in equalities[number]]
    if not probes:
        return set()
    gone = {place for place, is_absent in zip(asked, absent(probes), strict=True) if is_absent}
    return {
        row_group for row_group, numbers in undecided.items() if all((row_group, number) in gone for number in numbers)
    }


def may_hold(read: Read, size: int, offset: int, length: int, hashes: Sequence[int]) -> bool:
    """Whether the Bloom filter at `offset` may hold a value of one of these hashes.

    A filter that is not as parquet-format says, or of a kind that is not known, may hold anything.

    Parameters
    ----------
    read : callable
        Gives the file's bytes, by offset and length.
    size : int
        Of the file, in bytes.
    length : int
        Of the filter with its header, in bytes, -1 where the footer does not say.

    Notes
    -----
    A large filter costs its header and a block for each hash.
    """
    end = min(size, offset + length) if length > 0 else size
    if offset <= 0 or offset >= end:
        return True
    first = end - offset if 0 < length <= WHOLE else min(HEADER_BYTES, end - offset)
    try:
        data = read(offset, first)
        bits, begin = read_header(data)
        if bits > end - offset - begin:
            return True
        if begin + bits <= first:
            return any(kernels.bloom.might_contain(data[begin : begin + bits], hashes))
        return _asked(read, offset + begin, bits, hashes)
    except ParquetextError:
        return True


def read_header(data: bytes) -> tuple[int, int]:
    """Bytes of the bitset, and of the header before it; ParquetextError for a filter of another kind."""
    header, end = values.read_at("BloomFilterHeader", data, 0)
    kinds = (("algorithm", "BLOCK"), ("hash", "XXHASH"), ("compression", "UNCOMPRESSED"))
    bits = header.get("numBytes", 0)
    if not 0 < bits <= LARGEST or bits % BLOCK_BYTES or any(kind not in header.get(name, ()) for name, kind in kinds):
        raise ParquetextError("no Bloom filter of a known kind")
    return bits, end


def _asked(read: Read, begin: int, bits: int, hashes: Sequence[int]) -> bool:
    """The blocks that the hashes fall into, or all of them where there are many hashes."""
    if bits <= len(hashes) * WORTH_OF_A_READ:
        return any(kernels.bloom.might_contain(read(begin, bits), hashes))
    blocks = bits // BLOCK_BYTES
    places = [begin + ((hash >> 32) * blocks >> 32) * BLOCK_BYTES for hash in hashes]
    return any(
        kernels.bloom.might_contain(read(place, BLOCK_BYTES), [hash])[0]
        for place, hash in zip(places, hashes, strict=True)
    )
