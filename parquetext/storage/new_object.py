"""A new object, and a stream of the caller's: what is written goes on at once, but for its end."""

from __future__ import annotations

import errno
from collections.abc import Callable

from .edit import TailEdit
from .fsspec_file import FsspecFile
from .holding import HeldEnd
from .paths import Target
from .staged import Staged, check_size

__all__ = ["NewObject", "NewStream"]

_END = 1 << 16  # bytes that tell one file from another


class NewStream(HeldEnd):
    """A file object of the caller's, who closes it; what was written when an error came stays there."""

    has_name = False

    def __init__(self, stream):
        super().__init__(stream, str(getattr(stream, "name", type(stream).__name__)), _position(stream))

    def commit(self, edit: TailEdit | None = None) -> None:
        """Write what was held back, with the edit applied."""
        self._holding.release(edit)

    def abort(self) -> None:
        """Write no more."""
        self._holding.drop()


class NewObject(HeldEnd):
    """An object of a `pyarrow.fs` filesystem, uploaded under a hidden name, then copied to its own by the store."""

    def __init__(self, target: Target):
        super().__init__(self, str(target))
        self._target, self._staged = target, Staged(target)
        self._stream = target.filesystem.open_output_stream(self._staged.path, compression=None)
        self._size, self._end = 0, bytearray()

    def write(self, data) -> None:
        """Upload the next bytes; stop at what the store could not copy."""
        data = memoryview(data).cast("B")
        self._size += len(data)
        check_size(self._target, self._size)
        self._stream.write(data)
        self._end += data[-_END:]
        del self._end[:-_END]

    def commit(self, edit: TailEdit | None = None, *, check: Callable[[], None] | None = None) -> None:
        """Upload what was held back, with the edit applied, call `check`, and let the object take its name."""
        try:
            size = self._holding.release(edit)
            self._stream.close()
            self._staged.check(size)
            if check is not None:
                check()
            self._staged.publish_new()
            self._check_end()
        finally:
            self.abort()

    def _check_end(self) -> None:
        """What fsspec's filesystems call a copy may be a rename that fails in silence, and leaves one of like size."""
        file = FsspecFile.of(self._target)
        if file is not None and file.reread(self._size - len(self._end)) != self._end:
            raise OSError(errno.EIO, "its filesystem has not put the new file in its place", str(self._target))

    def abort(self) -> None:
        """Remove what was uploaded; after `commit` or another call it does nothing."""
        self._holding.drop()
        staged, self._staged = self._staged, None
        if staged is None:
            return
        try:
            self._stream.close()
        finally:
            staged.discard()


def _position(stream) -> int:
    """Where the stream stands: pyarrow counts offsets from its beginning. 0 where it does not know."""
    try:
        return stream.tell()
    except (AttributeError, OSError):
        return 0
