"""Backends as filesystems of pyarrow."""

from __future__ import annotations

from functools import cache
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.fs as pafs

from ..backend import Backend, Entry
from ..paths import Target
from ..ranged_file import RangedFile


class BackendHandler(pafs.FileSystemHandler):
    """Implements pyarrow's operations by those of a backend; can be pickled if the backend can."""

    def __init__(self, backend: Backend):
        self.backend = backend

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BackendHandler) and type(self.backend) is type(other.backend)

    __hash__: Any = None

    def _at(self, path: str) -> Target:
        return Target(path, pafs.PyFileSystem(self))

    def get_type_name(self) -> str:
        return self.backend.type_names[0].removeprefix("py::")

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return [file_info(path, self.backend.info(self._at(path))) for path in paths]

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        try:
            found = self.backend.list(self._at(selector.base_dir), recursive=selector.recursive)
        except FileNotFoundError:
            if selector.allow_not_found:
                return []
            raise
        return [file_info(entry.path, entry) for entry in found]

    def open_input_file(self, path: str) -> pa.NativeFile:
        file = self.backend.open(self._at(path))
        return file.for_arrow() if isinstance(file, RangedFile) else file

    open_input_stream = open_input_file

    def open_output_stream(self, path: str, metadata: object) -> pa.NativeFile:
        return self.backend.create(self._at(path))

    def open_append_stream(self, path: str, metadata: object) -> pa.NativeFile:
        return self.backend.append(self._at(path))

    def move(self, source: str, destination: str) -> None:
        self.backend.rename(self._at(source), destination)

    def copy_file(self, source: str, destination: str) -> None:
        self.backend.copy(self._at(source), destination)

    def delete_file(self, path: str) -> None:
        self.backend.delete(self._at(path))

    def create_dir(self, path: str, recursive: bool) -> None:
        self.backend.create_folder(self._at(path))

    def _refuse(self, path: str = "/", *_: object) -> NoReturn:
        self.backend._refuse(self._at(path), "delete folders")

    delete_dir = delete_dir_contents = delete_root_dir_contents = _refuse


@cache
def filesystem_of_backend(backend: Backend) -> pafs.FileSystem:
    """Return a backend as a filesystem."""
    return pafs.PyFileSystem(BackendHandler(backend))


def file_info(path: str, entry: Entry | None) -> pafs.FileInfo:
    """Return an entry as pyarrow represents it."""
    if entry is None:
        return pafs.FileInfo(path, pafs.FileType.NotFound)
    if entry.is_folder:
        return pafs.FileInfo(path, pafs.FileType.Directory, mtime_ns=entry.modified)
    kind = pafs.FileType.Unknown if entry.size is None else pafs.FileType.File
    return pafs.FileInfo(path, kind, size=entry.size, mtime_ns=entry.modified)
