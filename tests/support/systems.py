"""Systems other than this one: what they lack is taken away."""

from __future__ import annotations

import importlib
import os
import sys

__all__ = ["SYSTEMS", "take_away"]

_MAC = (
    *("copy_file_range", "listxattr", "getxattr", "setxattr", "removexattr"),
    *("posix_fadvise", "posix_fallocate", "memfd_create", "O_PATH", "O_TMPFILE"),
)
_WINDOWS = (
    *_MAC,
    *("pread", "pwrite", "preadv", "pwritev", "fchown", "fchmod", "geteuid", "getuid", "getegid", "chown"),
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK"),
)
SYSTEMS = {"mac": _MAC, "windows": _WINDOWS}


def take_away(system: str, remove=delattr, replace=dict.__setitem__) -> None:
    """Let this process lack what a system lacks; `remove` and `replace` may be those of a monkeypatch."""
    for name in SYSTEMS[system]:
        if hasattr(os, name):
            remove(os, name)
    if system == "windows":
        replace(sys.modules, "fcntl", None)
    systems = importlib.reload(importlib.import_module("parquetext.systems"))
    systems.path_of = lambda file: f"/no-such-folder/{file}"
