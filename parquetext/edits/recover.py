"""Settle what killed processes left behind."""

from __future__ import annotations

import os
import time

from .. import storage
from .result import Result

__all__ = ["recover"]


def recover(path: object, *, timeout: float = 0) -> Result:
    """Undo a change in place that was interrupted, and remove an unfinished new file.

    Only the holder of the file's lock does that, so a change that is still going on is a Conflict. Every later
    `upgrade` and `strip` does the same by itself. Objects of a remote store are never half changed: nothing to do.
    """
    start = time.perf_counter()
    target = storage.resolve(path)
    before = _size(target)
    done = storage.recover(target, timeout=timeout)
    return Result(str(target), "recovered" if done else "unchanged", bytes_before=before, bytes_after=_size(target),
                  seconds=time.perf_counter() - start, message=done or "")


def _size(target: storage.LocalTarget | storage.RemoteTarget) -> int:
    if isinstance(target, storage.LocalTarget):
        return os.stat(target.path).st_size if os.path.exists(target.path) else 0
    with storage.open_source(target) as source:
        return source.size
