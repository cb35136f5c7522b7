"""What a path may be, and where it leads."""

from __future__ import annotations

import io
import os
import re
import sys
import urllib.parse
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..errors import Conflict, ParquetextError
from ..masking import without_secrets
from .azure_credentials import with_credentials
from .hdfs import HDFS_SCHEMES, hdfs_filesystem

if TYPE_CHECKING:
    import fsspec
    import pyarrow.fs

__all__ = [
    "ChangedFile",
    "NotReadable",
    "SchemeError",
    "SourceError",
    "Target",
    "fsspec_filesystem",
    "resolve",
]

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_PORT = re.compile(r":([^\]:]*)\Z")
_CHAIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*::)+[A-Za-z][A-Za-z0-9+.-]+://")  # of fsspec's filesystems
_SCHEME_ALIASES = {"s3a": "s3", "s3n": "s3"}  # Hadoop's names
_OF_ARROW = frozenset({"s3", "gs", "gcs", "abfs", "abfss", "mock"})  # whose filesystems pyarrow has
_FSSPEC = "fsspec+"  # pyarrow's prefix for a scheme that fsspec serves
_HTTP = frozenset({"http", "https"})


class SourceError(ParquetextError, TypeError):
    """What is given as a file, or as a filesystem, is none; a TypeError, as it is with pyarrow."""

    __str__ = ParquetextError.__str__


class NotReadable(SourceError, io.UnsupportedOperation):
    """An open file that cannot be read, or not at any place; an OSError, as it is with pyarrow."""

    __str__ = ParquetextError.__str__
    __reduce__ = ParquetextError.__reduce__


class ChangedFile(Conflict, OSError):
    """Somebody changes the file that is read; an OSError, as what pyarrow then finds is with pyarrow."""

    __str__ = ParquetextError.__str__
    __reduce__ = ParquetextError.__reduce__


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

    is_open: ClassVar[bool] = False

    @property
    def is_local(self) -> bool:
        """True if `path` can be passed to the operating system."""
        return self.filesystem is None

    @property
    def arrow_filesystem(self) -> pyarrow.fs.FileSystem:
        """The filesystem as pyarrow's functions expect it."""
        import pyarrow.fs

        return pyarrow.fs.LocalFileSystem() if self.filesystem is None else self.filesystem

    def at(self, path: str) -> Target:
        """Return another path in the same filesystem."""
        return Target(path, self.filesystem)

    @property
    def key(self) -> str:
        """The target's identity. It contains credentials: do not print or store it."""
        if self.filesystem is None or self.filesystem.type_name == "py::http":  # whose paths are URLs
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
    """Nobody knows the scheme of a URI, what it takes is not installed, or the rest of the URI does not fit it."""


def resolve(path: object, filesystem: object = None) -> Target:
    """Where a path leads; nothing is opened. Of Azure's stores credentials are asked for, unless a key is given.

    Parameters
    ----------
    path : str, os.PathLike, (filesystem, str) or Target
        A local path (``~`` is the home directory); a ``file://``, ``s3://``, ``gs://``, ``abfs://``, ``hdfs://``,
        ``http://`` or ``https://`` URI (``s3a://`` too), or one that fsspec knows, such as ``memory://``; or a pair of
        a filesystem (of ``pyarrow.fs`` or fsspec, or a URI of one) and a path in it. Local files never go through a
        filesystem layer.

    Raises
    ------
    SourceError
        It is none of these.
    SchemeError
        Nobody knows its scheme, or the rest does not fit that.
    ParquetextError
        There are no credentials for Azure.
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
        return _of_fsspec_uri(text) if _CHAIN.match(text) else Target(os.path.expanduser(text))
    scheme = uri[1].lower()
    if scheme == "file":
        return Target(_of_file_uri(text))
    _check_authority(scheme, text[uri.end() :], text)
    if scheme in HDFS_SCHEMES:
        name_node, slash, rest = text[uri.end() :].partition("/")
        return Target((slash or "/") + rest, hdfs_filesystem(uri[0] + name_node))
    if scheme in _HTTP:
        from .http_handler import http_filesystem

        return Target(text, http_filesystem())
    uri = _SCHEME_ALIASES.get(scheme, scheme) + text[len(scheme) :]
    return _of_uri(uri) if uri.partition(":")[0] in _OF_ARROW else _of_fsspec_uri(uri)


def _check_authority(scheme: str, rest: str, text: str) -> None:
    """Refuse what no library takes: their errors would show a part of the password."""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, at, _ = authority.rpartition("@")
    if not at and "@" in rest and (port := _PORT.search(authority)) and not port[1].isdigit():
        raise SchemeError(f"{text}: no host: percent-encode the user name and the password")
    if at and ":" in user and scheme in HDFS_SCHEMES:
        raise SchemeError(f"{text}: HDFS takes no password in a URL")


def _of_file_uri(text: str) -> str:
    host, slash, path = text[len("file://") :].partition("/")
    if host not in ("", "localhost") or not slash:
        raise SchemeError(f"{text}: not a local file: file:///absolute/path expected")
    return "/" + urllib.parse.unquote(path)


def _of_uri(uri: str) -> Target:
    import pyarrow as pa
    import pyarrow.fs

    try:
        filesystem, path = pyarrow.fs.FileSystem.from_uri(uri)
    except pa.ArrowInvalid as error:
        raise SchemeError(without_secrets(f"{uri}: {error}")) from None
    return Target(path, with_credentials(filesystem, path))


def _of_fsspec_uri(uri: str) -> Target:
    try:
        from fsspec.core import url_to_fs

        filesystem, path = url_to_fs(uri)
    except (ImportError, ValueError) as error:  # fsspec, or what it needs for this scheme, is not installed
        raise SchemeError(without_secrets(f"{uri}: Unrecognized filesystem type in URI: {error}")) from None
    return Target(path, fsspec_filesystem(filesystem))


def _is_fsspec(filesystem: object) -> bool:
    fsspec = sys.modules.get("fsspec")  # whoever has such a filesystem has imported it
    return fsspec is not None and isinstance(filesystem, fsspec.AbstractFileSystem)


def fsspec_filesystem(filesystem: fsspec.AbstractFileSystem) -> pyarrow.fs.FileSystem:
    """A filesystem of fsspec's as one of pyarrow's."""
    import pyarrow.fs

    from .fsspec_handler import FsspecHandler

    return pyarrow.fs.PyFileSystem(FsspecHandler(filesystem))


def _filesystem_of_uri(uri: str) -> pyarrow.fs.FileSystem:
    """The directory that a URI leads to, as a filesystem."""
    import pyarrow.fs

    if not _URI.match(uri):
        raise SourceError(f"not the URI of a filesystem: {uri!r}")
    target = resolve(uri)
    if target.is_local:
        return pyarrow.fs.SubTreeFileSystem(target.path, pyarrow.fs.LocalFileSystem())
    return pyarrow.fs.SubTreeFileSystem(target.path, target.filesystem) if target.path else target.filesystem


def _base(filesystem: pyarrow.fs.FileSystem) -> pyarrow.fs.FileSystem:
    """The filesystem that one of a directory stands for."""
    while hasattr(filesystem, "base_fs"):
        filesystem = filesystem.base_fs
    return filesystem


def _of_filesystem(filesystem: object, path: object) -> Target:
    import pyarrow.fs

    if isinstance(filesystem, str):
        filesystem = _filesystem_of_uri(filesystem)
    if _is_fsspec(filesystem):
        names = filesystem.protocol  # one or several
        is_local = "file" in ((names,) if isinstance(names, str) else names)
        filesystem = pyarrow.fs.LocalFileSystem() if is_local else fsspec_filesystem(filesystem)
    if type(getattr(filesystem, "handler", None)) is pyarrow.fs.FSSpecHandler:
        filesystem = fsspec_filesystem(filesystem.handler.fs)
    if not isinstance(filesystem, pyarrow.fs.FileSystem):
        raise SourceError(f"not a filesystem of pyarrow.fs or fsspec: {filesystem!r}")
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise SourceError(f"the specified path is file-like, or none, and has no use for a filesystem: {path!r}")
    if isinstance(path, os.PathLike) and not isinstance(_base(filesystem), pyarrow.fs.LocalFileSystem):
        raise SourceError(f"{path!r}: a path object is one of a local filesystem; give a string")
    path = os.fsdecode(path)
    if isinstance(filesystem, pyarrow.fs.SubTreeFileSystem):
        return _of_filesystem(filesystem.base_fs, filesystem.base_path.rstrip("/") + "/" + path.lstrip("/"))
    if isinstance(filesystem, pyarrow.fs.LocalFileSystem):
        return Target(path)
    return Target(path, with_credentials(filesystem, path))
