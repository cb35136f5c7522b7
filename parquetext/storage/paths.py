"""What a path may be, and where it leads."""

from __future__ import annotations

import os
import re
import sys
import urllib.parse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ParquetextError
from .azure_credentials import with_credentials
from .hdfs import HDFS_SCHEMES, hdfs_filesystem
from .secrets import without_secrets

if TYPE_CHECKING:
    import fsspec
    import pyarrow.fs

__all__ = ["LocalTarget", "RemoteTarget", "fsspec_filesystem", "resolve"]

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SCHEME_ALIASES = {"s3a": "s3", "s3n": "s3"}  # Hadoop's names


@dataclass(frozen=True, slots=True)
class LocalTarget:
    """A path of this machine."""

    path: str

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, slots=True)
class RemoteTarget:
    """A path in a filesystem of pyarrow.fs."""

    filesystem: pyarrow.fs.FileSystem
    path: str

    def __str__(self) -> str:
        return f"{self.filesystem.type_name}://{self.path}"


def resolve(path: object) -> LocalTarget | RemoteTarget:
    """Where a path leads; nothing is opened. Of Azure's stores credentials are asked for, unless a key is given.

    Parameters
    ----------
    path : str, os.PathLike, (filesystem, str), LocalTarget or RemoteTarget
        A local path, a ``file://``, ``s3://``, ``gs://``, ``abfs://`` or ``hdfs://`` URI (``s3a://`` too), or a pair
        of a ``pyarrow.fs`` (or fsspec) filesystem and a path in it. Local files never go through a filesystem layer.

    Raises
    ------
    ParquetextError
        It is none of these, or there are no credentials for Azure.
    """
    if isinstance(path, (LocalTarget, RemoteTarget)):
        return path
    if type(path) is str and "://" not in path:
        return LocalTarget(path)
    if isinstance(path, tuple) and len(path) == 2:
        return _of_filesystem(*path)
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ParquetextError(f"not a path: {path!r}")
    text = os.fsdecode(path)
    uri = _URI.match(text)
    if uri is None:
        return LocalTarget(text)
    scheme = uri[1].lower()
    if scheme == "file":
        return LocalTarget(_of_file_uri(text))
    if scheme in HDFS_SCHEMES:
        name_node, slash, rest = text[uri.end() :].partition("/")
        return RemoteTarget(hdfs_filesystem(uri[0] + name_node), (slash or "/") + rest)
    return _of_uri(_SCHEME_ALIASES.get(scheme, scheme) + text[len(scheme) :])


def _of_file_uri(text: str) -> str:
    host, slash, path = text[len("file://") :].partition("/")
    if host not in ("", "localhost") or not slash:
        raise ParquetextError(f"{text}: not a local file: file:///absolute/path expected")
    return "/" + urllib.parse.unquote(path)


def _of_uri(uri: str) -> RemoteTarget:
    import pyarrow as pa
    import pyarrow.fs

    try:
        filesystem, path = pyarrow.fs.FileSystem.from_uri(uri)
    except pa.ArrowInvalid as error:
        raise ParquetextError(without_secrets(f"{uri}: {error}")) from None
    return RemoteTarget(with_credentials(filesystem, path), path)


def _is_fsspec(filesystem: object) -> bool:
    fsspec = sys.modules.get("fsspec")  # whoever has such a filesystem has imported it
    return fsspec is not None and isinstance(filesystem, fsspec.AbstractFileSystem)


def fsspec_filesystem(filesystem: fsspec.AbstractFileSystem) -> pyarrow.fs.FileSystem:
    """A filesystem of fsspec's as one of pyarrow's."""
    import pyarrow.fs

    from .fsspec_handler import FsspecHandler

    return pyarrow.fs.PyFileSystem(FsspecHandler(filesystem))


def _of_filesystem(filesystem: object, path: object) -> LocalTarget | RemoteTarget:
    import pyarrow.fs

    if _is_fsspec(filesystem):
        local = "file" in filesystem.protocol
        filesystem = pyarrow.fs.LocalFileSystem() if local else fsspec_filesystem(filesystem)
    if type(getattr(filesystem, "handler", None)) is pyarrow.fs.FSSpecHandler:
        filesystem = fsspec_filesystem(filesystem.handler.fs)
    if not isinstance(filesystem, pyarrow.fs.FileSystem):
        raise ParquetextError(f"not a filesystem of pyarrow.fs or fsspec: {filesystem!r}")
    path = os.fsdecode(path)
    if isinstance(filesystem, pyarrow.fs.SubTreeFileSystem):
        return _of_filesystem(filesystem.base_fs, filesystem.base_path.rstrip("/") + "/" + path.lstrip("/"))
    if isinstance(filesystem, pyarrow.fs.LocalFileSystem):
        return LocalTarget(path)
    return RemoteTarget(with_credentials(filesystem, path), path)
