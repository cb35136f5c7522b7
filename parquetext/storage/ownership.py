"""Checks of files that other users may have created: by type, links and owner, never by name alone."""

from __future__ import annotations

import os
import stat

from .. import systems
from ..errors import Refused

_MOST_LINKS = 40  # the kernel's limit


def distrust(status: os.stat_result, owner: int) -> str:
    """Return the reason not to trust a file next to one of the user `owner`; empty if it can be trusted.

    Only the owner and this process's user can create trusted files: any other user with write access to the folder can
    choose the same name.
    """
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_nlink > 1:
        return f"has {status.st_nlink} hard links"
    if status.st_uid not in (owner, systems.user()):
        return f"belongs to user {status.st_uid}"
    return ""


def is_shared(folder: str) -> bool:
    """Return True if a folder is sticky: other users may create files there, but only remove their own.

    In any other folder, users who may create files may also replace all of them.
    """
    return bool(os.stat(folder or ".").st_mode & stat.S_ISVTX)


def is_strangers(path: str, owner: int) -> bool:
    """Return True if `path` is in a shared folder and belongs to neither `owner`, the folder's owner, nor this user.

    FileNotFoundError if it does not exist.
    """
    folder = os.path.dirname(path) or "."
    return is_shared(folder) and os.stat(path).st_uid not in (owner, os.stat(folder).st_uid, systems.user())


def planted(path: str, *, is_folder: bool) -> str:
    """Return the reason why another user may have created `path`, for example as a link; empty if there is none.

    Raises
    ------
    FileNotFoundError
        If it does not exist.
    """
    status = os.lstat(path)
    if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(status.st_mode):
        return f"is not a {'folder' if is_folder else 'regular file'}"
    return f"belongs to user {status.st_uid}" if is_strangers(path, systems.user()) else ""


def follow(path: str, owner: int) -> str:
    """Return the absolute path that `path` leads to. Links in its folder are followed for any owner.

    Raises
    ------
    Refused
        If the last component is a link of another user than `owner` and this process's.
    """
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        path = os.path.join(os.path.realpath(folder), name)
        try:
            status = os.lstat(path)
            target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else None
        except FileNotFoundError:
            return path
        if target is None:
            return path
        if status.st_uid not in (owner, systems.user()):
            raise Refused(f"it is a symbolic link of user {status.st_uid}, which is not followed", file=path)
        path = os.path.join(os.path.dirname(path), target)
    raise Refused("too many symbolic links", file=path)
