"""System calls that change files. Tests replace `OPERATIONS` to record calls and to stop after any of them."""

from __future__ import annotations

import errno
import os
import stat

from .. import systems
from .folder import Folder, at, naming
from .refusals import refuse
from .source import LocalSource

__all__ = ["OPERATIONS", "Operations", "keep_attributes", "keep_times"]

_COPY_STEP = 1 << 30
_BUFFER_BYTES = 1 << 20
# What copy_file_range says where a filesystem, or a pair of them, cannot do it.
_CANNOT_COPY = {errno.EXDEV, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM, errno.EBADF, errno.ETXTBSY}
_OF_CONTENT = {"security.ima", "security.evm"}  # the kernel's own sums over the content


class Operations:
    """The operations of this machine.

    Where a `folder` is given, names are those in this open folder; paths then are for messages.
    """

    def create(self, path: str, mode: int = 0o600, folder: Folder | None = None) -> int:
        """A new file for reading and writing; FileExistsError if there is one, or a link of that name."""
        name, within = at(path, folder)
        with naming(path):
            return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | systems.O_CLOEXEC, mode, dir_fd=within)

    def copy(self, source: int, target: int, length: int, begin: int = 0, at: int = 0) -> None:
        """The `length` bytes from `begin` on, to `at`: shared or copied by the kernel where the filesystem has it."""
        done = self._copy_in_kernel(source, target, length, begin, at)
        while done < length:
            piece = systems.pread(source, min(_BUFFER_BYTES, length - done), begin + done)
            if not piece:
                raise OSError(errno.EIO, f"the file ends at {begin + done}, {begin + length} bytes were expected")
            self._write_all(target, piece, at + done)
            done += len(piece)

    @staticmethod
    def _copy_in_kernel(source: int, target: int, length: int, begin: int, at: int) -> int:
        """Bytes copied. Filesystems with reflinks share them here: the kernel tries that first."""
        done = 0
        if not hasattr(os, "copy_file_range"):
            return done
        try:
            while done < length:
                copied = os.copy_file_range(source, target, min(_COPY_STEP, length - done), begin + done, at + done)
                if copied == 0:
                    break
                done += copied
        except OSError as error:
            if error.errno not in _CANNOT_COPY:
                raise
        return done

    def write(self, file: int, data: bytes, offset: int) -> None:
        """All of `data` at `offset`."""
        self._write_all(file, data, offset)

    @staticmethod
    def _write_all(file: int, data: bytes, offset: int) -> None:
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view):
            done += systems.pwrite(file, view[done:], offset + done)

    def truncate(self, file: int, length: int) -> None:
        os.ftruncate(file, length)

    def begin_flush(self, file: int, offset: int, length: int) -> None:
        """Begin to write a range to the disk, without waiting for it, where the system has a way to ask for that."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file, offset, length, os.POSIX_FADV_DONTNEED)

    def fsync(self, file: int) -> None:
        os.fsync(file)

    def fsync_folder(self, folder: str | Folder) -> None:
        """Make created, renamed and removed names of `folder` durable."""
        if not systems.has_folders():
            return
        if isinstance(folder, Folder):
            os.fsync(folder.fd)
            return
        file = os.open(folder, os.O_RDONLY | systems.O_DIRECTORY | systems.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)

    def rename(self, old: str, new: str, folder: Folder | None = None) -> None:
        """Give a file another name in its folder, in the place of whatever has it."""
        (name, within), (goal, _) = at(old, folder), at(new, folder)
        with naming(new):
            os.replace(name, goal, src_dir_fd=within, dst_dir_fd=within)

    def unlink(self, path: str, folder: Folder | None = None) -> None:
        name, within = at(path, folder)
        with naming(path):
            os.unlink(name, dir_fd=within)

    def make_folder(self, path: str) -> None:
        """FileExistsError if there is one."""
        os.mkdir(path)

    def remove_folder(self, path: str) -> None:
        """OSError unless it is empty."""
        os.rmdir(path)

    def symlink(self, target: str, path: str) -> None:
        """A name `path` that leads to `target`; FileExistsError if there is one."""
        os.symlink(target, path)

    def chown(self, file: int, user: int, group: int) -> None:
        os.fchown(file, user, group)

    def chmod(self, file: int, mode: int) -> None:
        if hasattr(os, "fchmod"):
            os.fchmod(file, mode)

    def set_attribute(self, file: int, name: str, value: bytes) -> None:
        os.setxattr(file, name, value)

    def remove_attribute(self, file: int, name: str) -> None:
        os.removexattr(file, name)

    def set_times(self, file: int, accessed: int, modified: int) -> None:
        """Times in ns."""
        os.utime(file, ns=(accessed, modified))


OPERATIONS = Operations()


def keep_attributes(operations: Operations, source: LocalSource, target: int, forced: frozenset[str]) -> None:
    """Give `target` what `source` has; Refused for what it cannot be given, unless forced."""
    old, new = os.fstat(source.fd), os.fstat(target)
    lost = []
    owner = old.st_uid, old.st_gid
    if owner != (new.st_uid, new.st_gid) and not _tried(operations.chown, target, *owner):
        lost.append(f"owner {owner[0]}:{owner[1]}")
    if not _tried(operations.chmod, target, stat.S_IMODE(old.st_mode)):
        lost.append(f"mode {stat.S_IMODE(old.st_mode):04o}")
    lost += _keep_extended(operations, source.fd, target)
    if lost:
        refuse(forced, "attributes", f"cannot be kept: {', '.join(lost)}", source.name)


def _keep_extended(operations: Operations, source: int, target: int) -> list[str]:
    """Copy extended attributes; the names of those that could not be."""
    old, new = _extended(source), _extended(target)
    lost = [
        name
        for name, value in old.items()
        if new.get(name) != value and not _tried(operations.set_attribute, target, name, value)
    ]
    extra = [name for name in new if name not in old and not _tried(operations.remove_attribute, target, name)]
    return lost + [f"the absence of {name}" for name in extra]


def _extended(file: int) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        systems.say("extended attributes of files are not kept by changes: Python has no os.listxattr on this system")
        return {}
    try:
        names = os.listxattr(file)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return {}
        raise
    return {name: os.getxattr(file, name) for name in names if name not in _OF_CONTENT}


def _tried(change, *arguments) -> bool:
    try:
        change(*arguments)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSPC, errno.EINVAL):
            raise
        return False
    return True


def keep_times(operations: Operations, source: LocalSource, target: int) -> None:
    """Give `target` the times that `source` had when it was opened."""
    operations.set_times(target, os.fstat(source.fd).st_atime_ns, source.version.modified)
