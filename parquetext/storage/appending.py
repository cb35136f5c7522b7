"""Writing bytes and ranges of other files to the end of a new file."""

from __future__ import annotations

from .new_file import NewFile
from .source import LocalSource, RemoteSource

STEP = 8 << 20
BUFFER = 1 << 20
LARGE = 1 << 16  # bytes; larger pieces are written at once
AHEAD = 8 << 20  # bytes between two early flushes


class Appender:
    """Writes to a new file's sink; small pieces are collected.

    Attributes
    ----------
    size : int
        Bytes appended so far.
    """

    def __init__(self, sink, source: LocalSource | RemoteSource | None):
        self._sink, self._source = sink, source
        self._buffer = bytearray()
        self._range: tuple[int, int] = 0, 0  # to be copied next: begin and end
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
        """Append a range of the source."""
        self._write_buffer()
        if begin != self._range[1]:
            self._copy_range()
            self._range = begin, begin
        self._range = self._range[0], end
        self.size += end - begin

    def flush(self) -> None:
        """Write everything to the new file."""
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
        assert self._source is not None  # whoever calls `copy` has named one, at first or by `use`
        for at in range(begin, end, STEP):
            self._put(self._source.read(at, min(STEP, end - at)))


class _LocalAppender(Appender):
    """Writes to a local file; the kernel copies ranges of local files."""

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
        """Start flushing to disk early, so that the last flush takes less time."""
        self._at += length
        if self._at - self._begun >= AHEAD:
            self._new.begin_flush(self._begun, self._at - self._begun)
            self._begun = self._at


def appender(new, source: LocalSource | RemoteSource | None = None) -> Appender:
    """Return an appender that writes a new file from its beginning; do not write to its `sink` directly.

    Ranges are copied from `source`, or from the file passed to `Appender.use`.
    """
    return _LocalAppender(new, source) if isinstance(new, NewFile) else Appender(new.sink, source)


class Different(Exception):
    """Raised if the file has other bytes."""


class Comparison(Appender):
    """An appender that writes nothing: it reads the same range of a file, and raises `Different` if bytes differ.

    Parameters
    ----------
    existing : LocalSource or RemoteSource
        The file.
    """

    def __init__(self, existing: LocalSource | RemoteSource):
        super().__init__(None, None)
        self._existing, self._at = existing, 0

    def end(self) -> None:
        """Compare the rest, and raise `Different` if the file is longer."""
        self.flush()
        if self._at != self._existing.size:
            raise Different

    def _put(self, data) -> None:
        data = memoryview(data).cast("B")
        if self._at + len(data) > self._existing.size or self._existing.read(self._at, len(data)) != data:
            raise Different
        self._at += len(data)
