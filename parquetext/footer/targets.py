"""What a caller gives to be read, as a target; errors are also pyarrow's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import storage
from ..errors import ParquetextError
from .arrow_errors import as_arrow_error

if TYPE_CHECKING:
    import pyarrow.fs as pafs

__all__ = ["info_of", "readable", "resolve"]


def readable(source: object, filesystem: object = None) -> storage.Target | storage.OpenTarget:
    """As `storage.readable`."""
    try:
        return storage.readable(source, filesystem)
    except ParquetextError as error:
        raise as_arrow_error(error) from None


def info_of(target: storage.Target) -> pafs.FileInfo:
    """What its filesystem says of a target."""

    filesystem = target.arrow_filesystem
    try:
        return filesystem.get_file_info(target.path)
    except ParquetextError as error:
        raise as_arrow_error(error) from None


def resolve(path: object, filesystem: object = None) -> storage.Target:
    """Call `storage.resolve`, and raise pyarrow's types of errors."""
    try:
        return storage.resolve(path, filesystem)
    except ParquetextError as error:
        raise as_arrow_error(error) from None
