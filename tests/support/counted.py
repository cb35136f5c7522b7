"""A source that records the ranges read."""

from __future__ import annotations

__all__ = ["Counted"]


class Counted:
    """Any source; `ranges` are the reads (offset, length), in order."""

    def __init__(self, source):
        self._source, self.ranges = source, []

    @property
    def bytes(self) -> int:
        return sum(length for _, length in self.ranges)

    def read(self, offset: int, length: int) -> bytes:
        self.ranges.append((offset, length))
        return self._source.read(offset, length)

    def __getattr__(self, name):
        return getattr(self._source, name)
