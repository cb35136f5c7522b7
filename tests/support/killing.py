"""A process that dies at its k-th operation on the disk, without dying."""

from __future__ import annotations

from parquetext.storage.operations import Operations

__all__ = ["Killed", "Killing", "Unflushed"]

CHANGES = [name for name in vars(Operations) if not name.startswith("_")]


class Unflushed(Operations):
    """Operations without flushes: processes see each other's writes without the disk."""

    def fsync(self, file):
        pass

    def fsync_folder(self, folder):
        pass


class Killed(BaseException):
    """Nothing that handles errors gets hold of it."""


class Killing(Unflushed):
    """Does `count` operations; then nothing more, as a dead process, but for the half of a write where it is `torn`."""

    def __init__(self, count: int, *, torn: bool = False):
        self.left, self._torn = count, torn


def _dying(name: str):
    def operation(self, *arguments, **options):
        self.left -= 1
        if self.left >= 0:
            return getattr(Unflushed, name)(self, *arguments, **options)
        if self.left == -1 and self._torn and name == "write":
            file, data, offset = arguments
            Operations.write(self, file, bytes(data)[: len(data) // 2], offset)
        raise Killed(name)

    return operation


for _name in CHANGES:
    setattr(Killing, _name, _dying(_name))
