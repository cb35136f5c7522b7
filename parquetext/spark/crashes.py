"""Files that take their Python down with them: noted by the attempt that dies of one, passed over by the next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from .filesystems import Filesystems
from .results import put, read_bytes

__all__ = ["Crashed", "Doing"]


class Crashed(Exception):
    """An earlier attempt at the task died while it did the file."""


class Doing:
    """What a task is at, noted beside its results; only where it has been tried before, since notes cost writes.

    Parameters
    ----------
    filesystems, folder : Filesystems, str
        Where the results are stored.
    task, attempt : int
        Numbers, from 0.
    """

    def __init__(self, filesystems: Filesystems, folder: str, task: int, attempt: int):
        self.is_noted = attempt > 0
        self._filesystems, self._url = filesystems, f"{folder}/_doing-{task:05d}.json"
        self._fatal: list[str] = self._noted() if self.is_noted else []

    def _noted(self) -> list[str]:
        try:
            noted = json.loads(read_bytes(self._filesystems, self._url))
        except FileNotFoundError:
            return []
        return [*noted["fatal"], *noted["now"]]

    @contextmanager
    def file(self, path: str) -> Iterator[None]:
        """Note the file for the block; Crashed if an attempt has died within such a block."""
        if path in self._fatal:
            raise Crashed("the Python that did it died, and is not risked again")
        self._note([path])
        try:
            yield
        finally:
            self._note([])

    def _note(self, now: list[str]) -> None:
        if self.is_noted:
            put(self._filesystems, self._url, json.dumps({"fatal": self._fatal, "now": now}).encode())
