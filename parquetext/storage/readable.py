"""What a caller may give to be read: what `resolve` takes, bytes in memory, and files that are open."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .. import systems
from .callers_file import CallersFile
from .paths import NotReadable, SourceError, Target, resolve
from .ranged_file import RangedFile
from .source import Source, Version

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["OpenSource", "OpenTarget", "filesystem_of", "readable"]


@dataclass(frozen=True, slots=True, eq=False)
class OpenTarget:
    """Bytes in memory, or a file that the caller has opened, as a file of pyarrow's."""

    file: pa.NativeFile | RangedFile
    name: str

    is_local: ClassVar[bool] = False
    is_open: ClassVar[bool] = True

    def for_arrow(self) -> pa.NativeFile:
        """The file as pyarrow's readers take it."""
        return self.file.for_arrow() if isinstance(self.file, RangedFile) else self.file

    def __str__(self) -> str:
        return self.name


class OpenSource(Source):
    """The bytes of a `OpenTarget`. To close it does not close what the caller has opened."""

    __slots__ = ("_target", "file")

    can_reopen = False

    def __init__(self, target: OpenTarget):
        self.file, self._target = target.file, target
        super().__init__(target.name, Version((id(target.file),), target.file.size(), None))

    def _read(self, offset: int, length: int) -> bytes:
        return self.file.read_at(length, offset)

    def for_arrow(self) -> pa.NativeFile:
        """The same file as pyarrow's readers take it."""
        return self._target.for_arrow()

    def close(self) -> None:
        """Nothing: the file is the caller's."""


def readable(source: object, filesystem: object = None) -> Target | OpenTarget:
    """Where a source leads; no file is opened.

    Parameters
    ----------
    source : path, bytes-like, file object, pyarrow.Buffer or pyarrow.NativeFile
        What `resolve` takes; the bytes of a whole file, such as `bytes`, a `memoryview`, an `mmap` or a
        `pyarrow.Buffer`; an `io.BytesIO`, a file object that can seek, a `pyarrow.NativeFile`, a memory map of
        pyarrow's; or what `fsspec.open` gives. A file object is read from its beginning, wherever it stands, and stays
        open.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        Where `source` is a path of it.

    Raises
    ------
    SourceError
        It is none of these, or is open as text.
    NotReadable
        It is open for writing alone, or cannot seek.
    ValueError
        The file object is closed, or a filesystem comes with something that is no path.
    """
    if isinstance(source, (Target, OpenTarget)):
        return source
    if isinstance(source, (str, os.PathLike, tuple)):
        return resolve(source, filesystem)
    if filesystem is not None:
        raise ValueError(f"filesystem: there is nothing to open with it, {_kind(source)} is no path")
    return _of_fsspec(source) or _held(source)


def filesystem_of(source: object, filesystem: object) -> object:
    """The filesystem that paths are in; None beside bytes and open files, where pyarrow's tables pass over it, too."""
    return filesystem if isinstance(source, (str, os.PathLike, tuple, list)) else None


def _kind(source: object) -> str:
    return f"<{type(source).__name__}>"


def _of_fsspec(source: object) -> Target | None:
    """Where an fsspec OpenFile leads; None for anything else."""
    fsspec = sys.modules.get("fsspec.core")  # whoever has one has imported it
    if fsspec is None or not isinstance(source, fsspec.OpenFile):
        return None
    if source.compression is not None:
        raise SourceError(f"compressed by {source.compression}, and so without ranges: read it and give the bytes")
    return resolve((source.fs, source.path))


def _held(source: object) -> OpenTarget:
    import pyarrow as pa

    if isinstance(source, pa.NativeFile):
        return OpenTarget(_checked(source, _kind(source)), _kind(source))
    if type(source) is io.BytesIO:
        return OpenTarget(pa.BufferReader(source.getvalue()), _kind(source))
    if isinstance(source, pa.Buffer):
        return OpenTarget(pa.BufferReader(source), _kind(source))
    if hasattr(source, "read") and hasattr(source, "seek") and not _is_buffer(source):
        name = getattr(source, "name", None)
        name = name if isinstance(name, str) else _kind(source)
        return OpenTarget(_file_of(_checked(source, name)), name)
    try:
        return OpenTarget(pa.BufferReader(pa.py_buffer(source)), _kind(source))
    except TypeError:
        raise SourceError(f"neither a path, nor bytes, nor a file object that can seek: {_kind(source)}") from None


def _is_buffer(source: object) -> bool:
    """Whether it gives its bytes without being read, as an `mmap` does."""
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def _checked(file, name: str):
    """The file, if it can be read at any place."""
    if getattr(file, "closed", False):
        raise ValueError(f"{name}: the file is closed")
    if isinstance(file, io.TextIOBase):
        raise SourceError(f"{name}: open as text; open it with mode 'rb'")
    if hasattr(file, "readable") and not file.readable():
        raise NotReadable(f"{name}: not open for reading")
    if hasattr(file, "seekable") and not file.seekable():
        raise NotReadable(f"{name}: cannot seek, and Parquet is read from its end: read it whole and give the bytes")
    return file


def _file_of(source) -> pa.NativeFile | RangedFile:
    """A file object to be read at any place; one of this machine's own by a descriptor."""
    import pyarrow as pa

    if type(source.raw if type(source) is io.BufferedReader else source) is io.FileIO:
        try:
            return pa.OSFile(systems.path_of(source.fileno()))
        except OSError:  # no /proc, or a file that may not be opened again
            return CallersFile(source)
    return CallersFile(source)
