"""A sink whose end is held back: the last bytes can still be looked at, and others put in their place."""

from __future__ import annotations

from .edit import TailEdit
from .source import Source, Version

__all__ = ["Held", "HeldEnd", "Holding"]


class Holding:
    """Passes bytes on to a stream, and from `hold` on keeps them; a file object for `pyarrow.PythonFile`.

    Parameters
    ----------
    stream : object with `write`
        Stays open.
    start : int
        Where the stream stands.
    """

    closed = False

    def __init__(self, stream, start: int = 0):
        self._stream, self._at = stream, start
        self._held: bytearray | None = None
        self._dropped = False

    def write(self, data) -> int:
        size = memoryview(data).nbytes
        if self._dropped:
            return size  # pyarrow ends the file even when its writer is thrown away
        if self._held is None:
            self._stream.write(data)
            self._at += size
        else:
            self._held += data
        return size

    def tell(self) -> int:
        return self._at + len(self._held or b"")

    def flush(self) -> None:
        """Nothing is buffered here."""

    def hold(self) -> None:
        """Keep what is written from now on."""
        self._held = bytearray()

    def drop(self) -> None:
        """Forget what is held, and whatever is written from now on."""
        self._held, self._dropped = None, True

    def source(self, name: str) -> Held:
        """What was written, of which only the held part can be read."""
        return Held(name, self._at, bytes(self._held or b""))

    def release(self, edit: TailEdit | None) -> int:
        """Pass on what is held, with the edit applied; the number of bytes that were written in all."""
        held, self._held = self._held or bytearray(), None
        if edit is not None:
            del held[edit.keep - self._at :]
            held += edit.tail
        self.write(bytes(held))
        return self._at


class HeldEnd:
    """Something new of which the bytes go on to `stream` as they come, but for its end.

    Parameters
    ----------
    stream : object with `write`
    name : str
        For errors.
    start : int
        Where the stream stands.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        What to write to.
    """

    edits_end_in_place, has_name = False, True

    def __init__(self, stream, name: str, start: int = 0):
        import pyarrow as pa

        self._name, self._holding = name, Holding(stream, start)
        self.sink = pa.PythonFile(self._holding, "w")

    def hold(self) -> None:
        """Hold back what is written from now on: the part that `commit` may edit."""
        self._holding.hold()

    def written(self) -> Held:
        """What was written; only what was held back can be read."""
        return self._holding.source(self._name)


class Held(Source):
    """The end of what was written to a stream: `data`, which begins at `start`."""

    __slots__ = ("_data", "_start")

    def __init__(self, name: str, start: int, data: bytes):
        super().__init__(name, Version((), start + len(data), None))
        self._start, self._data = start, data

    def _read(self, offset: int, length: int) -> bytes:
        at = offset - self._start
        return self._data[at : at + length] if at >= 0 else b""

    def close(self) -> None:
        """Nothing is open."""
