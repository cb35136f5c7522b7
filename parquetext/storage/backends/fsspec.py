"""fsspec's filesystems, read by ranges: fsspec's files fetch megabytes ahead of small reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs as pafs

from ...errors import Unsupported
from ...masking import without_secrets
from ..backend import Entry
from ..paths import SchemeError, Target
from ..ranged_file import RangedFile
from .arrow_filesystem import ArrowBackend
from .handler import BackendHandler

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

# The names of the time of the last change, and the one that is in ms.
_TIMES = ("mtime", "LastModified", "last_modified", "modified", "updated", "modificationTime", "created")
_IN_MS = "modificationTime"
_OF_CONTENT = re.compile(r"e_?tag|md5|sha|generation|version|modif|mtime|updated|created", re.IGNORECASE)


class FsspecBackend(ArrowBackend):
    """Any filesystem of fsspec."""

    type_names = ("py::fsspec",)

    def resolve(self, url: str) -> Target:
        try:
            from fsspec.core import url_to_fs

            filesystem, path = url_to_fs(url)
        except (ImportError, ValueError) as error:  # fsspec, or its module for this scheme, is not installed
            raise SchemeError(without_secrets(f"{url}: Unrecognized filesystem type in URI: {error}")) from None
        return Target(path, fsspec_filesystem(filesystem))

    def open(self, target: Target) -> RangedFile | pa.NativeFile:
        filesystem = _filesystem(target)
        info = filesystem.info(target.path)
        if info.get("type") != "file" or info.get("size") is None:
            return super().open(target)
        return FsspecFile(filesystem, target.path, info)

    def info(self, target: Target) -> Entry | None:
        try:
            return _entry(target.path, _filesystem(target).info(target.path))
        except FileNotFoundError:
            return None

    def list(self, target: Target, *, recursive: bool = False) -> list[Entry]:
        return [_entry(info["name"], info) for info in list_infos(_filesystem(target), target.path, recursive)]

    def forget(self, target: Target) -> None:
        """Drop fsspec's cached lists and attributes."""
        _filesystem(target).invalidate_cache()

    def ends_with(self, target: Target, offset: int, tail: bytes | bytearray | memoryview) -> bool:
        """Read the end again: some filesystems, such as WebHDFS, implement a copy by a rename that fails silently."""
        self.forget(target)
        return _filesystem(target).cat_file(target.path, start=offset) == tail


BACKEND = FsspecBackend()


def fsspec_filesystem(filesystem: AbstractFileSystem) -> pafs.FileSystem:
    """Return a filesystem of fsspec as one of pyarrow."""
    return pafs.PyFileSystem(FsspecHandler(filesystem))


def _filesystem(target: Target) -> AbstractFileSystem:
    return target.arrow_filesystem.handler.fs


class FsspecFile(RangedFile):
    """A file of an fsspec filesystem, read by ranges.

    Parameters
    ----------
    info : mapping
        The filesystem's attributes of the file, including its size.
    """

    def __init__(self, filesystem, path: str, info: Mapping):
        super().__init__(info["size"])
        self._filesystem, self._path = filesystem, path
        self.attributes = tuple(sorted((name, str(value)) for name, value in info.items() if _OF_CONTENT.search(name)))
        self.modified = modified_of(info)

    def read_at(self, length: int, offset: int) -> bytes:
        """Return the bytes [offset, offset + length).

        Raises
        ------
        Unsupported
            If the server behind the filesystem ignores ranges and sends more.
        """
        data = self._filesystem.cat_file(self._path, start=offset, end=offset + length)
        if len(data) > length:
            raise Unsupported(
                f"the server does not serve ranges: asked for {length} bytes, it has sent {len(data)}; "
                "download the file, or give its bytes",
                file=self._path,
            )
        return data

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return ranges (offset, length), concurrently if the filesystem is asynchronous."""
        begins, ends = [offset for offset, _ in ranges], [offset + length for offset, length in ranges]
        return self._filesystem.cat_ranges([self._path] * len(ranges), begins, ends, on_error="raise")


def modified_of(info: Mapping) -> int | None:
    """Return the time of a file's last change in ns since 1970, or None if its attributes do not contain it."""
    name = next((name for name in _TIMES if info.get(name)), None)
    value = info.get(name)
    if isinstance(value, (int, float)):
        return int(value * 10 ** (6 if name == _IN_MS else 9))
    try:
        time = value if isinstance(value, datetime) else datetime.fromisoformat(value or "")
    except (TypeError, ValueError):
        return None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    return int(time.timestamp()) * 10**9 + time.microsecond * 1000


class FsspecHandler(pafs.FSSpecHandler):
    """pyarrow's handler, with times under all names that filesystems use, and errors for folders that do not exist."""

    backend = BACKEND
    _at = BackendHandler._at
    get_file_info = BackendHandler.get_file_info
    get_file_info_selector = BackendHandler.get_file_info_selector

    def copy_file(self, src: str, dest: str) -> None:
        if "webhdfs" in self.fs.protocol:
            raise NotImplementedError("WebHDFS copies nothing, and renames no file over another")
        super().copy_file(src, dest)


def list_infos(filesystem: AbstractFileSystem, folder: str, recursive: bool) -> list[dict]:
    """Return fsspec's attributes of all files and folders in a folder, or below it.

    Raises
    ------
    FileNotFoundError
        If it does not exist.
    NotADirectoryError
        If it is not a folder.
    """
    if filesystem.info(folder)["type"] != "directory" and not filesystem.isdir(folder):
        raise NotADirectoryError(folder)
    if not recursive:
        return _list_one(filesystem, folder)
    if _has_find(type(filesystem)):
        found = filesystem.find(folder, withdirs=True, detail=True)
        return [info for name, info in found.items() if name.strip("/") != folder.strip("/")]
    found, folders = [], [folder]
    while folders:
        try:
            infos = _list_one(filesystem, folders.pop())
        except FileNotFoundError:  # removed in the meantime
            continue
        found += infos
        folders += [info["name"] for info in infos if info["type"] == "directory"]
    return found


def _list_one(filesystem: AbstractFileSystem, folder: str) -> list[dict]:
    return [info for info in filesystem.ls(folder, detail=True) if info["name"].strip("/") != folder.strip("/")]


def _has_find(kind: Any) -> bool:
    """Return True if a filesystem overrides `find`: fsspec's implementation skips folders that it cannot list."""
    from fsspec import AbstractFileSystem
    from fsspec.asyn import AsyncFileSystem

    if issubclass(kind, AsyncFileSystem):
        return kind._find is not AsyncFileSystem._find
    return kind.find is not AbstractFileSystem.find


def _entry(path: str, info: Mapping) -> Entry:
    size = info["size"] if info["type"] == "file" else None
    return Entry(path, info["type"] == "directory", size, modified_of(info), info.get("ETag") or "")
