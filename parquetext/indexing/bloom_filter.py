"""Build a split-block Bloom filter from the values of a column chunk."""

from __future__ import annotations

from array import array
from math import ceil, log

import pyarrow as pa

from .. import compute as pc
from .. import kernels
from ..pruning.bloom import BLOCK_BYTES, LARGEST
from ..thrift import values

FALSE_POSITIVES = 0.01
MOST_PENDING = 1 << 20  # hashes that are kept before they are made distinct


def size_of(distinct: int) -> int:
    """Return the bytes of the bitset for a number of distinct values, a power of two."""
    bits = -8 * distinct / log(1 - FALSE_POSITIVES ** (1 / 8))
    return min(max(BLOCK_BYTES, 1 << (ceil(bits / 8) - 1).bit_length()), LARGEST)


class FilterBuilder:
    """Collects the distinct hashes of a chunk's values; they take 8 bytes each."""

    def __init__(self) -> None:
        self._distinct = pa.array([], pa.uint64())
        self._pending: list[pa.Array] = []
        self._count = 0

    def see(self, found: pa.Array) -> None:
        """Add values in their physical type, without nulls."""
        data, offsets = _strings(found)
        hashes = kernels.bloom.hashes_of(data, offsets)
        self._pending.append(pa.Array.from_buffers(pa.uint64(), len(hashes), [None, pa.py_buffer(hashes)]))
        self._count += len(hashes)
        if self._count > MOST_PENDING:
            self._settle()

    def _settle(self) -> None:
        self._distinct = pc.unique(pa.concat_arrays([self._distinct, *self._pending]))
        self._pending, self._count = [], 0

    def to_bytes(self) -> bytes | None:
        """Return the filter with its header; None if there is no value."""
        self._settle()
        if not len(self._distinct):
            return None
        bitset = bytearray(size_of(len(self._distinct)))
        hashes = memoryview(self._distinct.buffers()[1]).cast("B").cast("Q")[: len(self._distinct)]
        kernels.bloom.insert(bitset, hashes)
        header = {
            "numBytes": len(bitset),
            "algorithm": {"BLOCK": {}},
            "hash": {"XXHASH": {}},
            "compression": {"UNCOMPRESSED": {}},
        }
        return values.write("BloomFilterHeader", header) + bitset


def _strings(found: pa.Array) -> tuple[memoryview, memoryview]:
    """Return the plain bytes of values, and the offsets between them."""
    count = len(found)
    if pa.types.is_binary(found.type):
        offsets = memoryview(found.buffers()[1]).cast("B").cast("i")[found.offset : found.offset + count + 1]
        data = found.buffers()[2]
        return memoryview(b"" if data is None else data), offsets
    width = found.type.bit_width // 8
    data = memoryview(found.buffers()[1]).cast("B")[found.offset * width : (found.offset + count) * width]
    return data, memoryview(array("i", range(0, count * width + 1, width)))
