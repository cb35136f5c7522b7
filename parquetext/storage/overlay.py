"""A source whose tail is other bytes than the file's: what a reader uses under a journal."""

from __future__ import annotations

from .source import Source, Version

__all__ = ["Overlay"]


class Overlay(Source):
    """The first `keep` bytes of `source`, then `tail`."""

    __slots__ = ("_source", "_tail", "keep")

    def __init__(self, source: Source, keep: int, tail: bytes):
        self._source, self.keep, self._tail = source, keep, memoryview(tail)
        old = source.version
        super().__init__(source.name, Version(old.identity, keep + len(tail), old.modified, old.changed))

    def _read(self, offset: int, length: int) -> bytes:
        kept = max(0, min(length, self.keep - offset))
        head = self._source.read(offset, kept) if kept else b""
        start = max(0, offset - self.keep)
        return head + bytes(self._tail[start : start + length - kept])

    @property
    def is_local(self) -> bool:
        return self._source.is_local

    def close(self) -> None:
        self._source.close()
