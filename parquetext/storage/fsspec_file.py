"""Files of fsspec's filesystems, read range by range: fsspec's own files fetch megabytes ahead of small reads."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .paths import RemoteTarget

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FsspecFile"]


class FsspecFile(io.RawIOBase):
    """A file of an fsspec filesystem, with the methods of `pyarrow.NativeFile` that sources use."""

    def __init__(self, filesystem, path: str, size: int):
        self._filesystem, self._path, self._size, self._at = filesystem, path, size, 0

    @classmethod
    def of(cls, target: RemoteTarget) -> FsspecFile | None:
        """The file of a target; None where its filesystem is another one, or does not tell of a file's size."""
        import pyarrow.fs

        handler = getattr(target.filesystem, "handler", None)
        if not isinstance(handler, pyarrow.fs.FSSpecHandler):
            return None
        facts = handler.fs.info(target.path)
        known = facts.get("type") == "file" and facts.get("size") is not None
        return cls(handler.fs, target.path, facts["size"]) if known else None

    def size(self) -> int:
        return self._size

    def metadata(self) -> dict:
        return {}

    def read_at(self, length: int, offset: int) -> bytes:
        return self._filesystem.cat_file(self._path, start=offset, end=offset + length)

    def reread(self, offset: int) -> bytes:
        """What the file's name now leads to, from there on."""
        self._filesystem.invalidate_cache()
        return self._filesystem.cat_file(self._path, start=offset)

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Ranges (offset, length); at the same time where the filesystem is an asynchronous one."""
        begins, ends = [offset for offset, _ in ranges], [offset + length for offset, length in ranges]
        return self._filesystem.cat_ranges([self._path] * len(ranges), begins, ends, on_error="raise")

    def for_arrow(self) -> pa.NativeFile:
        """The same file as pyarrow's readers take it."""
        import pyarrow as pa

        return pa.PythonFile(self, mode="r")

    # ---- what io.RawIOBase is made of

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer) -> int:
        length = max(0, min(len(buffer), self._size - self._at))
        data = self.read_at(length, self._at) if length else b""
        buffer[:len(data)] = data
        self._at += len(data)
        return len(data)
