"""Page headers, one or those of a whole column chunk, and the parts of a page's body."""

from __future__ import annotations

from array import array
from operator import index
from typing import NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import encoding, varint
from .records import Records, members
from .thrift import BOOLEANS, Walk

__all__ = ["PageHeader", "Pages", "count_levels", "header", "level_parts", "locations", "lz4_size", "walk"]

MEMBERS = members(
    q="offset null_count",
    i="header_size type compressed_size uncompressed_size num_values num_nulls num_rows encoding definition_encoding"
    " repetition_encoding definition_size repetition_size",
    I="crc present",
    B="has_crc is_compressed is_sorted",
    ranges="statistics min_value max_value min max",
)
SIZES = (
    (wire.PAGE_HEADER_UNCOMPRESSED_PAGE_SIZE, "uncompressed_size"),
    (wire.PAGE_HEADER_COMPRESSED_PAGE_SIZE, "compressed_size"),
)
OUTER_NUMBERS = {wire.PAGE_HEADER_TYPE: "type", wire.PAGE_HEADER_CRC: "crc", **dict(SIZES)}
# The headers inside: by page type its field, the names of its numbers by field, and of what is none.
INNER = {
    wire.PAGE_DATA_PAGE: (
        wire.PAGE_HEADER_DATA_PAGE_HEADER,
        {
            wire.DATA_PAGE_HEADER_NUM_VALUES: "num_values",
            wire.DATA_PAGE_HEADER_ENCODING: "encoding",
            wire.DATA_PAGE_HEADER_DEFINITION_LEVEL_ENCODING: "definition_encoding",
            wire.DATA_PAGE_HEADER_REPETITION_LEVEL_ENCODING: "repetition_encoding",
        },
        {wire.DATA_PAGE_HEADER_STATISTICS: "statistics"},
    ),
    wire.PAGE_DICTIONARY_PAGE: (
        wire.PAGE_HEADER_DICTIONARY_PAGE_HEADER,
        {wire.DICTIONARY_PAGE_HEADER_NUM_VALUES: "num_values", wire.DICTIONARY_PAGE_HEADER_ENCODING: "encoding"},
        {wire.DICTIONARY_PAGE_HEADER_IS_SORTED: "is_sorted"},
    ),
    wire.PAGE_DATA_PAGE_V2: (
        wire.PAGE_HEADER_DATA_PAGE_HEADER_V2,
        {
            wire.DATA_PAGE_HEADER_V2_NUM_VALUES: "num_values",
            wire.DATA_PAGE_HEADER_V2_NUM_NULLS: "num_nulls",
            wire.DATA_PAGE_HEADER_V2_NUM_ROWS: "num_rows",
            wire.DATA_PAGE_HEADER_V2_ENCODING: "encoding",
            wire.DATA_PAGE_HEADER_V2_DEFINITION_LEVELS_BYTE_LENGTH: "definition_size",
            wire.DATA_PAGE_HEADER_V2_REPETITION_LEVELS_BYTE_LENGTH: "repetition_size",
        },
        {
            wire.DATA_PAGE_HEADER_V2_IS_COMPRESSED: "is_compressed",
            wire.DATA_PAGE_HEADER_V2_STATISTICS: "statistics",
        },
    ),
}
TYPE_OF_FIELD = {field: type for type, (field, _, _) in INNER.items()}
# Rows and nulls of V2 are counted from the levels: writers give them wrong numbers, and nothing depends on them.
COUNTS = {"num_values", "definition_size", "repetition_size"}
BOUNDS = {
    wire.STATISTICS_MAX: ("max", wire.PRESENT_MAX),
    wire.STATISTICS_MIN: ("min", wire.PRESENT_MIN),
    wire.STATISTICS_MAX_VALUE: ("max_value", wire.PRESENT_MAX_VALUE),
    wire.STATISTICS_MIN_VALUE: ("min_value", wire.PRESENT_MIN_VALUE),
}
EXACTNESS = {
    wire.STATISTICS_IS_MAX_VALUE_EXACT: (wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
    wire.STATISTICS_IS_MIN_VALUE_EXACT: (wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
}
CUT = (wire.TRUNCATED, wire.COUNT_TOO_LARGE)  # more bytes may make a header of one that does not parse
LENGTH_BYTES = 4
MOST_LEVEL = 0xFFFF


class PageHeader(NamedTuple):
    """One page header; numbers that it does not say are -1.

    Attributes
    ----------
    offset : int
        Of the header, from the start of the given bytes.
    header_size : int
        The body follows.
    type : int
        ``wire.PAGE_…``, or a number that is none of them.
    compressed_size, uncompressed_size : int
        Of the body, levels included.
    num_values, encoding : int
        Of data and dictionary pages.
    num_nulls, num_rows, definition_size, repetition_size : int
        Of V2 pages: counts, and bytes of levels.
    definition_encoding, repetition_encoding : int
        Of V1 pages.
    crc : int or None
        CRC-32 of the body as stored.
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
    """The page header at ``data[at]``, of at most 16 MiB.

    A field of another type than parquet.thrift says counts as an unknown one, which is passed over, and of a repeated
    field the last one counts.

    Raises
    ------
    Malformed
        It ends too early (TRUNCATED, COUNT_TOO_LARGE) or does not end (PAGE_HEADER_SIZE), lacks a required field
        (MISSING_FIELD, at the struct that lacks it), has a negative size or count of values (PAGE_NUMBER), or levels
        of V2 that are larger than their page (PAGE_LEVELS).
    """
    data = memoryview(data).cast("B")
    if _unsigned(at) > len(data):
        raise wire_error(wire.TRUNCATED, at, 1, 0)
    records = Records(MEMBERS)
    records.append(_read(data, at))
    return _named(records, 0)


def walk(data, at: int = 0, end: int | None = None) -> Pages:
    """The headers of the pages of a column chunk, one after another: those that begin in ``data[at:]``.

    Parameters
    ----------
    data : bytes-like
    at, end : int
        Where the next page begins and where the chunk ends, which may lie behind `data`, as bodies may.

    Returns
    -------
    Pages
        `end` is where the next page begins. Where that is less than the chunk's end, either `problem` says what is
        wrong there (PAGE_SIZE: the page runs over the chunk's end), or its header does not end within `data`.
    """
    data = memoryview(data).cast("B")
    end = len(data) if end is None else _unsigned(end)
    there, next, records, problem = min(len(data), end), _unsigned(at), Records(MEMBERS), None
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


def locations(data) -> tuple[memoryview, memoryview, memoryview]:
    """Where the pages of an OffsetIndex are.

    Returns
    -------
    offsets, sizes, first_rows : memoryview
        ``q``, ``i`` and ``q``, one entry per page; -1 where its location does not say. A field of another type than
        the format's counts as unknown.

    Raises
    ------
    Malformed
        The bytes are no Thrift struct, or the locations are no structs.
    """
    walk = Walk(data, 0, wire.MAX_DEPTH)
    places, id, at = [], 0, 0
    while True:
        id, type, at = walk.field_header(at, id)
        if type == 0:
            break
        if id != wire.OFFSET_INDEX_PAGE_LOCATIONS or type != wire.TYPE_LIST:
            at = walk.skip(at, type, 1)
            continue
        header, (kind, count, at) = at, walk.list_header(at)
        if count and kind != wire.TYPE_STRUCT:
            raise wire_error(wire.FIELD_TYPE, header, wire.TYPE_STRUCT, kind)
        places = []
        for _ in range(count):
            place, at = _location(walk, at)
            places.append(place)
    return tuple(memoryview(array(code, (place[name] for place in places))) for name, code in LOCATION)


LOCATION = (
    (wire.PAGE_LOCATION_OFFSET, "q"),
    (wire.PAGE_LOCATION_COMPRESSED_PAGE_SIZE, "i"),
    (wire.PAGE_LOCATION_FIRST_ROW_INDEX, "q"),
)
TYPE_OF_LOCATION = {name: wire.TYPE_I64 if code == "q" else wire.TYPE_I32 for name, code in LOCATION}


def _location(walk: Walk, at: int) -> tuple[dict[int, int], int]:
    """One page's location by field, and where the struct ends."""
    numbers, id = dict.fromkeys(TYPE_OF_LOCATION, -1), 0
    while True:
        id, type, at = walk.field_header(at, id)
        if type == 0:
            return numbers, at
        if TYPE_OF_LOCATION.get(id) == type:
            raw, at = walk.number(at, 64 if type == wire.TYPE_I64 else 32)
            numbers[id] = varint.zigzag_decode(raw)
        else:
            at = walk.skip(at, type, 3)


def level_parts(header, body, max_definition: int, max_repetition: int) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Where the parts of a page's body stand.

    Parameters
    ----------
    header : PageHeader
        Or anything with its attributes `type`, `num_values`, `definition_encoding`, `repetition_encoding`,
        `definition_size` and `repetition_size`.
    body : bytes-like
        Decompressed for a V1 page; for a V2 page, whose levels are never compressed, as stored or decompressed.
    max_definition, max_repetition : int
        The highest levels of the column, at most 65535.

    Returns
    -------
    repetition, definition : tuple of int
        (start, end) of the encoded levels alone, without their length; empty where the column has none.
    values : int
        Where the values begin.

    Raises
    ------
    Malformed
        The levels reach over the body's end: TRUNCATED, PAGE_LEVELS.
    Unsupported
        The levels are neither RLE nor BIT_PACKED: LEVEL_ENCODING.
    """
    data = memoryview(body).cast("B")
    most = max(_unsigned(max_definition), _unsigned(max_repetition))
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
    """Count the rows that begin in a data page and its values, from its levels.

    Parameters are those of `level_parts`; of a V2 page the levels alone are enough.

    Returns
    -------
    rows : int
        Entries at repetition level 0.
    values : int
        Entries at the highest definition level.

    Raises
    ------
    Malformed, Unsupported
        As `level_parts` raises them, or because the levels cannot be decoded: LEVEL, TRUNCATED, RUN_LENGTH.
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
    """How many bytes an LZ4 block stands for, at most 255 times its own.

    Raises
    ------
    Malformed
        It is none (TRUNCATED, LZ4_BLOCK), or a match begins before the block does (LZ4_BLOCK).
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
    """(length, offset behind it) of literals or a match: a nibble, and more bytes where that is 15."""
    more = 255 if length == 15 else 0
    while more == 255:
        if at == len(data):
            raise wire_error(wire.TRUNCATED, at, 1, 0)
        more = data[at]
        length += more
        at += 1
    return length, at


class Pages:
    """The headers of pages, one after another.

    Attributes
    ----------
    end : int
        Where the next page begins, or the chunk ends.
    problem : ParquetextError or None
        What is wrong there.
    """

    def __init__(self, records: Records, end: int, problem: ParquetextError | None):
        self._records, self.end, self.problem = records, end, problem

    def __len__(self) -> int:
        return len(self._records)

    def array(self, name: str) -> memoryview:
        """One member of all headers as a memoryview: ``q``, ``i``, ``I`` or ``B``.

        Members are the attributes of a `PageHeader` but `statistics`; `crc` counts where `has_crc` is 1. Of the
        statistics: `present` (bits ``wire.PRESENT_STATISTICS``, ``_NULL_COUNT``, ``_MIN_VALUE`` and so on),
        `null_count`, and the ranges `statistics`, `min_value`, `max_value`, `min`, `max`, each as two members,
        ``…_offset`` from the header's first byte and ``…_length``.
        """
        return self._records.view(name)

    def header(self, index: int) -> PageHeader:
        """The header of the page of this number."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return _named(self._records, index)


def _unsigned(number: int) -> int:
    if index(number) < 0:
        raise OverflowError(f"{number} is negative")
    return number


def _named(records: Records, index: int) -> PageHeader:
    page = {name: column[index] for name, column in records.columns.items()}
    statistics = page["statistics_offset"], page["statistics_length"]
    return PageHeader(
        *(page[name] for name in PageHeader._fields[:13]),
        bool(page["is_compressed"]),
        bool(page["is_sorted"]),
        page["crc"] if page["has_crc"] else None,
        statistics if statistics[1] else None,
    )


def _read(data: memoryview, at: int) -> dict[str, int]:
    """The header at `at` as members of a record."""
    window = data[at : at + wire.MAX_PAGE_HEADER]
    try:
        return _header(Walk(window, 0, wire.MAX_DEPTH)) | {"offset": at}
    except ParquetextError as error:
        if error.code in CUT and len(window) == wire.MAX_PAGE_HEADER:
            raise wire_error(wire.PAGE_HEADER_SIZE, at, wire.MAX_PAGE_HEADER) from None
        raise error.at(None, at) from None


def _header(walk: Walk) -> dict[str, int]:
    """The header at the walk's start."""
    numbers, places, inner, size = {}, {}, {}, 1
    for id, type, _, value, end in walk.fields(0, 0):
        size = end + 1
        if id in OUTER_NUMBERS and type == wire.TYPE_I32:
            numbers[OUTER_NUMBERS[id]], places[OUTER_NUMBERS[id]] = _number(walk, value), value
        elif id in TYPE_OF_FIELD and type == wire.TYPE_STRUCT:
            inner[TYPE_OF_FIELD[id]] = value
    for field, name in ((wire.PAGE_HEADER_TYPE, "type"), *SIZES):
        if name not in numbers:
            raise wire_error(wire.MISSING_FIELD, 0, field)
    for _, name in SIZES:
        _check(numbers[name], places[name])
    page = {"is_compressed": 1, "header_size": size, "has_crc": int("crc" in numbers), "crc": 0} | numbers
    page["crc"] &= 0xFFFFFFFF
    if page["type"] in INNER:
        if page["type"] not in inner:
            raise wire_error(wire.MISSING_FIELD, 0, INNER[page["type"]][0])
        page |= _inner(walk, inner[page["type"]], page)
    return page


def _inner(walk: Walk, start: int, page: dict[str, int]) -> dict[str, int]:
    """What the header at `start`, inside of the page header, says."""
    _, names, others = INNER[page["type"]]
    found, places, statistics = {}, {}, {}
    for id, type, _, value, end in walk.fields(start, 1):
        name = others.get(id)
        if id in names and type == wire.TYPE_I32:
            found[names[id]], places[names[id]] = _number(walk, value), value
        elif name == "statistics" and type == wire.TYPE_STRUCT:
            statistics = _statistics(walk, value, end)
        elif name in ("is_compressed", "is_sorted") and type in BOOLEANS:
            found[name] = int(type == wire.TYPE_TRUE)
    for id, name in names.items():
        if name not in found:
            raise wire_error(wire.MISSING_FIELD, start, id)
        if name in COUNTS:
            _check(found[name], places[name])
    if page["type"] == wire.PAGE_DATA_PAGE_V2:
        room = min(page["compressed_size"], page["uncompressed_size"])
        levels = found["definition_size"] + found["repetition_size"]
        if levels > room:
            raise wire_error(wire.PAGE_LEVELS, places["definition_size"], room, levels)
    return found | statistics


def _statistics(walk: Walk, start: int, end: int) -> dict[str, int]:
    found = {"statistics_offset": start, "statistics_length": end - start, "present": wire.PRESENT_STATISTICS}
    for id, type, _, value, _ in walk.fields(start, 2):
        if id in BOUNDS and type == wire.TYPE_BINARY:
            name, bit = BOUNDS[id]
            length, first = varint.decode32(walk.data, value)
            found |= {f"{name}_offset": first, f"{name}_length": length, "present": found["present"] | bit}
        elif id in EXACTNESS and type in BOOLEANS:
            told, exact = EXACTNESS[id]
            found["present"] = found["present"] & ~exact | told | (exact if type == wire.TYPE_TRUE else 0)
        elif id == wire.STATISTICS_NULL_COUNT and type == wire.TYPE_I64:
            found["null_count"] = varint.zigzag_decode(varint.decode64(walk.data, value)[0])
            found["present"] |= wire.PRESENT_NULL_COUNT
    return found


def _number(walk: Walk, at: int) -> int:
    return varint.zigzag_decode(walk.number(at)[0])


def _check(number: int, place: int) -> None:
    if number < 0:
        raise wire_error(wire.PAGE_NUMBER, place, 0, -number)


def _levels(data: memoryview, at: int, encoding: int, most: int, count: int) -> tuple[int, int]:
    """Levels of V1: RLE behind the length of it, or BIT_PACKED, whose length the count tells."""
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
