"""A private, content-addressed directory for data that other libraries need as files."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from . import systems


def keep(files: Mapping[str, bytes], executable: bool = False) -> Path:
    """Return a directory that holds exactly these files; made once for each content, and used again.

    Parameters
    ----------
    files : mapping of str to bytes
        Relative paths and contents.
    executable : bool
        True if the files may be executed.

    Returns
    -------
    pathlib.Path
        A directory below this user's directory in the system's folder for temporary files. Other users can
        neither write into nor enter them: both belong to this user.

    Raises
    ------
    PermissionError
        Another user has created a directory of that name, or its permissions allow access by others.
    """
    folder = _home() / _digest(files)
    if not _holds(folder, files):
        _put(folder, files, executable)
    return folder


def _home() -> Path:
    home = Path(tempfile.gettempdir(), f"parquetext-{systems.user()}")
    home.mkdir(mode=0o700, exist_ok=True)
    _check_private(home)
    return home


def _check_private(directory: Path) -> None:
    found = os.lstat(directory)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != systems.user() or stat.S_IMODE(found.st_mode) & 0o077:
        raise PermissionError(
            f"{directory} is not a private directory of this user (owner {found.st_uid}, "
            f"mode {stat.S_IMODE(found.st_mode):04o}): remove it, or set TMPDIR to another folder"
        )


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(b"%d %d " % (len(name.encode()), len(content)) + name.encode())
        digest.update(content)
    return digest.hexdigest()


def _holds(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Return True if the directory exists, and nothing in it has changed."""
    try:
        _check_private(folder)
        return all((folder / name).read_bytes() == content for name, content in files.items())
    except FileNotFoundError:
        return False


def _put(folder: Path, files: Mapping[str, bytes], executable: bool) -> None:
    staged = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))  # mode 0700
    try:
        for name, content in files.items():
            file = staged / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o500 if executable else 0o400)
        try:
            staged.rename(folder)
        except OSError:
            if not _holds(folder, files):  # else another process was first
                with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as discarded:
                    folder.rename(Path(discarded, "damaged"))
                    staged.rename(folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
