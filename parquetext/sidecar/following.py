"""Sidecars of a file that parquetext has changed: made anew, never left stale."""

from __future__ import annotations

import os

from ..storage import LocalTarget, resolve
from .naming import candidates

__all__ = ["exists", "follow"]


def follow(path: object) -> None:
    """Make the sidecars anew that are beside a changed file and ours; remove one where that fails.

    Those of others are left alone: whoever made them goes by version tokens.
    """
    target = resolve(path)
    for place in candidates(target):
        if exists(place):
            # Files without sidecars pay for no import.
            from .renewing import renew

            renew(target, place)


def exists(place) -> bool:
    """Whether there is a sidecar at one of `naming.candidates`."""
    if isinstance(place, LocalTarget):
        return os.path.exists(place.path)
    return place.filesystem.get_file_info(place.path).is_file
