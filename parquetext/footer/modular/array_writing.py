"""Write the arrays of a modular footer, in the shorter one of their two encodings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ... import kernels, wire
from ...thrift import binary, integer
from ...thrift.values import joined

NUM_VALUES, VALUES, ENCODING, PRESENCE = 1, 2, 3, 4
PRESENT_INDEX = 1


def packed(numbers: Sequence[int], width: int | None = None) -> bytes:
    """Return a width and numbers of that many bits, by default of as few as the largest one needs."""
    width = max(numbers, default=0).bit_length() if width is None else width
    return bytes([width]) + kernels.modular.pack(numbers, width)


def texts(values: Sequence[bytes]) -> bytes:
    """Return the offsets of texts, and the texts."""
    return packed([*accumulate(map(len, values), initial=0)]) + b"".join(values)


def number_array(values: Sequence[int | None]) -> bytes:
    """Return an EncodedArray of numbers; None is absent."""
    present: Any = [value for value in values if value is not None]
    return _array(values, packed(present), packed([value or 0 for value in values]))


def text_array(values: Sequence[bytes | None]) -> bytes:
    """Return an EncodedArray of texts; None is absent."""
    present = [value for value in values if value is not None]
    return _array(values, texts(present), texts([value or b"" for value in values]))


def _array(values: Sequence[Any], present: bytes, all_slots: bytes) -> bytes:
    """Return the shorter one of the arrays with slots for present values only, and for all of them."""
    count = (NUM_VALUES, wire.TYPE_I32, integer(len(values)))
    if None not in values:
        return joined([count, (VALUES, wire.TYPE_BINARY, binary(all_slots))]) + b"\0"
    bits = [int(value is not None) for value in values]
    bitmap = packed(bits, 1)[1:]
    positions = [position for position, bit in enumerate(bits) if bit]
    index = kernels.varint.encode(len(positions)) + packed(positions)
    if len(present) + len(index) < len(all_slots) + len(bitmap):
        fields = [(VALUES, present), (ENCODING, None), (PRESENCE, index)]
    else:
        fields = [(VALUES, all_slots), (PRESENCE, bitmap)]
    made = [
        (id, wire.TYPE_I32, integer(PRESENT_INDEX)) if value is None else (id, wire.TYPE_BINARY, binary(value))
        for id, value in fields
    ]
    return joined([count, *made]) + b"\0"
