"""Whether a name still leads to the file that was read."""

from __future__ import annotations

import os

from ..errors import Conflict
from .folder import Folder, at
from .source import LocalSource, Version

__all__ = ["check_unchanged", "names_file", "status_of"]


def status_of(path: str, folder: Folder | None) -> os.stat_result:
    """What `path` leads to; in an open folder what has the name, be it a link."""
    name, within = at(path, folder)
    return os.stat(name, dir_fd=within, follow_symlinks=folder is None)


def check_unchanged(source: LocalSource) -> None:
    """Conflict unless the name still holds what was opened, with its size and times."""
    try:
        now = Version.of_stat(status_of(source.name, source.folder))
    except FileNotFoundError:
        raise Conflict("it was removed meanwhile", file=source.name) from None
    if now != source.version:
        what = "replaced" if now.identity != source.version.identity else "changed"
        raise Conflict(f"it was {what} by somebody else meanwhile", file=source.name)


def names_file(path: str, file: int, folder: Folder | None = None) -> bool:
    """Whether `path`, as a name in `folder` if that is open, is the open `file`."""
    name, within = at(path, folder)
    try:
        there, opened = os.lstat(name, dir_fd=within), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)
