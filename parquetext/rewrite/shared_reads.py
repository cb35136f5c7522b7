"""A file's bytes read once for two: its SHA-256, which takes them in order, and who copies them in another order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future
from threading import Condition, Event

from .original import step_of

__all__ = ["SharedReads"]

AHEAD = 32 << 20  # bytes by which copying may be ahead of the SHA-256; so many are kept


class SharedReads:
    """Whoever comes to a block first reads it, the other one finds it.

    Parameters
    ----------
    source
        The file: `size`, and `read(offset, length)` from any thread.
    """

    def __init__(self, source):
        self._source, self._step = source, step_of(source)
        self._blocks: dict[int, Future[bytes]] = {}  # by their offsets; the oldest first
        self._most_blocks = AHEAD // self._step + 2
        self._digested = 0
        self._changed = Condition()

    def digest(self, stopped: Event) -> bytes:
        """The file's SHA-256; nothing that is true of it once `stopped` is set. `pieces` rely on it being at work."""
        found = hashlib.sha256()
        try:
            for at in range(0, self._source.size, self._step):
                if stopped.is_set():
                    break
                found.update(self._block(at))
                self._have_digested(at)
        finally:
            self._have_digested(self._source.size)  # so that no thread waits for a reader that has ended
        return found.digest()

    def pieces(self, begin: int, end: int) -> Iterator[memoryview]:
        """A range of the file, a block at a time."""
        for at in range(begin - begin % self._step, end, self._step):
            with self._changed:
                self._changed.wait_for(lambda at=at: at <= self._digested + AHEAD)
            yield memoryview(self._block(at))[max(begin - at, 0) : end - at]

    def _have_digested(self, at: int) -> None:
        with self._changed:
            self._digested = at
            self._changed.notify()

    def _block(self, at: int) -> bytes:
        with self._changed:
            found = self._blocks.get(at)
            is_here = found is not None
            if found is None:
                found = self._blocks[at] = Future()
                while len(self._blocks) > self._most_blocks:
                    del self._blocks[next(iter(self._blocks))]
        if not is_here:
            try:
                found.set_result(self._source.read(at, min(self._step, self._source.size - at)))
            except BaseException as error:  # whatever it is, the other one must not wait for the block
                found.set_exception(error)
        return found.result()
