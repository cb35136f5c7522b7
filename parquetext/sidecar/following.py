"""Rebuild the sidecars of a file that parquetext has changed, so that none becomes stale."""

from __future__ import annotations

import os
from typing import Any

from ..storage import resolve
from .naming import candidates


def follow(path: object) -> None:
    """Rebuild our sidecars of a changed file; remove a sidecar if that fails.

    Sidecars of other programs are not touched: their readers use version tokens.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        As `parquetext.open` takes it.

    Raises
    ------
    OSError
        If a sidecar can neither be rebuilt nor removed.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> sidecar.follow("wide.parquet")
    """
    target = resolve(path)
    for position in candidates(target):
        if exists(position):
            # Import lazily, so that files without sidecars do not pay for the import.
            from .renewing import renew

            renew(target, position)


def exists(location: Any) -> bool:
    """Return True if there is a sidecar at one of `naming.candidates`.

    Parameters
    ----------
    location : Target
        One of `candidates`.

    Returns
    -------
    bool
        True also for a sidecar of another program.

    Raises
    ------
    OSError
        If the store cannot be queried.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> [sidecar.exists(place) for place in sidecar.candidates("wide.parquet")]
    [True]
    """
    if location.is_local:
        return os.path.exists(location.path)
    return bool(location.filesystem.get_file_info(location.path).is_file)
