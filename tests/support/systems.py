"""Other operating systems, simulated by removing the functions that they lack."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from parquetext import systems

__all__ = ["SYSTEMS", "needs", "needs_proc", "replaces_open_files", "take_away", "what_it_lacks"]

_MAC = (
    *("copy_file_range", "listxattr", "getxattr", "setxattr", "removexattr"),
    *("posix_fadvise", "posix_fallocate", "memfd_create", "O_PATH", "O_TMPFILE"),
)
_WINDOWS = (
    *_MAC,
    *("pread", "pwrite", "preadv", "pwritev", "fchown", "fchmod", "geteuid", "getuid", "getegid", "chown"),
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "mkfifo"),
)
TESTS = Path(__file__).parents[1]
SYSTEMS = {"mac": _MAC, "windows": _WINDOWS}


def needs(*names: str) -> pytest.MarkDecorator:
    """Mark a test that needs these functions of `os`."""
    lacking = [name for name in names if not hasattr(os, name)]
    return pytest.mark.skipif(bool(lacking), reason=f"this system has no os.{', os.'.join(lacking)}")


def needs_proc() -> pytest.MarkDecorator:
    """Mark a test that reads facts of its process below `/proc`."""
    return pytest.mark.skipif(sys.platform != "linux", reason="this system has no /proc")


def replaces_open_files() -> pytest.MarkDecorator:
    """Mark a test that replaces a file while it is open."""
    return pytest.mark.skipif(not systems.replaces_open_files(), reason="this system does not replace open files")


def what_it_lacks(error: BaseException, raised_in: object) -> str | None:
    """Return the missing feature that the error of a test names, or None for any other error."""
    taken = {name for names in SYSTEMS.values() for name in names}
    if isinstance(error, AttributeError) and error.name in taken and TESTS in Path(str(raised_in)).parents:
        return f"has no os.{error.name}"
    if isinstance(error, ImportError) and error.name == "fcntl":
        return "has no fcntl"
    return None


def take_away(system: str, remove=delattr, replace=dict.__setitem__) -> None:
    """Remove the features that a system lacks from this process; `remove` and `replace` may be a monkeypatch's."""
    if system == "windows":
        from . import windows_files  # uses some of them
    for name in SYSTEMS[system]:
        if hasattr(os, name):
            remove(os, name)
    # The standard library asks for some of them once, when it is imported.
    replace(vars(tempfile), "_O_TMPFILE_WORKS", False)
    replace(vars(shutil), "_copyxattr", lambda *_, **__: None)
    if system == "windows":
        replace(vars(shutil), "_use_fd_functions", False)
        replace(sys.modules, "fcntl", None)
        replace(sys.modules, "parquetext.windows", windows_files)
    importlib.reload(systems)
    if system != "windows":
        systems.path_of = lambda file: f"/no-such-folder/{file}"
