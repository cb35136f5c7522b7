"""Bytes put behind those that a new file has: what is written, and ranges of another file."""

from __future__ import annotations

from .create import NewFile, NewObject, NewS3Object, NewStream
from .source import LocalSource, RemoteSource

__all__ = ["Appender", "appender"]

STEP = 8 << 20


class Appender:
    """Goes by the new file's sink.

    Attributes
    ----------
    size : int
        Bytes that it has put there.
    """

    def __init__(self, sink):
        self._sink, self.size = sink, 0

    def write(self, data) -> None:
        self._sink.write(data)
        self.size += memoryview(data).nbytes

    def copy(self, source, begin: int, length: int) -> None:
        """A range of a file, at most 8 MiB of it at a time."""
        for at in range(begin, begin + length, STEP):
            self.write(source.read(at, min(STEP, begin + length - at)))


class _LocalAppender(Appender):
    """From local file to local file, by the kernel."""

    def __init__(self, new: NewFile):
        super().__init__(None)
        self._new = new

    def write(self, data) -> None:
        self._new.put(data, self.size)
        self.size += memoryview(data).nbytes

    def copy(self, source, begin: int, length: int) -> None:
        source.check(begin, length)
        self._new.copy(source, begin, length, self.size)
        self.size += length


def appender(new: NewFile | NewObject | NewS3Object | NewStream, source: LocalSource | RemoteSource) -> Appender:
    """What writes a new file from its beginning on; its `sink` is not written to beside it."""
    is_local = isinstance(new, NewFile) and isinstance(source, LocalSource)
    return _LocalAppender(new) if is_local else Appender(new.sink)
