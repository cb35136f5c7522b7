"""Bytes that would be written to a new file, compared with those of one that is there."""

from __future__ import annotations

from .appending import Appender
from .source import LocalSource, RemoteSource

__all__ = ["Comparison", "Different"]


class Different(Exception):
    """The file has other bytes."""


class Comparison(Appender):
    """An appender that writes nothing: it reads the same range of a file, and raises `Different` where bytes differ.

    Parameters
    ----------
    there : LocalSource or RemoteSource
        The file.
    """

    def __init__(self, there: LocalSource | RemoteSource):
        super().__init__(None, None)
        self._there, self._at = there, 0

    def end(self) -> None:
        """Compare what is left; the file has to end there."""
        self.flush()
        if self._at != self._there.size:
            raise Different

    def _put(self, data) -> None:
        data = memoryview(data).cast("B")
        if self._at + len(data) > self._there.size or self._there.read(self._at, len(data)) != data:
            raise Different
        self._at += len(data)
