"""Hadoop's checksum file kept true through a change, so that its readers read at any moment.

The new checksum file is whole under a hidden name, and the old one set aside under another, before the file changes;
then the new one gets the name. Whatever is killed, readers find the file without checksums, or with those that fit it,
and the next change, or `recover`, puts those back that fit: damage that they show stays visible.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator

from .. import systems
from ..errors import ParquetextError, Refused
from .attributes import keep_attributes
from .edit import TailEdit
from .folder import Folder
from .hadoop_crc import Checksums, crc_path
from .hidden_names import CHECKSUMS_NEW, CHECKSUMS_OLD, beside
from .operations import Operations
from .replace import create_locked, sweep
from .source import LocalSource
from .trust import distrust
from .unchanged import status_of

__all__ = ["discard_checksums", "renewed_for", "renewed_for_edit", "settle_checksums"]

_NOT_THERE = (errno.ENOENT, errno.ENAMETOOLONG)
_NO_FILE = (errno.ELOOP, errno.ENXIO)
PUT_BACK = "put Hadoop's checksums back"
REMOVED = "removed unfinished checksums of Hadoop's"


@contextlib.contextmanager
def renewed_for_edit(
    operations: Operations, source: LocalSource, edit: TailEdit, ignored: frozenset[str]
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
            with _renewed(operations, old, source.name, lambda: sums.after(source, edit), ignored):
                yield ""


@contextlib.contextmanager
def renewed_for(
    operations: Operations, path: str, folder: Folder, new: LocalSource, ignored: frozenset[str]
) -> Iterator[None]:
    """The same for a file that the block puts in the place of another, `new` by its content, whatever fitted before."""
    with _opened(path, folder) as old:
        sums = None if old is None else Checksums.read(old)
        if sums is None:
            yield
            return
        with _renewed(operations, old, path, lambda: Checksums.of(new, sums.chunk), ignored):
            yield


@contextlib.contextmanager
def _renewed(
    operations: Operations, old: LocalSource, path: str, make: Callable[[], Checksums], ignored: frozenset[str]
) -> Iterator[None]:
    folder, place, aside, new = old.folder, old.name, beside(path, CHECKSUMS_OLD), beside(path, CHECKSUMS_NEW)
    with contextlib.ExitStack() as opened:
        try:
            sweep(operations, path, folder, CHECKSUMS_NEW)
            file = create_locked(operations, new, folder=folder)
            opened.callback(os.close, file)
            _set_aside(operations, old, aside, file, make(), ignored)
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
    operations: Operations, old: LocalSource, aside: str, file: int, sums: Checksums, ignored: frozenset[str]
) -> None:
    """Write the new checksums into the open `file`; then give the old ones the name `aside`."""
    keep_attributes(operations, old, file, ignored)
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
