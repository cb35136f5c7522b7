"""End a command soon after Ctrl-C, even during a long library call that Python cannot interrupt.

Python raises KeyboardInterrupt in the main thread once a call of a library returns, which may take a minute: pyarrow
compresses, decodes and sorts whole row groups. If the command has not ended shortly after Ctrl-C, another thread
removes its unfinished files and ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread, current_thread, main_thread
from time import sleep

STOPPED = 130
GRACE = 0.25  # seconds that a command has to end by itself


class _Command:
    """The current operation, named in the last line after Ctrl-C."""

    def __init__(self, done: Callable[[], str], temporary: str | None, waits: bool):
        self.done, self.temporary, self.waits = done, temporary, waits
        self.is_reported = Lock()


_command = _Command(lambda: "no work had started", None, False)


@contextmanager
def reported_stop(done: Callable[[], str], *, temporary: str | None = None, waits: bool = False) -> Iterator[None]:
    """Print the text of `done` if Ctrl-C stops the block.

    Parameters
    ----------
    done : callable
    temporary : str, optional
        A folder to remove at the end.
    waits : bool
        True if the command must not be ended by force, however long it takes to stop.
    """
    global _command
    _command = _Command(done, temporary, waits)
    yield


def claim_report() -> bool:
    """Return True if the caller is the first one to print the command's last line."""
    return _command.is_reported.acquire(blocking=False)


def report_stopped() -> None:
    """Print the line of the command to standard error, if nobody has done so yet."""
    if claim_report():
        clear = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""  # a progress bar, which has hidden the cursor
        os.write(2, f"{clear}stopped by Ctrl-C: {_command.done()}\n".encode(errors="replace"))


def watch() -> None:
    """Begin to wait for Ctrl-C, if this process does not ignore it."""
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if os.name != "posix" or current_thread() is not main_thread() or not is_default:
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    Thread(target=_wait, args=(reader,), daemon=True).start()


def _wait(reader: int) -> None:
    while signal.SIGINT not in os.read(reader, 1 << 10):
        pass
    sleep(GRACE)
    while _command.waits:
        sleep(GRACE)
    _end()


def _end() -> None:
    """Remove unfinished files, print the completed work, and end the process."""
    unfinished = sys.modules.get("parquetext.storage.locking")
    if unfinished is not None:
        unfinished.abandon()
    if _command.temporary is not None:
        import shutil  # `tempfile` has loaded it; importing it earlier delays `watch`

        shutil.rmtree(_command.temporary, ignore_errors=True)
    report_stopped()
    os._exit(STOPPED)
