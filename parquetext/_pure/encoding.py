"""Decode values and levels of data pages."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import chain

from .. import wire
from ..errors import wire_error
from .encoding_alp import KINDS as ALP_KINDS
from .encoding_alp import decode_alp
from .encoding_binary import BINARY, binary_parts, decode_binary, decode_prefixed_fixed, join_parts
from .encoding_delta import Deltas
from .encoding_runs import Runs, pack_booleans
from .varint import _offset

__all__ = ["decode", "decode_indices", "decode_levels", "texts"]

DICTIONARIES = (wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY)
LENGTH_PREFIX = 4
UNSIGNED = 0xFFFFFFFF


def decode(encoding: int, type: int, type_length: int, data, count: int, at: int = 0, dictionary=None):
    """Decode `count` values of a data page, or of a dictionary page.

    Parameters
    ----------
    encoding, type : int
        Numbers of parquet.thrift: ``wire.ENCODING_…``, ``wire.PHYSICAL_…``.
    type_length : int
        Bytes of a FIXED_LEN_BYTE_ARRAY value; ignored for other types.
    data : bytes-like
        Decompressed bytes. They may include levels if `at` is the offset of the values.
    count : int
        The number of stored values: entries without nulls.
    dictionary : (values, count), optional
        The dictionary for PLAIN_DICTIONARY and RLE_DICTIONARY: the first result of this function, and its value count.

    Returns
    -------
    values : bytes-like, or (bytes-like, bytes-like)
        Values of a fixed width, concatenated, little-endian as they are stored. For BOOLEAN a bitmap, least
        significant bit first, with spare bits 0. For BYTE_ARRAY (offsets, bytes): ``count + 1`` integers of 32 bits,
        the first one 0; value ``i`` is ``bytes[offsets[i] : offsets[i + 1]]``.
    end : int
        The end of the encoded values in `data`; for runs, the end of the last one that was needed.

    Raises
    ------
    Malformed
        With the offset in `data` of the first invalid value; see ``csrc/src/encoding/values.h`` for details.
    Unsupported
        If the encoding does not support the type, or is unknown.
    """
    at, count = _offset(at), _offset(count)
    view = memoryview(data).cast("B")
    width = max(type_length, 0) if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else wire.WIDTH_IN_PAGES.get(type, 0)
    if at > len(view):
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and not width:
        raise wire_error(wire.BAD_ARGUMENT, at, 1, type_length & UNSIGNED)
    if type == wire.PHYSICAL_BOOLEAN and encoding in BOOLEANS:
        return BOOLEANS[encoding](view, at, count)
    if encoding == wire.ENCODING_PLAIN and width:
        return _plain(view, at, count, width)
    if encoding in DICTIONARIES and (width or type == wire.PHYSICAL_BYTE_ARRAY):
        return _through_dictionary(view, at, count, width, dictionary)
    if encoding == wire.ENCODING_BYTE_STREAM_SPLIT and width and type != wire.PHYSICAL_INT96:
        return _streams(view, at, count, width)
    if encoding == wire.ENCODING_DELTA_BINARY_PACKED and type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        return _deltas(view, at, count, width)
    if encoding == wire.ENCODING_ALP and type in ALP_KINDS:
        return decode_alp(view, at, count, ALP_KINDS[type])
    if type == wire.PHYSICAL_BYTE_ARRAY and encoding in BINARY:
        return decode_binary(encoding, view, at, count)
    if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and encoding == wire.ENCODING_DELTA_BYTE_ARRAY:
        return decode_prefixed_fixed(view, at, count, width)
    raise wire_error(wire.ENCODING, at, type & UNSIGNED, encoding & UNSIGNED)


def texts(encoding: int, data, count: int, at: int = 0, dictionary=None) -> Iterator[bytes | memoryview]:
    """Yield the byte arrays of `decode` one at a time, because a few bytes may represent very long ones."""
    view = memoryview(data).cast("B")
    if at > len(view):
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    if encoding in BINARY:
        return iter(BINARY[encoding](view, at, count))
    if encoding not in DICTIONARIES:
        raise wire_error(wire.ENCODING, at, wire.PHYSICAL_BYTE_ARRAY, encoding & UNSIGNED)
    if dictionary is None:
        raise wire_error(wire.NO_DICTIONARY, at)
    parts = binary_parts(dictionary, at)
    pieces = _index_runs(view, at).take(count, len(parts) - 1, wire.DICTIONARY_INDEX, len(parts))
    return map(parts.__getitem__, chain.from_iterable(pieces))


def decode_levels(encoding: int, max_level: int, data, count: int, at: int = 0, end: int | None = None):
    """Decode `count` repetition or definition levels in ``data[at:end]``, which have no length prefix.

    Returns
    -------
    levels : bytes-like
        Unsigned integers of 16 bits.
    end : int
        The end of the last run that was needed.

    Raises
    ------
    Malformed
        If a level is above `max_level`, or if the bytes end too early.
    Unsupported
        If `encoding` is neither RLE nor BIT_PACKED.
    """
    runs, count = _level_runs(encoding, max_level, data, count, at, end)
    levels = array("H")
    for values in runs.take(count, max_level, wire.LEVEL, max_level):
        levels.extend(values)
    return levels.tobytes(), runs.end


def count_levels(
    encoding: int, max_level: int, data, count: int, wanted: int, at: int = 0, end: int | None = None
) -> int:
    """Count the levels in ``data[at:end]`` that equal `wanted`; raise the errors of `decode_levels`."""
    runs, count = _level_runs(encoding, max_level, data, count, at, end)
    return runs.count(wanted, count, max_level, wire.LEVEL, max_level)


def _level_runs(encoding: int, max_level: int, data, count: int, at: int, end: int | None) -> tuple[Runs, int]:
    at, count = _offset(at), _offset(count)
    view = memoryview(data).cast("B")
    end = len(view) if end is None else _offset(end)
    if end > len(view):
        raise wire_error(wire.BAD_ARGUMENT, at, len(view), end)
    if max_level > 0xFFFF:
        raise wire_error(wire.BAD_ARGUMENT, at, 0xFFFF, max_level)
    if encoding not in (wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED):
        raise wire_error(wire.LEVEL_ENCODING, at, wire.ENCODING_RLE, encoding & UNSIGNED)
    if at > end:
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    runs = Runs(view[:end], max_level.bit_length(), at, encoding == wire.ENCODING_BIT_PACKED)
    return runs, count


def decode_indices(data, count: int, dictionary_count: int, at: int = 0):
    """Decode `count` indices into a dictionary of `dictionary_count` values; ``data[at]`` is their bit width.

    Returns
    -------
    indices : bytes-like
        Unsigned integers of 32 bits.
    end : int
        The end of the last run that was needed.

    Raises
    ------
    Malformed
        If an index is outside the dictionary, if a width is above 32, or if the bytes end too early.
    """
    at, count = _offset(at), _offset(count)
    view = memoryview(data).cast("B")
    if at > len(view):
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    indices = array("I")
    runs = _index_runs(view, at) if count else None
    for values in runs.take(count, dictionary_count - 1, wire.DICTIONARY_INDEX, dictionary_count) if runs else ():
        indices.extend(values)
    return indices.tobytes(), runs.end if runs else at


def _index_runs(view: memoryview, at: int) -> Runs:
    if at == len(view):
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    if view[at] > 32:
        raise wire_error(wire.BIT_WIDTH, at, 32, view[at])
    return Runs(view, view[at], at + 1)


def _plain(view: memoryview, at: int, count: int, width: int) -> tuple[bytes, int]:
    left = len(view) - at
    if left // width < count:
        raise wire_error(wire.TRUNCATED, at + left - left % width, width, left % width)
    end = at + count * width
    return view[at:end].tobytes(), end


def _through_dictionary(view: memoryview, at: int, count: int, width: int, dictionary):
    if count == 0:
        return b"" if width else (bytes(4), b""), at
    if dictionary is None:
        raise wire_error(wire.NO_DICTIONARY, at)
    parts = _fixed_parts(dictionary, width, at) if width else binary_parts(dictionary, at)
    runs, decoded = _index_runs(view, at), bytearray()
    pieces = runs.take(count, len(parts) - 1, wire.DICTIONARY_INDEX, len(parts))
    if not width:
        return join_parts(pieces, parts, at), runs.end
    for indices in pieces:
        decoded += b"".join([parts[index] for index in indices])
    return bytes(decoded), runs.end


def _fixed_parts(dictionary, width: int, at: int) -> list[bytes]:
    values, entries = dictionary
    values = memoryview(values).cast("B")
    if len(values) < entries * width:
        raise wire_error(wire.BAD_ARGUMENT, at, entries * width, len(values))
    return [values[first : first + width].tobytes() for first in range(0, entries * width, width)]


def _deltas(view: memoryview, at: int, count: int, width: int) -> tuple[bytes, int]:
    deltas, decoded = Deltas(view, at, count, 8 * width), array("I" if width == 4 else "Q")
    for values in deltas.take():
        decoded.extend(values)
    return decoded.tobytes(), deltas.end


def _streams(view: memoryview, at: int, count: int, width: int) -> tuple[bytes, int]:
    stride, rest = divmod(len(view) - at, width)
    if rest:
        raise wire_error(wire.STREAM_SIZE, at, width, len(view) - at)
    if stride < count:
        raise wire_error(wire.TRUNCATED, len(view), width, 0)
    decoded = bytearray(count * width)
    for k in range(width):
        decoded[k::width] = view[at + k * stride : at + k * stride + count]
    return bytes(decoded), len(view)


def _plain_booleans(view: memoryview, at: int, count: int) -> tuple[bytes, int]:
    if (len(view) - at) * 8 < count:
        raise wire_error(wire.TRUNCATED, len(view), 1, 0)
    end = at + (count + 7) // 8
    decoded = bytearray(view[at:end])
    if count % 8:
        decoded[-1] &= (1 << count % 8) - 1
    return bytes(decoded), end


def _boolean_runs(view: memoryview, at: int, count: int) -> tuple[bytes, int]:
    if count == 0:
        return b"", at
    left = len(view) - at
    if left < LENGTH_PREFIX:
        raise wire_error(wire.TRUNCATED, at, LENGTH_PREFIX, left)
    length = int.from_bytes(view[at : at + LENGTH_PREFIX], "little")
    if length > left - LENGTH_PREFIX:
        raise wire_error(wire.TRUNCATED, at, length, left - LENGTH_PREFIX)
    at += LENGTH_PREFIX
    decoded, rest = bytearray(), []
    for values in Runs(view[: at + length], 1, at).take(count, 1, wire.BOOLEAN, 1):
        rest += values
        whole = len(rest) & ~7
        decoded += pack_booleans(rest[:whole])
        rest = rest[whole:]
    return bytes(decoded) + pack_booleans(rest), at + length


BOOLEANS = {wire.ENCODING_PLAIN: _plain_booleans, wire.ENCODING_RLE: _boolean_runs}
