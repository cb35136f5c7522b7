"""PFOR: integers in vectors with individual bit widths and exceptions; see ``csrc/src/encoding/pfor.h``."""

from __future__ import annotations

from array import array

from .. import wire
from ..errors import wire_error
from .bits import pack, unpack
from .encode import _check_count, _prefix
from .varint import _offset

__all__ = ["decode", "encode"]

HEADER, OFFSET = 7, 4
LEAST_LOG, MOST_LOG = 3, 15
POSITION = 2
WIDTHS = {wire.PHYSICAL_INT32: 4, wire.PHYSICAL_INT64: 8}
FORMATS = {4: "i", 8: "q"}
UNSIGNED = 0xFFFFFFFF


def encode(values, count: int, type: int, type_length: int = 0, *, vector_size: int = 1024) -> bytes:
    """Encode `count` integers for a page.

    Encoding is deterministic: all implementations write the same bytes. Each vector has the frame and the bit width of
    least cost that two-sided trimming finds.

    Parameters
    ----------
    values : bytes-like
        Little-endian, concatenated.
    type : int
        INT32 or INT64, ``wire.PHYSICAL_…``.
    type_length : int
        Ignored.
    vector_size : int
        A power of two from 8 to 32768.

    Raises
    ------
    Unsupported
        For another type, more than 2^31 - 1 values, or a page of 2^32 bytes or more.
    Malformed
        If there are fewer than `count` values.
    """
    _check_count(count)
    if type not in WIDTHS:
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, wire.ENCODING_PFOR)
    log = vector_size.bit_length() - 1
    if not LEAST_LOG <= log <= MOST_LOG or vector_size != 1 << log:
        raise wire_error(wire.BAD_ARGUMENT, 0, 1 << MOST_LOG, vector_size & (1 << 64) - 1)
    width = WIDTHS[type]
    given = array(FORMATS[width], _prefix(values, count * width)).tolist()
    vectors = [_vector(given[first : first + vector_size], width) for first in range(0, count, vector_size)]
    offsets, at = array("I"), OFFSET * len(vectors)
    for vector in vectors:
        if at > UNSIGNED:
            raise wire_error(wire.TOO_LARGE, 0, UNSIGNED, at)
        offsets.append(at)
        at += len(vector)
    header = bytes([0, log, width]) + count.to_bytes(4, "little")
    return header + offsets.tobytes() + b"".join(vectors)


def _vector(values: list[int], width: int) -> bytes:
    low, high = _kept(values, width)
    bits = (high - low).bit_length()
    deltas = [value - low if low <= value <= high else 0 for value in values]
    exceptions = [position for position, value in enumerate(values) if not low <= value <= high]
    head = low.to_bytes(width, "little", signed=True) + bytes([bits]) + len(exceptions).to_bytes(2, "little")
    originals = array(FORMATS[width], [values[position] for position in exceptions])
    return head + pack(deltas, bits) + array("H", exceptions).tobytes() + originals.tobytes()


def _kept(values: list[int], width: int) -> tuple[int, int]:
    """Return the range of the packed values: trimmed from above and from below in turn while this reduces the cost."""
    low, high, sides_done, is_from_low = min(values), max(values), 0, True
    while sides_done < 2:
        kept = [value for value in values if low <= value <= high]
        lengths = [0] * ((high - low).bit_length() + 1)
        for value in kept:
            lengths[(value - low if is_from_low else high - value).bit_length()] += 1
        bits = _cheapest(lengths, len(values), len(values) - len(kept), 8 * (POSITION + width))
        if bits == len(lengths) - 1:
            sides_done += 1
        else:
            sides_done, reach = 0, (1 << bits) - 1
            if is_from_low:
                high = max(value for value in kept if value - low <= reach)
            else:
                low = min(value for value in kept if high - value <= reach)
        is_from_low = not is_from_low
    return low, high


def _cheapest(lengths: list[int], count: int, exceptions: int, cost_of_one: int) -> int:
    """Return the width of the least cost; if several are equal, the widest, which has the fewest exceptions."""
    best = len(lengths) - 1
    least = count * best + exceptions * cost_of_one
    for bits in range(best - 1, -1, -1):
        exceptions += lengths[bits + 1]
        cost = count * bits + exceptions * cost_of_one
        if cost < least:
            best, least = bits, cost
    return best


def decode(data, count: int, type: int, type_length: int = 0) -> bytes:
    """Decode the `count` integers of a page.

    Returns
    -------
    bytes-like
        Little-endian, concatenated.

    Raises
    ------
    Malformed
        With the offset in `data` of the first invalid value.
    Unsupported
        For another type, or an unknown packing mode.
    """
    count, view = _offset(count), memoryview(data).cast("B")
    if type not in WIDTHS:
        raise wire_error(wire.ENCODING, 0, type & UNSIGNED, wire.ENCODING_PFOR)
    width = WIDTHS[type]
    if not count and not len(view):
        return b""
    vector_size, at = _read_header(view, count, width)
    decoded = array(FORMATS[width])
    for number, first in enumerate(range(0, count, vector_size)):
        position = HEADER + OFFSET * number
        offset = int.from_bytes(view[position : position + OFFSET], "little")
        if offset != at - HEADER:
            raise wire_error(wire.VECTOR_OFFSET, position, at - HEADER, offset)
        values, at = _read_vector(view, at, min(vector_size, count - first), width)
        decoded.frombytes(values)
    return decoded.tobytes()


def _read_header(view: memoryview, count: int, width: int) -> tuple[int, int]:
    """Return the number of values in a vector, and the begin of the first vector."""
    if len(view) < HEADER:
        raise wire_error(wire.TRUNCATED, 0, HEADER, len(view))
    mode, log, found_width = view[:3]
    if mode:
        raise wire_error(wire.VECTOR_PACKING, 0, 0, mode)
    if not LEAST_LOG <= log <= MOST_LOG:
        raise wire_error(wire.VECTOR_SIZE, 1, MOST_LOG, log)
    if found_width != width:
        raise wire_error(wire.VALUE_LENGTH, 2, width, found_width)
    found = int.from_bytes(view[3:HEADER], "little")
    if found != count:
        raise wire_error(wire.VECTOR_COUNT, 3, count, found)
    size = OFFSET * -(-count >> log)
    if size > len(view) - HEADER:
        raise wire_error(wire.TRUNCATED, HEADER, size, len(view) - HEADER)
    return 1 << log, HEADER + size


def _read_vector(view: memoryview, at: int, count: int, width: int) -> tuple[bytes, int]:
    """Return the values of one vector, and its end."""
    head, left = width + 3, len(view) - at
    if left < head:
        raise wire_error(wire.TRUNCATED, at, head, left)
    frame, bits = int.from_bytes(view[at : at + width], "little"), view[at + width]
    exceptions = int.from_bytes(view[at + width + 1 : at + head], "little")
    if bits > 8 * width:
        raise wire_error(wire.BIT_WIDTH, at + width, 8 * width, bits)
    if exceptions > count:
        raise wire_error(wire.EXCEPTION_COUNT, at + width + 1, count, exceptions)
    body, size = at + head, (count * bits + 7) // 8
    positions = body + size
    originals, needed = positions + POSITION * exceptions, size + exceptions * (POSITION + width)
    if needed > len(view) - body:
        raise wire_error(wire.TRUNCATED, body, needed, len(view) - body)
    mask = (1 << 8 * width) - 1
    deltas = unpack(view, 8 * body, bits, count)
    values = array(FORMATS[width].upper(), [frame + delta & mask for delta in deltas])
    for number in range(exceptions):
        spot_offset = positions + POSITION * number
        position = int.from_bytes(view[spot_offset : spot_offset + POSITION], "little")
        if position >= count:
            raise wire_error(wire.EXCEPTION_POSITION, spot_offset, count, position)
        original = originals + width * number
        values[position] = int.from_bytes(view[original : original + width], "little")
    return values.tobytes(), originals + exceptions * width
