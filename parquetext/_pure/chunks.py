"""One leaf's column chunks over row groups, for any footer form."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from .. import wire
from .bounds import UNSIGNED, Leaf, usable_bounds
from .records import Records, members

__all__ = ["Chunks", "begin"]

CHUNK_MEMBERS = members(
    q="num_values total_uncompressed_size total_compressed_size data_page_offset dictionary_page_offset null_count"
    " distinct_count",
    ranges="chunk metadata statistics min_value max_value min max",
    i="type codec",
    I="present encodings",
)
PLACES_MEMBERS = members(
    q="index_page_offset bloom_filter_offset offset_index_offset column_index_offset",
    i="bloom_filter_length offset_index_length column_index_length",
)
BOUNDS = ("min_value", wire.PRESENT_MIN_VALUE, 1), ("max_value", wire.PRESENT_MAX_VALUE, 2)


MAGIC_BYTES = 4


def begin(data_page_offset: int, dictionary_page_offset: int) -> int:
    """Return the offset of a chunk's first page, according to the offsets in the footer.

    It is the dictionary page's offset if that is after the magic, and either is before the data pages or is the only
    offset; otherwise, the data pages' offset.

    Parameters
    ----------
    data_page_offset, dictionary_page_offset : int
        -1 if the footer has none.

    Returns
    -------
    int
        One of the two, not checked against the file.

    Raises
    ------
    OverflowError
        If an offset is not a 64-bit integer.
    """
    return begins((data_page_offset,), (dictionary_page_offset,))[0]


def begins(data_page_offsets: Iterable[int], dictionary_page_offsets: Iterable[int]) -> memoryview:
    """Return `begin` for many chunks."""
    pairs = zip(array("q", data_page_offsets), array("q", dictionary_page_offsets), strict=True)
    found = array("q")
    for data, dictionary in pairs:
        is_in_front = dictionary < data or data <= 0
        found.append(dictionary if dictionary >= MAGIC_BYTES and is_in_front else data)
    return memoryview(found).toreadonly()


class Chunks:
    """One leaf's column chunks over row groups.

    Attributes
    ----------
    buffer : bytes-like
        The bytes to which the ranges in the records refer.
    """

    def __init__(self, records: Records, buffer, leaf: Leaf | None = None, *, lacks_bounds: bool = False):
        """Create chunks; those that lack bounds, which have not been read, have no usable ones."""
        self._records, self.buffer, self._leaf, self._lacks_bounds = records, buffer, leaf, lacks_bounds

    @classmethod
    def from_fields(cls, fields: Iterable[Mapping[str, int]], buffer) -> Chunks:
        """Create chunks from one mapping of members each. Bounds are taken as usable."""
        records = Records(CHUNK_MEMBERS | PLACES_MEMBERS)
        for chunk in fields:
            records.append(chunk)
        return cls(records, buffer)

    def __len__(self) -> int:
        return len(self._records)

    def array(self, name: str) -> memoryview:
        """Return one member of all chunks as a memoryview: ``q`` for 64 bits, ``i`` or ``I`` for 32; -1 if absent."""
        return self._records.view(name)

    def begins(self) -> memoryview:
        """Return the offset of each chunk's first page, as `begin` computes it: ``q``."""
        return begins(self.array("data_page_offset"), self.array("dictionary_page_offset"))

    @property
    def has_unsigned_order(self) -> bool:
        """Return True if bounds compare as unsigned numbers according to the schema."""
        return self._leaf is not None and self._leaf.sort_order == UNSIGNED

    def bound_values(self, bit: int) -> list[bytes | None]:
        """Return the usable minima (bit 1) or maxima (bit 2), None for chunks without one."""
        return bound_values(self.bounds(), self.buffer, bit)

    def bounds(self) -> tuple[bytes | memoryview, ...]:
        """Return the usable bounds: (has, min_offset, min_length, max_offset, max_length).

        In `has`, bit 0 is min, and bit 1 is max.
        """
        if self._lacks_bounds:
            none = memoryview(array("I", [0] * len(self))).toreadonly()
            return bytes(len(self)), none, none, none, none
        data, columns = memoryview(self.buffer).cast("B"), self._records.columns
        has, *ranges = bytearray(), array("I"), array("I"), array("I"), array("I")
        for i in range(len(self)):
            chunk = {name: column[i] for name, column in columns.items()}
            bits, *positions = usable_bounds(data, chunk, self._leaf) if self._leaf else as_they_are(chunk)
            has.append(bits)
            for column, value in zip(ranges, positions, strict=True):
                column.append(value)
        return bytes(has), *(memoryview(column).toreadonly() for column in ranges)


def bound_values(bounds: tuple[Any, ...], buffer, bit: int) -> list[bytes | None]:
    """Return the bytes of minima (bit 1) or maxima (bit 2) from `bounds` as `Chunks.bounds` returns them."""
    has, *ranges = bounds
    offsets, lengths = ranges[:2] if bit == 1 else ranges[2:]
    data = memoryview(buffer).cast("B")
    return [
        bytes(data[start : start + length]) if bits & bit else None
        for bits, start, length in zip(has, offsets, lengths, strict=True)
    ]


def as_they_are(chunk: Mapping[str, int]) -> tuple[int, ...]:
    """Return all bounds of a chunk from a form that stores only usable ones."""
    has = sum(bit for _, present, bit in BOUNDS if chunk["present"] & present)
    return has, *(chunk[f"{name}_{part}"] for name, _, _ in BOUNDS for part in ("offset", "length"))
