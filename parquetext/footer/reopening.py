"""Pickle files and columns as the file's path and version; loading the pickle opens the file again."""

from __future__ import annotations

import os
import pickle
from typing import TYPE_CHECKING, Any

from .. import kernels
from ..masking import without_secrets
from ..storage import ChangedFile, Target, can_gather
from .columns import Column

if TYPE_CHECKING:
    from .facade import File


def file_state(file: File, source: Any) -> tuple[type[File], str | Target, tuple]:
    """Return the arguments of `reopen`; `source` is the file's source, which stays open while columns are in use.

    Raises
    ------
    pickle.PicklingError
        The file has no path to open it again by.
    """
    if can_gather(source):
        source.identify()
        version = source.version
        return type(file), source.target, (version.identity, version.size, version.modified)
    if isinstance(source, kernels.local.LocalFile):
        version = source.size, source.mtime_ns, source.ino
    elif source.is_local:  # read by a sidecar, or under a journal
        version = source.version.size, source.version.modified, source.version.identity[1]
    else:
        raise pickle.PicklingError(f"{without_secrets(str(file.path))}: only a file that has a path can be pickled")
    return type(file), os.path.abspath(os.fsdecode(file.path)), version


def reopen(kind: type[File], target: str | Target, version: tuple) -> File:
    """Open a pickled file again.

    Raises
    ------
    ChangedFile
        Another file has its path by now, or it was changed.
    OSError
        It cannot be opened.
    """
    file = kind._open_again(target)
    check_version(file, version)
    return file


def check_version(file: File, version: tuple) -> None:
    """Close a file that has been opened again, and raise `ChangedFile`, if it is not the one that was pickled."""
    try:
        _, _, now = file_state(file, file._source)
        if now != version:
            raise ChangedFile("the file was replaced or changed since this was pickled", file=str(file.path))
    except BaseException:
        file.close()
        raise


def reopen_column(kind: type[File], target: str | Target, version: tuple, leaf: int) -> Column:
    """Read a pickled column again; errors as `reopen` has them."""
    with reopen(kind, target, version) as file:
        return file._on_form(lambda form: Column(file, leaf, form.column(leaf)))
