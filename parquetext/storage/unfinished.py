"""New files that have not got their names yet, and changes in place that are under way: what must not be left behind.

A process that is ended by `os._exit`, since a thread of it is in a long call, removes the former and waits for the
latter.
"""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Condition
from types import TracebackType

from .folder import Folder, at
from .unchanged import names_file

__all__ = ["abandon", "begun", "in_place_change"]

PATIENCE = 10.0  # seconds that a change in place may take to end: it writes and flushes a few pieces

_turn = Condition()
_new: dict[int, tuple[str, Folder]] = {}  # by their descriptors: what was closed is told by its inode
_under_way = 0
_is_abandoned = False


def begun(file: int, path: str, folder: Folder) -> None:
    """Remember a new file, open as `file`, by its hidden path in an open folder."""
    with _turn:
        _new[file] = path, folder


class _InPlaceChange:
    """A context manager of a change in place, which is ended before the process is."""

    def __enter__(self) -> None:
        global _under_way
        with _turn:
            _turn.wait_for(lambda: not _is_abandoned)
            _under_way += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        global _under_way
        with _turn:
            _under_way -= 1
            _turn.notify_all()


def in_place_change() -> _InPlaceChange:
    """Return a context manager for a change in place; none begins once the process is about to end."""
    return _InPlaceChange()


def abandon() -> None:
    """Wait for changes in place, let no other begin, and remove new files; the process must end after this."""
    global _is_abandoned
    with _turn:
        _is_abandoned = True
        _turn.wait_for(lambda: not _under_way, timeout=PATIENCE)
        for file, (path, folder) in _new.items():
            with suppress(OSError):  # it was closed, has got its name, or is gone
                if names_file(path, file, folder):
                    name, within = at(path, folder)
                    os.unlink(name, dir_fd=within)
