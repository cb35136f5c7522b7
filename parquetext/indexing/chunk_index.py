"""Make the page index and the Bloom filter of a column chunk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from typing import Any

import pyarrow as pa

from .. import wire
from ..encoding.chunk_reader import Chunk, chunk_of
from ..errors import Malformed, ParquetextError, Unsupported
from ..footer.column_index import StoredIndex, find_contradiction, parse_column_index
from ..footer.page_index import ELSEWHERE, counts_of, has_page_order, parse_places
from ..footer.thrift_form import ThriftForm
from ..records import frozen
from ..rewrite.recode import leaves_of
from ..storage import has_descriptor
from .bloom_filter import FilterBuilder
from .index_bytes import column_index, offset_index
from .page_counts import ChunkPages, DataPage, begins_within_row, pages_by_headers, pages_by_values, walk
from .value_order import ValueOrder, order_of


@frozen
class Wanted:
    """A chunk that lacks an index, a Bloom filter, or both."""

    row_group: int
    leaf: int
    index: bool
    bloom: bool


@frozen
class ChunkIndex:
    """The bytes to add for a chunk; None if there are none.

    Attributes
    ----------
    reason : str
        The reason if the chunk gets no page index, otherwise an empty string.
    is_decoded : bool
        True if the values were decoded.
    """

    wanted: Wanted
    offset_index: bytes | None = None
    column_index: bytes | None = None
    bloom: bytes | None = None
    reason: str = ""
    is_decoded: bool = False

    @property
    def is_empty(self) -> bool:
        return self.offset_index is None and self.bloom is None


class Indexer:
    """Makes the indexes of a file's chunks; its methods may be called in threads.

    Parameters
    ----------
    source
        The file: `size` and `read(offset, length)`.
    form : ThriftForm
    blooms : collection of int
        Leaves that get Bloom filters.
    """

    def __init__(self, source, form: ThriftForm, blooms: Collection[int]):
        self._source, self._form, self._blooms = source, form, blooms
        self._leaves = leaves_of(form.scan)
        # Reading the headers of local pages is work for Python, which several threads at once only slow down.
        self._header_turn: AbstractContextManager[Any] = Lock() if has_descriptor(source) else nullcontext()
        names = ("type", "type_length", "column_order", "sort_order")
        fields = list(zip(*map(form.scan.elements, names), strict=True))
        self._nodes = [form.node(leaf) for leaf in range(form.leaf_count)]
        self._orders = [
            order_of(*fields[element]) if node.column_order == wire.ORDER_TYPE_ORDER and has_page_order(node) else None
            for element, node in zip(form.scan.leaves, self._nodes, strict=True)
        ]
        for leaf in blooms:
            if self._leaves[leaf].kind.physical == wire.PHYSICAL_BOOLEAN:
                raise Unsupported(f"column {self._leaves[leaf].path}: booleans have no Bloom filters")

    def wanted(self) -> list[Wanted]:
        """Return the chunks that lack something, row group by row group."""
        row_counts = self._form.row_groups("num_rows")
        by_leaf = [list(self._wanted_of(leaf, row_counts)) for leaf in range(self._form.leaf_count)]
        return [one for row_group in zip(*by_leaf, strict=True) for one in row_group if one is not None]

    def _wanted_of(self, leaf: int, row_counts: Sequence[int]) -> Iterator[Wanted | None]:
        chunks = self._form.column(leaf)
        names = "num_values", "present", "offset_index_offset", "bloom_filter_offset"
        for row_group, (count, present, index, bloom) in enumerate(zip(*map(chunks.array, names), strict=True)):
            if present & ELSEWHERE or not count or not row_counts[row_group]:
                yield None
                continue
            one = Wanted(row_group, leaf, index <= 0, leaf in self._blooms and bloom <= 0)
            yield one if one.index or one.bloom else None

    def make(self, wanted: Wanted) -> ChunkIndex:
        """Make what a chunk lacks.

        Raises
        ------
        Malformed, Damaged
            If the pages cannot be read, or contradict each other or the footer; the message names the chunk.
        """
        try:
            return self._make(wanted)
        except ParquetextError as error:
            place = f"row group {wanted.row_group}, column {self._leaves[wanted.leaf].path}"
            if not error.message.startswith(place):
                error.message = f"{place}: {error.message}"
            raise

    def _make(self, wanted: Wanted) -> ChunkIndex:
        row_group, leaf, source = wanted.row_group, self._leaves[wanted.leaf], self._source
        chunk = chunk_of(self._form, leaf, row_group, row_group, source.size)
        chunks = self._form.column(wanted.leaf)
        order = self._orders[wanted.leaf] if wanted.index else None
        builder = FilterBuilder() if wanted.bloom else None
        with self._header_turn:
            pages = walk(source, chunk, chunks.array("num_values")[row_group])
            found = None if builder else pages_by_headers(source, chunk, pages, order)
        made = None if found is None else self._indexed(wanted, chunks, found, order)
        if made is not None:
            return made
        try:
            found = self._decoded(chunk, pages, order, builder)
        except Unsupported as error:
            if builder is not None:
                raise
            return self._unbounded(wanted, chunk, chunks, pages, error)
        bloom = None if builder is None else builder.to_bytes()
        if not wanted.index:
            return ChunkIndex(wanted, bloom=bloom, is_decoded=True)
        return self._indexed(wanted, chunks, found, order, bloom=bloom, is_decoded=True)

    def _decoded(self, chunk: Chunk, pages: ChunkPages, order: ValueOrder | None, builder: FilterBuilder | None):
        see: Callable[[pa.Array], None] = (lambda values: None) if builder is None else builder.see
        return pages_by_values(self._source, chunk, pages, order, see)

    def _unbounded(self, wanted: Wanted, chunk: Chunk, chunks, pages: ChunkPages, error: Unsupported) -> ChunkIndex:
        """Return the offset index alone of a chunk whose values cannot be decoded."""
        found = pages_by_headers(self._source, chunk, pages, None)
        if found is None:
            return ChunkIndex(wanted, reason=f"its rows cannot be counted: {error.message}")
        return self._indexed(wanted, chunks, found, None)

    def _indexed(
        self,
        wanted: Wanted,
        chunks,
        pages: Sequence[DataPage],
        order: ValueOrder | None,
        *,
        bloom: bytes | None = None,
        is_decoded: bool = False,
    ) -> Any:
        """Return the indexes of pages; None if the bounds of headers contradict the footer.

        Raises
        ------
        Malformed
            If the values contradict the footer.
        """
        row_group, source = wanted.row_group, self._source
        end = chunks.begins()[row_group] + chunks.array("total_compressed_size")[row_group]
        if reason := _why_not(pages, end):
            return ChunkIndex(wanted, bloom=bloom, reason=reason, is_decoded=is_decoded)
        places = offset_index(pages)
        parse_places(
            StoredIndex(places, 0), chunks, row_group, self._form.row_groups("num_rows")[row_group], source.size
        )
        bounds: Any = None
        if order is not None:
            counts = counts_of(chunks, row_group, [page.entries for page in pages])
            bounds = self._bounds(pages, order, self._nodes[wanted.leaf], counts)
            if isinstance(bounds, str):
                if not is_decoded:
                    return None
                raise Malformed(f"the values of its pages contradict the statistics: an index {bounds}")
        return ChunkIndex(wanted, places, bounds, bloom, is_decoded=is_decoded)

    def _bounds(self, pages: Sequence[DataPage], order: ValueOrder, node, counts) -> bytes | str | None:
        """Return the column index, or in words why it contradicts the footer; None without bounds."""
        nulls = sum(page.nulls or 0 for page in pages)
        # Some writers count no nulls for empty lists: then the index has no counts.
        has_null_counts = not node.max_repetition or counts.null_count in (-1, nulls)
        made = column_index(pages, order, has_null_counts=has_null_counts)
        if made is None:
            return None
        return find_contradiction(parse_column_index(StoredIndex(made, 0)), node, counts) or made


def _why_not(pages: Sequence[DataPage], chunk_end: int) -> str:
    """Return why these pages get no index; an empty string if they get one."""
    if (number := next(begins_within_row(pages), None)) is not None:
        return f"page {number} begins within a row"
    if any(not page.rows for page in pages):
        return "a page has no rows"
    ends = [page.offset + page.size for page in pages]
    if [*(page.offset for page in pages[1:]), chunk_end] != ends:
        return "other bytes are between its data pages, or after them"
    return ""
