"""System calls that change files. Tests replace `OPERATIONS` to record calls and to stop after any of them."""

from __future__ import annotations

import errno
import os
import stat

from .. import systems
from .folder import Folder, at, naming
from .refusals import refuse
from .source import LocalSource

_COPY_STEP = 1 << 30
_BUFFER_BYTES = 1 << 20
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | systems.O_CLOEXEC
# Errors of copy_file_range if a filesystem, or a pair of them, does not support it.
_CANNOT_COPY = {errno.EXDEV, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM, errno.EBADF, errno.ETXTBSY}
_OF_CONTENT = {"security.ima", "security.evm"}  # the kernel's checksums of the content


class Operations:
    """System calls on this machine.

    If a `folder` is given, names are looked up in it, and paths are for messages only.
    """

    def create(self, path: str, mode: int = 0o600, folder: Folder | None = None) -> int:
        """Create a file for reading and writing; FileExistsError if the name exists, even as a link."""
        name, within = at(path, folder)
        with naming(path):
            return systems.open_file(name, _CREATE, mode, dir_fd=within)

    def copy(self, source: int, target: int, length: int, begin: int = 0, at: int = 0) -> None:
        """Copy `length` bytes from `begin` to `at`; let the kernel share or copy them if the filesystem supports it."""
        done = self._copy_in_kernel(source, target, length, begin, at)
        while done < length:
            piece = systems.pread(source, min(_BUFFER_BYTES, length - done), begin + done)
            if not piece:
                raise OSError(errno.EIO, f"the file ends at {begin + done}, {begin + length} bytes were expected")
            self._write_all(target, piece, at + done)
            done += len(piece)

    @staticmethod
    def _copy_in_kernel(source: int, target: int, length: int, begin: int, at: int) -> int:
        """Copy in the kernel, which shares blocks if the filesystem has reflinks; return the number of bytes copied."""
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

    def write(self, file: int, data: bytes | memoryview, offset: int) -> None:
        """Write all of `data` at `offset`."""
        self._write_all(file, data, offset)

    @staticmethod
    def _write_all(file: int, data: bytes | memoryview, offset: int) -> None:
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view):
            done += systems.pwrite(file, view[done:], offset + done)

    def truncate(self, file: int, length: int) -> None:
        os.ftruncate(file, length)

    def begin_flush(self, file: int, offset: int, length: int) -> None:
        """Start writing a range to disk without waiting, if the system supports it."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file, offset, length, os.POSIX_FADV_DONTNEED)

    def fsync(self, file: int) -> None:
        systems.fsync(file)

    def fsync_folder(self, folder: str | Folder) -> None:
        """Make created, renamed and removed names in `folder` durable."""
        if isinstance(folder, Folder):
            if folder.fd is not None:
                os.fsync(folder.fd)
        elif systems.has_folders():
            file = os.open(folder, os.O_RDONLY | systems.O_DIRECTORY | systems.O_CLOEXEC)
            try:
                os.fsync(file)
            finally:
                os.close(file)

    def rename(self, old: str, new: str, folder: Folder | None = None) -> None:
        """Rename a file in its folder; replace an existing file."""
        (name, within), (goal, _) = at(old, folder), at(new, folder)
        with naming(new):
            systems.replace(name, goal, src_dir_fd=within, dst_dir_fd=within)

    def unlink(self, path: str, folder: Folder | None = None) -> None:
        name, within = at(path, folder)
        with naming(path):
            os.unlink(name, dir_fd=within)

    def make_folder(self, path: str) -> None:
        """Create a folder; FileExistsError if the name exists."""
        os.mkdir(path)

    def remove_folder(self, path: str) -> None:
        """Remove a folder; OSError if it is not empty."""
        os.rmdir(path)

    def symlink(self, target: str, path: str) -> None:
        """Create a link `path` to `target`; FileExistsError if the name exists."""
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
        """Set the times in ns."""
        systems.set_times(file, accessed, modified)


OPERATIONS = Operations()


def keep_attributes(operations: Operations, source: LocalSource, target: int, ignored: frozenset[str]) -> None:
    """Give `target` the attributes of `source`; raise Refused if that fails and is not ignored."""
    old, new = os.fstat(source.fd), os.fstat(target)
    lost = []
    owner = old.st_uid, old.st_gid
    if owner != (new.st_uid, new.st_gid) and not _tried(operations.chown, target, *owner):
        lost.append(f"owner {owner[0]}:{owner[1]}")
    if not _tried(operations.chmod, target, stat.S_IMODE(old.st_mode)):
        lost.append(f"mode {stat.S_IMODE(old.st_mode):04o}")
    lost += _keep_extended(operations, source.fd, target)
    if lost:
        refuse(ignored, "attributes", f"cannot be kept: {', '.join(lost)}", source.name)


def _keep_extended(operations: Operations, source: int, target: int) -> list[str]:
    """Copy extended attributes; return the names of those that could not be copied."""
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
    modified = source.version.modified
    assert modified is not None  # `Version.of_stat` sets it for local files
    operations.set_times(target, os.fstat(source.fd).st_atime_ns, modified)
