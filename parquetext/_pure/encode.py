"""Encode values, levels and dictionary indices for pages."""

from __future__ import annotations

from array import array
from itertools import pairwise

from .. import wire
from ..errors import wire_error
from .encode_alp import encode_alp
from .encode_runs import bit_runs, deltas, msb_first, runs
from .encoding_alp import KINDS as ALP_KINDS

__all__ = ["dictionary_of", "encode", "indices", "levels"]


def plain_byte_array(values: list[bytes]) -> bytes:
    return b"".join(part for value in values for part in (len(value).to_bytes(4, "little"), value))


def delta_length_byte_array(values: list[bytes]) -> bytes:
    """Encode the lengths as deltas, then all bytes."""
    return deltas([len(value) for value in values], 32) + b"".join(values)


def delta_byte_array(values: list[bytes]) -> bytes:
    """Encode the length of the prefix that each value shares with the previous one, as deltas; then the suffixes."""
    prefixes = [0, *(_common_prefix(before, value) for before, value in pairwise(values))][: len(values)]
    rests = [value[prefix:] for value, prefix in zip(values, prefixes, strict=True)]
    return deltas(prefixes, 32) + delta_length_byte_array(rests)


def _common_prefix(one: bytes, other: bytes) -> int:
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


MOST_VALUES = (1 << 31) - 1
MOST_ALP_VALUES = 1 << 28  # offsets of vectors have 32 bits
ALP_SIZES = [1 << bits for bits in range(3, 16)]
SERVED = {
    wire.ENCODING_PLAIN: range(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY + 1),
    wire.ENCODING_RLE: (wire.PHYSICAL_BOOLEAN,),
    wire.ENCODING_DELTA_BINARY_PACKED: (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64),
    wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY: (wire.PHYSICAL_BYTE_ARRAY,),
    wire.ENCODING_DELTA_BYTE_ARRAY: (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY),
    wire.ENCODING_BYTE_STREAM_SPLIT: (
        wire.PHYSICAL_INT32,
        wire.PHYSICAL_INT64,
        wire.PHYSICAL_FLOAT,
        wire.PHYSICAL_DOUBLE,
        wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,
    ),
    wire.ENCODING_ALP: tuple(ALP_KINDS),
}


def encode(encoding: int, type: int, type_length: int, values, count: int, *, vector_size: int = 1024) -> bytes:
    """Encode `count` values for a page.

    PLAIN supports every type. RLE supports booleans, preceded by the length. DELTA_BINARY_PACKED supports INT32 and
    INT64. DELTA_LENGTH_BYTE_ARRAY supports byte arrays. DELTA_BYTE_ARRAY supports byte arrays and fixed ones.
    BYTE_STREAM_SPLIT supports numbers except INT96, and fixed byte arrays. ALP supports FLOAT and DOUBLE. Use `indices`
    for dictionary indices.

    Parameters
    ----------
    encoding, type : int
        A `wire.ENCODING_…` and a `wire.PHYSICAL_…`.
    type_length : int
        Bytes of a FIXED_LEN_BYTE_ARRAY; ignored for other types.
    values : bytes-like, or (offsets, bytes)
        Little-endian values, concatenated; for booleans a bitmap, least significant bit first; for byte arrays
        `count` + 1 int32 offsets, the first of which need not be 0, and the bytes. Data after `count` values is
        ignored.

    vector_size : int
        For ALP: the number of values that share powers of ten and a bit width; a power of two, 8 to 32,768.

    Raises
    ------
    ParquetextError
        If ALP does not support this vector size.
    Unsupported
        If the encoding does not support the type, or if there are more than 2^31 - 1 values (for ALP, 2^28).
    Malformed
        If there are fewer than `count` values, or if offsets descend or exceed the bytes.
    """
    _check_count(count)
    if type not in SERVED.get(encoding, ()):
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, encoding)
    if encoding == wire.ENCODING_DELTA_BYTE_ARRAY:
        return delta_byte_array(separated(values, count, type, type_length))
    if type == wire.PHYSICAL_BYTE_ARRAY:
        write = plain_byte_array if encoding == wire.ENCODING_PLAIN else delta_length_byte_array
        return write(separated(values, count, type, type_length))
    if type == wire.PHYSICAL_BOOLEAN:
        bits = _booleans(values, count)
        body = bit_runs(bits, count) if encoding == wire.ENCODING_RLE else bits
        return len(body).to_bytes(4, "little") + body if encoding == wire.ENCODING_RLE else body
    width = _width(type, type_length)
    if encoding == wire.ENCODING_ALP:
        _check_alp(count, vector_size)
    data = _prefix(values, count * width)
    if encoding == wire.ENCODING_ALP:
        kind = ALP_KINDS[type]
        return encode_alp(array(kind.code, data), kind, vector_size.bit_length() - 1)
    if encoding == wire.ENCODING_DELTA_BINARY_PACKED:
        return deltas(array("i" if width == 4 else "q", data), 8 * width)
    if encoding == wire.ENCODING_BYTE_STREAM_SPLIT:
        return b"".join(data[byte::width] for byte in range(width))
    return data


def levels(values, count: int, max_level: int, encoding: int = wire.ENCODING_RLE) -> bytes:
    """Encode `count` definition or repetition levels, uint16 numbers from 0 to `max_level`, without a length prefix.

    `encoding` may also be the deprecated BIT_PACKED: most significant bit first.

    Raises
    ------
    Unsupported
        For another encoding, or more than 2^31 - 1 levels.
    Malformed
        If there are fewer than `count` levels, or if one is above `max_level`.
    """
    _check_count(count)
    found = array("H", _prefix(values, 2 * count))
    if encoding not in (wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED):
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, wire.PHYSICAL_INT32, encoding)
    if max_level >= 1 << 16:
        raise wire_error(wire.BAD_ARGUMENT, 0, (1 << 16) - 1, max_level)
    if count and max(found) > max_level:
        at = next(at for at, level in enumerate(found) if level > max_level)
        raise wire_error(wire.LEVEL, 2 * at, max_level, found[at])
    if not max_level:
        return b""
    return (runs if encoding == wire.ENCODING_RLE else msb_first)(found, max_level.bit_length())


def indices(values, count: int, dictionary_count: int) -> bytes:
    """Encode `count` uint32 indices into a dictionary of `dictionary_count` values, preceded by the width byte.

    Raises
    ------
    Unsupported
        For more than 2^31 - 1 indices.
    Malformed
        If there are fewer than `count` indices, or if one is outside the dictionary.
    """
    _check_count(count)
    found = array("I", _prefix(values, 4 * count))
    if count and max(found) >= dictionary_count:
        at = next(at for at, index in enumerate(found) if index >= dictionary_count)
        raise wire_error(wire.DICTIONARY_INDEX, 4 * at, dictionary_count, found[at])
    # A dictionary of one value has indices of one bit, too, because some readers refuse a width of 0.
    width = dictionary_count if dictionary_count < 2 else (dictionary_count - 1).bit_length()
    return bytes([width]) + runs(found, width)


def dictionary_of(type: int, type_length: int, values, count: int, most_values: int, most_bytes: int):
    """Find the distinct values, by their bytes, in order of first appearance, and the index of each value.

    Parameters
    ----------
    type, type_length, values, count
        As for `encode`; any type except BOOLEAN.
    most_values, most_bytes : int
        The largest dictionary, in values and in bytes of its PLAIN page.

    Returns
    -------
    (values, count, indices) or None
        The dictionary in the form that `encode` takes, its number of values, and uint32 indices as bytes; None if the
        dictionary would exceed a limit.

    Raises
    ------
    Unsupported
        If values of this type have no dictionary, or if there are more than 2^31 - 1.
    Malformed
        If there are fewer than `count` values, or if offsets descend or exceed the bytes.
    """
    _check_count(count)
    if type == wire.PHYSICAL_BOOLEAN or type not in SERVED[wire.ENCODING_PLAIN]:
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, wire.ENCODING_RLE_DICTIONARY)
    is_binary = type == wire.PHYSICAL_BYTE_ARRAY
    found: dict[bytes, int] = {}
    numbers, size = array("I", bytes(4 * count)), 0
    for at, value in enumerate(separated(values, count, type, type_length)):
        number = found.get(value)
        if number is None:
            size += len(value) + 4 * is_binary
            if len(found) >= most_values or size > most_bytes:
                return None
            number = found[value] = len(found)
        numbers[at] = number
    distinct = b"".join(found)
    if not is_binary:
        return distinct, len(found), numbers.tobytes()
    offsets = array("i", [0])
    for value in found:
        offsets.append(offsets[-1] + len(value))
    return (offsets.tobytes(), distinct), len(found), numbers.tobytes()


def _check_count(count: int) -> None:
    if not 0 <= count <= MOST_VALUES:
        raise wire_error(wire.TOO_MANY, 0, MOST_VALUES, count)


def _check_alp(count: int, vector_size: int) -> None:
    if vector_size not in ALP_SIZES:
        raise wire_error(wire.BAD_ARGUMENT, 0, ALP_SIZES[-1], vector_size)
    if count > MOST_ALP_VALUES:
        raise wire_error(wire.TOO_MANY, 0, MOST_ALP_VALUES, count)


def _width(type: int, type_length: int) -> int:
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and type_length < 1:
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_VALUES, type_length)
    return wire.WIDTH_IN_PAGES.get(type, type_length)


def _prefix(data, size: int) -> bytes:
    """Return the first `size` bytes."""
    view = memoryview(data).cast("B")
    if len(view) < size:
        raise wire_error(wire.VALUES_SIZE, 0, size, len(view))
    return bytes(view[:size])


def _booleans(values, count: int) -> bytes:
    """Return the bits of the values, padded with zeros."""
    bits = _prefix(values, (count + 7) // 8)
    return bits if not count % 8 else bits[:-1] + bytes([bits[-1] & (1 << count % 8) - 1])


def separated(values, count: int, type: int, type_length: int) -> list[bytes]:
    """Return the bytes of each value."""
    if type != wire.PHYSICAL_BYTE_ARRAY:
        width = _width(type, type_length)
        data = _prefix(values, count * width)
        return [data[at : at + width] for at in range(0, len(data), width)]
    given, data = values
    offsets, view = array("i", _prefix(given, 4 * (count + 1))), memoryview(data).cast("B")
    before = 0
    for at, offset in enumerate(offsets):
        if not before <= offset <= len(view):
            raise wire_error(wire.VALUE_OFFSET, 4 * at, len(view), offset & (1 << 64) - 1)
        before = offset
    return [bytes(view[start:end]) for start, end in pairwise(offsets)]
