"""The page index of a column chunk: where its pages are, and what bounds they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import sub
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from .. import kernels, wire
from ..errors import Malformed, ParquetextError
from ..pruning import ColumnBounds
from .elements import parse_element
from .model import Form, Node
from .typed_bounds import StoredBounds, comparable_type

__all__ = [
    "PageBounds",
    "PagePlaces",
    "StoredIndex",
    "has_page_order",
    "parse_bounds",
    "parse_places",
    "read_bounds",
    "read_index",
    "read_places",
]

ELSEWHERE = wire.PRESENT_FILE_PATH | wire.PRESENT_CRYPTO  # places are of another file, or of encrypted bytes
MOST_BYTES = 64 << 20  # of one index: more than a million pages
MAGIC_BYTES = 4
UNORDERED = {"GEOMETRY", "GEOGRAPHY", "VARIANT", "UNKNOWN"}


class StoredIndex(NamedTuple):
    """An index's bytes, and where they are in the file."""

    data: bytes
    offset: int


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
        return self.rows_of(0, len(self))

    def rows_of(self, first: int, last: int) -> list[int]:
        """The rows of each of the pages [first, last)."""
        ends = self.first_rows[first + 1 : last + 1]
        if last == len(self):
            ends.append(self.num_rows)
        return list(map(sub, ends, self.first_rows[first:last]))


@dataclass(frozen=True, slots=True)
class PageBounds:
    """What bounds the pages of a column have (ColumnIndex); None where a page has none, -1 where not said."""

    min: list[bytes | None]
    max: list[bytes | None]
    null_counts: list[int]

    def typed(self, form: Form, leaf: int, rows: pa.DataType, places: PagePlaces) -> ColumnBounds | None:
        """Those of a flat column in the type that rows have, one per page; None where values are not compared so."""
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
    if not doubted.true_count:
        return bounds
    doubted = pc.fill_null(doubted, False)
    low, high = (pc.if_else(doubted, pa.scalar(None, side.type), side) for side in (low, high))
    return ColumnBounds(low, high, bounds.only_nulls, bounds.no_nulls)


def has_page_order(node: Node) -> bool:
    """Whether bounds of a leaf have the order that its type says: those of an index are in no other one."""
    element = parse_element(node.thrift)
    if node.column_order != 1 or element.type == wire.PHYSICAL_INT96:
        return False
    if element.converted_type == wire.CONVERTED_INTERVAL:
        return False
    return element.logical is None or element.logical.name not in UNORDERED


def read_index(source, chunks, row_group: int, name: str) -> StoredIndex | None:
    """The ``"offset_index"`` or ``"column_index"`` of one of a leaf's chunks; None where it has none.

    Raises
    ------
    Malformed
        It does not lie in the file, or is too large to be one.
    """
    offset, length = (chunks.array(f"{name}_{part}")[row_group] for part in ("offset", "length"))
    if offset <= 0 or length <= 0 or chunks.array("present")[row_group] & ELSEWHERE:
        return None
    if length > MOST_BYTES or offset + length > source.size:
        raise Malformed(f"a page index of {length} bytes in a file of {source.size}", offset=offset)
    return StoredIndex(bytes(source.read(offset, length)), offset)


def read_places(source, chunks, row_group: int, num_rows: int) -> PagePlaces | None:
    """The offset index of one of a leaf's chunks, read and parsed; None where it has none. Raises as these do."""
    index = read_index(source, chunks, row_group, "offset_index")
    return None if index is None else parse_places(index, chunks, row_group, num_rows, source.size)


def parse_places(index: StoredIndex, chunks, row_group: int, num_rows: int, file_size: int) -> PagePlaces:
    """What an offset index says of the pages of one of a leaf's chunks.

    Raises
    ------
    Malformed
        It is not as the format says, leads out of the file or of the row group, or leaves bytes of the chunk out;
        offsets count from the file.
    """
    data, offset = index
    try:
        places = PagePlaces(*(part.tolist() for part in kernels.page.locations(data)), num_rows)
    except ParquetextError as error:
        raise error.at(None, offset) from None
    sound = len(places) > 0 and places.first_rows[0] == 0 and min(places.row_counts) > 0
    # Without a gap up to the chunk's end: what an index leaves out, a filter would lose without a word.
    chunk_end = chunks.begins()[row_group] + chunks.array("total_compressed_size")[row_group]
    behind = [*places.offsets[1:], chunk_end]
    sound = sound and chunk_end <= file_size and places.offsets[0] >= MAGIC_BYTES
    sound = sound and min(places.sizes) > 0 and list(map(sub, behind, places.offsets)) == places.sizes
    if not sound:
        raise Malformed("an offset index whose pages are not one behind the other", offset=offset)
    return places


def read_bounds(source, chunks, row_group: int, places: PagePlaces) -> PageBounds | None:
    """The column index of one of a flat leaf's chunks, whose pages are in `places`; None where it has none.

    Raises as `read_index` and `parse_bounds` do.
    """
    index = read_index(source, chunks, row_group, "column_index")
    return None if index is None else parse_bounds(index, places.row_counts)


def parse_bounds(index: StoredIndex, value_counts: Sequence[int]) -> PageBounds:
    """What a column index says of pages that have so many values, nulls included.

    Raises
    ------
    Malformed
        It is not as the format says, of another number of pages, or has more nulls than these have values.
    """
    data, offset = index
    try:
        fields = {field[0]: field for field in kernels.thrift.fields(data)}
    except ParquetextError as error:
        raise error.at(None, offset) from None
    count = len(value_counts)
    null_pages = _flags(data, fields.get(wire.COLUMN_INDEX_NULL_PAGES))
    minima, maxima = (_binaries(data, fields.get(id)) for id in _SIDES)
    null_counts = _numbers(data, fields.get(wire.COLUMN_INDEX_NULL_COUNTS)) or [-1] * count
    if {count} != {*map(len, (null_pages, minima, maxima, null_counts))}:
        raise Malformed(f"a column index of {len(null_pages)} pages, there are {count}", offset=offset)
    counts = list(zip(null_pages, null_counts, value_counts, strict=True))
    if any(nulls > values or (nulls >= 0 and empty != (nulls == values)) for empty, nulls, values in counts):
        raise Malformed("a column index whose pages of nulls have other counts of nulls", offset=offset)
    return PageBounds(
        *(
            [None if empty else value for empty, value in zip(null_pages, side, strict=True)]
            for side in (minima, maxima)
        ),
        [values if empty else nulls for empty, nulls, values in counts],
    )


_SIDES = wire.COLUMN_INDEX_MIN_VALUES, wire.COLUMN_INDEX_MAX_VALUES


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
    alike = _alike(data, count, at) if count else []
    if alike is not None:
        return alike
    found = []
    for _ in range(count):
        length, at = (data[at], at + 1) if data[at] < 0x80 else kernels.varint.decode32(data, at)
        found.append(data[at : at + length])
        at += length
    return found


def _alike(data: bytes, count: int, at: int) -> list[bytes] | None:
    """Items that are all as long as the first one, as numbers are; None where they are not."""
    length = data[at]
    end = at + count * (length + 1)
    if length >= 0x80 or end > len(data) or data[at : end : length + 1] != bytes([length]) * count:
        return None
    return [data[start : start + length] for start in range(at + 1, end + 1, length + 1)]
