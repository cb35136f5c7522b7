"""Sidecars of a file that parquetext has changed: made anew, never left stale."""

from __future__ import annotations

import os

from ..storage import LocalTarget, resolve
from .naming import candidates

__all__ = ["exists", "follow"]


def follow(path: object) -> None:
    """Make the sidecars anew that are beside a changed file and ours; remove one where that fails.

    Those of others are left alone: whoever made them goes by version tokens.

    Parameters
    ----------
    path : str, os.PathLike, or (pyarrow.fs.FileSystem, str)
        As `parquetext.open` takes it.

    Raises
    ------
    OSError
        A sidecar can neither be made anew nor be removed.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> sidecar.follow("wide.parquet")
    """
    target = resolve(path)
    for place in candidates(target):
        if exists(place):
            # Files without sidecars pay for no import.
            from .renewing import renew

            renew(target, place)


def exists(place: object) -> bool:
    """Whether there is a sidecar at one of `naming.candidates`.

    Parameters
    ----------
    place : LocalTarget or RemoteTarget
        One of `candidates`.

    Returns
    -------
    bool

    Raises
    ------
    OSError
        A store cannot be asked.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> [sidecar.exists(place) for place in sidecar.candidates("wide.parquet")]
    [True]
    """
    if isinstance(place, LocalTarget):
        return os.path.exists(place.path)
    return place.filesystem.get_file_info(place.path).is_file
