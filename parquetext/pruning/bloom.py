"""Which equalities the Bloom filters of column chunks rule out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .. import kernels
from ..errors import Malformed, ParquetextError, Unsupported
from ..thrift import values
from .predicate import Comparison

EQUALITIES = {"=", "==", "in"}
HEADER_BYTES = 64  # writers' headers have about 15
BLOCK_BYTES = 32
LARGEST = 128 << 20  # bytes of a bitset, of any writer that is known
WHOLE = 64 << 10  # a filter up to here is read at once, its header with it
WORTH_OF_A_READ = 4 << 10  # bytes of a larger one that cost as much as one block more
MAGIC_BYTES = 4
Read = Callable[[int, int], bytes]


class Bitset(NamedTuple):
    """The range of a filter's blocks in the file, in bytes; `data` holds them if they were read with the header."""

    offset: int
    size: int
    data: bytes | None


class Probe(NamedTuple):
    """An equality, `in` included, and a row group for which bounds leave it undecided."""

    comparison: Comparison
    row_group: int


Absent = Callable[[Sequence[Probe]], Sequence[bool]]


def ruled_out(
    alternatives: list[list[Comparison]], meets: Sequence[Sequence[bool]], row_groups: Iterable[int], absent: Absent
) -> set[int]:
    """Return those of `row_groups` in which no alternative can be met because a value is absent.

    `meets` contains, for each alternative and row group, whether bounds allow it. `absent` returns, for probes, whether
    the column's filter contains none of the values. It is called once, and only if its answers decide.
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
    gone = {position for position, is_absent in zip(asked, absent(probes), strict=True) if is_absent}
    return {
        row_group for row_group, numbers in undecided.items() if all((row_group, number) in gone for number in numbers)
    }


def may_hold(read: Read, size: int, offset: int, length: int, hashes: Sequence[int]) -> bool:
    """Return True if the Bloom filter at `offset` may contain a value of one of these hashes.

    A filter that violates parquet-format, or is of an unknown kind, may contain any value.

    Parameters
    ----------
    read : callable
        Gives the file's bytes, by offset and length.
    size : int
        Of the file, in bytes.
    length : int
        Of the filter with its header, in bytes; -1 if the footer lacks it.

    Notes
    -----
    A large filter costs its header and a block for each hash.
    """
    try:
        found = find_bitset(read, size, offset, length)
        if found.data is not None:
            return may_contain(found.data, hashes)
        return _asked(read, found.offset, found.size, hashes)
    except ParquetextError:
        return True


def may_contain(bitset: bytes | memoryview, hashes: Sequence[int]) -> bool:
    """Return True if a whole bitset may contain one of the hashes.

    A bitset without any bit may contain all of them: its chunk has no values, which null counts show, or it was not
    filled.
    """
    return bitset == bytes(len(bitset)) or any(kernels.bloom.might_contain(bitset, hashes))


def find_bitset(read: Read, size: int, offset: int, length: int) -> Bitset:
    """Find the blocks of a Bloom filter; every user of filters calls this, so that all trust the same ones.

    Parameters
    ----------
    read, size, offset, length
        As `may_hold` takes them.

    Raises
    ------
    Malformed
        The filter leaves the file, its header does not parse or contradicts the footer, or its bitset is empty, too
        large, or no whole number of blocks.
    Unsupported
        Another algorithm, hash or compression.
    """
    if offset < MAGIC_BYTES or length == 0 or length < -1 or offset + max(length, 1) > size:
        raise Malformed(f"a Bloom filter of {length} bytes in a file of {size}", offset=max(offset, 0))
    room = length if length > 0 else size - offset
    data = read(offset, room if 0 < length <= WHOLE else min(HEADER_BYTES, room))
    try:
        bits, begin = read_header(data)
    except ParquetextError as error:
        raise error.at(None, offset) from None
    check_length(offset, begin, bits, length)
    if bits > room - begin:
        raise Malformed(f"a Bloom filter's header says {bits} bytes, {room - begin} are there", offset=offset)
    return Bitset(offset + begin, bits, data[begin : begin + bits] if begin + bits <= len(data) else None)


def check_length(offset: int, begin: int, bits: int, length: int) -> None:
    """Compare the length of a filter in the footer, -1 if it has none, with its header and the bitset's size in it.

    Raises
    ------
    Malformed
        They differ: one of both is of another filter, and a bitset of another size has the hashes in other blocks.
    """
    if length >= 0 and begin + bits != length:
        raise Malformed(
            f"a Bloom filter has a header of {begin} bytes, which says {bits} bytes, and {length} by the footer",
            offset=offset,
            expected=length,
            found=begin + bits,
        )


def read_header(data: bytes) -> tuple[int, int]:
    """Parse a filter's header: bytes of the bitset, and of the header before it. Raises as `find_bitset`."""
    header, end = values.read_at("BloomFilterHeader", data, 0)
    bits = header.get("numBytes", 0)
    if not 0 < bits <= LARGEST or bits % BLOCK_BYTES:
        raise Malformed(
            f"a Bloom filter's size of {bits} bytes is not a positive number of whole blocks below the limit"
        )
    for name, kind in (("algorithm", "BLOCK"), ("hash", "XXHASH"), ("compression", "UNCOMPRESSED")):
        if {*header.get(name, ())} != {kind}:
            raise Unsupported(f"a Bloom filter whose {name} is not {kind}")
    return bits, end


def _asked(read: Read, begin: int, bits: int, hashes: Sequence[int]) -> bool:
    """Read the blocks of the hashes, or all blocks if there are many hashes."""
    if bits <= len(hashes) * WORTH_OF_A_READ:
        return may_contain(read(begin, bits), hashes)
    blocks = bits // BLOCK_BYTES
    positions = [begin + ((hash >> 32) * blocks >> 32) * BLOCK_BYTES for hash in hashes]
    return any(
        kernels.bloom.might_contain(read(position, BLOCK_BYTES), [hash])[0]
        for position, hash in zip(positions, hashes, strict=True)
    )
