"""hdfs-native's client as a filesystem of pyarrow. It needs no Java, and its rename replaces files."""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import hdfs_native
import pyarrow as pa
import pyarrow.fs as pafs

from .hdfs import MODE

_FOLDER_MODE, _FILE_MODE = 0o755, "644"
_NO_PORT, _PORT = "No NameNode hosts found", 8020
_NO_SYNC = "not supported for erasure-coded files"
_STACK = re.compile(r"(?:\n|\\n)(?:\t|\\t)at ")


class HdfsHandler(pafs.FileSystemHandler):
    """Implements pyarrow's operations with hdfs-native's client; can be pickled.

    `move` replaces an existing file in one step of the NameNode.
    """

    def __init__(self, url: str, settings: tuple[tuple[str, str], ...] = ()):
        self._arguments = (url, settings)

    def __reduce__(self):
        return type(self), self._arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HdfsHandler) and self._arguments == other._arguments

    __hash__: Any = None

    @property
    def client(self) -> HdfsClient:
        return _client(*self._arguments)

    def get_type_name(self) -> str:
        return "hdfs"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [self._info(path) for path in paths]

    def _info(self, path: str) -> pafs.FileInfo:
        try:
            return _file_info(path, self.client.get_file_info(path))
        except FileNotFoundError:
            return pafs.FileInfo(path, pafs.FileType.NotFound)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        try:
            if not self.client.get_file_info(selector.base_dir).isdir:
                raise NotADirectoryError(selector.base_dir)
            return [_file_info(status.path, status) for status in self._inside(selector.base_dir, selector.recursive)]
        except FileNotFoundError:
            if selector.allow_not_found:
                return []
            raise

    def _inside(self, folder: str, recursive: bool) -> Iterator[hdfs_native.FileStatus]:
        """Yield the entries in a folder or below it; skip folders that are removed in the meantime."""
        left = [folder]
        while left:
            try:
                found = self.client.list_status(left.pop(), False)
            except FileNotFoundError:
                continue
            yield from found
            left += [status.path for status in found if recursive and status.isdir]

    def create_dir(self, path: str, recursive: bool) -> None:
        self.client.mkdirs(path, _FOLDER_MODE, recursive)

    def delete_dir(self, path: str) -> None:
        if not self.client.get_file_info(path).isdir:
            raise NotADirectoryError(path)
        self.client.delete(path, True)

    def delete_dir_contents(self, path: str, missing_dir_ok: bool = False) -> None:
        selector = pafs.FileSelector(path, allow_not_found=missing_dir_ok)
        for info in self.get_file_info_selector(selector):
            self.client.delete(info.path, True)

    def delete_root_dir_contents(self) -> None:
        self.delete_dir_contents("/")

    def delete_file(self, path: str) -> None:
        if self.client.get_file_info(path).isdir:
            raise IsADirectoryError(path)
        self.client.delete(path, False)

    def move(self, src: str, dest: str) -> None:
        self.client.rename(src, dest, True)

    def copy_file(self, src: str, dest: str) -> None:
        raise NotImplementedError("HDFS does not copy files")

    def open_input_stream(self, path: str) -> pa.PythonFile:
        return self.open_input_file(path)

    def open_input_file(self, path: str) -> pa.PythonFile:
        return pa.PythonFile(_Read(path, self.client.read(path)), mode="r")

    def open_output_stream(self, path: str, metadata: Mapping[str, str] | None = None) -> pa.PythonFile:
        mode = int((metadata or {}).get(MODE, _FILE_MODE), 8)
        options = hdfs_native.WriteOptions(overwrite=True, permission=mode)
        return pa.PythonFile(_Written(path, self.client.create(path, options)), mode="w")

    def open_append_stream(self, path: str, metadata: Mapping[str, str] | None = None) -> pa.PythonFile:
        return pa.PythonFile(_Written(path, self.client.append(path)), mode="w")


class _Read:
    """hdfs-native's reader."""

    closed = False

    def __init__(self, path: str, reader: hdfs_native.FileReader):
        self._path, self._reader = path, reader

    def read(self, size: int = -1) -> bytes:
        with _as_os_errors(self._path):
            return self._reader.read(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> None:
        self._reader.seek(offset, whence)

    def tell(self) -> int:
        return self._reader.tell()

    def close(self) -> None:
        self.closed = True


class _Written:
    """hdfs-native's writer. After closing, the data is on the data nodes' disks, unless the file is erasure-coded."""

    closed = False

    def __init__(self, path: str, writer: hdfs_native.FileWriter):
        self._path, self._writer = path, writer

    def write(self, data) -> int:
        with _as_os_errors(self._path):
            return self._writer.write(bytes(data))  # 150 times as fast as a buffer of pyarrow's

    def flush(self) -> None:
        """Do nothing: packets are sent when they are full."""

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        try:
            self._sync()
        finally:
            with _as_os_errors(self._path):
                self._writer.close()

    def _sync(self) -> None:
        try:
            with _as_os_errors(self._path):
                self._writer.hsync()
        except OSError as error:
            if _NO_SYNC not in str(error):
                raise


def _file_info(path: str, status: hdfs_native.FileStatus) -> pafs.FileInfo:
    if status.isdir:
        return pafs.FileInfo(path, pafs.FileType.Directory, mtime_ns=status.modification_time * 10**6)
    return pafs.FileInfo(path, pafs.FileType.File, size=status.length, mtime_ns=status.modification_time * 10**6)


class HdfsClient:
    """hdfs-native's client. Its methods raise OSErrors of one line, without the Java stacks that name nodes send."""

    def __init__(self, url: str, settings: Mapping[str, str]):
        self._url = url
        with _as_os_errors(url):
            self._client = hdfs_native.Client(None if url.endswith("://") else url, dict(settings))

    def __getattr__(self, name: str) -> Callable:
        method = getattr(self._client, name)

        def asked(path: str, *arguments):
            with _as_os_errors(path, self._url):
                return method(path, *arguments)

        return asked

    def list_status(self, path: str, recursive: bool) -> list[hdfs_native.FileStatus]:
        with _as_os_errors(path, self._url):
            return list(self._client.list_status(path, recursive))


@contextlib.contextmanager
def _as_os_errors(path: str, url: str = "") -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:
        message = _STACK.split(str(error))[0]
        denied = "AccessControlException" in message
        kind = PermissionError if denied else type(error) if isinstance(error, OSError) else OSError
        raise kind(message if path in message else f"{url}{path}: {message}") from None


@lru_cache(maxsize=16)
def _client(url: str, settings: tuple[tuple[str, str], ...]) -> HdfsClient:
    """Return a client, which all threads may share. If the URL has no port, try Hadoop's default port."""
    try:
        return HdfsClient(url, dict(settings))
    except OSError as error:
        if _NO_PORT not in str(error) or not _is_host(url.removeprefix("hdfs://")):  # an unknown name
            raise
    return HdfsClient(f"{url}:{_PORT}", dict(settings))


def _is_host(name: str) -> bool:
    try:
        return bool(socket.getaddrinfo(name, _PORT))
    except OSError:
        return False
