"""The hash table of a jump table: from the path of a schema element to its ordinal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ... import kernels

MOST_PROBES = 1 << 10  # of a table that is half empty, a few are enough


class NameHash(NamedTuple):
    """A hash table with linear probing; its sizes have been checked.

    Attributes
    ----------
    slots, width, discriminator_bits : int
        Number of slots, bytes of a slot, and bits of the hash at the top of a slot.
    table : memoryview
    """

    slots: int
    width: int
    discriminator_bits: int
    table: memoryview

    def candidates(self, path: bytes) -> Iterator[int]:
        """Yield the ordinals of elements that may have this path, with few probes; the caller compares the paths."""
        wanted, bits = kernels.modular.hash_of(path), 8 * self.width - self.discriminator_bits
        tag = wanted >> 64 - self.discriminator_bits if self.discriminator_bits else 0
        for probe in range(min(self.slots, MOST_PROBES)):
            at = (wanted + probe) % self.slots * self.width
            slot = int.from_bytes(self.table[at : at + self.width], "little")
            if not slot:
                return
            if slot >> bits == tag:
                yield (slot & (1 << bits) - 1) - 1


def built(paths: Sequence[bytes]) -> tuple[int, bytes]:
    """Return the number of slots and the table for the paths of all elements, without discriminators."""
    slots = 1 << max(2 * len(paths) - 1, 1).bit_length()
    width = (len(paths).bit_length() + 7) // 8
    table: list[int] = [0] * slots
    for ordinal, path in enumerate(paths):
        at = kernels.modular.hash_of(path) % slots
        while table[at]:
            at = (at + 1) % slots
        table[at] = ordinal + 1
    return slots, b"".join(value.to_bytes(width, "little") for value in table)
