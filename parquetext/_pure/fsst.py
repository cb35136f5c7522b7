"""FSST: byte arrays as codes of symbols. docs/formats.md describes the page, csrc/src/encoding/fsst.h the errors."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from .. import wire
from ..errors import wire_error
from .encode import _check_count, separated
from .encode_fsst import ESCAPE, LONGEST, coded, symbols_of
from .encode_runs import deltas
from .encoding_delta import Deltas
from .varint import _offset, decode32

__all__ = ["decode", "encode", "value"]

BITS = 8
HEADER = 2
MOST_BYTES = (1 << 31) - 1
UNSIGNED = 0xFFFFFFFF
TYPES = (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY)


def encode(values, count: int, type: int, type_length: int) -> bytes:
    """Encode `count` byte arrays for a page.

    Encoding is deterministic: all implementations write the same bytes. The symbols are found in 16 KiB of the values,
    in five rounds.

    Parameters
    ----------
    values : (offsets, bytes), or bytes-like
        In the form that `kernels.encode.encode` takes.
    type : int
        BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY, ``wire.PHYSICAL_…``.
    type_length : int
        Bytes of a FIXED_LEN_BYTE_ARRAY.

    Raises
    ------
    Unsupported
        For another type, or for more than 2^31 - 1 values or bytes of codes.
    Malformed
        If there are fewer than `count` values, or if offsets descend or exceed the bytes.
    """
    _check_count(count)
    if type not in TYPES:
        raise wire_error(wire.UNWRITTEN_ENCODING, 0, type, wire.ENCODING_FSST)
    given = separated(values, count, type, type_length)
    symbols = symbols_of(given)
    codes = coded(given, symbols)
    ends, end = array("q"), 0
    for code in codes:
        end += len(code)
        ends.append(end)
    if end > MOST_BYTES:
        raise wire_error(wire.TOO_LARGE, 0, MOST_BYTES, end)
    table = bytes([BITS, len(symbols), *map(len, symbols)]) + b"".join(symbols)
    return table + deltas(ends, 32) + b"".join(codes)


def decode(data, count: int, type: int, type_length: int):
    """Decode the `count` values of a page.

    Returns
    -------
    (offsets, bytes), or bytes-like
        Values in the form that `kernels.encoding.decode` returns.

    Raises
    ------
    Malformed
        With the offset in `data` of the first invalid value.
    Unsupported
        For another type, codes of other than 8 bits, or values of more than 2^31 - 1 bytes.
    """
    count, view = _offset(count), memoryview(data).cast("B")
    width = _width_of(type, type_length)
    offsets, joined = array("i", [0]), bytearray()
    if not count and not len(view):
        return b"" if width else (offsets.tobytes(), b"")
    page = Page(view, count)
    for at, codes in page.pieces():
        decoded = page.text(at, codes)
        if width and len(decoded) != width:
            raise wire_error(wire.VALUE_LENGTH, at, width, len(decoded))
        if len(joined) + len(decoded) > MOST_BYTES:
            raise wire_error(wire.TOO_LARGE, at, MOST_BYTES, len(joined) + len(decoded))
        joined += decoded
        offsets.append(len(joined))
    return bytes(joined) if width else (offsets.tobytes(), bytes(joined))


def value(data, i: int) -> bytes:
    """Decode value `i` of a page alone. Of the other values, only the ends of their codes are read.

    Raises
    ------
    ParquetextError
        If the page has no such value.
    Malformed
        With the offset in `data` of the invalid value.
    """
    i, view = _offset(i), memoryview(data).cast("B")
    page = Page(view)
    if i >= page.count:
        raise wire_error(wire.BAD_ARGUMENT, 0, page.count, i)
    return page.text(*page.piece(i))


class Page:
    """The symbols of a page, and the positions of its values' codes.

    It has `count` values, by default as many as its header states.
    """

    def __init__(self, data: memoryview, count: int | None = None):
        self._data = data
        at = self._read_symbols()
        if count is None:
            _, after = decode32(data, at)
            _, after = decode32(data, after)
            count, _ = decode32(data, after)
        self.count = count
        self._ends = Deltas(data, at, count, 32)
        if self._ends.total != count:
            raise wire_error(wire.DELTA_COUNT, self._ends.total_at, count, self._ends.total)
        self._codes = self._ends.find_end()

    def _read_symbols(self) -> int:
        data, at = self._data, HEADER
        if len(data) < HEADER:
            raise wire_error(wire.TRUNCATED, 0, HEADER, len(data))
        if data[0] != BITS:
            raise wire_error(wire.CODE_BITS, 0, BITS, data[0])
        many = data[1]
        if many > len(data) - at:
            raise wire_error(wire.TRUNCATED, at, many, len(data) - at)
        lengths = bytes(data[at : at + many])
        for position, length in enumerate(lengths):
            if not 1 <= length <= LONGEST:
                raise wire_error(wire.SYMBOL_LENGTH, at + position, LONGEST, length)
        at += many
        if sum(lengths) > len(data) - at:
            raise wire_error(wire.TRUNCATED, at, sum(lengths), len(data) - at)
        self._symbols: list[bytes] = []
        for length in lengths:
            self._symbols.append(bytes(data[at : at + length]))
            at += length
        return at

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield the position and the size in bytes of the codes of each value."""
        start = 0
        for ends in self._ends.take():
            for end in ends:
                yield self._piece(start, end)
                start = end

    def piece(self, i: int) -> tuple[int, int]:
        """Return the position and the size of the codes of one value."""
        start, seen = 0, 0
        for ends in self._ends.take():
            if i <= seen + len(ends) - 1:
                if i > seen:
                    start = ends[i - seen - 1]
                self._piece(0, start)
                return self._piece(start, ends[i - seen])
            start, seen = ends[-1], seen + len(ends)
        raise AssertionError(i)

    def _piece(self, start: int, end: int) -> tuple[int, int]:
        at, length = self._codes + start, end - start & UNSIGNED
        limit = min(len(self._data) - at, MOST_BYTES)
        if length > limit:
            raise wire_error(wire.BYTE_ARRAY_LENGTH, at, limit, length)
        return at, length

    def text(self, at: int, length: int) -> bytes:
        """Decode the codes at `at`."""
        symbols, codes, parts = self._symbols, bytes(self._data[at : at + length]), []
        position = 0
        while position < length:
            code = codes[position]
            position += 1
            if code < len(symbols):
                parts.append(symbols[code])
            elif code != ESCAPE:
                raise wire_error(wire.SYMBOL_CODE, at + position - 1, len(symbols), code)
            elif position == length:
                raise wire_error(wire.TRUNCATED, at + position, 1, 0)
            else:
                parts.append(codes[position : position + 1])
                position += 1
        return b"".join(parts)


def _width_of(type: int, type_length: int) -> int:
    if type not in TYPES:
        raise wire_error(wire.ENCODING, 0, type & UNSIGNED, wire.ENCODING_FSST)
    if type == wire.PHYSICAL_BYTE_ARRAY:
        return 0
    if type_length < 1:
        raise wire_error(wire.BAD_ARGUMENT, 0, 1, type_length & UNSIGNED)
    return type_length
