"""Convert numbers that Parquet stores as bytes to Arrow: decimals, and timestamps of 12 bytes."""

from __future__ import annotations

from array import array

from .. import wire
from ..errors import wire_error

__all__ = ["instants", "integers", "timestamps"]

NANOSECONDS_PER_DAY = 86_400_000_000_000
JULIAN_EPOCH = 2_440_588
WIDEST = 32
MASK = (1 << 64) - 1


def integers(values, count: int, stored: int, width: int, *, offsets=None, valid=None) -> bytes:
    """Convert big-endian integers to little-endian ones.

    Parameters
    ----------
    values, count
        Bytes, and the number of integers in them.
    stored : int
        Bytes of each integer, without `offsets`. `offsets` are count + 1 int32 as bytes, for integers of any length.
    width : int
        Bytes of each converted integer, 1 to 32.
    valid : bytes-like, optional
        A bitmap; nulls become 0.

    Raises
    ------
    Malformed
        If an integer does not fit or has no bytes (`offset` is its number), or if the values end too early.
    """
    data = memoryview(values).cast("B")
    bits = None if valid is None else memoryview(valid).cast("B")
    if bits is not None and len(bits) < (count + 7) // 8:
        raise wire_error(wire.TRUNCATED, 0, (count + 7) // 8, len(bits))
    positions = None if offsets is None else memoryview(offsets).cast("B").cast("i")
    if positions is not None and len(positions) < count + 1:
        raise wire_error(wire.TRUNCATED, 0, 4 * (count + 1), 4 * len(positions))
    if positions is None and (not stored or len(data) // stored < count):
        raise wire_error(wire.TRUNCATED, 0, count * stored, len(data))
    if not 0 < width <= WIDEST:
        raise wire_error(wire.BAD_ARGUMENT, 0, WIDEST, width)
    out = bytearray()
    for index in range(count):
        begin, end = (index * stored, (index + 1) * stored) if positions is None else positions[index : index + 2]
        if begin < 0 or end < begin or end > len(data):
            raise wire_error(wire.TRUNCATED, index, end & MASK, len(data))
        if bits is not None and not bits[index >> 3] >> (index & 7) & 1:
            out += bytes(width)
            continue
        try:
            if begin == end:
                raise OverflowError
            out += int.from_bytes(data[begin:end], "big", signed=True).to_bytes(width, "little", signed=True)
        except OverflowError:
            raise wire_error(wire.TOO_WIDE, index, width, end - begin) from None
    return bytes(out)


def instants(values, count: int, unit: int) -> bytes:
    """Convert INT96 timestamps to counts of `unit` nanoseconds since 1970, int64 as bytes.

    As in other readers, values beyond 64 bits wrap around, and Julian day 0 gives 0, because writers fill nulls with
    zeros.
    """
    data = memoryview(values).cast("B")
    if len(data) // 12 < count:
        raise wire_error(wire.TRUNCATED, 0, count * 12, len(data))
    if not unit or NANOSECONDS_PER_DAY % unit:
        raise wire_error(wire.BAD_ARGUMENT, 0, NANOSECONDS_PER_DAY, unit)
    out = array("Q")
    for at in range(0, 12 * count, 12):
        nanoseconds, day = (
            int.from_bytes(data[begin:end], "little") for begin, end in ((at, at + 8), (at + 8, at + 12))
        )
        midnight = (day - JULIAN_EPOCH) * (NANOSECONDS_PER_DAY // unit)
        out.append((midnight + nanoseconds // unit) & MASK if day else 0)
    return out.tobytes()


def timestamps(values, count: int) -> bytes:
    """Convert timestamps of FIXED_LEN_BYTE_ARRAY(12), which are little-endian integers, to int64 as bytes.

    Raises
    ------
    Malformed
        If a timestamp does not fit (`offset` is its number), or if the values end too early.
    """
    data = memoryview(values).cast("B")
    if len(data) // 12 < count:
        raise wire_error(wire.TRUNCATED, 0, count * 12, len(data))
    out = bytearray()
    for index in range(count):
        number = int.from_bytes(data[12 * index : 12 * index + 12], "little", signed=True)
        if not -1 << 63 <= number < 1 << 63:
            raise wire_error(wire.TOO_WIDE, index, 8, 12)
        out += number.to_bytes(8, "little", signed=True)
    return bytes(out)
