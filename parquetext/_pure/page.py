"""Read page headers, single or of a whole column chunk, and locate the parts of a page's body."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import encoding, varint
from .records import Records, members
from .scan_chunk import ChunkReader, fields_of
from .thrift import BOOLEANS, Walk
from .varint import _offset

__all__ = ["PageHeader", "Pages", "count_levels", "header", "level_parts", "locations", "lz4_size", "walk"]

MEMBERS = members(
    q="offset null_count",
    i="header_size type compressed_size uncompressed_size num_values num_nulls num_rows encoding definition_encoding"
    " repetition_encoding definition_size repetition_size",
    I="crc present",
    B="has_crc is_compressed is_sorted",
    ranges="statistics min_value max_value min max",
)
IN_PAGE_STATISTICS = 3  # the depth of fields of the Statistics in a page header
SIZES = (
    (wire.PAGE_HEADER_UNCOMPRESSED_PAGE_SIZE, "uncompressed_size"),
    (wire.PAGE_HEADER_COMPRESSED_PAGE_SIZE, "compressed_size"),
)
OUTER_NUMBERS = {wire.PAGE_HEADER_TYPE: "type", wire.PAGE_HEADER_CRC: "crc", **dict(SIZES)}
# The inner headers by page type: their field, and the fields of their struct. The numbers are required.
INNER = {
    wire.PAGE_DATA_PAGE: (
        wire.PAGE_HEADER_DATA_PAGE_HEADER,
        fields_of(
            "DATA_PAGE_HEADER",
            i32="num_values encoding definition_level_encoding=definition_encoding"
            " repetition_level_encoding=repetition_encoding",
            struct="statistics",
        ),
    ),
    wire.PAGE_DICTIONARY_PAGE: (
        wire.PAGE_HEADER_DICTIONARY_PAGE_HEADER,
        fields_of("DICTIONARY_PAGE_HEADER", i32="num_values encoding", true="is_sorted"),
    ),
    wire.PAGE_DATA_PAGE_V2: (
        wire.PAGE_HEADER_DATA_PAGE_HEADER_V2,
        fields_of(
            "DATA_PAGE_HEADER_V2",
            i32="num_values num_nulls num_rows encoding definition_levels_byte_length=definition_size"
            " repetition_levels_byte_length=repetition_size",
            true="is_compressed",
            struct="statistics",
        ),
    ),
}
TYPE_OF_FIELD = {field: type for type, (field, _) in INNER.items()}
# The row and null counts of V2 are derived from the levels: writers store wrong numbers, and nothing depends on them.
COUNTS = {"num_values", "definition_size", "repetition_size"}
BOUND_BITS = sum(
    getattr(wire, f"PRESENT_{name}")
    for side in ("MIN", "MAX")
    for name in (side, f"{side}_VALUE", f"{side}_EXACT_SET", f"{side}_EXACT")
)
STATISTICS_BITS = BOUND_BITS | wire.PRESENT_STATISTICS | wire.PRESENT_NULL_COUNT
LOCATION_FIELDS = fields_of("PAGE_LOCATION", i64="offset first_row_index", i32="compressed_page_size")
CUT = (wire.TRUNCATED, wire.COUNT_TOO_LARGE)  # with more bytes, the header may parse
LENGTH_BYTES = 4
MOST_LEVEL = 0xFFFF


class PageHeader(NamedTuple):
    """One page header. Absent numbers are -1.

    Attributes
    ----------
    offset : int
        Offset of the header from the start of the given bytes.
    header_size : int
        Size of the header. The body follows it.
    type : int
        ``wire.PAGE_…``, or an unknown number.
    compressed_size, uncompressed_size : int
        Size of the body, including levels.
    num_values, encoding : int
        For data and dictionary pages.
    num_nulls, num_rows, definition_size, repetition_size : int
        For V2 pages: counts, and bytes of levels.
    definition_encoding, repetition_encoding : int
        For V1 pages.
    crc : int or None
        CRC-32 of the stored body.
    statistics : tuple of int or None
        (offset, length) of the Statistics struct, from the header's first byte.
    """

    offset: int
    header_size: int
    type: int
    compressed_size: int
    uncompressed_size: int
    num_values: int
    num_nulls: int
    num_rows: int
    encoding: int
    definition_encoding: int
    repetition_encoding: int
    definition_size: int
    repetition_size: int
    is_compressed: bool
    is_sorted: bool
    crc: int | None
    statistics: tuple[int, int] | None


def header(data, at: int = 0) -> PageHeader:
    """Return the page header at ``data[at]``, of at most 16 MiB.

    A field whose type differs from parquet.thrift is skipped like an unknown field. If a field is repeated, the last
    one counts.

    Raises
    ------
    Malformed
        If it ends too early (TRUNCATED, COUNT_TOO_LARGE) or does not end (PAGE_HEADER_SIZE), if it lacks a required
        field (MISSING_FIELD, at the struct that lacks it), if a size or a count of values is negative (PAGE_NUMBER), or
        if the levels of a V2 page are larger than the page (PAGE_LEVELS).
    """
    data = memoryview(data).cast("B")
    if _offset(at) > len(data):
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    records = Records(MEMBERS)
    records.append(_read(data, at))
    return _named(records, 0)


def walk(data, at: int = 0, end: int | None = None) -> Pages:
    """Return the headers of the consecutive pages of a column chunk that begin in ``data[at:]``.

    Parameters
    ----------
    data : bytes-like
    at, end : int
        The begin of the next page, and the end of the chunk, which may be beyond `data`, as bodies may.

    Returns
    -------
    Pages
        `end` is the begin of the next page. If it is less than the chunk's end, either `problem` is the error at this
        offset (PAGE_SIZE: the page exceeds the chunk's end), or the header does not end within `data`.
    """
    data = memoryview(data).cast("B")
    end = len(data) if end is None else _offset(end)
    there, next, records, problem = min(len(data), end), _offset(at), Records(MEMBERS), None
    while next < there:
        try:
            page = _read(data[:there], next)
            size = page["header_size"] + page["compressed_size"]
            if size > end - next:
                raise wire_error(wire.PAGE_SIZE, next, end - next, size)
        except ParquetextError as error:
            problem = None if error.code in CUT and there < end else error
            break
        records.append(page)
        next += size
    return Pages(records, next, problem)


def locations(data) -> tuple[memoryview, ...]:
    """Return the locations of the pages in an OffsetIndex.

    Returns
    -------
    offsets, sizes, first_rows : memoryview
        ``q``, ``i`` and ``q``, one entry per page; -1 if a location lacks the member. A field whose type differs from
        the format is skipped like an unknown field.

    Raises
    ------
    Malformed
        If the bytes are not a Thrift struct, or if the locations are not structs.
    """
    reader = ChunkReader(memoryview(data).cast("B"))
    positions: list[dict[str, int]] = []

    def read(id: int, type: int, at: int) -> int:
        if id != wire.OFFSET_INDEX_PAGE_LOCATIONS or type != wire.TYPE_LIST:
            return reader.walk.skip(at, type, 1)
        kind, count, item = reader.walk.list_header(at)
        if count and kind != wire.TYPE_STRUCT:
            raise wire_error(wire.FIELD_TYPE, at, wire.TYPE_STRUCT, kind)
        positions.clear()
        for _ in range(count):
            position, item = reader.struct(item, LOCATION_FIELDS, {}, 3)
            positions.append(position)
        return item

    reader.walk.each(0, read)
    return tuple(
        memoryview(array(code, (position.get(name, -1) for position in positions)))
        for name, code in (("offset", "q"), ("compressed_page_size", "i"), ("first_row_index", "q"))
    )


def level_parts(header, body, max_definition: int, max_repetition: int) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Return the positions of the parts of a page's body.

    Parameters
    ----------
    header : PageHeader
        Or an object with the attributes `type`, `num_values`, `definition_encoding`, `repetition_encoding`,
        `definition_size` and `repetition_size`.
    body : bytes-like
        Decompressed for a V1 page. For a V2 page, whose levels are never compressed, stored or decompressed.
    max_definition, max_repetition : int
        The highest levels of the column, at most 65535.

    Returns
    -------
    repetition, definition : tuple of int
        (start, end) of the encoded levels without their length; empty if the column has none.
    values : int
        The begin of the values.

    Raises
    ------
    Malformed
        If the levels exceed the body: TRUNCATED, PAGE_LEVELS.
    Unsupported
        If the levels are neither RLE nor BIT_PACKED: LEVEL_ENCODING.
    """
    data = memoryview(body).cast("B")
    most = max(_offset(max_definition), _offset(max_repetition))
    if most > MOST_LEVEL:
        raise wire_error(wire.BAD_ARGUMENT, 0, MOST_LEVEL, most)
    repetition = definition = (0, 0)
    at = 0
    if header.num_values <= 0 and not data:
        return repetition, definition, at
    if header.type == wire.PAGE_DATA_PAGE_V2:
        repetition = _part(data, at, header.repetition_size & 0xFFFFFFFF)
        definition = _part(data, repetition[1], header.definition_size & 0xFFFFFFFF)
        at = definition[1]
    elif header.type == wire.PAGE_DATA_PAGE:
        count = header.num_values & 0xFFFFFFFF
        repetition = _levels(data, at, header.repetition_encoding, max_repetition, count)
        definition = _levels(data, repetition[1], header.definition_encoding, max_definition, count)
        at = definition[1]
    return repetition, definition, at


def count_levels(header, body, max_definition: int, max_repetition: int) -> tuple[int, int]:
    """Count the rows that begin in a data page, and its values, from its levels.

    For the parameters see `level_parts`. For a V2 page, `body` may contain only the levels.

    Returns
    -------
    rows : int
        Entries at repetition level 0.
    values : int
        Entries at the highest definition level.

    Raises
    ------
    Malformed, Unsupported
        The errors of `level_parts`, or LEVEL, TRUNCATED, RUN_LENGTH if the levels cannot be decoded.
    """
    repetition, definition, _ = level_parts(header, body, max_definition, max_repetition)
    entries, is_v2 = max(header.num_values, 0), header.type == wire.PAGE_DATA_PAGE_V2

    def count(kind: int, most: int, wanted: int, part: tuple[int, int]) -> int:
        if not most or not entries:
            return entries
        return encoding.count_levels(wire.ENCODING_RLE if is_v2 else kind, most, body, entries, wanted, *part)

    rows = count(header.repetition_encoding, max_repetition, 0, repetition)
    return rows, count(header.definition_encoding, max_definition, max_definition, definition)


def lz4_size(data) -> int:
    """Return the decompressed size of an LZ4 block, at most 255 times its stored size.

    Raises
    ------
    Malformed
        If the block is invalid (TRUNCATED, LZ4_BLOCK), or if a match begins before the block (LZ4_BLOCK).
    """
    data = memoryview(data).cast("B")
    at = decompressed = 0
    while at < len(data):
        token = data[at]
        literals, at = _lz4_length(data, at + 1, token >> 4)
        if literals > len(data) - at:
            raise wire_error(wire.LZ4_BLOCK, at, len(data) - at, literals)
        at += literals
        decompressed += literals
        if at == len(data):
            return decompressed
        if len(data) - at < 2:
            raise wire_error(wire.TRUNCATED, at, 2, len(data) - at)
        distance = data[at] | data[at + 1] << 8
        if not 0 < distance <= decompressed:
            raise wire_error(wire.LZ4_BLOCK, at, decompressed, distance)
        length, at = _lz4_length(data, at + 2, token & 15)
        decompressed += length + 4
        if at == len(data):
            raise wire_error(wire.TRUNCATED, at, 1, 0)
    return decompressed


def _lz4_length(data: memoryview, at: int, length: int) -> tuple[int, int]:
    """Return (length, offset after it) of literals or of a match: a nibble, followed by more bytes if it is 15."""
    more = 255 if length == 15 else 0
    while more == 255:
        if at == len(data):
            raise wire_error(wire.TRUNCATED, at, 1, 0)
        more = data[at]
        length += more
        at += 1
    return length, at


class Pages:
    """The headers of consecutive pages.

    Attributes
    ----------
    end : int
        The begin of the next page, or the end of the chunk.
    problem : ParquetextError or None
        The error at this position.
    """

    def __init__(self, records: Records, end: int, problem: ParquetextError | None):
        self._records, self.end, self.problem = records, end, problem

    def __len__(self) -> int:
        return len(self._records)

    def array(self, name: str) -> memoryview:
        """Return one member of all headers as a memoryview: ``q``, ``i``, ``I`` or ``B``.

        Members are the attributes of a `PageHeader` except `statistics`; `crc` is valid if `has_crc` is 1. The members
        of statistics are `present` (bits ``wire.PRESENT_STATISTICS``, ``_NULL_COUNT``, ``_MIN_VALUE`` and so on),
        `null_count`, and the ranges `statistics`, `min_value`, `max_value`, `min`, `max`, each as two members:
        ``…_offset`` from the header's first byte, and ``…_length``.
        """
        return self._records.view(name)

    def header(self, index: int) -> PageHeader:
        """Return the header of page `index`."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return _named(self._records, index)


def _named(records: Records, index: int) -> PageHeader:
    page = {name: column[index] for name, column in records.columns.items()}
    statistics = page["statistics_offset"], page["statistics_length"]
    numbers = [page[name] for name in PageHeader._fields[:13]]
    flags = (
        bool(page["is_compressed"]),
        bool(page["is_sorted"]),
        page["crc"] if page["has_crc"] else None,
        statistics if statistics[1] else None,
    )
    return PageHeader._make([*numbers, *flags])


def _read(data: memoryview, at: int) -> dict[str, int]:
    """Read the header at `at` as members of a record."""
    window = data[at : at + wire.MAX_PAGE_HEADER]
    try:
        return _header(Walk(window, 0, wire.MAX_DEPTH)) | {"offset": at}
    except ParquetextError as error:
        if error.code in CUT and len(window) == wire.MAX_PAGE_HEADER:
            raise wire_error(wire.PAGE_HEADER_SIZE, at, wire.MAX_PAGE_HEADER) from None
        raise error.at(None, at) from None


def _header(walk: Walk) -> dict[str, int]:
    """Read the header at the walk's start."""
    numbers, positions, inner, size = {}, {}, {}, 1
    for id, type, _, value, end in walk.fields(0, 0):
        size = end + 1
        if id in OUTER_NUMBERS and type == wire.TYPE_I32:
            numbers[OUTER_NUMBERS[id]], positions[OUTER_NUMBERS[id]] = _number(walk, value), value
        elif id in TYPE_OF_FIELD and type == wire.TYPE_STRUCT:
            inner[TYPE_OF_FIELD[id]] = value
    for field, name in ((wire.PAGE_HEADER_TYPE, "type"), *SIZES):
        if name not in numbers:
            raise wire_error(wire.MISSING_FIELD, 0, field)
    for _, name in SIZES:
        _check(numbers[name], positions[name])
    page = {"is_compressed": 1, "header_size": size, "has_crc": int("crc" in numbers), "crc": 0} | numbers
    page["crc"] &= 0xFFFFFFFF
    if page["type"] in INNER:
        if page["type"] not in inner:
            raise wire_error(wire.MISSING_FIELD, 0, INNER[page["type"]][0])
        page |= _inner(walk, inner[page["type"]], page)
    return page


def _inner(walk: Walk, start: int, page: dict[str, int]) -> dict[str, int]:
    """Read the inner header at `start` of the page header."""
    _, fields = INNER[page["type"]]
    found, positions, statistics = {}, {}, {}
    for id, type, _, value, _ in walk.fields(start, 1):
        expected, name = fields.get(id, (0, ""))
        if type in BOOLEANS and expected in BOOLEANS:
            found[name] = int(type == wire.TYPE_TRUE)
        elif type == expected == wire.TYPE_STRUCT:
            statistics = _statistics(walk, value)
        elif type == expected:
            found[name], positions[name] = _number(walk, value), value
    for id, (type, name) in fields.items():
        if type == wire.TYPE_I32 and name not in found:
            raise wire_error(wire.MISSING_FIELD, start, id)
        if name in COUNTS:
            _check(found[name], positions[name])
    if page["type"] == wire.PAGE_DATA_PAGE_V2:
        room = min(page["compressed_size"], page["uncompressed_size"])
        levels = found["definition_size"] + found["repetition_size"]
        if levels > room:
            raise wire_error(wire.PAGE_LEVELS, positions["definition_size"], room, levels)
    return found | statistics


def _statistics(walk: Walk, start: int) -> dict[str, int]:
    found, _ = ChunkReader(walk.data).statistics(start, IN_PAGE_STATISTICS)
    return found | {"present": found["present"] & STATISTICS_BITS}


def _number(walk: Walk, at: int) -> int:
    return varint.zigzag_decode(walk.number(at)[0])


def _check(number: int, position: int) -> None:
    if number < 0:
        raise wire_error(wire.PAGE_NUMBER, position, 0, -number)


def _levels(data: memoryview, at: int, encoding: int, most: int, count: int) -> tuple[int, int]:
    """Return the range of V1 levels: RLE preceded by its length, or BIT_PACKED, whose size follows from the count."""
    if not most:
        return at, at
    if encoding == wire.ENCODING_BIT_PACKED:
        return _part(data, at, (count * most.bit_length() + 7) // 8)
    if encoding != wire.ENCODING_RLE:
        raise wire_error(wire.LEVEL_ENCODING, at, wire.ENCODING_RLE, encoding & 0xFFFFFFFF)
    left = len(data) - at
    if left < LENGTH_BYTES:
        raise wire_error(wire.TRUNCATED, at, LENGTH_BYTES, left)
    return _part(data, at + LENGTH_BYTES, int.from_bytes(data[at : at + LENGTH_BYTES], "little"))


def _part(data: memoryview, at: int, length: int) -> tuple[int, int]:
    if length > len(data) - at:
        raise wire_error(wire.PAGE_LEVELS, at, len(data) - at, length)
    return at, at + length
