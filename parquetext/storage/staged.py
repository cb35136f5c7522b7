"""An object that gets its name once it is whole: uploaded under a hidden name, then copied by the store.

Uploading straight to the object's name would be shorter, but whatever fails half-way, pyarrow finishes an upload
when its stream goes away, and a part of the new object would then be in place of the old one.
"""

from __future__ import annotations

import errno
import uuid

from ..errors import Refused
from .fsspec_file import forget
from .hdfs import native_client
from .hidden_names import NEW, beside
from .paths import Target

__all__ = ["Staged", "check_size", "copy_whole"]

_S3_COPY_LIMIT = 5 << 30


def check_size(target: Target, size: int) -> None:
    """Refused for an object that its store could not copy."""
    if target.filesystem.type_name == "s3" and size > _S3_COPY_LIMIT:
        raise Refused(f"{size} bytes: S3 copies objects of up to {_S3_COPY_LIMIT} bytes", file=str(target))


def copy_whole(source: Target, path: str, size: int) -> None:
    """Let the store copy an object of so many bytes to a path.

    Raises
    ------
    OSError
        It has said that it has, and has not: Azure's copies may fail after their request was answered, and what
        filesystems of fsspec call a copy may be a rename that fails in silence.
    """
    source.filesystem.copy_file(source.path, path)
    _check_there(source, path, size)


def _check_there(source: Target, path: str, size: int) -> None:
    goal = Target(path, source.filesystem)
    forget(goal)
    found = source.filesystem.get_file_info(path).size
    if found != size:
        kept = "" if found else f"; it is {source.path}"
        raise OSError(errno.EIO, f"its filesystem has not put the new file in its place{kept}", str(goal))


class Staged:
    """An object on its way to `target`.

    Attributes
    ----------
    path : str
        Its hidden name.
    """

    def __init__(self, target: Target):
        self._target, self._size, self._is_all = target, 0, False
        self.path = beside(target.path, f"{uuid.uuid4().hex}.{NEW}")

    def check(self, size: int) -> None:
        """OSError unless just that many bytes have arrived."""
        found = self._target.filesystem.get_file_info(self.path).size
        if found != size:
            raise OSError(errno.EIO, f"{size} bytes uploaded, {found} are there", self.path)
        self._size = size

    def publish(self) -> None:
        """Let the store put it in the target's place: by a copy, on HDFS by a rename.

        NotImplementedError where it can do neither.
        """
        filesystem, path = self._target.filesystem, self._target.path
        if native_client(filesystem) is not None:
            filesystem.move(self.path, path)
            return
        try:
            copy_whole(Target(self.path, filesystem), path, self._size)
        except OSError:
            self._is_all = True  # as far as is known
            self._is_all = not filesystem.get_file_info(path).size
            raise

    def publish_new(self) -> None:
        """The same, by a new name where the store cannot copy; what had the name is then removed first."""
        filesystem, path = self._target.filesystem, self._target.path
        try:
            self.publish()
        except NotImplementedError:
            if filesystem.get_file_info(path).is_file:
                self._is_all = True
                filesystem.delete_file(path)
            filesystem.move(self.path, path)
            _check_there(Target(self.path, filesystem), path, self._size)
            self._is_all = False

    def discard(self) -> None:
        """Delete the staged object, unless a failed copy has made it the only copy of the data."""
        filesystem = self._target.filesystem
        if not self._is_all and filesystem.get_file_info(self.path).is_file:
            filesystem.delete_file(self.path)
