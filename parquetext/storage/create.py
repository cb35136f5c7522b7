"""New files on any storage: written once, and visible under their name only when they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterable

from .forcing import check
from .new_file import NewFile
from .new_object import NewObject, NewStream
from .new_s3_object import NewS3Object
from .paths import resolve
from .s3 import s3_object

__all__ = ["NewFile", "NewObject", "NewS3Object", "NewStream", "create"]


def create(
    path: object, *, force: Iterable[str] = (), owner: int | None = None
) -> NewFile | NewObject | NewS3Object | NewStream:
    """A new file: write to its `sink`, then `commit` or `abort` it.

    Between them, `hold` says that the end begins which an edit may change, and `written` gives what was written, to
    compute that edit from.

    Parameters
    ----------
    path : str, os.PathLike, (filesystem, str), or file object
        See `paths.resolve`. A file object, which has `write`, is written to and stays open.
    force : iterable of str
        Refusals to pass over: the keys of `forcing.FORCEABLE`.
    owner : int, optional
        Of a local file under a name beside another one: the user whose that is; see `NewFile`.
    """
    forced = check(force)
    if hasattr(path, "write") and not isinstance(path, os.PathLike):
        return NewStream(path)
    target = resolve(path)
    if target.is_local:
        return NewFile(target.path, forced, owner=owner)
    goal = s3_object(target)
    return NewObject(target) if goal is None else NewS3Object(goal)
