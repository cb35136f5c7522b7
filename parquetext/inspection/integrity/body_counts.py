"""Counts that only a decompressed page has: rows of lists in V1 pages, and the number of values of deltas."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels, wire
from ...encoding.page_counts import DELTAS, delta_totals
from ...encoding.pages import DATA_PAGES, Headers, Page
from ...errors import ParquetextError
from ...findings import Finding
from ..structure import StoredChunk, check_rows

__all__ = ["BodyCounts"]


class BodyCounts:
    """Compares the counts in the pages of one column chunk with the footer and with the headers.

    Pages that cannot be decoded are left out: decoding reports them.
    """

    def __init__(self, chunk: StoredChunk, headers: Headers):
        self._chunk = chunk
        types = list(headers.array("type"))
        has_levels_inside = wire.PAGE_DATA_PAGE in types and chunk.codec != wire.CODEC_UNCOMPRESSED
        self._counts_rows = chunk.max_repetition > 0 and has_levels_inside and headers.problem is None
        self._left = sum(type in DATA_PAGES for type in types)
        self._rows = 0
        self._wrong: list[tuple[int, str]] = []

    def needs(self, type: int, encoding: int) -> bool:
        """Return True if the body of a page is needed."""
        return type in DATA_PAGES and (self._counts_rows or encoding in DELTAS)

    def add(self, page: Page) -> None:
        """Take the next page that is needed."""
        header, chunk = page.header, self._chunk
        body = page.levels if header.type == wire.PAGE_DATA_PAGE_V2 else page.values
        try:
            levels = chunk.max_definition, chunk.max_repetition
            rows, count = kernels.page.count_levels(header, body, *levels)
            self._rows, self._left = self._rows + rows, self._left - 1
            if header.encoding in DELTAS:
                at = 0 if header.type == wire.PAGE_DATA_PAGE_V2 else kernels.page.level_parts(header, body, *levels)[2]
                totals = delta_totals(header.encoding, page.values, count, at)
                wrong = next((total for total in totals if total != count), None)
                if wrong is not None:
                    self._wrong.append((header.offset, f"its deltas are of {wrong} values, the page has {count}"))
        except ParquetextError:
            return

    def finish(self) -> Iterator[Finding]:
        """Yield at most one finding about rows and one about deltas."""
        if self._counts_rows and not self._left and (found := check_rows(self._chunk, self._rows)):
            yield found
        if self._wrong:
            offset, message = self._wrong[0]
            others = f"; {len(self._wrong) - 1} more pages are wrong" if len(self._wrong) > 1 else ""
            yield Finding("page-deltas", message + others, offset, self._chunk.place)
