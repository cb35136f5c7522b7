"""What a flat footer says of one leaf's chunks: the members of pqx_chunk and pqx_places, one array per member."""

from __future__ import annotations

from array import array

from .. import wire

_ABSENT = -1
_LONGS = ("num_values", "total_uncompressed_size", "total_compressed_size", "data_page_offset",
          "dictionary_page_offset", "null_count", "distinct_count", "index_page_offset", "bloom_filter_offset",
          "offset_index_offset", "column_index_offset")
_INTS = ("type", "codec", "bloom_filter_length", "offset_index_length", "column_index_length")
_RANGES = ("chunk", "metadata", "statistics", "min_value", "max_value", "min", "max")

# Member -> (array code, what an absent fact counts as).
MEMBERS = {
    **dict.fromkeys(_LONGS, ("q", _ABSENT)), **dict.fromkeys(_INTS, ("i", _ABSENT)),
    **dict.fromkeys((f"{name}_{part}" for name in _RANGES for part in ("offset", "length")), ("I", 0)),
    "present": ("I", 0), "encodings": ("I", 0),
}


class Chunks:
    """One leaf's chunks over a range of row groups.

    Attributes
    ----------
    buffer : bytes
        What the offsets of bounds count from.
    """

    def __init__(self, facts: list[dict[str, int]], buffer: bytes):
        self.facts, self.buffer = facts, buffer

    def __len__(self) -> int:
        return len(self.facts)

    def array(self, name: str) -> memoryview:
        """One fact of all chunks as a memoryview: 64-bit ``q``, 32-bit ``i`` or ``I``; -1 where it is absent."""
        code, absent = MEMBERS[name]
        return memoryview(array(code, [fact.get(name, absent) for fact in self.facts]))

    def bounds(self) -> tuple[bytes, memoryview, memoryview, memoryview, memoryview]:
        """The bounds: (has, min_offset, min_length, max_offset, max_length); bit 0 of `has` is min, bit 1 max."""
        has = bytes(bool(fact["present"] & wire.PRESENT_MIN_VALUE) | bool(fact["present"] & wire.PRESENT_MAX_VALUE) << 1
                    for fact in self.facts)
        ranges = ("min_value_offset", "min_value_length", "max_value_offset", "max_value_length")
        return has, *(self.array(name) for name in ranges)
