"""Remote files whose reads are collected and fetched together, and kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from operator import itemgetter
from threading import Lock, RLock, get_ident
from typing import TypeVar

from .paths import OpenTarget, Target
from .source import OpenSource, RemoteSource

GAP = 16 << 10  # bytes between two ranges that cost less than another request
LEAST = 4 << 10  # bytes of a request, if there are few: the bytes after a small cell are often needed next
FEW = 8
LONGEST = 8 << 20  # bytes of one request for several ranges
KEPT = 1 << 20  # bytes; longer reads are whole Thrift footers, which are read once
T = TypeVar("T")
_BEGIN = itemgetter(0)


class _Absent(Exception):
    """Raised for a range that the next batch will fetch."""


class BatchedSource(RemoteSource):
    """A remote file, opened for its footer.

    Ranges are kept after the first read. `gather` runs several operations until each needs a range that is missing,
    fetches all these ranges in few requests, and runs the operations again. Many small reads that depend on each other
    thus cost a few round trips.

    Attributes
    ----------
    worth : (int, int)
        Offset and length of the range that `hold` fetches.
    shared : (int, int)
        Offset and length of the range that `want_shared` adds to the next batch.
    """

    __slots__ = ("_along", "_collector", "_gathering", "_missing", "_pieces", "_pieces_lock", "shared", "worth")

    def __init__(self, target: Target):
        super().__init__(target, versioned=False)
        self._pieces: list[tuple[int, int, bytes]] = []  # (begin, end, bytes); begins and ends both ascend
        self._missing: list[tuple[int, int]] = []
        self._collector: int | None = None  # the thread whose reads are collected
        self._gathering, self._pieces_lock = RLock(), Lock()
        self.worth = self.shared = 0, 0
        self._along: list[tuple[int, int]] = []  # fetched with the next batch

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly the bytes [offset, offset + length); see `Source.read`."""
        data = self._kept(offset, length)
        if data is not None:
            return data
        self.check(offset, length)
        if self._collector is not None and self._collector == get_ident():
            self._missing.append((offset, offset + length))
            raise _Absent
        wide = min(max(length, LEAST), self.size - offset)
        data = super().read(offset, wide)
        if wide <= KEPT:
            self._keep(offset, data)
        return data if wide == length else data[:length]

    def gather(self, operations: Sequence[Callable[[], T]]) -> list[T]:
        """Return the results of operations that read from this source. They may run several times.

        The first exception of an operation ends all of them. Other threads may read at the same time.
        """
        results: dict[int, T] = {}
        with self._gathering:
            while len(results) < len(operations):
                self._collector = get_ident()
                try:
                    for number, operation in enumerate(operations):
                        if number not in results:
                            try:
                                results[number] = operation()
                            except _Absent:
                                continue
                finally:
                    self._collector = None
                    missing, self._missing = self._missing, []
                self._fetch(missing)
        return [results[number] for number in range(len(operations))]

    def want_shared(self) -> None:
        """Fetch the range that most operations share, together with the next batch."""
        begin, length = self.shared
        if length and self._kept(begin, length) is None:
            self._along = [(begin, begin + length)]

    def hold(self) -> None:
        """Fetch the range `worth` as a whole."""
        begin, length = self.worth
        if length and self._kept(begin, length) is None:
            pieces = [(at, min(LONGEST, begin + length - at)) for at in range(begin, begin + length, LONGEST)]
            self._keep(begin, b"".join(self.read_many(pieces)))

    def close(self) -> None:
        self._pieces = []
        super().close()

    def _fetch(self, missing: list[tuple[int, int]]) -> None:
        least = LEAST if len(missing) <= FEW else 0
        if not missing:
            return
        along, self._along = self._along, []
        wider = [*along, *((begin, max(end, min(begin + least, self.size))) for begin, end in missing)]
        ranges = [(begin, end - begin) for begin, end in merged(wider)]
        for (begin, _), data in zip(ranges, self.read_many(ranges), strict=True):
            self._keep(begin, data)

    def _kept(self, offset: int, length: int) -> bytes | None:
        """Return a range if one piece contains it: of those that begin early enough, the last one ends last."""
        with self._pieces_lock:
            index = bisect_right(self._pieces, offset, key=_BEGIN)
            if not index:
                return None
            begin, end, data = self._pieces[index - 1]
        return data[offset - begin : offset - begin + length] if offset + length <= end else None

    def _keep(self, begin: int, data: bytes) -> None:
        """Add a piece, unless another contains it, and remove the pieces that it contains."""
        end = begin + len(data)
        with self._pieces_lock:
            pieces = self._pieces
            around = bisect_right(pieces, begin, key=_BEGIN)
            if around and pieces[around - 1][1] >= end:
                return
            first = last = bisect_left(pieces, begin, key=_BEGIN)
            while last < len(pieces) and pieces[last][1] <= end:
                last += 1
            pieces[first:last] = [(begin, end, data)]


def open_batched(target: Target | OpenTarget) -> BatchedSource | OpenSource:
    """Open a file that is not on this machine, or that the caller has opened, for reading its footer."""
    return OpenSource(target) if target.is_open else BatchedSource(target)


def merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges (begin, end) in order, with ranges merged if the gap between them is small."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin - merged[-1][1] <= GAP and end - merged[-1][0] <= LONGEST:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return merged
