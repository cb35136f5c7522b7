"""A range of a file that is read in parts."""

from __future__ import annotations

from typing import Any

from .. import kernels


class FileRange:
    """A range of a file; some of its bytes may have been read before.

    Parameters
    ----------
    handle : Source, or (int, int)
        A source, or the file descriptor and the size of a local file.
    offset, length : int
        The range's position in the file.
    known, known_end : bytes, int
        Bytes of the file that end at an offset.

    Attributes
    ----------
    offset, length : int
    io : (int, int)
        Reads, and bytes read.
    """

    def __init__(self, handle: Any, offset: int, length: int, known: bytes | memoryview, known_end: int):
        self._handle, self.offset, self.length = handle, offset, length
        self._known, self._begin = memoryview(known), known_end - len(known)
        self.io = 0, 0

    def in_file(self, offset: int, length: int) -> memoryview:
        """Return bytes at an offset of the file, which the caller has checked."""
        at = offset - self._begin
        if at >= 0 and at + length <= len(self._known):
            return self._known[at : at + length]
        self.io = self.io[0] + 1, self.io[1] + length
        if isinstance(self._handle, tuple):
            return memoryview(kernels.local.read_pages(self._handle[0], offset, length))
        return memoryview(self._handle.read(offset, length))
