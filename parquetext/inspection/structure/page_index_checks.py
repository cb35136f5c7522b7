"""Checks of a chunk's page index against the schema and the headers of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from ... import kernels, thrift, wire
from ...encoding.pages import DATA_PAGES, Headers
from ...errors import Malformed, ParquetextError
from ...findings import Finding
from ...footer.column_index import ChunkCounts, StoredIndex, find_contradiction, parse_column_index
from ...footer.model import Node
from ...records import frozen
from .chunk import StoredChunk

OFFSET_INDEX, COLUMN_INDEX = "offset-index", "column-index"


@frozen
class PagesOfChunk:
    """The data pages of a chunk by their headers.

    Attributes
    ----------
    offsets, sizes : list of int
        Sizes are bytes with the header.
    value_counts : list of int
        Values and nulls.
    row_counts : list of int or None
        Rows of each page; None if the headers do not tell them.
    """

    offsets: list[int]
    sizes: list[int]
    value_counts: list[int]
    row_counts: list[int] | None

    @classmethod
    def of(cls, headers: Headers, max_repetition: int, *, counts_are_right: bool = True) -> PagesOfChunk:
        """Take the fields of page headers; rows of repeated leaves only if V2 headers agree with the levels."""
        members = ("type", "offset", "header_size", "compressed_size", "num_values", "num_rows")
        pages = [page for page in zip(*map(headers.array, members), strict=True) if page[0] in DATA_PAGES]
        values = [page[4] for page in pages]
        rows = values if not max_repetition else [page[5] for page in pages]
        return cls(
            [page[1] for page in pages],
            [page[2] + page[3] for page in pages],
            values,
            rows if min(rows, default=0) >= 0 and (counts_are_right or not max_repetition) else None,
        )

    @property
    def first_rows(self) -> list[int] | None:
        """The first row of each page in the row group."""
        return None if self.row_counts is None else list(accumulate(self.row_counts[:-1], initial=0))

    def __len__(self) -> int:
        return len(self.offsets)


def check_place(offset: int, length: int, data_end: int) -> None:
    """Raise Malformed if an index is not within the data, or too large for an index."""
    if length > wire.PAGE_INDEX_MOST_BYTES or not 0 < offset <= data_end - length:
        message = f"{length} bytes at {offset} leave the data, which ends at {data_end}"
        raise Malformed(message, offset=offset, expected=data_end, found=offset + length)


def check_offset_index(index: StoredIndex, chunk: StoredChunk, pages: PagesOfChunk) -> Iterator[Finding]:
    """Compare an offset index with the places and rows of the chunk's data pages: the first difference of each kind."""
    try:
        offsets, sizes, first_rows = (part.tolist() for part in kernels.page.locations(index.data))
    except ParquetextError as error:
        yield Finding.of(OFFSET_INDEX, error.at(None, index.offset), chunk.label)
        return
    if len(offsets) != len(pages):
        message = f"{len(offsets)} pages, the chunk has {len(pages)} data pages"
        yield Finding(OFFSET_INDEX, message, index.offset, chunk.label)
        return
    text, found = zip(offsets, sizes, strict=True), zip(pages.offsets, pages.sizes, strict=True)
    for number, (one, other) in enumerate(zip(text, found, strict=True)):
        if one != other:
            message = f"page {number} is said to take {one[1]} bytes at {one[0]}, it takes {other[1]} at {other[0]}"
            yield Finding(OFFSET_INDEX, message, index.offset, chunk.label)
            break
    if message := _wrong_rows(first_rows, chunk, pages):
        yield Finding(OFFSET_INDEX, message, index.offset, chunk.label)


def _wrong_rows(recorded: Sequence[int], chunk: StoredChunk, pages: PagesOfChunk) -> str:
    """Describe the error in an offset index's first rows; return an empty text if they can be right."""
    found = pages.first_rows
    for number, row in enumerate(recorded):
        if found is not None:
            if row != found[number]:
                return f"page {number} is said to begin at row {row}, it begins at row {found[number]}"
            continue
        before = recorded[number - 1] if number else 0
        least = before + (pages.value_counts[number - 1] > 0) if number else 0
        if (row != 0 if number == 0 else row < least) or row > chunk.num_rows:
            rows = f"the page in front of it begins at row {before}" if number else "it is the first one"
            return f"page {number} is said to begin at row {row} of {chunk.num_rows}: {rows}"
    return ""


def check_column_index(
    index: StoredIndex, chunk: StoredChunk, pages: PagesOfChunk, node: Node, fields: ChunkCounts
) -> Iterator[Finding]:
    """Check a column index by the rules that reading has for it, and the lists that reading does not use."""
    try:
        parsed = parse_column_index(index)
        lists = thrift.read("ColumnIndex", index.data)
    except ParquetextError as error:
        yield Finding.of(COLUMN_INDEX, error.at(None, index.offset), chunk.label)
        return
    if chunk.max_repetition:  # writers count the nulls of lists in different ways
        parsed, fields = replace(parsed, null_counts=None), fields._replace(page_values=None, null_count=-1)
    problem = find_contradiction(parsed, node, fields) or next(_wrong_lists(lists, chunk, pages), None)
    if problem is not None:
        yield Finding(COLUMN_INDEX, f"it {problem}", index.offset, chunk.label)


def _wrong_lists(fields: dict, chunk: StoredChunk, pages: PagesOfChunk) -> Iterator[str]:
    """Compare the lengths of lists with the number of pages."""
    lengths = {"null_pages": 1, "null_counts": 1, "nan_counts": 1}
    lengths["repetition_level_histograms"] = chunk.max_repetition + 1
    lengths["definition_level_histograms"] = chunk.max_definition + 1
    for name, entries in lengths.items():
        expected = len(pages) * entries
        if fields.get(name) and len(fields[name]) != expected:
            yield f"has {len(fields[name])} {name}, the chunk's {len(pages)} data pages have {expected}"
