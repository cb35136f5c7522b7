"""Fetch ranges of a remote file together before they are decoded, with one request for nearby ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter

from ...encoding.pages import OVERRUN
from ...storage import can_read_many
from ...storage.batched_reads import merged

_BEGIN = itemgetter(0)


class Fetched:
    """A source that answers reads from the fetched ranges, and passes other reads to the source behind it."""

    def __init__(self, source, ranges: list[tuple[int, int]]):
        self._source, self.size = source, source.size
        data = source.read_many([(begin, end - begin) for begin, end in ranges])
        self._pieces = [(begin, end, memoryview(piece)) for (begin, end), piece in zip(ranges, data, strict=True)]

    def read(self, offset: int, length: int) -> bytes | memoryview:
        position = bisect_right(self._pieces, offset, key=_BEGIN)
        if position:
            begin, end, data = self._pieces[position - 1]
            if offset + length <= end:
                return data[offset - begin : offset - begin + length]
        return self._source.read(offset, length)


def fetched(source, ranges: Iterable[tuple[int, int]]):
    """Return the source itself if it is local; otherwise fetch the ranges (begin, end) and bytes a page may overrun."""
    if not can_read_many(source):
        return source
    return Fetched(source, merged([(begin, min(end + OVERRUN, source.size)) for begin, end in ranges]))
