"""Check that a Bloom filter contains every value of its column chunk."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ... import kernels

__all__ = ["BloomCheck", "plain_values"]


class BloomCheck:
    """Looks for values in a filter's bitset, and keeps the first one that is not there."""

    def __init__(self, bitset: bytes):
        self._bitset, self.missing = bitset, None

    def see(self, values: pa.Array) -> None:
        """Look for an array of values without nulls."""
        if self.missing is not None:
            return
        plain = plain_values(pc.unique(values))
        held = kernels.bloom.might_contain(self._bitset, [kernels.checksum.xxh64(value) for value in plain])
        if (place := held.find(0)) >= 0:
            self.missing = bytes(plain[place])


def plain_values(values: pa.Array) -> Sequence[bytes]:
    """Return the plain bytes of values without nulls, without the lengths of byte arrays."""
    if pa.types.is_binary(values.type) or pa.types.is_fixed_size_binary(values.type):
        return values.to_pylist()
    if pa.types.is_boolean(values.type):
        return [bytes([value]) for value in values.to_pylist()]
    width = values.type.bit_width // 8
    data = memoryview(values.buffers()[1])[values.offset * width :]
    return [bytes(data[at : at + width]) for at in range(0, len(values) * width, width)]
