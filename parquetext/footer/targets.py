"""Convert a caller's argument to a target; errors are also pyarrow's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import storage
from .arrow_errors import arrow_errors

if TYPE_CHECKING:
    import pyarrow.fs as pafs


def readable(source: object, filesystem: object = None) -> storage.Target | storage.OpenTarget:
    """Call `storage.readable`, and raise pyarrow's types of errors."""
    with arrow_errors():
        return storage.readable(source, filesystem)


def info_of(target: storage.Target) -> pafs.FileInfo:
    """Return what the filesystem of a target reports about it."""
    filesystem = target.arrow_filesystem
    with arrow_errors():
        return filesystem.get_file_info(target.path)


def resolve(path: object, filesystem: object = None) -> storage.Target:
    """Call `storage.resolve`, and raise pyarrow's types of errors."""
    with arrow_errors():
        return storage.resolve(path, filesystem)
