"""Identify the process that owns a folder or note, as a short text for file names, and check if it is alive."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import socket
from pathlib import Path

from ..records import frozen

_TEXT = re.compile(r"([0-9a-f]{8})-(\d+)-(\d+)")


@frozen
class Owner:
    """A process: its machine, its number, and when it was started, by the machine's clock ticks."""

    machine: str
    process: int
    started: int

    @classmethod
    def this(cls) -> Owner:
        """Return the owner for this process."""
        return cls._of(os.getpid())

    @classmethod
    def driver(cls) -> Owner:
        """Return the owner for the driver: this process, or the Java program whose worker it is."""
        return cls._of(next((process for process in _ancestors() if _status(process)[0] == "java"), os.getpid()))

    @classmethod
    def _of(cls, process: int) -> Owner:
        return cls(_machine(), process, _status(process)[2])

    @classmethod
    def parse(cls, text: str) -> Owner | None:
        """Parse the result of `str`; any text may follow it."""
        found = _TEXT.match(text)
        return cls(found[1], int(found[2]), int(found[3])) if found else None

    def __str__(self) -> str:
        return f"{self.machine}-{self.process}-{self.started}"

    def is_alive(self) -> bool | None:
        """Return True if the process is alive; None if that is unknown, on another machine or for a hidden process."""
        if self.machine != _machine():
            return None
        try:
            return _status(self.process)[2] == self.started
        except ProcessLookupError:
            return None if _is_hidden(self.process) else False


@functools.cache
def _machine() -> str:
    """Return an identifier that differs between machines, their containers and their starts."""
    start, container = Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{socket.gethostname()}\n{start}\n{container}".encode()).hexdigest()[:8]


def _is_hidden(process: int) -> bool:
    """Return True if the process exists, but belongs to another user and is hidden (/proc mounted with hidepid)."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False


def _ancestors():
    process = os.getppid()
    while process > 1:
        yield process
        process = _status(process)[1]


def _status(process: int) -> tuple[str, int, int]:
    """Return the name of a process, its parent and its start time; raise ProcessLookupError if it has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        raise ProcessLookupError(process) from None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    if fields[0] in "ZX":
        raise ProcessLookupError(process)
    return name, int(fields[1]), int(fields[19])
