"""A new object on S3, uploaded in parts, or at once where it is small: there is nothing to see before it is whole."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from .edit import TailEdit
from .holding import HeldEnd
from .s3 import S3Object, S3Upload

__all__ = ["NewS3Object"]

_PART = 8 << 20
_AT_ONCE = 4
_PARTS_OF_A_SIZE = 1000  # S3 takes 10,000 parts: they double in size after so many


class NewS3Object(HeldEnd):
    """A new object under its own name."""

    def __init__(self, goal: S3Object):
        super().__init__(self, goal.name)
        self._goal = goal
        self._upload: S3Upload | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._sent: list[Future] = []
        self._part = bytearray()

    def write(self, data) -> None:
        """Take the next bytes; whole parts are sent, a few at a time."""
        self._part += data
        while len(self._part) >= (size := _PART << len(self._sent) // _PARTS_OF_A_SIZE):
            self._send(bytes(memoryview(self._part)[:size]))
            del self._part[:size]

    def _send(self, part: bytes) -> None:
        if self._upload is None:
            self._upload, self._pool = self._goal.upload(), ThreadPoolExecutor(_AT_ONCE)
        if len(self._sent) >= _AT_ONCE:
            self._sent[-_AT_ONCE].result()
        self._sent.append(self._pool.submit(self._upload.send, len(self._sent) + 1, part))

    def commit(self, edit: TailEdit | None = None) -> None:
        """Send what was held back, with the edit applied, and put the object in place."""
        try:
            self._holding.release(edit)
            if self._upload is None:
                self._goal.put(bytes(self._part))
                return
            if self._part:
                self._send(bytes(self._part))
            for sent in self._sent:
                sent.result()
            self._upload.finish()
            self._upload = None
        finally:
            self.abort()

    def abort(self) -> None:
        """Call the upload off; after `commit` or another call it does nothing."""
        self._holding.drop()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)
        upload, self._upload = self._upload, None
        if upload is not None:
            upload.abort()
