"""Check whole arrays of a modular footer, also bits that readers pass over (docs/formats.md, 16.6)."""

from __future__ import annotations

from collections.abc import Iterator

from .. import wire
from ..errors import wire_error
from .bits import bytes_of
from .modular_arrays import EncodedArray, bits_at
from .thrift import Walk


def verify_array(data, at: int, *, is_text: bool = False) -> None:
    """Check that the array at ``data[at]`` has just the bytes it needs, zeros between them, and ascending positions.

    Raises
    ------
    Malformed, Damaged, Unsupported
    """
    data = memoryview(data).cast("B")
    array = EncodedArray(data, at, None)
    slots = array.slots + is_text
    (array.check_texts if is_text else array.check_numbers)()
    size = bytes_of(slots, array.width) + (array.text_bytes if is_text else 0)
    if size != array.end - array.begin:
        raise wire_error(wire.BAD_VALUE, array.values_at, size, array.end - array.begin)
    _check_padding(data, array.begin, slots, array.width)
    if array.bitmap is not None:
        _check_padding(data, array.bitmap, array.count, 1)
    if array.positions is not None:
        _check_padding(data, array.positions, array.slots, array.position_width)
        positions = (bits_at(data, array.positions, i, array.position_width) for i in range(array.slots))
        _check_ascending(positions, array.positions, array.count, is_strict=True)
    if is_text and array.width:  # without a width, any number of offsets needs no bytes, and all are 0
        offsets = (bits_at(data, array.begin, i, array.width) for i in range(slots))
        _check_ascending(offsets, array.values_at, array.text_bytes + 1, is_strict=False)


def _check_padding(data, begin: int, count: int, width: int) -> None:
    """Check the bits after the last number of `width` bits."""
    if count * width % 8:
        end = begin + bytes_of(count, width)
        left = data[end - 1] >> count * width % 8
        if left:
            raise wire_error(wire.BAD_VALUE, end - 1, 0, left)


def _check_ascending(numbers: Iterator[int], at: int, limit: int, *, is_strict: bool) -> None:
    last = -1 if is_strict else 0
    for number in numbers:
        if number >= limit:
            raise wire_error(wire.BAD_OFFSET, at, limit, number)
        if number < last + is_strict:
            raise wire_error(wire.BAD_VALUE, at, last + is_strict, number)
        last = number


def verify_struct(data, texts: tuple[int, ...] = ()) -> None:
    """Check all arrays of the module or the column's statistics in `data`; the fields `texts` are arrays of texts.

    Only structs count as arrays. The struct must fill `data`.
    """
    data = memoryview(data).cast("B")
    walk = Walk(data, 0, wire.MAX_DEPTH)
    behind = 0
    for id, type, _, value, end in walk.fields(0, 0):
        behind = end
        if type == wire.TYPE_STRUCT:
            verify_array(data, value, is_text=id in texts)
    if behind + 1 != len(data):
        raise wire_error(wire.STRAY_BYTES, behind + 1, 0, len(data) - behind - 1)
