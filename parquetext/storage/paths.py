"""Paths, URLs and open files that users pass, and the targets they lead to."""

from __future__ import annotations

import io
import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import unquote

from .. import systems
from ..errors import Conflict, ParquetextError
from ..masking import without_secrets
from .backend import Backend, Capability, backend_of, backend_of_scheme
from .ranged_file import CallersFile, RangedFile

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.fs

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_PORT = re.compile(r":([^\]:]*)\Z")
_CHAIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)+[A-Za-z][A-Za-z0-9+.-]+://")  # chained filesystems of fsspec
_FSSPEC = "fsspec+"  # pyarrow's prefix of schemes for fsspec
NULL = "__HIVE_DEFAULT_PARTITION__"


class SourceError(ParquetextError, TypeError):
    """An argument is neither a file nor a filesystem. It is a TypeError, as in pyarrow."""


class NotReadable(SourceError, io.UnsupportedOperation):
    """An open file cannot be read, or cannot seek. It is an OSError, as in pyarrow."""


class ChangedFile(Conflict, OSError):
    """The file was changed while it was read. It is an OSError, like pyarrow's error for the resulting bytes."""


@dataclass(frozen=True, slots=True, repr=False)
class Target:
    """A path on this machine, or in a filesystem of `pyarrow.fs`.

    Attributes
    ----------
    path : str
    filesystem : pyarrow.fs.FileSystem or None
        None for a path that the operating system understands.
    """

    path: str
    filesystem: pyarrow.fs.FileSystem | None = None

    is_open: ClassVar[Literal[False]] = False

    @property
    def is_local(self) -> bool:
        """True if `path` can be passed to the operating system."""
        return self.filesystem is None

    @property
    def arrow_filesystem(self) -> pyarrow.fs.FileSystem:
        """The filesystem as pyarrow's functions expect it."""
        import pyarrow.fs

        return pyarrow.fs.LocalFileSystem() if self.filesystem is None else self.filesystem

    @property
    def backend(self) -> Backend:
        """The storage backend of the filesystem."""
        return backend_of(self.filesystem)

    def can(self, capability: Capability) -> bool:
        """Return True if the storage has a capability."""
        return capability in self.backend.capabilities_of(self)

    def at(self, path: str) -> Target:
        """Return another path in the same filesystem."""
        return Target(path, self.filesystem)

    @property
    def key(self) -> str:
        """The target's identity. It contains credentials: do not print or store it."""
        if self.filesystem is None or self.backend.paths_are_urls:
            return self.path
        return f"{self.filesystem.type_name}://{self.path}"

    @property
    def shown(self) -> str:
        """The path without the secrets of a URL, to be printed and stored."""
        return self._without_secrets(self.path)

    def __str__(self) -> str:
        return self._without_secrets(self.key)

    def __repr__(self) -> str:
        return f"Target({str(self)!r})"

    def _without_secrets(self, text: str) -> str:
        is_ours = self.filesystem is not None and self.filesystem.type_name.startswith("py::")
        return without_secrets(text) if is_ours else text


class SchemeError(ParquetextError):
    """The scheme of a URL is unknown, its library is not installed, or the URL is invalid."""


def resolve(path: object, filesystem: object = None) -> Target:
    """Return the target of a path; open nothing. Azure's credentials are requested, unless the URL has a key.

    Parameters
    ----------
    path : str, os.PathLike, (filesystem, str) or Target
        A local path (``~`` is the home directory); a ``file://``, ``s3://``, ``gs://``, ``abfs://``, ``hdfs://``,
        ``http://`` or ``https://`` URL (``s3a://`` too), or one of fsspec's, such as ``memory://``; or a pair of a
        filesystem (of ``pyarrow.fs`` or fsspec, or a URL of one) and a path in it. Local files are opened directly,
        never through a filesystem object.
    filesystem : optional
        The filesystem of the path, unless `path` is a target already.

    Raises
    ------
    SourceError
        If it is none of these.
    SchemeError
        If the scheme is unknown, or the URL is invalid.
    ParquetextError
        If there are no credentials for Azure.
    """
    if isinstance(path, Target):
        return path
    if filesystem is not None:
        return _of_filesystem(filesystem, path)
    if type(path) is str and "://" not in path and path[:1] != "~":
        return Target(path)
    if isinstance(path, tuple) and len(path) == 2:
        return _of_filesystem(*path)
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise SourceError(f"not a path: {path!r}")
    text = os.fsdecode(path)
    text = text.removeprefix(_FSSPEC)
    uri = _URI.match(text)
    if uri is None:
        return backend_of_scheme("").resolve(text) if _CHAIN.match(text) else Target(os.path.expanduser(text))
    scheme = uri[1].lower()
    if scheme != "file":
        _check_authority(text[uri.end() :], text)
    return backend_of_scheme(scheme).resolve(scheme + text[len(scheme) :])


def _check_authority(rest: str, text: str) -> None:
    """Refuse URLs that no library accepts, because the libraries' messages would show a part of the password."""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" not in authority and "@" in rest and (port := _PORT.search(authority)) and not port[1].isdigit():
        raise SchemeError(f"{text}: no host: percent-encode the user name and the password")


def _is_fsspec(filesystem: object) -> bool:
    fsspec = sys.modules.get("fsspec")  # imported already if the object is from it
    return fsspec is not None and isinstance(filesystem, fsspec.AbstractFileSystem)


def is_local_filesystem(filesystem: pyarrow.fs.FileSystem) -> bool:
    """Return True if the paths of a filesystem are those of the operating system."""
    import pyarrow.fs

    return isinstance(filesystem, pyarrow.fs.LocalFileSystem)


def is_path_or_filesystem(source: object) -> bool:
    """Return True for a path, a target, or a filesystem, the first element of a pair with a path."""
    import pyarrow.fs

    return isinstance(source, (str, os.PathLike, Target, pyarrow.fs.FileSystem)) or _is_fsspec(source)


def _filesystem_of_uri(uri: str) -> pyarrow.fs.FileSystem:
    """Return the directory at a URL as a filesystem."""
    import pyarrow.fs

    if not _URI.match(uri):
        raise SourceError(f"not the URI of a filesystem: {uri!r}")
    target = resolve(uri)
    if target.is_local:
        return pyarrow.fs.SubTreeFileSystem(target.path, pyarrow.fs.LocalFileSystem())
    return pyarrow.fs.SubTreeFileSystem(target.path, target.filesystem) if target.path else target.filesystem


def _base(filesystem: pyarrow.fs.FileSystem) -> pyarrow.fs.FileSystem:
    """Return the filesystem that contains the directory of a SubTreeFileSystem."""
    while hasattr(filesystem, "base_fs"):
        filesystem = filesystem.base_fs
    return filesystem


def _of_filesystem(filesystem: Any, path: object) -> Target:
    import pyarrow.fs

    if isinstance(filesystem, str):
        filesystem = _filesystem_of_uri(filesystem)
    if _is_fsspec(filesystem):
        from .backends.fsspec import fsspec_filesystem

        names = filesystem.protocol  # one or several
        is_local = "file" in ((names,) if isinstance(names, str) else names)
        filesystem = pyarrow.fs.LocalFileSystem() if is_local else fsspec_filesystem(filesystem)
    if type(getattr(filesystem, "handler", None)) is pyarrow.fs.FSSpecHandler:
        from .backends.fsspec import fsspec_filesystem

        filesystem = fsspec_filesystem(filesystem.handler.fs)
    if not isinstance(filesystem, pyarrow.fs.FileSystem):
        raise SourceError(f"not a filesystem of pyarrow.fs or fsspec: {filesystem!r}")
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise SourceError(f"the specified path is file-like, or none, and has no use for a filesystem: {path!r}")
    if isinstance(path, os.PathLike) and not is_local_filesystem(_base(filesystem)):
        raise SourceError(f"{path!r}: a path object is one of a local filesystem; give a string")
    path = os.fsdecode(path)
    if isinstance(filesystem, pyarrow.fs.SubTreeFileSystem):
        return _of_filesystem(filesystem.base_fs, filesystem.base_path.rstrip("/") + "/" + path.lstrip("/"))
    if is_local_filesystem(filesystem):
        return Target(path)
    return target_in(filesystem, path)


def target_in(filesystem: pyarrow.fs.FileSystem, path: str) -> Target:
    """Return the target of a path in a filesystem of pyarrow; request credentials if its backend needs them early."""
    return backend_of(filesystem).prepare(Target(path, filesystem))


@dataclass(frozen=True, slots=True, eq=False)
class OpenTarget:
    """Bytes in memory, or a file that the caller has opened, as a file of pyarrow."""

    file: pa.NativeFile | RangedFile
    name: str

    is_local: ClassVar[Literal[False]] = False
    is_open: ClassVar[Literal[True]] = True

    def for_arrow(self) -> pa.NativeFile:
        """Return the file as pyarrow's readers expect it."""
        return self.file.for_arrow() if isinstance(self.file, RangedFile) else self.file

    def __str__(self) -> str:
        return self.name


def readable(source: object, filesystem: object = None) -> Target | OpenTarget:
    """Return the target of any source that can be read; open nothing.

    Parameters
    ----------
    source : path, bytes-like, file object, pyarrow.Buffer or pyarrow.NativeFile
        A path as in `resolve`; the bytes of a whole file, such as `bytes`, a `memoryview`, an `mmap` or a
        `pyarrow.Buffer`; an `io.BytesIO`, a file object that can seek, a `pyarrow.NativeFile`, or a memory map of
        pyarrow; or the result of `fsspec.open`. A file object is read from its beginning, independent of its position,
        and stays open.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        The filesystem, if `source` is a path in it.

    Raises
    ------
    SourceError
        If it is none of these, or is open as text.
    NotReadable
        If it is open for writing only, or cannot seek.
    ValueError
        If the file object is closed, or if a filesystem is given without a path.
    """
    if isinstance(source, (Target, OpenTarget)):
        return source
    if isinstance(source, (str, os.PathLike, tuple)):
        return resolve(source, filesystem)
    if filesystem is not None:
        raise ValueError(f"filesystem: there is nothing to open with it, {_kind(source)} is no path")
    return _of_fsspec(source) or _opened(source)


def filesystem_of(source: object, filesystem: object) -> object:
    """Return the filesystem of a path; None for bytes and open files, for which pyarrow ignores it, too."""
    return filesystem if isinstance(source, (str, os.PathLike, tuple, list)) else None


def _kind(source: Any) -> str:
    return f"<{type(source).__name__}>"


def _of_fsspec(source: Any) -> Target | None:
    """Return the target of an fsspec OpenFile; None for other objects."""
    fsspec = sys.modules.get("fsspec.core")  # imported already if the object is from it
    if fsspec is None or not isinstance(source, fsspec.OpenFile):
        return None
    if source.compression is not None:
        raise SourceError(f"compressed by {source.compression}, and so without ranges: read it and give the bytes")
    return resolve((source.fs, source.path))


def _opened(source: Any) -> OpenTarget:
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


def _is_buffer(source: Any) -> bool:
    """Return True if an object offers its bytes without reading, like an `mmap`."""
    try:
        memoryview(source).release()
    except TypeError:
        return False
    return True


def _checked(file, name: str):
    """Return the file if it can be read and can seek."""
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
    """Return a file that can be read at any position: files of the operating system through their descriptor."""
    import pyarrow as pa

    if type(source.raw if type(source) is io.BufferedReader else source) is io.FileIO:
        try:
            return pa.OSFile(systems.path_of(source.fileno()))
        except OSError:  # no /proc, or no permission to open it again
            return CallersFile(source)
    return CallersFile(source)


@lru_cache(maxsize=1 << 10)
def directory_keys(folder: str) -> dict[str, str | None]:
    """Return the values in a path's directory names ``key=value``, as Hive and Spark write them; None for null."""
    pairs = (part.split("=", 1) for part in folder.split("/") if "=" in part)
    return {unquote(key): None if value == NULL else unquote(value) for key, value in pairs}
