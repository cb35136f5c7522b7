"""Writing bytes and ranges of other files to the end of a new file."""

from __future__ import annotations

from .new_file import NewFile
from .source import LocalSource, RemoteSource

__all__ = ["Appender", "Comparison", "Different", "appender"]

STEP = 8 << 20
BUFFER = 1 << 20
LARGE = 1 << 16  # bytes that go on alone
AHEAD = 8 << 20  # bytes from which on the disk begins to write them


class Appender:
    """Goes by the new file's sink; small pieces go on together.

    Attributes
    ----------
    size : int
        Bytes that it was given.
    """

    def __init__(self, sink, source: LocalSource | RemoteSource | None):
        self._sink, self._source = sink, source
        self._buffer = bytearray()
        self._range: tuple[int, int] = 0, 0  # that was to be copied last: begin and end
        self.size = 0

    def write(self, data) -> None:
        size = memoryview(data).nbytes
        self._copy_range()
        if len(self._buffer) + size > BUFFER or size >= LARGE:
            self._write_buffer()
        if size >= LARGE:
            self._put(data)
        else:
            self._buffer += data
        self.size += size

    def use(self, source: LocalSource | RemoteSource) -> None:
        """Copy ranges of this file from now on."""
        self._copy_range()
        self._source = source

    def copy(self, begin: int, end: int) -> None:
        """A range of the source."""
        self._write_buffer()
        if begin != self._range[1]:
            self._copy_range()
            self._range = begin, begin
        self._range = self._range[0], end
        self.size += end - begin

    def flush(self) -> None:
        """Let the new file have all of it."""
        self._copy_range()
        self._write_buffer()

    def _write_buffer(self) -> None:
        if self._buffer:
            data, self._buffer = self._buffer, bytearray()
            self._put(data)

    def _copy_range(self) -> None:
        (begin, end), self._range = self._range, (0, 0)
        if begin < end:
            self._put_range(begin, end)

    def _put(self, data) -> None:
        self._sink.write(data)

    def _put_range(self, begin: int, end: int) -> None:
        for at in range(begin, end, STEP):
            self._put(self._source.read(at, min(STEP, end - at)))


class _LocalAppender(Appender):
    """To a local file; from local files by the kernel."""

    def __init__(self, new: NewFile, source: LocalSource | RemoteSource | None):
        super().__init__(None, source)
        self._new, self._at, self._begun = new, 0, 0

    def _put(self, data) -> None:
        self._new.put(data, self._at)
        self._advance(memoryview(data).nbytes)

    def _put_range(self, begin: int, end: int) -> None:
        if not isinstance(self._source, LocalSource):
            super()._put_range(begin, end)
            return
        self._source.check(begin, end - begin)
        for at in range(begin, end, AHEAD):
            length = min(AHEAD, end - at)
            self._new.copy(self._source, at, length, self._at)
            self._advance(length)

    def _advance(self, length: int) -> None:
        """Let the disk begin with what is there: the last flush has less to wait for."""
        self._at += length
        if self._at - self._begun >= AHEAD:
            self._new.begin_flush(self._begun, self._at - self._begun)
            self._begun = self._at


def appender(new, source: LocalSource | RemoteSource | None = None) -> Appender:
    """What writes a new file from its beginning on; its `sink` is not written to beside it.

    Ranges are copied from `source`, or from what `Appender.use` is given.
    """
    return _LocalAppender(new, source) if isinstance(new, NewFile) else Appender(new.sink, source)


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
