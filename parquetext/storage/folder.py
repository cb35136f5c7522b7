"""Open folders, and the names of files in them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from .. import systems

JOURNAL = "parquetext-journal"
STALE = f"{JOURNAL}-stale"
NEW = "parquetext-new"
CHECKSUMS_NEW, CHECKSUMS_OLD = "parquetext-checksums-new", "parquetext-checksums-old"
_NAME_MAX = 255


class Folder:
    """An open folder. Operations in it use this folder, even if its name leads to another one by then.

    Parameters
    ----------
    path : str
        Its last component is not followed if it is a symbolic link.
    searched_only : bool
        Use the folder only to look up names, so that no permission to read it is needed.

    Attributes
    ----------
    path : str
    fd : int or None
        For ``dir_fd``, until `close`; None if the system cannot open folders. Paths are used then.
    """

    __slots__ = ("fd", "path")

    def __init__(self, path: str, *, searched_only: bool = False):
        self.path = path
        flags = os.O_PATH if searched_only and hasattr(os, "O_PATH") else os.O_RDONLY
        if not systems.has_folders():
            os.stat(path)
            self.fd: int | None = None
            return
        self.fd = os.open(path, flags | systems.O_DIRECTORY | systems.O_NOFOLLOW | systems.O_CLOEXEC)

    @classmethod
    def of(cls, path: str, *, searched_only: bool = False) -> Folder:
        """Open the folder of the file at an absolute path; errors name the file."""
        with naming(path):
            return cls(os.path.dirname(path), searched_only=searched_only)

    def close(self) -> None:
        """Close the folder. A second call does nothing."""
        if self.fd is None:
            return
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *exception) -> None:
        self.close()


def at(path: str, folder: Folder | None) -> tuple[str, int | None]:
    """Return the arguments of system calls for `path`: its name and the folder's descriptor, or the path alone."""
    return (path, None) if folder is None or folder.fd is None else (os.path.basename(path), folder.fd)


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Set the whole path as an OSError's filename, if the system only knows a name in an open folder."""
    try:
        yield
    except OSError as error:
        error.filename = path
        del error.filename2  # if it is set, even None appears in the message
        raise


def beside(path: str, kind: str) -> str:
    """Return the hidden name next to `path`: ``.NAME.KIND``, with NAME's SHA-256 if that would be too long."""
    folder, name = os.path.split(path)
    hidden = f".{name}.{kind}"
    if len(os.fsencode(hidden)) > _NAME_MAX:
        from hashlib import sha256  # only for very long names

        hidden = f".{sha256(os.fsencode(name)).hexdigest()}.{kind}"
    return os.path.join(folder, hidden)


def status_of(path: str, folder: Folder | None) -> os.stat_result:
    """Return the status of `path`; in an open folder, do not follow a link."""
    name, within = at(path, folder)
    return os.stat(name, dir_fd=within, follow_symlinks=folder is None)


def names_file(path: str, file: int, folder: Folder | None = None) -> bool:
    """Return True if `path`, as a name in `folder` if that is open, refers to the open `file`."""
    name, within = at(path, folder)
    try:
        there, opened = os.lstat(name, dir_fd=within), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)
