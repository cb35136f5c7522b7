"""The arrays of a modular footer: numbers or texts, of which some may be absent (docs/formats.md, 16.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import wire
from ..errors import wire_error
from . import bits, varint
from .bits import WRAP, bytes_of
from .thrift import Walk

NUM_VALUES, VALUES, ENCODING, PRESENCE = 1, 2, 3, 4  # fields of EncodedArray
BITSET, PRESENT_INDEX = 0, 1
MOST_BITS, MOST_POSITION_BITS = 64, 32

Field = tuple[int, int, int, int]  # type, offset of the header, of the value, of its end


def bits_at(data, at: int, number: int, width: int) -> int:
    """Return a number of `width` bits; the first one begins at the byte `at`, in its lowest bit."""
    return bits.unpack(data, 8 * at + number * width, width, 1)[0]


def pack(numbers: Sequence[int], width: int) -> bytes:
    """Return numbers of `width` bits, which is at most 64 and enough for each.

    Raises
    ------
    ParquetextError
        If a number or the width is too large.
    """
    if not 0 <= width <= MOST_BITS:
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_BITS, max(width, 0))
    for number in numbers:
        if number >> width:
            raise wire_error(wire.BAD_ARGUMENT, 0, (1 << width) - 1, number % WRAP)
    return bits.pack(numbers, width)


def struct_fields(data, at: int, types: dict[int, int]) -> dict[int, Field]:
    """Return the known fields of the struct at ``data[at]`` by id; of equal ids, the last one counts.

    Raises
    ------
    Malformed
        If the struct is malformed, or if a field does not have the compact type in `types`; a flag has either one.
    """
    found: dict[int, Field] = {}
    for id, type, header, value, end in Walk(data, at, wire.MAX_DEPTH).fields(at, 0):
        expected = types.get(id)
        if expected is None:
            continue
        if type != expected and not (expected == wire.TYPE_TRUE and type == wire.TYPE_FALSE):
            raise wire_error(wire.FIELD_TYPE, header, expected, type)
        found[id] = type, header, value, end
    return found


def required(found: dict[int, Field], id: int, at: int) -> Field:
    """Return a field of the struct at `at`; raise Malformed if it is absent."""
    if id not in found:
        raise wire_error(wire.MISSING_FIELD, at, id, 0)
    return found[id]


def integer_at(data, at: int) -> int:
    """Return an i64 or i32 that has been walked before."""
    return varint.zigzag_decode(varint.decode64(data, at)[0])


def binary_at(data, field: Field) -> tuple[int, int]:
    """Return the begin and the end of a binary that has been walked before."""
    return varint.decode32(data, field[2])[1], field[3]


ARRAY_TYPES = {
    NUM_VALUES: wire.TYPE_I32,
    VALUES: wire.TYPE_BINARY,
    ENCODING: wire.TYPE_I32,
    PRESENCE: wire.TYPE_BINARY,
}


class EncodedArray:
    """An array whose sizes have been checked.

    Attributes
    ----------
    count : int
        Positions, those of absent values included.
    slots : int
        Stored values.
    width : int
        Bits of a value, or of an offset of a text.
    begin, end : int
        Where the first value is, and where the bytes of the values end.
    """

    def __init__(self, data, at: int, count: int | None):
        self.data, self.at = data, at
        found = struct_fields(data, at, ARRAY_TYPES)
        self.count = integer_at(data, required(found, NUM_VALUES, at)[2])
        if self.count < 0 or (count is not None and self.count != count):
            raise wire_error(wire.BAD_VALUE, at, count or 0, self.count % WRAP)
        self.begin, self.end = binary_at(data, required(found, VALUES, at))
        encoding = integer_at(data, found[ENCODING][2]) if ENCODING in found else BITSET
        if encoding not in (BITSET, PRESENT_INDEX):
            raise wire_error(wire.UNSUPPORTED_VALUE, found[ENCODING][1], PRESENT_INDEX, encoding % WRAP)
        self.bitmap: int | None = None
        self.positions: int | None = None
        self.position_width, self.slots = 0, self.count
        if encoding == PRESENT_INDEX:
            self._read_positions(*binary_at(data, required(found, PRESENCE, at)))
        elif PRESENCE in found:
            self._read_bitmap(*binary_at(data, found[PRESENCE]))
        self.values_at = self.begin
        self.width = 0
        if self.begin < self.end:
            self.width = data[self.begin]
            self.begin += 1
        if self.width > MOST_BITS:
            raise wire_error(wire.BAD_VALUE, self.values_at, MOST_BITS, self.width)
        if self.slots and self.values_at == self.end:
            raise wire_error(wire.TRUNCATED, self.values_at, 1, 0)

    def _read_bitmap(self, begin: int, end: int) -> None:
        if end - begin < bytes_of(self.count, 1):
            raise wire_error(wire.BAD_VALUE, begin, bytes_of(self.count, 1), end - begin)
        self.bitmap = begin

    def _read_positions(self, begin: int, end: int) -> None:
        self.slots, at = varint.decode32(self.data[:end], begin)
        if self.slots > self.count:
            raise wire_error(wire.BAD_VALUE, begin, self.count, self.slots)
        if at >= end:
            raise wire_error(wire.TRUNCATED, at, 1, 0)
        self.position_width = self.data[at]
        if self.position_width > MOST_POSITION_BITS:
            raise wire_error(wire.BAD_VALUE, at, MOST_POSITION_BITS, self.position_width)
        if end - at - 1 < bytes_of(self.slots, self.position_width):
            raise wire_error(wire.BAD_VALUE, at + 1, bytes_of(self.slots, self.position_width), end - at - 1)
        self.positions = at + 1

    def check_numbers(self) -> EncodedArray:
        """Check that the values are there, as numbers."""
        self._check_size(self.slots)
        return self

    def check_texts(self) -> EncodedArray:
        """Check that the offsets of texts are there, and that the last one fits."""
        self._check_size(self.slots + 1)
        self.texts = self.begin + bytes_of(self.slots + 1, self.width)
        self.text_bytes = bits_at(self.data, self.begin, self.slots, self.width)
        if self.text_bytes > self.end - self.texts:
            raise wire_error(wire.BAD_OFFSET, self.values_at, self.end - self.texts, self.text_bytes)
        self.text_end = 0
        return self

    def _check_size(self, slots: int) -> None:
        size = bytes_of(slots, self.width)
        if size > self.end - self.begin:
            raise wire_error(wire.BAD_VALUE, self.values_at, size, self.end - self.begin)

    def slot(self, position: int) -> int | None:
        """Return the slot of a position's value, or None if it is absent."""
        if self.bitmap is not None:
            return position if self.data[self.bitmap + position // 8] >> position % 8 & 1 else None
        if self.positions is None:
            return position
        low, high = 0, self.slots
        while low < high:
            middle = (low + high) // 2
            if bits_at(self.data, self.positions, middle, self.position_width) < position:
                low = middle + 1
            else:
                high = middle
        is_there = low < self.slots and bits_at(self.data, self.positions, low, self.position_width) == position
        return low if is_there else None

    def number(self, position: int) -> int | None:
        """Return the number at a position, at least 0 and below 2^64; None if it is absent."""
        slot = self.slot(position)
        return None if slot is None else bits_at(self.data, self.begin, slot, self.width)

    def present(self, position: int) -> int:
        """Return the number at a position of an array without absent values."""
        value = self.number(position)
        if value is None:
            raise wire_error(wire.BAD_VALUE, self.at, 1, 0)
        return value

    def text(self, position: int) -> bytes | None:
        """Return the text at a position; None if it is absent.

        Positions of successive calls ascend, and so do the offsets of their texts: together, these are no longer than
        the bytes of the array.
        """
        slot = self.slot(position)
        if slot is None:
            return None
        begin, end = (bits_at(self.data, self.begin, number, self.width) for number in (slot, slot + 1))
        if begin > end or end > self.text_bytes:
            raise wire_error(wire.BAD_OFFSET, self.values_at, self.text_bytes, end)
        if begin < self.text_end:
            raise wire_error(wire.BAD_VALUE, self.values_at, self.text_end, begin)
        self.text_end = end
        return bytes(self.data[self.texts + begin : self.texts + end])

    def numbers(self) -> Iterator[int]:
        """Yield all numbers of an array without absent values."""
        return map(self.present, range(self.count))


def read_array(data, field: Field | None, count: int | None) -> EncodedArray | None:
    """Return the array of a field with `count` positions; None for any number of them."""
    return None if field is None else EncodedArray(data, field[2], count)
