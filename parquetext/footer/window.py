"""A remote source that can keep one range of its file, so that many small reads in it are one request."""

from __future__ import annotations

__all__ = ["Window"]


class Window:
    """A source over another one; reads within the held range cost nothing.

    Attributes
    ----------
    size : int
    worth : (int, int)
        Offset and length of what `hold` fetches.
    """

    __slots__ = ("_end", "_held", "_source", "_start", "size", "worth")

    def __init__(self, source):
        self._source, self.size, self.worth = source, source.size, (0, 0)
        self._held, self._start, self._end = b"", 0, 0

    @property
    def target(self):
        return self._source.target

    @property
    def requests(self) -> int:
        return self._source.requests

    @property
    def bytes_read(self) -> int:
        return self._source.bytes_read

    def hold(self) -> None:
        """Fetch the range that is worth it, once."""
        if not self._held:
            self._start, length = self.worth
            self._held = self._source.read(self._start, length)
            self._end = self._start + length

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes."""
        if self._start <= offset and length <= self._end - offset:
            return self._held[offset - self._start:offset - self._start + length]
        return self._source.read(offset, length)

    def read_tail(self, length: int) -> tuple[int, bytes]:
        """The last `length` bytes, or all there are, and the offset where they begin."""
        return self._source.read_tail(length)

    def close(self) -> None:
        self._held = b""
        self._start = self._end = 0
        self._source.close()
