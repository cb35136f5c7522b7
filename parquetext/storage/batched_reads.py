"""A remote file whose reads are collected and fetched together; what was fetched stays."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from operator import itemgetter
from threading import Lock, RLock, get_ident
from typing import TypeVar

from .paths import OpenTarget, Target
from .source import OpenSource, RemoteSource

__all__ = ["BatchedSource", "merged", "open_batched"]

GAP = 16 << 10  # bytes between two ranges that cost less than another request
LEAST = 4 << 10  # of a request, where there are few: what lies behind a small cell is often wanted next
FEW = 8
LONGEST = 8 << 20  # of one request for several ranges
KEPT = 1 << 20  # longer reads are not kept: whole Thrift footers, which nobody reads twice
T = TypeVar("T")
_BEGIN = itemgetter(0)


class _Absent(Exception):
    """A range that the next batch will fetch."""


class BatchedSource(RemoteSource):
    """A remote file, opened for its footer.

    Ranges that were read once are there. `gather` tries several operations, lets each run until it needs a range that
    is not there, fetches all these ranges in few requests, and tries again: what many small reads one after the
    other would cost is a few rounds, however many operations there are. An operation knows nothing of this.

    Attributes
    ----------
    worth : (int, int)
        Offset and length of what `hold` fetches.
    shared : (int, int)
        Offset and length of what `want_shared` has fetched.
    """

    __slots__ = ("_along", "_collector", "_gathering", "_missing", "_pieces", "_pieces_lock", "shared", "worth")

    def __init__(self, target: Target):
        super().__init__(target, versioned=False)
        self._pieces: list[tuple[int, int, bytes]] = []  # (begin, end, bytes); begins and ends both ascend
        self._missing: list[tuple[int, int]] = []
        self._collector: int | None = None  # the thread whose reads are collected
        self._gathering, self._pieces_lock = RLock(), Lock()
        self.worth = self.shared = 0, 0
        self._along: list[tuple[int, int]] = []  # what is fetched along with the next batch

    def read(self, offset: int, length: int) -> bytes:
        """Exactly the bytes [offset, offset + length); see `Source.read`."""
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
        """The results of operations that read from this source, and may be tried again.

        What one of them raises ends all of them. Other threads may read meanwhile.
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
        """Fetch the range that nearly every operation shares along with what the next ones miss."""
        begin, length = self.shared
        if length and self._kept(begin, length) is None:
            self._along = [(begin, begin + length)]

    def hold(self) -> None:
        """Fetch the whole range that is worth it."""
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
        """A range that lies in one piece: of those that begin early enough the last one reaches furthest."""
        with self._pieces_lock:
            place = bisect_right(self._pieces, offset, key=_BEGIN)
            if not place:
                return None
            begin, end, data = self._pieces[place - 1]
        return data[offset - begin : offset - begin + length] if offset + length <= end else None

    def _keep(self, begin: int, data: bytes) -> None:
        """Add a piece, unless there is one around it; those that lie within it go."""
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
    """The ranges (begin, end) in order, near ones as one."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin - merged[-1][1] <= GAP and end - merged[-1][0] <= LONGEST:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return merged
