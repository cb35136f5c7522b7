"""Whether a name still leads to the file that was read."""

from __future__ import annotations

import os

from ..errors import Conflict
from .source import LocalSource, Version

__all__ = ["check_unchanged", "names_file"]


def check_unchanged(source: LocalSource) -> None:
    """Conflict unless the name still holds what was opened, with its size and times."""
    try:
        now = Version.of_stat(os.stat(source.name))
    except FileNotFoundError:
        raise Conflict("it was removed meanwhile", file=source.name) from None
    if now != source.version:
        what = "replaced" if now.identity != source.version.identity else "changed"
        raise Conflict(f"it was {what} by somebody else meanwhile", file=source.name)


def names_file(path: str, file: int) -> bool:
    """Whether `path` leads to the open `file`."""
    try:
        there, opened = os.lstat(path), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)
