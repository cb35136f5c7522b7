"""Checks of files that other users may have created: by type, links and owner, never by name alone."""

from __future__ import annotations

import os
import stat

from .. import systems
from ..errors import Refused

__all__ = ["distrust", "follow", "is_shared", "is_strangers", "planted"]

_MOST_LINKS = 40  # as many as the kernel follows


def distrust(status: os.stat_result, owner: int) -> str:
    """Why a file beside one of the user `owner` is not trusted, in words; empty where it is.

    Only the file's owner and this process's user could have put there what is trusted: whoever else can write in the
    folder can take a name, too.
    """
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    if status.st_nlink > 1:
        return f"has {status.st_nlink} hard links"
    if status.st_uid not in (owner, systems.user()):
        return f"belongs to user {status.st_uid}"
    return ""


def is_shared(folder: str) -> bool:
    """Whether it is sticky: others may put files there, and remove only their own.

    In any other folder, who may put files there may also replace all of them.
    """
    return bool(os.stat(folder or ".").st_mode & stat.S_ISVTX)


def is_strangers(path: str, owner: int) -> bool:
    """Whether `path` is in a shared folder, and neither the user `owner`'s, nor the folder's owner's, nor our own.

    FileNotFoundError where there is nothing.
    """
    folder = os.path.dirname(path) or "."
    return is_shared(folder) and os.stat(path).st_uid not in (owner, os.stat(folder).st_uid, systems.user())


def planted(path: str, *, is_folder: bool) -> str:
    """Why somebody else may have put there what `path` names, in words; empty where that is not so.

    Links lead elsewhere, and what `is_strangers` is somebody else's.

    Raises
    ------
    FileNotFoundError
        There is nothing.
    """
    status = os.lstat(path)
    if not (stat.S_ISDIR if is_folder else stat.S_ISREG)(status.st_mode):
        return f"is not a {'folder' if is_folder else 'regular file'}"
    return f"belongs to user {status.st_uid}" if is_strangers(path, systems.user()) else ""


def follow(path: str, owner: int) -> str:
    """Where `path` leads, absolute; its folder is resolved whoever owns links there.

    Raises
    ------
    Refused
        The name itself is a symbolic link of somebody who is neither the user `owner` nor this process's.
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
