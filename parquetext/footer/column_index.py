"""Parse the column index of a column chunk, and check it against the schema, the footer and itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .. import kernels, wire
from ..errors import ParquetextError
from ..records import frozen
from ..thrift import i32_of, list_start
from .elements import parse_element
from .model import Node

ORDERS = UNORDERED, ASCENDING, DESCENDING = (
    wire.BOUNDARY_UNORDERED,
    wire.BOUNDARY_ASCENDING,
    wire.BOUNDARY_DESCENDING,
)
_BYTES = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY


class StoredIndex(NamedTuple):
    """The bytes of an index, and their offset in the file."""

    data: bytes
    offset: int


@frozen
class ColumnIndex:
    """A column index as it is stored, one entry per page.

    `boundary_order` is None if the index lacks it, `null_counts` and `nan_counts` if it has none.
    """

    null_pages: list[bool]
    min_values: list[bytes]
    max_values: list[bytes]
    boundary_order: int | None
    null_counts: list[int] | None
    nan_counts: list[int] | None = None

    def __len__(self) -> int:
        return len(self.null_pages)


class ChunkCounts(NamedTuple):
    """The properties of a column chunk with which its column index must agree.

    Parameters
    ----------
    page_values : sequence of int or None
        Values of each data page, nulls included; None if they are not known.
    num_values, null_count : int
        Of the chunk, by the footer; -1 if unknown.
    minimum, maximum : bytes or None
        The chunk's usable bounds, by the footer; None if there is none.
    has_exact_minimum, has_exact_maximum : bool or None
        True if the bound is a value of the chunk; None if the footer does not store this.
    """

    page_values: Sequence[int] | None = None
    num_values: int = -1
    null_count: int = -1
    minimum: bytes | None = None
    maximum: bytes | None = None
    has_exact_minimum: bool | None = None
    has_exact_maximum: bool | None = None


def parse_column_index(index: StoredIndex) -> ColumnIndex:
    """Parse a column index.

    Raises
    ------
    Malformed
        It is no Thrift struct.
    """
    data, offset = index
    try:
        fields = {field[0]: field for field in kernels.thrift.fields(data)}
    except ParquetextError as error:
        raise error.at(None, offset) from None
    counts, nans = (fields.get(id) for id in (wire.COLUMN_INDEX_NULL_COUNTS, wire.COLUMN_INDEX_NAN_COUNTS))
    return ColumnIndex(
        _flags(data, fields.get(wire.COLUMN_INDEX_NULL_PAGES)),
        _binaries(data, fields.get(wire.COLUMN_INDEX_MIN_VALUES)),
        _binaries(data, fields.get(wire.COLUMN_INDEX_MAX_VALUES)),
        i32_of(data, fields.get(wire.COLUMN_INDEX_BOUNDARY_ORDER)),
        None if counts is None else _numbers(data, counts),
        None if nans is None else _numbers(data, nans),
    )


def find_contradiction(index: ColumnIndex, node: Node, fields: ChunkCounts) -> str | None:
    """Return why a column index cannot be right, or None if nothing contradicts it.

    An index with a contradiction must not be used for skipping: if one entry is wrong, the others may belong to other
    pages.

    Parameters
    ----------
    index : ColumnIndex
    node : Node
        The leaf's place in the schema.
    facts : ChunkCounts

    Returns
    -------
    str or None
        A sentence without a subject: ``"has 3 null pages, 4 minima, ..."``.
    """
    for found in (
        _length_problems(index, fields),
        _null_problems(index, node, fields),
        _bound_problems(index, node),
        _problems_beside(index, node, fields),
    ):
        problem = next(found, None)
        if problem is not None:
            return problem
    return None


def _length_problems(index: ColumnIndex, fields: ChunkCounts) -> Iterator[str]:
    lengths = {"null_pages": len(index.null_pages), "min_values": len(index.min_values)}
    lengths["max_values"] = len(index.max_values)
    if index.null_counts is not None:
        lengths["null_counts"] = len(index.null_counts)
    if index.nan_counts is not None:
        lengths["nan_counts"] = len(index.nan_counts)
    if len({*lengths.values()}) > 1:
        yield "has lists of different lengths: " + ", ".join(f"{count} {name}" for name, count in lengths.items())
    if fields.page_values is not None and len(index) != len(fields.page_values):
        yield f"has {len(index)} pages, the chunk has {len(fields.page_values)}"
    if index.boundary_order not in ORDERS:
        yield "has no boundary_order" if index.boundary_order is None else f"has boundary_order {index.boundary_order}"


def _null_problems(index: ColumnIndex, node: Node, fields: ChunkCounts) -> Iterator[str]:
    """Compare null pages and null counts with the schema, the pages and the footer."""
    is_required, pages = node.max_definition == 0, fields.page_values
    if not any(index.null_pages) and not any(index.null_counts or ()):
        yield from _total_problems(index, fields)
        return
    sizes = [-1] * len(index) if pages is None else pages
    for page, (is_null, size) in enumerate(zip(index.null_pages, sizes, strict=True)):
        nulls = None if index.null_counts is None else index.null_counts[page]
        if is_required and size and (is_null or nulls):
            yield f"says that page {page} of a required column has nulls"
        if nulls is None or (nulls == size == 0):
            continue
        if nulls < 0 or (nulls > size >= 0):
            yield f"counts {nulls} nulls in page {page}" + (f", which has {size} values" if size >= 0 else "")
        if (is_null and (nulls == 0 or nulls < size)) or (not is_null and nulls == size):
            claim = "a null page" if is_null else "no null page"
            yield f"says that page {page} is {claim} and counts {nulls} nulls in it"
    yield from _total_problems(index, fields)


def _total_problems(index: ColumnIndex, fields: ChunkCounts) -> Iterator[str]:
    """Compare the pages' nulls with those of the chunk; a null count that exceeds the values is ignored."""
    total, values = fields.null_count, fields.num_values
    if total < 0 or (total > values >= 0):
        return
    if index.null_counts is not None:
        if sum(index.null_counts) != total:
            yield f"counts {sum(index.null_counts)} nulls, the chunk's statistics count {total}"
        return
    if fields.page_values is not None:
        least = sum(size for size, is_null in zip(fields.page_values, index.null_pages, strict=True) if is_null)
    else:
        least = sum(index.null_pages)
    if least > total:
        yield f"has null pages of {least} values or more, the chunk's statistics count {total} nulls"
    if total == values > 0 and not all(index.null_pages) and fields.page_values is None:
        yield "has pages with values, the chunk's statistics say that all are null"


def _bound_problems(index: ColumnIndex, node: Node) -> Iterator[str]:
    """Find bounds that are not values of the type, are inverted, or contradict `boundary_order`."""
    pages, low, high = _with_values(index)
    judged_pages = kernels.bound_checks.judge_pairs(node.thrift, node.column_order, low, high)
    for page in _wrong_pages(judged_pages, wire.BOUND_NO_VALUE | wire.BOUND_INVERTED):
        judged, page = judged_pages[page], pages[page]
        if judged & wire.BOUND_NO_VALUE:
            sizes = f"{len(index.min_values[page])} and {len(index.max_values[page])} bytes"
            yield f"has bounds of {sizes} for page {page}, which are no values of the column's type"
        if judged & wire.BOUND_INVERTED:
            yield f"has a minimum above the maximum for page {page}"
    if index.boundary_order not in (ASCENDING, DESCENDING):
        return
    for name, side in (("min_values", low), ("max_values", high)):
        pair = (side[:-1], side[1:]) if index.boundary_order == ASCENDING else (side[1:], side[:-1])
        judged_pairs = kernels.bound_checks.judge_pairs(node.thrift, node.column_order, *pair)
        if _wrong_pages(judged_pairs, wire.BOUND_INVERTED):
            order = "ascending" if index.boundary_order == ASCENDING else "descending"
            yield f"has {name} that are not {order}, as its boundary_order says"


def _with_values(index: ColumnIndex) -> tuple[Sequence[int], list[bytes], list[bytes]]:
    """Return the pages that have values, and their minima and maxima."""
    if not any(index.null_pages):
        return range(len(index)), index.min_values, index.max_values
    pages = [page for page, is_null in enumerate(index.null_pages) if not is_null]
    return pages, [index.min_values[page] for page in pages], [index.max_values[page] for page in pages]


def _wrong_pages(judged: bytes, bits: int) -> list[int]:
    """Return the positions of judgements with one of these bits."""
    if not any(found & bits for found in set(judged)):
        return []
    return [position for position, found in enumerate(judged) if found & bits]


def _problems_beside(index: ColumnIndex, node: Node, fields: ChunkCounts) -> Iterator[str]:
    """Compare the bounds of pages with those of the chunk.

    A page's values are in both ranges, so the ranges overlap. If a bound of the chunk is a value, a page contains it:
    bounds of numbers are values unless the footer denies it; those of byte arrays may be shortened.
    """
    pages, low, high = _with_values(index)
    minima, maxima = [fields.minimum] * len(pages), [fields.maximum] * len(pages)

    def judge(low: Sequence[bytes | None], high: Sequence[bytes | None]) -> bytes:
        return kernels.bound_checks.judge_pairs(node.thrift, node.column_order, low, high)

    apart = [_wrong_pages(judge(*pair), wire.BOUND_INVERTED) for pair in ((low, maxima), (minima, high))]
    for page in sorted({page for some in apart for page in some}):
        yield f"has bounds for page {pages[page]} that lie outside of the chunk's"
    may_be_cut = parse_element(node.thrift).type in _BYTES
    has_minimum, has_maximum = (
        not may_be_cut if is_exact is None else is_exact
        for is_exact in (fields.has_exact_minimum, fields.has_exact_maximum)
    )
    if pages and has_minimum and all(bits & wire.BOUND_INVERTED for bits in set(judge(low, minima))):
        yield "has minima that are all above the chunk's minimum"
    if pages and has_maximum and all(bits & wire.BOUND_INVERTED for bits in set(judge(maxima, high))):
        yield "has maxima that are all below the chunk's maximum"


def _list_items(data: bytes, field: tuple | None, types: tuple[int, ...]) -> tuple[int, int]:
    """Return a list's number of items and the offset of the first; (0, 0) if it is no list of these types.

    The bytes have been walked before.
    """
    if field is None or field[1] != wire.TYPE_LIST:
        return 0, 0
    at = field[3]
    count, first = list_start(data, at)
    return (count, first) if data[at] & 15 in types else (0, 0)


def _flags(data: bytes, field: tuple | None) -> list[bool]:
    count, at = _list_items(data, field, (wire.TYPE_TRUE, wire.TYPE_FALSE))
    return [flag == wire.TYPE_TRUE for flag in data[at : at + count]]


def _numbers(data: bytes, field: tuple | None) -> list[int]:
    count, at = _list_items(data, field, (wire.TYPE_I64,))
    return kernels.varint.decode_many(data, count, at=at, bits=64, zigzag=True)[0].tolist() if count else []


def _binaries(data: bytes, field: tuple | None) -> list[bytes]:
    count, at = _list_items(data, field, (wire.TYPE_BINARY,))
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
    """Return items that are all as long as the first one, as numbers are; None if their lengths differ."""
    length = data[at]
    end = at + count * (length + 1)
    if length >= 0x80 or end > len(data) or data[at : end : length + 1] != bytes([length]) * count:
        return None
    return [data[start : start + length] for start in range(at + 1, end + 1, length + 1)]
