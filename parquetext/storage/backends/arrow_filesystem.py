"""Filesystems of `pyarrow.fs` without a backend of their own."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from ...masking import without_secrets
from ..backend import Capability, Entry
from ..objects import Store
from ..paths import SchemeError, Target

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.fs

    from ..source import RemoteSource


class ArrowBackend(Store):
    """Passes each operation on to the target's filesystem."""

    schemes: tuple[str, ...] = ("mock",)

    def resolve(self, url: str) -> Target:
        import pyarrow as pa
        import pyarrow.fs

        try:
            filesystem, path = pyarrow.fs.FileSystem.from_uri(url)
        except pa.ArrowInvalid as error:
            raise SchemeError(without_secrets(f"{url}: {error}")) from None
        return self.prepare(Target(path, filesystem))

    def open(self, target: Target) -> pa.NativeFile:
        return target.arrow_filesystem.open_input_file(target.path)

    def info(self, target: Target) -> Entry | None:
        return _entry(target.arrow_filesystem.get_file_info(target.path))

    def list(self, target: Target, *, recursive: bool = False) -> list[Entry]:
        import pyarrow.fs

        # Without allow_not_found, Google's filesystem raises an OSError that is not a FileNotFoundError.
        selector = pyarrow.fs.FileSelector(target.path, recursive=recursive, allow_not_found=True)
        found = list(filter(None, map(_entry, target.arrow_filesystem.get_file_info(selector))))
        if not found and self.info(target) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target))
        return found

    def create(self, target: Target, replaces: RemoteSource | None = None) -> pa.NativeFile:
        content_type = None if replaces is None else replaces.metadata.get("content-type")
        metadata = {"Content-Type": content_type} if content_type else None
        return target.arrow_filesystem.open_output_stream(target.path, compression=None, metadata=metadata)

    def append(self, target: Target) -> pa.NativeFile:
        return target.arrow_filesystem.open_append_stream(target.path, compression=None)

    def rename(self, target: Target, path: str) -> None:
        target.arrow_filesystem.move(target.path, path)

    def copy(self, target: Target, path: str) -> None:
        target.arrow_filesystem.copy_file(target.path, path)

    def delete(self, target: Target) -> None:
        target.arrow_filesystem.delete_file(target.path)

    def create_folder(self, target: Target) -> None:
        if target.can(Capability.FOLDERS):
            target.arrow_filesystem.create_dir(target.path)


def _entry(info: pyarrow.fs.FileInfo) -> Entry | None:
    kind = info.type.name
    return None if kind == "NotFound" else Entry(info.path, kind == "Directory", info.size, info.mtime_ns)


BACKEND = ArrowBackend()
