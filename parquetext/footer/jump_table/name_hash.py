"""The hash table of a jump table: from the path of a schema element to its ordinal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from ... import kernels, wire
from ...errors import Unsupported

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

    def candidates(self, path: bytes) -> list[int]:
        """Return the ordinals of elements that may have this path; the caller compares the paths.

        Return none if few probes do not reach an empty slot: further elements may follow.
        """
        wanted, bits = kernels.modular.hash_of(path), 8 * self.width - self.discriminator_bits
        tag = wanted >> 64 - self.discriminator_bits if self.discriminator_bits else 0
        found: list[int] = []
        for probe in range(min(self.slots, MOST_PROBES)):
            at = (wanted + probe) % self.slots * self.width
            slot = int.from_bytes(self.table[at : at + self.width], "little")
            if not slot:
                return found
            if slot >> bits == tag:
                found.append((slot & (1 << bits) - 1) - 1)
        return found if self.slots <= MOST_PROBES else []


def built(paths: Sequence[bytes]) -> tuple[int, bytes]:
    """Return the number of slots and the table for the paths of all elements, without discriminators."""
    slots = 1 << max(2 * len(paths) - 1, 1).bit_length()
    width = (len(paths).bit_length() + 7) // 8
    table = placed([*map(kernels.modular.hash_of, paths)], slots)
    return slots, b"".join(value.to_bytes(width, "little") for value in table)


def placed(hashes: Sequence[int], slots: int) -> list[int]:
    """Return for each slot the number of its hash plus one, or 0, by linear probing.

    Raises
    ------
    Unsupported
        If more slots in a row are in use than readers probe, which takes many equal names.
    """
    table = [0] * slots
    for number, hashed in enumerate(hashes, 1):
        at = hashed % slots
        for _ in range(MOST_PROBES):
            if not table[at]:
                break
            at = (at + 1) % slots
        if table[at]:
            raise _crowded()
        table[at] = number
    runs = groupby(table + table[:MOST_PROBES], bool)
    if slots > MOST_PROBES and max(len([*run]) for is_used, run in runs if is_used) >= MOST_PROBES:
        raise _crowded()
    return table


def _crowded() -> Unsupported:
    message = f"too many equal names: {MOST_PROBES} slots of the table of names in a row, all that readers probe"
    return Unsupported(f"{message}, are in use", expected=MOST_PROBES, code=wire.UNSUPPORTED_VALUE)
