"""What a caller gives to be read, as a target; errors are also pyarrow's."""

from __future__ import annotations

from .. import storage
from ..errors import ParquetextError
from .arrow_errors import as_arrow_error

__all__ = ["readable", "resolve"]


def readable(
    source: object, filesystem: object = None
) -> storage.LocalTarget | storage.RemoteTarget | storage.HeldTarget:
    """As `storage.readable`."""
    try:
        return storage.readable(source, filesystem)
    except ParquetextError as error:
        raise as_arrow_error(error) from None


def resolve(path: object) -> storage.LocalTarget | storage.RemoteTarget:
    """As `storage.resolve`."""
    try:
        return storage.resolve(path)
    except ParquetextError as error:
        raise as_arrow_error(error) from None
