"""The bytes of a modular footer in a file, read in parts."""

from __future__ import annotations

from typing import Any

from ... import kernels


class Payload:
    """The payload of a modular footer; offsets count from its first byte.

    Parameters
    ----------
    handle : Source, or (int, int)
        A source, or the file descriptor and the size of a local file.
    offset, length : int
        The payload's position in the file.
    known, known_end : bytes, int
        Bytes of the file that end at an offset.

    Attributes
    ----------
    offset, length : int
    io : (int, int)
        Reads, and bytes read.
    """

    def __init__(self, handle, offset: int, length: int, known: bytes | memoryview, known_end: int):
        self._handle, self.offset, self.length = handle, offset, length
        self._held, self._begin = memoryview(known), known_end - len(known) - offset
        self.io = 0, 0

    def read(self, begin: int, length: int) -> memoryview:
        """Return a range, which the caller has checked."""
        at = begin - self._begin
        if at >= 0 and at + length <= len(self._held):
            return self._held[at : at + length]
        self.io = self.io[0] + 1, self.io[1] + length
        handle: Any = self._handle
        if isinstance(handle, tuple):
            return memoryview(kernels.local.read_pages(handle[0], self.offset + begin, length))
        return memoryview(handle.read(self.offset + begin, length))

    def hold(self) -> memoryview:
        """Read all of the payload, which is kept from now on."""
        self._held, self._begin = self.read(0, self.length), 0
        return self._held
