"""Which process a folder or note belongs to, and whether it still lives; a short text that goes into names."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Owner"]

_TEXT = re.compile(r"([0-9a-f]{8})-(\d+)-(\d+)")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process: its machine, its number, and when it was started, by the machine's clock ticks."""

    machine: str
    process: int
    started: int

    @classmethod
    def this(cls) -> Owner:
        """This process."""
        return cls._of(os.getpid())

    @classmethod
    def driver(cls) -> Owner:
        """The driver: this process, or the Java program whose worker it is."""
        return cls._of(next((process for process in _ancestors() if _facts(process)[0] == "java"), os.getpid()))

    @classmethod
    def _of(cls, process: int) -> Owner:
        return cls(_machine(), process, _facts(process)[2])

    @classmethod
    def parse(cls, text: str) -> Owner | None:
        """What `str` gave, with anything behind it."""
        found = _TEXT.match(text)
        return cls(found[1], int(found[2]), int(found[3])) if found else None

    def __str__(self) -> str:
        return f"{self.machine}-{self.process}-{self.started}"

    def is_alive(self) -> bool | None:
        """Whether the process runs; None where that is not known: of another machine, or hidden by this one."""
        if self.machine != _machine():
            return None
        try:
            return _facts(self.process)[2] == self.started
        except ProcessLookupError:
            return None if _is_hidden(self.process) else False


@functools.cache
def _machine() -> str:
    """What differs between machines, containers of one machine, and a machine before and after a start."""
    start, container = Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{socket.gethostname()}\n{start}\n{container}".encode()).hexdigest()[:8]


def _is_hidden(process: int) -> bool:
    """Whether it is there, and somebody else's whose facts nobody is told (a /proc that is mounted with hidepid)."""
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
        process = _facts(process)[1]


def _facts(process: int) -> tuple[str, int, int]:
    """The name of a process, its parent and its start; ProcessLookupError where it is no more."""
    try:
        text = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        raise ProcessLookupError(process) from None
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    if fields[0] in "ZX":
        raise ProcessLookupError(process)
    return name, int(fields[1]), int(fields[19])
