"""The index of a modular footer's schema: leaves by a hash of their paths, and elements (docs/formats.md, 16.4)."""

from __future__ import annotations

from .. import wire
from ..errors import wire_error
from .bits import WRAP
from .modular_arrays import EncodedArray, read_array, required, struct_fields

TABLE, DISCRIMINATOR_BITS, ORDINAL_BITS, OFFSETS, LEAVES, PARENTS, NON_ASCII = range(1, 8)  # fields of the module
TYPES = {
    TABLE: wire.TYPE_STRUCT,
    DISCRIMINATOR_BITS: wire.TYPE_BYTE,
    ORDINAL_BITS: wire.TYPE_BYTE,
    OFFSETS: wire.TYPE_STRUCT,
    LEAVES: wire.TYPE_STRUCT,
    PARENTS: wire.TYPE_STRUCT,
    NON_ASCII: wire.TYPE_TRUE,
}
OFFSET_BASIS, PRIME = 0xCBF29CE484222325, 0x100000001B3
TO_LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
MOST_PROBES = 1 << 10  # of a table with room, a few are enough
MOST_ORDINAL_BITS = 32


def hash_of(path: bytes) -> int:
    """Return FNV-1a-64 of a path, names with NUL between them, with its ASCII letters in lower case."""
    value = OFFSET_BASIS
    for byte in path.translate(TO_LOWER):
        value = (value ^ byte) * PRIME % WRAP
    return value


class SchemaIndex:
    """The module SCHEMA_INDEX, whose sizes have been checked; its content is checked by its users.

    Parameters
    ----------
    data : bytes-like
        The module.
    leaves : int
        The number of leaves of the schema.

    Attributes
    ----------
    elements : int
        The number of schema elements, by the index.
    is_flat : bool
        True if leaf c is element c + 1.
    """

    def __init__(self, data, leaves: int):
        data = memoryview(data).cast("B")
        found = struct_fields(data, 0, TYPES)
        self._table = EncodedArray(data, required(found, TABLE, 0)[2], None).check_numbers()
        bits = []
        for id, most in ((DISCRIMINATOR_BITS, 64 - MOST_ORDINAL_BITS), (ORDINAL_BITS, MOST_ORDINAL_BITS)):
            _, _, value, _ = required(found, id, 0)
            bits.append(data[value])
            if bits[-1] > most:
                raise wire_error(wire.BAD_VALUE, value, most, bits[-1])
        self._discriminator_bits, self._ordinal_bits = bits
        slots = self._table.count
        if slots & (slots - 1):
            raise wire_error(wire.BAD_VALUE, self._table.at, 1 << slots.bit_length(), slots)
        self._offsets = EncodedArray(data, required(found, OFFSETS, 0)[2], None).check_numbers()
        self.elements, self.leaves = self._offsets.count, leaves
        self._leaves = read_array(data, found.get(LEAVES), leaves)
        self._parents = read_array(data, found.get(PARENTS), self.elements)
        for more in (self._leaves, self._parents):
            if more is not None:
                more.check_numbers()
        self.has_non_ascii_names = NON_ASCII in found and found[NON_ASCII][0] == wire.TYPE_TRUE
        self.is_flat = self._leaves is None and self.elements == leaves + 1

    def candidates(self, path: bytes) -> list[int]:
        """Return the leaves that may have this path; the caller compares the names.

        Return none if few probes do not reach an empty slot: further leaves may follow.
        """
        wanted, slots = hash_of(path), self._table.count
        found: list[int] = []
        tag = wanted >> 64 - self._discriminator_bits if self._discriminator_bits else 0
        for probe in range(min(slots, MOST_PROBES)):
            slot = self._table.present((wanted + probe) % WRAP & (slots - 1))
            if not slot:
                return found
            ordinal = slot & (1 << self._ordinal_bits) - 1
            if slot >> self._ordinal_bits == tag and 1 <= ordinal <= self.leaves:
                found.append(ordinal - 1)
        return found if slots <= MOST_PROBES else []

    def _at(self, array, number: int, count: int) -> int:
        if not 0 <= number < count:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, number)
        return array.present(number)

    def element_offset(self, number: int) -> int:
        """Return the offset of a schema element in the module SCHEMA."""
        return self._at(self._offsets, number, self.elements)

    def leaf_element(self, leaf: int) -> int:
        """Return the number of a leaf's element."""
        return leaf + 1 if self._leaves is None else self._at(self._leaves, leaf, self.leaves)

    def parent(self, element: int) -> int:
        """Return the number of the element above another one; 0 for the root."""
        return 0 if self._parents is None else self._at(self._parents, element, self.elements)
