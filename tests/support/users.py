"""Other users of this machine, and folders that all of them may put files into."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

__all__ = ["ANNA", "MALLORY", "as_user", "shared_folder"]

ANNA, MALLORY = 61_001, 61_002


def as_user(user: int, work: Callable[[], object]) -> str:
    """Run `work` in a process of another user; return its text, or its exception's type and text."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            message = str(work())
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            traceback.print_exc()
        os.write(writing, message.encode(errors="surrogateescape"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        message = pipe.read().decode(errors="surrogateescape")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
    return message


def shared_folder() -> Iterator[Path]:
    """A folder like /tmp: everybody may put files into it, and remove only their own. A fixture's body."""
    if not hasattr(os, "chown") or os.geteuid() != 0:
        pytest.skip("only root can act as several users: trust in shared folders is NOT tested")
    folder = Path(tempfile.mkdtemp(prefix="parquetext-shared-"))
    try:
        folder.chmod(0o1777)
        yield folder
    finally:
        shutil.rmtree(folder)
