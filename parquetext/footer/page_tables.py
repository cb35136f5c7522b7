"""The tables of pages of column chunks, each made once: from an offset index, or from the headers of the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import kernels
from ..errors import Malformed
from ..storage import has_descriptor
from .page_index import ELSEWHERE, OFFSET_INDEX, index_or_none


class PageTables:
    """The page tables of an open file.

    Parameters
    ----------
    source
        The file's bytes: `size` and `read(offset, length)`.
    """

    __slots__ = ("_tables", "source")

    def __init__(self, source: Any):
        self.source = source
        self._tables: dict[int, Any] = {}  # by the offset of the chunk

    def of_leaf(self, chunks: Any, numbers: Sequence[int], row_counts: Sequence[int], *, is_flat: bool) -> list:
        """Return the tables of a leaf's chunks in these row groups.

        Parameters
        ----------
        chunks
            All chunks of the leaf, in a form or a scan.
        row_counts : sequence of int
            The numbers of rows of all row groups.
        is_flat : bool
            True if the leaf is in no list, so that page headers state rows.

        Returns
        -------
        list of kernels.page_table.PageTable or None
            None for a chunk whose pages are unknown: it has no valid offset index, and is remote, damaged or in a list.
        """
        begins = chunks.begins()
        found = []
        for number in numbers:
            begin = begins[number]
            if begin not in self._tables:
                self._tables[begin] = self._made(chunks, number, row_counts[number], is_flat)
            found.append(self._tables[begin])
        return found

    def _made(self, chunks: Any, number: int, rows: int, is_flat: bool) -> Any:
        source = self.source
        is_local = has_descriptor(source)
        if is_local:
            table = kernels.page_table.load(source.fd, source.size, chunks, number, rows)
            if table is not None or not is_flat:
                return table
        begin = chunks.begins()[number]
        end = begin + chunks.array("total_compressed_size")[number]
        if not 0 < begin < end <= source.size or rows <= 0 or chunks.array("present")[number] & ELSEWHERE:
            return None
        if is_local:
            return _walked(source, begin, end, rows)
        index = index_or_none(source, chunks, number, OFFSET_INDEX)
        return None if index is None else _parsed(index.data, begin, end, rows)


def _parsed(index: bytes, begin: int, end: int, rows: int) -> Any:
    """Return the table of an offset index, or None if the index is invalid."""
    try:
        return kernels.page_table.parse(index, begin, end, rows)
    except Malformed:
        return None


def _walked(source: Any, begin: int, end: int, rows: int) -> Any:
    """Return the table of the pages of a chunk by their headers, or None if the headers are invalid."""
    try:
        return kernels.page_table.walk(source.fd, source.size, begin, end, rows)
    except Malformed:
        return None
