"""Forked processes that a test waits for."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable


def in_a_fork(is_so: Callable[[], bool], seconds: int = 60) -> bool:
    """Return the result of a forked process; end it if it never returns."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        os._exit(0 if is_so() else 1)
    finally:
        os._exit(1)
