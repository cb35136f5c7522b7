"""Hadoop's checksum files, and their renewal with each change of a file.

``.NAME.crc`` next to a local file contains a CRC-32 for each chunk of it. Hadoop's readers fail if it does not match,
or is not a checksum file, and read without checks if it does not exist. (Layout:
org.apache.hadoop.fs.ChecksumFileSystem, "crc" and a zero byte, bytes per checksum, checksums, all big-endian.)

Before the file changes, the new checksum file is complete under a hidden name, and the old one has another hidden name.
After the change the new one gets the final name. If a process is killed at any point, readers find no checksums or
matching ones, and the next change, or `recover`, restores the matching ones: damage that they reveal stays visible.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator

from .. import systems
from ..errors import ParquetextError, Refused
from ..records import frozen
from .folder import CHECKSUMS_NEW, CHECKSUMS_OLD, Folder, beside, status_of
from .locking import create_locked, sweep
from .operations import Operations, keep_attributes
from .ownership import distrust
from .source import LocalSource, Overlay, Source, SourceInFolder, TailEdit

_HEADER = struct.Struct(">4sI")
_MAGIC = b"crc\0"
_SUM_BYTES = 4
_STEP = 1 << 20  # read at once
_END_BYTES = 1 << 16  # bytes of a file's end that distinguish it from others: its footer, or a part of it
_NOT_THERE = (errno.ENOENT, errno.ENAMETOOLONG)
_NO_FILE = (errno.ELOOP, errno.ENXIO)
PUT_BACK = "put Hadoop's checksums back"
REMOVED = "removed unfinished checksums of Hadoop's"


def crc_path(path: str) -> str:
    """Return the path at which Hadoop looks for a file's checksums."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.crc")


@frozen
class Checksums:
    """The content of a checksum file.

    Attributes
    ----------
    chunk : int
        Bytes of the file per checksum; fewer for the last one.
    sums : array of int
        CRC-32 of each chunk.
    """

    chunk: int
    sums: array

    @classmethod
    def read(cls, file: Source) -> Checksums | None:
        """Read an open file; return None if it is not a checksum file. Ignore an incomplete checksum at its end."""
        content = file.size - _HEADER.size
        if content < 0:
            return None
        magic, chunk = _HEADER.unpack(file.read(0, _HEADER.size))
        if magic != _MAGIC or not 0 < chunk < 1 << 31:
            return None
        return cls(chunk, _big_endian(array("I", file.read(_HEADER.size, content - content % _SUM_BYTES))))

    @classmethod
    def of(cls, source: Source, chunk: int) -> Checksums:
        """Compute the checksums of a file."""
        return cls(chunk, array("I", _computed(source, 0, chunk)))

    def to_bytes(self) -> bytes:
        return _HEADER.pack(_MAGIC, self.chunk) + _big_endian(self.sums[:]).tobytes()

    def beyond(self, size: int) -> int:
        """Return how many checksums have no chunk in a file of this size. Hadoop only fails if it is negative."""
        return len(self.sums) - -(-size // self.chunk)

    def first_wrong(self, source: Source, begin: int = 0) -> int | None:
        """Return the first chunk at or after byte `begin` that does not match its checksum, or None."""
        first = begin // self.chunk
        for number, found in enumerate(_computed(source, first, self.chunk), first):
            if found != self.sums[number]:
                return number
        return None

    def fits(self, source: Source, begin: int) -> bool:
        """Return True if Hadoop can read the file with these checksums from byte `begin` on."""
        return self.beyond(source.size) >= 0 and self.first_wrong(source, begin) is None

    def tells_apart(self, source: Source, other: Checksums | None) -> bool:
        """Return True if these checksums match the end of `source`, and all chunks for which `other` differs."""
        if self.beyond(source.size) or not self.fits(source, max(source.size - _END_BYTES, 0)):
            return False
        if other is None or other.chunk != self.chunk:
            return True
        differing = (
            number for number, pair in enumerate(zip(self.sums, other.sums, strict=False)) if pair[0] != pair[1]
        )
        return all(next(_computed(source, number, self.chunk)) == self.sums[number] for number in differing)

    def after(self, source: LocalSource, edit: TailEdit) -> Checksums:
        """Compute the checksums after `edit`; keep those of unchanged chunks, right or wrong."""
        first = edit.keep // self.chunk
        sums = self.sums[:first]
        sums.extend(_computed(Overlay(source, edit.keep, edit.tail), first, self.chunk))
        return Checksums(self.chunk, sums)


def _computed(source: Source, first: int, chunk: int) -> Iterator[int]:
    """Yield the CRC-32 of each chunk, beginning with number `first`."""
    at, step = first * chunk, max(_STEP // chunk, 1) * chunk
    while at < source.size:
        end = min(at + step, source.size)
        if chunk <= _STEP:
            data = memoryview(source.read(at, end - at))
            yield from (zlib.crc32(data[begin : begin + chunk]) for begin in range(0, len(data), chunk))
        else:
            crc = 0
            for begin in range(at, end, _STEP):
                crc = zlib.crc32(source.read(begin, min(_STEP, end - begin)), crc)
            yield crc
        at = end


def _big_endian(sums: array) -> array:
    """Convert between the machine's byte order and the file's, in place."""
    if sys.byteorder == "little":
        sums.byteswap()
    return sums


@contextlib.contextmanager
def renewed_for_edit(
    operations: Operations, source: SourceInFolder, edit: TailEdit, ignored: frozenset[str]
) -> Iterator[str]:
    """Renew the checksum file next to `source`, which is locked, for the change in the block; yield a note.

    Leave a file that does not match before the change as it is: a matching one would hide the damage.

    Raises
    ------
    Refused
        If it cannot be read or replaced, or cannot keep its attributes. Nothing was done.
    """
    with _opened(source.name, source.folder) as old:
        sums = None if old is None else Checksums.read(old)
        if old is None:
            yield ""
        elif sums is None or not sums.fits(source, edit.keep):
            yield f"{os.path.basename(old.name)} does not fit the file before this change, and is left as it is"
        else:
            with _renewed(operations, old, source.name, lambda: sums.after(source, edit), ignored):
                yield ""


@contextlib.contextmanager
def renewed_for(
    operations: Operations, path: str, folder: Folder, new: LocalSource, ignored: frozenset[str]
) -> Iterator[None]:
    """Renew the checksum file for a file that the block replaces by `new`, whether it matched before or not."""
    with _opened(path, folder) as old:
        sums = None if old is None else Checksums.read(old)
        if old is None or sums is None:
            yield
            return
        with _renewed(operations, old, path, lambda: Checksums.of(new, sums.chunk), ignored):
            yield


@contextlib.contextmanager
def _renewed(
    operations: Operations, old: SourceInFolder, path: str, make: Callable[[], Checksums], ignored: frozenset[str]
) -> Iterator[None]:
    folder, name, aside, new = old.folder, old.name, beside(path, CHECKSUMS_OLD), beside(path, CHECKSUMS_NEW)
    with contextlib.ExitStack() as opened:
        try:
            sweep(operations, path, folder, CHECKSUMS_NEW)
            file = create_locked(operations, new, folder=folder)
            opened.callback(os.close, file)
            _set_aside(operations, old, aside, file, make(), ignored)
        except PermissionError as error:
            _discard(operations, [new], folder)
            raise Refused(
                f"{os.path.basename(name)} cannot be renewed ({error.strerror}), and Hadoop would not read "
                "the file then; remove it, or change the file as its owner",
                file=path,
            ) from None
        except BaseException:
            _discard(operations, [new], folder)
            raise
        try:
            operations.fsync_folder(folder)
            yield
        except BaseException:
            _settle_by_name(operations, path, folder)
            raise
        operations.rename(new, name, folder)
        operations.unlink(aside, folder)  # without a flush: the next change settles any state after a power cut


def _set_aside(
    operations: Operations, old: LocalSource, aside: str, file: int, sums: Checksums, ignored: frozenset[str]
) -> None:
    """Write the new checksums into the open `file`, then rename the old ones to `aside`."""
    keep_attributes(operations, old, file, ignored)
    operations.write(file, sums.to_bytes(), 0)
    operations.fsync(file)
    operations.rename(old.name, aside, old.folder)


def settle_checksums(operations: Operations, source: SourceInFolder) -> str | None:
    """Restore matching checksums that a killed change of `source`, which is locked, has set aside.

    Return a description, or None if there was nothing to do. Files that other users may have created are not touched.
    """
    folder, ours = source.folder, _ours(source.name, source.folder, source.owner)
    if not ours:
        return None
    name, kept = crc_path(source.name), None
    if not _exists(name, folder):
        kept = _fitting(source, ours)
        if kept is not None:
            operations.rename(kept, name, folder)
    _discard(operations, [path for path in ours if path != kept], folder)
    return REMOVED if kept is None else PUT_BACK


def discard_checksums(operations: Operations, path: str, folder: Folder) -> bool:
    """Remove checksums set aside next to a name that no longer exists; return True if there were any."""
    ours = _ours(path, folder, systems.user())
    _discard(operations, ours, folder)
    return bool(ours)


def _fitting(source: LocalSource, paths: list[str]) -> str | None:
    """Return the first of these checksum files that matches `source`."""
    found = []
    for path in paths:
        with LocalSource(path, folder=source.folder) as file:
            found.append(Checksums.read(file))
    for number, (path, sums) in enumerate(zip(paths, found, strict=True)):
        other = found[1 - number] if len(found) > 1 else None
        if sums is not None and sums.tells_apart(source, other):
            return path
    return None


def _ours(path: str, folder: Folder, owner: int) -> list[str]:
    """Return the trusted hidden checksum files next to `path`, the new one first."""
    hidden = [beside(path, kind) for kind in (CHECKSUMS_NEW, CHECKSUMS_OLD)]
    return [each for each in hidden if _exists(each, folder) and not distrust(status_of(each, folder), owner)]


def _settle_by_name(operations: Operations, path: str, folder: Folder) -> None:
    """Settle the checksums of the file that now has the name. If that fails, the next change does it."""
    with contextlib.suppress(OSError, ParquetextError), SourceInFolder(path, folder) as source:
        settle_checksums(operations, source)


def _discard(operations: Operations, paths: list[str], folder: Folder) -> None:
    for path in paths:
        if _exists(path, folder):
            operations.unlink(path, folder)


def _exists(path: str, folder: Folder) -> bool:
    try:
        status_of(path, folder)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
        return False
    return True


@contextlib.contextmanager
def _opened(path: str, folder: Folder) -> Iterator[SourceInFolder | None]:
    """Open the checksum file next to `path`, or yield None."""
    name = crc_path(path)
    try:
        file = SourceInFolder(name, folder)
    except (OSError, ParquetextError) as error:
        if isinstance(error, OSError) and error.errno in _NOT_THERE:
            yield None
            return
        if isinstance(error, OSError) and error.errno not in (*_NO_FILE, errno.EACCES, errno.EPERM):
            raise
        why = "is not a regular file" if getattr(error, "errno", errno.ELOOP) in _NO_FILE else "cannot be read"
        raise Refused(f"{os.path.basename(name)}, which Hadoop checks the file by, {why}", file=path) from None
    with file:
        yield file
