"""Mode, ownership and extended attributes (access control lists among them) for the file that takes another's place."""

from __future__ import annotations

import errno
import os
import stat

from .. import systems
from .operations import Operations
from .refusals import refuse
from .source import LocalSource

__all__ = ["keep_attributes", "keep_times"]

_OF_CONTENT = {"security.ima", "security.evm"}  # the kernel's own sums over the content


def keep_attributes(operations: Operations, source: LocalSource, target: int, ignored: frozenset[str]) -> None:
    """Give `target` what `source` has; Refused for what it cannot be given, unless that check is ignored."""
    old, new = os.fstat(source.fd), os.fstat(target)
    lost = []
    owner = old.st_uid, old.st_gid
    if owner != (new.st_uid, new.st_gid) and not _tried(operations.chown, target, *owner):
        lost.append(f"owner {owner[0]}:{owner[1]}")
    if not _tried(operations.chmod, target, stat.S_IMODE(old.st_mode)):
        lost.append(f"mode {stat.S_IMODE(old.st_mode):04o}")
    lost += _keep_extended(operations, source.fd, target)
    if lost:
        refuse(ignored, "attributes", f"cannot be kept: {', '.join(lost)}", source.name)


def _keep_extended(operations: Operations, source: int, target: int) -> list[str]:
    """Copy extended attributes; the names of those that could not be."""
    old, new = _extended(source), _extended(target)
    lost = [
        name
        for name, value in old.items()
        if new.get(name) != value and not _tried(operations.set_attribute, target, name, value)
    ]
    extra = [name for name in new if name not in old and not _tried(operations.remove_attribute, target, name)]
    return lost + [f"the absence of {name}" for name in extra]


def _extended(file: int) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        systems.say("extended attributes of files are not kept by changes: Python has no os.listxattr on this system")
        return {}
    try:
        names = os.listxattr(file)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return {}
        raise
    return {name: os.getxattr(file, name) for name in names if name not in _OF_CONTENT}


def _tried(change, *arguments) -> bool:
    try:
        change(*arguments)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSPC, errno.EINVAL):
            raise
        return False
    return True


def keep_times(operations: Operations, source: LocalSource, target: int) -> None:
    """Give `target` the times that `source` had when it was opened."""
    operations.set_times(target, os.fstat(source.fd).st_atime_ns, source.version.modified)
