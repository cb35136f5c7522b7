"""Convert the stored values of one leaf to the buffers of Arrow arrays."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate

from .. import wire
from ..errors import wire_error
from .chunks import Chunks
from .encoding_runs import pack_booleans
from .wide import JULIAN_EPOCH, NANOSECONDS_PER_DAY

__all__ = ["bound_buffers", "buffers"]

LARGEST = (1 << 31) - 1
MOST_DIGITS = {16: 38, 32: 76}

Kind = tuple[int, int, int, int]
Buffers = tuple[int, bytes | None, bytes | None, bytes]


def buffers(stored: Sequence[bytes | None], kind: Kind) -> Buffers:
    """Convert stored bytes to the buffers of an Arrow array; bytes that are not a valid value become null.

    Parameters
    ----------
    stored : list of bytes or None
    kind : (reading, stored, width, precision)
        The interpretation of a stored value (`wire.READING_…`, or 0 for plain bytes), the size of a stored value in
        bytes (0: any size), the size of a value in Arrow (0: offsets, or one bit for BOOLEAN), and the largest number
        of digits of a decimal. BOOLEAN is true if the byte is not 0. INT96 becomes nanoseconds since 1970. DECIMAL, and
        SIGNED with a precision, become an integer of 16 or 32 bytes. SIGNED and UNSIGNED become an integer of `width`
        bytes if the number, read as signed, fits. TEXT must be UTF-8. FLOAT, and plain bytes with a width, are copied.

    Returns
    -------
    (nulls, valid, offsets, values)
        The number of nulls, and the bytes of Arrow's buffers: the validity bitmap (None if there are no nulls), int32
        offsets (None if values have a fixed width), and the values, which are 0 for nulls.

    Raises
    ------
    ParquetextError
        If the kind is unknown.
    Unsupported
        If the values take 2 GiB or more.
    """
    reading, size, width, _ = kind
    _check(kind)
    has_offsets = not width and reading != wire.READING_BOOLEAN
    needed = sum(len(value) for value in stored if value is not None) if has_offsets else len(stored) * width
    if max(needed, len(stored) + 1) > LARGEST:
        raise wire_error(wire.TOO_LARGE, 0, LARGEST, max(needed, len(stored)))
    fitting = [value if value is not None and len(value) == (size or len(value)) else None for value in stored]
    values = [None if value is None else _convert(value, kind) for value in fitting]
    nulls = values.count(None)
    valid = None if not nulls else pack_booleans([value is not None for value in values])
    if reading == wire.READING_BOOLEAN:
        return nulls, valid, None, pack_booleans([value not in (None, b"\0") for value in values])
    filled = [bytes(width) if value is None else value for value in values]
    offsets = array("i", accumulate(map(len, filled), initial=0)).tobytes() if has_offsets else None
    return nulls, valid, offsets, b"".join(filled)


def bound_buffers(chunks: Chunks, kind: Kind) -> tuple[Buffers, Buffers]:
    """Return the buffers of the usable minima of a leaf's chunks, and of the maxima."""
    return buffers(chunks.bound_values(1), kind), buffers(chunks.bound_values(2), kind)


def _is_decimal(kind: Kind) -> bool:
    return kind[0] == wire.READING_DECIMAL or (kind[0] == wire.READING_SIGNED and kind[3] > 0)


def _check(kind: Kind) -> None:
    reading, stored, width, precision = kind
    if _is_decimal(kind):
        known = 0 < precision <= MOST_DIGITS.get(width, 0) and (reading == wire.READING_DECIMAL or stored in (4, 8))
    elif reading in (wire.READING_SIGNED, wire.READING_UNSIGNED):
        known = stored in (4, 8) and width <= stored and width in (1, 2, 4, 8)
        known = known or kind == (wire.READING_SIGNED, 12, 8, 0)  # a timestamp of FIXED_LEN_BYTE_ARRAY(12)
    elif reading == wire.READING_FLOAT:
        known = stored == width > 0
    else:
        known = (stored, width) == {
            wire.READING_BOOLEAN: (1, 0),
            wire.READING_INT96: (12, 8),
            wire.READING_TEXT: (0, 0),
            0: (stored, stored),
        }.get(reading)
    if not known:
        raise wire_error(wire.BAD_ARGUMENT, 0, wire.READING_INT96, reading)


def _convert(value: bytes, kind: Kind) -> bytes | None:
    """Return one value's bytes in Arrow, or None if it is not valid; for a boolean, return the stored bytes."""
    reading, _, width, precision = kind
    if _is_decimal(kind):
        if not value:
            return None
        number = int.from_bytes(value, "big" if reading == wire.READING_DECIMAL else "little", signed=True)
        return number.to_bytes(width, "little", signed=True) if abs(number) < 10**precision else None
    if reading in (wire.READING_SIGNED, wire.READING_UNSIGNED):
        return _narrowed(value, width, reading == wire.READING_SIGNED)
    if reading == wire.READING_INT96:
        days = int.from_bytes(value[8:], "little", signed=True) - JULIAN_EPOCH
        instant = days * NANOSECONDS_PER_DAY + int.from_bytes(value[:8], "little", signed=True)
        return instant.to_bytes(8, "little", signed=True) if -1 << 63 <= instant < 1 << 63 else None
    if reading == wire.READING_TEXT:
        try:
            value.decode()
        except UnicodeDecodeError:
            return None
    return value


def _narrowed(value: bytes, width: int, is_signed: bool) -> bytes | None:
    if width == len(value):
        return value
    number = int.from_bytes(value, "little", signed=True)
    low = -1 << 8 * width - 1 if is_signed else 0
    return value[:width] if low <= number < low + (1 << 8 * width) else None
