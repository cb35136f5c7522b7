"""A local file without a name, for what is written to be read again."""

from __future__ import annotations

import os
import tempfile

from .. import systems
from .edit import TailEdit
from .source import LocalSource

__all__ = ["Scratch"]


class Scratch:
    """As `create` gives it, but under no name, in the folder of `tempfile`: nothing is left when the process ends.

    Parameters
    ----------
    name : str
        For errors.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        What to write to.
    """

    def __init__(self, name: str):
        import pyarrow as pa

        self._name = name
        self._file = tempfile.TemporaryFile(prefix="parquetext-")  # noqa: SIM115 (until `abort`)
        self.sink = pa.OSFile(self._path, "wb")

    @property
    def _path(self) -> str:
        return f"/dev/fd/{self._file.fileno()}"

    def hold(self) -> None:
        """Nothing is held back."""

    def written(self) -> LocalSource:
        """What was written; `sink` is closed."""
        self.sink.close()
        source = LocalSource(self._path)
        source.name = self._name
        return source

    def commit(self, edit: TailEdit | None = None) -> None:
        """Apply the edit: `written` gives the new file then."""
        self.sink.close()
        if edit is not None:
            systems.pwrite(self._file.fileno(), edit.tail, edit.keep)
            os.ftruncate(self._file.fileno(), edit.size)

    def abort(self) -> None:
        """Let go of it; a second call does nothing."""
        self.sink.close()
        self._file.close()
