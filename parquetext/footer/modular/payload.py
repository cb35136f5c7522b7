"""The bytes of a modular footer in a file, read in parts."""

from __future__ import annotations

from ..file_range import FileRange


class Payload(FileRange):
    """The payload of a modular footer; see `FileRange` for the parameters."""

    def read(self, begin: int, length: int) -> memoryview:
        """Return bytes at an offset of the payload, which the caller has checked."""
        return self.in_file(self.offset + begin, length)

    def hold(self) -> memoryview:
        """Read all of the payload, which is kept from now on."""
        self._known, self._begin = self.read(0, self.length), self.offset
        return self._known
