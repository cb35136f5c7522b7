"""A file object that the caller has opened, read at any place; threads may share it."""

from __future__ import annotations

import errno
import os
from threading import Lock, RLock
from weakref import WeakKeyDictionary

from .ranged_file import RangedFile

__all__ = ["CallersFile"]

_locks: WeakKeyDictionary[object, RLock] = WeakKeyDictionary()
_choosing, _of_others = Lock(), RLock()


class CallersFile(RangedFile):
    """A file object of the caller's, with the methods of `pyarrow.NativeFile` that sources use.

    Reads may be short. To close it does not close what the caller has opened.

    Parameters
    ----------
    file
        It has `seek`, `tell` and `read`. What it gives is checked: pyarrow copies more than it has asked for behind the
        end of its memory.
    """

    attributes, modified = (), None

    def __init__(self, file):
        self._file, self._turn = file, _lock_of(file)
        with self._turn:
            file.seek(0, os.SEEK_END)
            super().__init__(file.tell())

    def read_at(self, length: int, offset: int) -> bytes:
        """The bytes [offset, offset + length), or fewer at the end of the file."""
        pieces: list[bytes] = []
        with self._turn:  # of one object there is one place, whoever reads from it
            self._file.seek(offset)
            while length and (data := self._read(length)):
                pieces.append(data)
                length -= len(data)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read(self, most: int) -> bytes:
        data = self._file.read(most)
        if data is None:
            raise BlockingIOError(errno.EAGAIN, "the file object has nothing to read yet")
        data = data if type(data) is bytes else bytes(memoryview(data))
        if len(data) > most:
            raise OSError(errno.EIO, f"asked for {most} bytes, the file object gives {len(data)}")
        return data


def _lock_of(file: object) -> RLock:
    """The lock of a file object; those that cannot be told apart share one."""
    with _choosing:
        try:
            return _locks.setdefault(file, RLock())
        except TypeError:
            return _of_others
