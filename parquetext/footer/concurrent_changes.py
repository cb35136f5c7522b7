"""Detect that an open local file has been changed in place."""

from __future__ import annotations

import os

from .. import kernels, systems


def is_changed(source: object) -> bool:
    """Return True if the size or time of a local file has changed since it was opened; False for other sources."""
    if not isinstance(source, kernels.local.LocalFile):
        return False
    now = os.fstat(source.fd)
    return (now.st_size, now.st_mtime_ns) != (source.size, source.mtime_ns)


def opened_again(file: int, path: str) -> kernels.local.LocalFile | None:
    """Open a file again, by /proc or by its path; return None if the path now leads to another file."""
    try:
        return kernels.local.LocalFile(systems.path_of(file))
    except FileNotFoundError:
        pass
    try:
        found = kernels.local.LocalFile(path)
    except FileNotFoundError:
        return None
    if found.ino == os.fstat(file).st_ino:
        return found
    found.close()
    return None
