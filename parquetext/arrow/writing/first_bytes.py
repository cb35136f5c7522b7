"""Replace the first bytes that pyarrow writes: a form may begin a file with another magic."""

from __future__ import annotations

import pyarrow as pa


def beginning_with(first: bytes, sink: pa.NativeFile) -> pa.NativeFile:
    """Return a stream that passes everything to `sink`, except the first bytes, which it replaces by `first`."""
    return pa.PythonFile(_Replaced(first, sink), "w")


class _Replaced:
    """The file object that `pyarrow.PythonFile` writes to."""

    closed = False

    def __init__(self, first: bytes, sink: pa.NativeFile):
        self._left, self._sink, self.tell = first, sink, sink.tell

    def write(self, data) -> int:
        view = memoryview(data).cast("B")
        replaced, self._left = self._left[: len(view)], self._left[len(view) :]
        if replaced:
            self._sink.write(replaced)
        if len(view) > len(replaced):
            self._sink.write(view[len(replaced) :])
        return len(view)

    def flush(self) -> None:
        """Do nothing: the stream behind it is flushed when it is closed."""
