"""Files that take their Python down with them: noted by the attempt that dies of one, passed over by the next."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from .filesystems import Filesystems
from .owner import Owner
from .results import put, read_bytes
from .retrying import retrying

BEAT_SECONDS = 2.0  # between the signs of life in the note of an attempt that is at a file
LEASE_SECONDS = 30.0  # how long a note of another machine stays as it is before its attempt counts as dead


class Crashed(Exception):
    """An earlier attempt at the task died while it did the file."""


class Note(NamedTuple):
    """The file that an attempt was processing at its last update."""

    owner: str  # its Python
    file: str  # empty between files
    beat: int = 0  # number of updates


class Doing:
    """Record which file an attempt at a task is processing; first attempts do not, because each note costs a write.

    Each attempt has its note beside the results, which remains after it ends. If an earlier attempt's note names a
    file, either that attempt died at the file, or it is still running, and the file need not be skipped. On the same
    machine, the process table distinguishes the two. On another machine, the attempt updates a counter while it is
    alive, and only this machine's clock is used to wait for updates.

    Parameters
    ----------
    filesystems, folder : Filesystems, str
        The folder of the results.
    task, attempt : int
        Numbers, from 0.
    """

    def __init__(self, filesystems: Filesystems, folder: str, task: int, attempt: int):
        self.is_noted = attempt > 0
        self._filesystems, self._url = filesystems, f"{folder}/_doing-{task:05d}-{attempt}.json"
        earlier = [f"{folder}/_doing-{task:05d}-{number}.json" for number in range(1, attempt)]
        self._seen, self._since = {url: note for url in earlier if (note := self._noted(url))}, time.monotonic()
        self._mine, self._writing = Note(str(Owner.this()), ""), threading.Lock()
        self._beating, self._over = threading.Thread(target=self._beat, daemon=True), threading.Event()

    def __enter__(self):
        if self.is_noted:
            self._beating.start()
        return self

    def __exit__(self, *exception) -> None:
        self._over.set()
        if self.is_noted:
            self._beating.join()

    def is_doubtful(self, path: str) -> bool:
        """Return True if an earlier attempt was processing the file when this one began: it is then processed last."""
        return any(note.file == path for note in self._seen.values())

    @contextmanager
    def file(self, path: str) -> Iterator[None]:
        """Note the file for the block; Crashed if an attempt has died within such a block."""
        if any(self._has_died(url, note) for url, note in self._seen.items() if note.file == path):
            raise Crashed("the Python that did it died, and is not risked again")
        self._note(path)
        try:
            yield
        finally:
            self._note("")

    def _has_died(self, url: str, seen: Note) -> bool:
        """Return True if the attempt that wrote this note is dead."""
        owner = Owner.parse(seen.owner)
        alive = None if owner is None else owner.is_alive()
        while self._noted(url) == seen:
            if alive is not None or time.monotonic() - self._since >= LEASE_SECONDS:
                return not alive
            time.sleep(min(BEAT_SECONDS, LEASE_SECONDS) / 2)
        return False

    def _noted(self, url: str) -> Note | None:
        try:
            return Note(**json.loads(retrying(lambda: read_bytes(self._filesystems, url), remote=True)))
        except FileNotFoundError:
            return None

    def _note(self, path: str) -> None:
        if self.is_noted:
            with self._writing:
                self._mine = self._mine._replace(file=path)
                retrying(self._tell, remote=True)

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS):
            with self._writing, suppress(OSError):  # the next one may get through
                if self._mine.file:
                    self._tell()

    def _tell(self) -> None:
        self._mine = self._mine._replace(beat=self._mine.beat + 1)
        put(self._filesystems, self._url, json.dumps(self._mine._asdict()).encode())
