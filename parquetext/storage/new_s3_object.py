"""A new object on S3, uploaded in parts, or at once where it is small: there is nothing to see before it is whole."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..errors import Conflict, ParquetextError
from ..threads import Pool, Task
from .edit import TailEdit
from .holding import HeldEnd
from .s3 import S3Object, S3Upload
from .s3_checksums import ObjectChecksum

__all__ = ["NewS3Object"]

_PART = 8 << 20
_AT_ONCE = 4
_END = 1 << 16  # bytes that tell one file from another
_PARTS_OF_A_SIZE = 1000  # S3 takes 10,000 parts: they double in size after so many


class NewS3Object(HeldEnd):
    """A new object under its own name.

    Parameters
    ----------
    goal : S3Object
    replaced : str, optional
        The ETag of the object that has the name, and that this one is to replace: it passes its headers, metadata,
        tags and kind of checksum on, and `commit` raises Conflict where another one is there by then.
    """

    def __init__(self, goal: S3Object, replaced: str | None = None):
        super().__init__(self, goal.name)
        self._goal = goal
        self._given: dict = {}  # to the new object
        self._condition: dict[str, str] = {}
        self._checksum: ObjectChecksum | None = None
        if replaced is not None:
            found, self._given, self._checksum = goal.look()
            if found.strip('"') != replaced.strip('"'):
                raise Conflict("it was changed by somebody else meanwhile", file=goal.name)
            self._condition = {"IfMatch": found}
        self._end, self._size = b"", 0  # of what was sent last
        self._upload: S3Upload | None = None
        self._pool: Pool | None = None
        self._sent: list[Task] = []
        self._part = bytearray()

    def write(self, data) -> None:
        """Take the next bytes; whole parts are sent, a few at a time."""
        self._part += data
        while len(self._part) >= (size := _PART << len(self._sent) // _PARTS_OF_A_SIZE):
            self._send(bytes(memoryview(self._part)[:size]))
            del self._part[:size]

    def _send(self, part: bytes) -> None:
        if self._upload is None:
            self._upload = self._goal.upload(self._checksum, **self._given)
            self._pool = Pool(_AT_ONCE)
        self._end, self._size = part[-_END:], self._size + len(part)
        if len(self._sent) >= _AT_ONCE:
            self._sent[-_AT_ONCE].result()
        self._sent.append(self._pool.submit(self._upload.send, len(self._sent) + 1, part))

    def commit(self, edit: TailEdit | None = None) -> None:
        """Send what was held back, with the edit applied, and put the object in place."""
        try:
            self._holding.release(edit)
            by_parts = self._checksum is not None and self._checksum.is_of_parts
            if self._upload is None and not by_parts:
                data = bytes(self._part)
                self._end, self._size = data[-_END:], len(data)
                with self._settled():
                    self._goal.put(data, self._checksum, **self._condition, **self._given)
                return
            if self._part:
                self._send(bytes(self._part))
            for sent in self._sent:
                sent.result()
            with self._settled():
                self._upload.finish(**self._condition)
            self._upload = None
        finally:
            self.abort()

    @contextlib.contextmanager
    def _settled(self) -> Iterator[None]:
        """If a response was lost, the retry fails although the first request succeeded: look at the object first."""
        try:
            yield
        except (OSError, ParquetextError):
            if not self._condition or not self._goal.ends_with(self._size - len(self._end), self._end):
                raise

    def abort(self) -> None:
        """Call the upload off; after `commit` or another call it does nothing."""
        self._holding.drop()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()
        upload, self._upload = self._upload, None
        if upload is not None:
            upload.abort()
