"""Hadoop's checksum files, and their renewal with each change of a file."""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .. import systems
from ..errors import ParquetextError, Refused
from .folder import CHECKSUMS_NEW, CHECKSUMS_OLD, Folder, beside, status_of
from .locking import create_locked, sweep
from .operations import Operations, keep_attributes
from .ownership import distrust
from .source import LocalSource, Overlay, Source, TailEdit

__all__ = ["Checksums", "crc_path", "discard_checksums", "renewed_for", "renewed_for_edit", "settle_checksums"]

_HEADER = struct.Struct(">4sI")
_MAGIC = b"crc\0"
_SUM_BYTES = 4
_STEP = 1 << 20  # read at once
_END_BYTES = 1 << 16  # of a file, that tell it from others: its footer, or the last of it
_NOT_THERE = (errno.ENOENT, errno.ENAMETOOLONG)
_NO_FILE = (errno.ELOOP, errno.ENXIO)
PUT_BACK = "put Hadoop's checksums back"
REMOVED = "removed unfinished checksums of Hadoop's"


def crc_path(path: str) -> str:
    """Where Hadoop looks for the checksums of the file at `path`."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.crc")


@dataclass(frozen=True, slots=True)
class Checksums:
    """What a checksum file says.

    Attributes
    ----------
    chunk : int
        Bytes of the file under each checksum; of the last one what is left.
    sums : array of int
        CRC-32 of each chunk.
    """

    chunk: int
    sums: array

    @classmethod
    def read(cls, file: Source) -> Checksums | None:
        """What an open file holds; None where it is no checksum file. Bytes that make no checksum are left out."""
        content = file.size - _HEADER.size
        if content < 0:
            return None
        magic, chunk = _HEADER.unpack(file.read(0, _HEADER.size))
        if magic != _MAGIC or not 0 < chunk < 1 << 31:
            return None
        return cls(chunk, _big_endian(array("I", file.read(_HEADER.size, content - content % _SUM_BYTES))))

    @classmethod
    def of(cls, source: Source, chunk: int) -> Checksums:
        """Those of a file's bytes as they are."""
        return cls(chunk, array("I", _computed(source, 0, chunk)))

    def to_bytes(self) -> bytes:
        return _HEADER.pack(_MAGIC, self.chunk) + _big_endian(self.sums[:]).tobytes()

    def beyond(self, size: int) -> int:
        """How many more there are than chunks in a file of so many bytes; Hadoop fails only where they are too few."""
        return len(self.sums) - -(-size // self.chunk)

    def first_wrong(self, source: Source, begin: int = 0) -> int | None:
        """The first chunk that is not as its checksum says, of those with bytes from `begin` on."""
        first = begin // self.chunk
        for number, found in enumerate(_computed(source, first, self.chunk), first):
            if found != self.sums[number]:
                return number
        return None

    def fits(self, source: Source, begin: int) -> bool:
        """Whether Hadoop reads the file by them from `begin` on."""
        return self.beyond(source.size) >= 0 and self.first_wrong(source, begin) is None

    def tells_apart(self, source: Source, other: Checksums | None) -> bool:
        """Whether they are of just `source`, as far as its end says, and where they differ from `other` ones."""
        if self.beyond(source.size) or not self.fits(source, max(source.size - _END_BYTES, 0)):
            return False
        if other is None or other.chunk != self.chunk:
            return True
        differing = (
            number for number, pair in enumerate(zip(self.sums, other.sums, strict=False)) if pair[0] != pair[1]
        )
        return all(next(_computed(source, number, self.chunk)) == self.sums[number] for number in differing)

    def after(self, source: LocalSource, edit: TailEdit) -> Checksums:
        """Those of the file that `edit` makes; of chunks that stay whole they are taken over, right or wrong."""
        first = edit.keep // self.chunk
        sums = self.sums[:first]
        sums.extend(_computed(Overlay(source, edit.keep, edit.tail), first, self.chunk))
        return Checksums(self.chunk, sums)


def _computed(source: Source, first: int, chunk: int) -> Iterator[int]:
    """CRC-32 of the chunks from number `first` on."""
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
    """Between the machine's order and the file's; the array itself is changed."""
    if sys.byteorder == "little":
        sums.byteswap()
    return sums


@contextlib.contextmanager
def renewed_for_edit(
    operations: Operations, source: LocalSource, edit: TailEdit, forced: frozenset[str]
) -> Iterator[str]:
    """Let the checksum file beside `source`, which is locked, follow the block's change; yields what is to be told.

    One that does not fit the file before is left as it is: a fitting one would hide what is wrong.

    Raises
    ------
    Refused
        It cannot be read or replaced, or keep its attributes: nothing was done.
    """
    with _opened(source.name, source.folder) as old:
        sums = None if old is None else Checksums.read(old)
        if old is None:
            yield ""
        elif sums is None or not sums.fits(source, edit.keep):
            yield f"{os.path.basename(old.name)} does not fit the file before this change, and is left as it is"
        else:
            with _renewed(operations, old, source.name, lambda: sums.after(source, edit), forced):
                yield ""


@contextlib.contextmanager
def renewed_for(
    operations: Operations, path: str, folder: Folder, new: LocalSource, forced: frozenset[str]
) -> Iterator[None]:
    """The same for a file that the block puts in the place of another, `new` by its content, whatever fitted before."""
    with _opened(path, folder) as old:
        sums = None if old is None else Checksums.read(old)
        if sums is None:
            yield
            return
        with _renewed(operations, old, path, lambda: Checksums.of(new, sums.chunk), forced):
            yield


@contextlib.contextmanager
def _renewed(
    operations: Operations, old: LocalSource, path: str, make: Callable[[], Checksums], forced: frozenset[str]
) -> Iterator[None]:
    folder, place, aside, new = old.folder, old.name, beside(path, CHECKSUMS_OLD), beside(path, CHECKSUMS_NEW)
    with contextlib.ExitStack() as opened:
        try:
            sweep(operations, path, folder, CHECKSUMS_NEW)
            file = create_locked(operations, new, folder=folder)
            opened.callback(os.close, file)
            _set_aside(operations, old, aside, file, make(), forced)
        except PermissionError as error:
            _discard(operations, [new], folder)
            raise Refused(
                f"{os.path.basename(place)} cannot be renewed ({error.strerror}), and Hadoop would not read "
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
        operations.rename(new, place, folder)
        operations.unlink(aside, folder)  # no flush: whatever a power cut brings back, the next change settles


def _set_aside(
    operations: Operations, old: LocalSource, aside: str, file: int, sums: Checksums, forced: frozenset[str]
) -> None:
    """Write the new checksums into the open `file`; then give the old ones the name `aside`."""
    keep_attributes(operations, old, file, forced)
    operations.write(file, sums.to_bytes(), 0)
    operations.fsync(file)
    operations.rename(old.name, aside, old.folder)


def settle_checksums(operations: Operations, source: LocalSource) -> str | None:
    """Put back what a killed change of `source`, which is locked, has set aside and still fits; says what was done.

    What somebody else may have put under our names is not touched.
    """
    folder, ours = source.folder, _ours(source.name, source.folder, source.owner)
    if not ours:
        return None
    place, kept = crc_path(source.name), None
    if not _is_there(place, folder):
        kept = _fitting(source, ours)
        if kept is not None:
            operations.rename(kept, place, folder)
    _discard(operations, [path for path in ours if path != kept], folder)
    return REMOVED if kept is None else PUT_BACK


def discard_checksums(operations: Operations, path: str, folder: Folder) -> bool:
    """Remove what a killed change has set aside beside a name that no file has any more; whether there was any."""
    ours = _ours(path, folder, systems.user())
    _discard(operations, ours, folder)
    return bool(ours)


def _fitting(source: LocalSource, paths: list[str]) -> str | None:
    """The first of these checksum files that is of `source`."""
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
    """The hidden checksum files beside `path` that are trusted, the new one first."""
    hidden = [beside(path, kind) for kind in (CHECKSUMS_NEW, CHECKSUMS_OLD)]
    return [each for each in hidden if _is_there(each, folder) and not distrust(status_of(each, folder), owner)]


def _settle_by_name(operations: Operations, path: str, folder: Folder) -> None:
    """Settle beside whatever file has the name now. Where that fails too, the next change does it."""
    with contextlib.suppress(OSError, ParquetextError), LocalSource(path, folder=folder) as source:
        settle_checksums(operations, source)


def _discard(operations: Operations, paths: list[str], folder: Folder) -> None:
    for path in paths:
        if _is_there(path, folder):
            operations.unlink(path, folder)


def _is_there(path: str, folder: Folder) -> bool:
    try:
        status_of(path, folder)
    except OSError as error:
        if error.errno not in _NOT_THERE:
            raise
        return False
    return True


@contextlib.contextmanager
def _opened(path: str, folder: Folder) -> Iterator[LocalSource | None]:
    """The checksum file beside `path`, or None."""
    place = crc_path(path)
    try:
        file = LocalSource(place, folder=folder)
    except (OSError, ParquetextError) as error:
        if isinstance(error, OSError) and error.errno in _NOT_THERE:
            yield None
            return
        if isinstance(error, OSError) and error.errno not in (*_NO_FILE, errno.EACCES, errno.EPERM):
            raise
        why = "is not a regular file" if getattr(error, "errno", errno.ELOOP) in _NO_FILE else "cannot be read"
        raise Refused(f"{os.path.basename(place)}, which Hadoop checks the file by, {why}", file=path) from None
    with file:
        yield file
