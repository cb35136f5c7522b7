"""The page index of a column chunk: where its pages are, and what bounds they have."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from .. import kernels, wire
from ..errors import Malformed, ParquetextError
from ..pruning import ColumnBounds
from .elements import parse_element
from .model import Form
from .typed_bounds import StoredBounds, comparable_type

__all__ = ["PageBounds", "PagePlaces", "has_page_order", "read_bounds", "read_places"]

ELSEWHERE = wire.PRESENT_FILE_PATH | wire.PRESENT_CRYPTO  # places are of another file, or of encrypted bytes
MOST_BYTES = 64 << 20  # of one index: more than a million pages
MAGIC_BYTES = 4
UNORDERED = {"GEOMETRY", "GEOGRAPHY", "VARIANT", "UNKNOWN"}


@dataclass(frozen=True, slots=True)
class PagePlaces:
    """Where the data pages of a chunk are (OffsetIndex): offset, stored bytes with the header, first row."""

    offsets: list[int]
    sizes: list[int]
    first_rows: list[int]
    num_rows: int

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def row_counts(self) -> list[int]:
        ends = [*self.first_rows[1:], self.num_rows]
        return [end - begin for begin, end in zip(self.first_rows, ends, strict=True)]


@dataclass(frozen=True, slots=True)
class PageBounds:
    """What bounds the pages of a flat column have (ColumnIndex); None where a page has none, -1 where not said."""

    min: list[bytes | None]
    max: list[bytes | None]
    null_counts: list[int]

    def typed(self, form: Form, leaf: int, rows: pa.DataType, places: PagePlaces) -> ColumnBounds | None:
        """In the type that rows have, one entry per page; None where values are not compared so."""
        kind = comparable_type(form, leaf, rows)
        if kind is None:
            return None
        found = StoredBounds(kind, self.min, self.max, self.null_counts, places.row_counts).typed(rows)
        return None if found is None else _trusted(found)


def _trusted(bounds: ColumnBounds) -> ColumnBounds:
    """Without bounds that are NaN, or inverted."""
    low, high = bounds.min, bounds.max
    if pa.types.is_float16(low.type):  # which Arrow does not compare
        low, high = low.cast(pa.float32()), high.cast(pa.float32())
    doubted = pc.greater(low, high)
    if pa.types.is_floating(low.type):
        doubted = pc.or_kleene(doubted, pc.or_kleene(pc.is_nan(low), pc.is_nan(high)))
    doubted = pc.fill_null(doubted, False)
    if not doubted.true_count:
        return bounds
    low, high = (pc.if_else(doubted, pa.scalar(None, side.type), side) for side in (low, high))
    return ColumnBounds(low, high, bounds.only_nulls, bounds.no_nulls)


def has_page_order(form: Form, leaf: int) -> bool:
    """Whether bounds of a leaf have the order that its type says: those of an index are in no other one."""
    node = form.node(leaf)
    element = parse_element(node.thrift)
    if node.column_order != 1 or element.type == wire.PHYSICAL_INT96:
        return False
    if element.converted_type == wire.CONVERTED_INTERVAL:
        return False
    return element.logical is None or element.logical.name not in UNORDERED


def read_places(source, chunks, row_group: int, num_rows: int) -> PagePlaces | None:
    """The offset index of one of a leaf's chunks; None where it has none.

    Raises
    ------
    Malformed
        It is not as the format says, leads out of the file or of the row group, or leaves bytes of the chunk out;
        offsets count from the file.
    """
    index = _read(source, chunks, row_group, "offset_index")
    if index is None:
        return None
    data, offset = index
    try:
        places = PagePlaces(*(part.tolist() for part in kernels.page.locations(data)), num_rows)
    except ParquetextError as error:
        raise error.at(None, offset) from None
    ends = [*places.first_rows[1:], num_rows]
    sound = len(places) > 0 and places.first_rows[0] == 0
    sound = sound and all(begin < end for begin, end in zip(places.first_rows, ends, strict=True))
    # Without a gap up to the chunk's end: what an index leaves out, a filter would lose without a word.
    chunk_end = chunks.begins()[row_group] + chunks.array("total_compressed_size")[row_group]
    behind = [*places.offsets[1:], chunk_end]
    sound = sound and chunk_end <= source.size
    sound = sound and all(
        MAGIC_BYTES <= begin < end and size == end - begin
        for begin, size, end in zip(places.offsets, places.sizes, behind, strict=True)
    )
    if not sound:
        raise Malformed("an offset index whose pages are not one behind the other", offset=offset)
    return places


def read_bounds(source, chunks, row_group: int, places: PagePlaces) -> PageBounds | None:
    """The column index of one of a leaf's chunks, whose pages are in `places`; None where it has none.

    Raises
    ------
    Malformed
        It is not as the format says, or of another number of pages.
    """
    index = _read(source, chunks, row_group, "column_index")
    if index is None:
        return None
    data, offset = index
    try:
        fields = {field[0]: field for field in kernels.thrift.fields(data)}
    except ParquetextError as error:
        raise error.at(None, offset) from None
    count = len(places)
    null_pages = _flags(data, fields.get(wire.COLUMN_INDEX_NULL_PAGES))
    minima, maxima = (_binaries(data, fields.get(id)) for id in _SIDES)
    null_counts = _numbers(data, fields.get(wire.COLUMN_INDEX_NULL_COUNTS)) or [-1] * count
    if {count} != {*map(len, (null_pages, minima, maxima, null_counts))}:
        raise Malformed(f"a column index of {len(null_pages)} pages, the offset index has {count}", offset=offset)
    counts = list(zip(null_pages, null_counts, places.row_counts, strict=True))
    if any(nulls >= 0 and empty != (nulls == rows) for empty, nulls, rows in counts):
        raise Malformed("a column index whose pages of nulls have other counts of nulls", offset=offset)
    return PageBounds(
        *(
            [None if empty else value for empty, value in zip(null_pages, side, strict=True)]
            for side in (minima, maxima)
        ),
        [rows if empty else nulls for empty, nulls, rows in counts],
    )


_SIDES = wire.COLUMN_INDEX_MIN_VALUES, wire.COLUMN_INDEX_MAX_VALUES


def _read(source, chunks, row_group: int, name: str) -> tuple[bytes, int] | None:
    """An index's bytes, and where it is; None where there is none."""
    offset, length = (chunks.array(f"{name}_{part}")[row_group] for part in ("offset", "length"))
    if offset <= 0 or length <= 0 or chunks.array("present")[row_group] & ELSEWHERE:
        return None
    if length > MOST_BYTES or offset + length > source.size:
        raise Malformed(f"a page index of {length} bytes in a file of {source.size}", offset=offset)
    return source.read(offset, length), offset


def _items(data: bytes, field: tuple | None, types: tuple[int, ...]) -> tuple[int, int]:
    """How many items a list has, and where the first one is; none where it is no list of these types.

    The bytes have been walked before.
    """
    if field is None or field[1] != wire.TYPE_LIST:
        return 0, 0
    at = field[3]
    count, first = (data[at] >> 4, at + 1) if data[at] >> 4 < 15 else kernels.varint.decode32(data, at + 1)
    return (count, first) if data[at] & 15 in types else (0, 0)


def _flags(data: bytes, field: tuple | None) -> list[bool]:
    count, at = _items(data, field, (wire.TYPE_TRUE, wire.TYPE_FALSE))
    return [flag == wire.TYPE_TRUE for flag in data[at : at + count]]


def _numbers(data: bytes, field: tuple | None) -> list[int]:
    count, at = _items(data, field, (wire.TYPE_I64,))
    return kernels.varint.decode_many(data, count, at=at, bits=64, zigzag=True)[0].tolist() if count else []


def _binaries(data: bytes, field: tuple | None) -> list[bytes]:
    count, at = _items(data, field, (wire.TYPE_BINARY,))
    found = []
    for _ in range(count):
        length, at = (data[at], at + 1) if data[at] < 0x80 else kernels.varint.decode32(data, at)
        found.append(bytes(data[at : at + length]))
        at += length
    return found
