"""A commit that changes a file's tail where it is, and the repair of one that was interrupted."""

from __future__ import annotations

import os

from ..errors import Conflict, ParquetextError, Refused
from . import journal
from .attributes import keep_attributes, keep_times
from .edit import TailEdit
from .hidden_names import JOURNAL, STALE, beside
from .operations import Operations
from .pending import LEFT, OTHERS, UNTRUSTED, IsSound, find
from .source import LocalSource
from .trust import distrust
from .unchanged import check_unchanged, names_file, status_of
from .unfinished import in_place_change

__all__ = ["commit_in_place", "repair"]

_BEST_EFFORT = frozenset({"attributes"})


def commit_in_place(operations: Operations, source: LocalSource, edit: TailEdit, *, keep_mtime: bool) -> None:
    """Journal, change, forget the journal; `source` is locked, open for writing, and has no journal.

    Three flushes: of the journal, of its name, of the file. That the journal's name goes needs none: one that a power
    cut brings back says that the new tail is whole.
    """
    with in_place_change():
        _commit(operations, source, edit, keep_mtime)


def _commit(operations: Operations, source: LocalSource, edit: TailEdit, keep_mtime: bool) -> None:
    path = beside(source.name, JOURNAL)
    _write_journal(operations, path, source, edit)
    try:
        if edit.size != source.size:
            operations.truncate(source.fd, edit.size)  # also to grow: the end is never in the middle of a sector
        operations.write(source.fd, edit.tail, edit.keep)
        if keep_mtime:
            keep_times(operations, source, source.fd)
        operations.fsync(source.fd)
    except BaseException:
        _undo(operations, path, source)
        raise
    operations.unlink(path, source.folder)


def _write_journal(operations: Operations, path: str, source: LocalSource, edit: TailEdit) -> None:
    """The journal on disk, or none at all."""
    try:
        file = operations.create(path, folder=source.folder)
    except FileExistsError:
        raise _taken(path, source) from None
    try:
        keep_attributes(operations, source, file, _BEST_EFFORT)  # whoever reads the file may need it
        journal.write(operations, file, source, edit)
        operations.fsync(file)
        operations.fsync_folder(source.folder)
        check_unchanged(source)
    except BaseException:
        operations.unlink(path, source.folder)
        raise
    finally:
        os.close(file)


def _taken(path: str, source: LocalSource) -> ParquetextError:
    """Why the journal's name is taken: by another process, on a filesystem without locks, or by nothing of ours."""
    try:
        reason = distrust(status_of(path, source.folder), source.owner)
    except FileNotFoundError:
        reason = ""
    if reason:
        return Refused(
            f"{os.path.basename(path)}, where its journal would be, {reason}: remove that first", file=source.name
        )
    return Conflict("another process is changing it", file=source.name)


def _undo(operations: Operations, path: str, source: LocalSource) -> None:
    """Put the old tail back whatever the file holds: it is still locked."""
    with LocalSource(path, folder=source.folder) as file:
        entry = journal.parse(file)
        if entry is None:
            raise Conflict("somebody has changed its journal", file=source.name)
        _put_back(operations, source.fd, entry)
    operations.unlink(path, source.folder)
    operations.fsync_folder(source.folder)


def _put_back(operations: Operations, file: int, entry: journal.Journal) -> None:
    """Give an open file its old tail, on disk."""
    if os.fstat(file).st_size != entry.old_size:
        operations.truncate(file, entry.old_size)
    for begin, end in journal.steps(entry.keep, entry.old_size):
        operations.write(file, entry.old(begin, end), begin)
    operations.fsync(file)


def repair(operations: Operations, source: LocalSource, is_sound: IsSound | None = None) -> str | None:
    """Settle what an interrupted change has left beside `source`, which is locked; says what, None for nothing.

    A change whose last byte got to the file counts as done; otherwise the old tail is put back. The journal of another
    file, which has or had this name, is set aside. One that is not whole was never in use, and is removed.

    Raises
    ------
    Refused
        There is something under the journal's name that is not trusted; nothing was done.
    """
    found = find(source, is_sound)
    if found is None:
        return None
    with in_place_change(), found:
        if found.verdict == UNTRUSTED:
            raise Refused(found.told, file=source.name)
        if found.verdict == OTHERS:
            stale = beside(source.name, STALE)
            operations.rename(found.path, stale, source.folder)
            done = f"set aside {found.told}; it is {os.path.basename(stale)}"
        elif found.verdict == LEFT:
            operations.fsync(source.fd)
            operations.unlink(found.path, source.folder)
            done = f"removed {found.told}"
        else:
            _put_back_by_name(operations, source, found.journal)
            operations.unlink(found.path, source.folder)
            done = "put the old tail back"
    operations.fsync_folder(source.folder)
    return done


def _put_back_by_name(operations: Operations, source: LocalSource, entry: journal.Journal) -> None:
    with LocalSource(source.name, os.O_RDWR, source.folder) as writable:
        if not names_file(source.name, source.fd, source.folder) or (
            writable.version.identity != source.version.identity
        ):
            raise Conflict("it was replaced by somebody else meanwhile", file=source.name)
        _put_back(operations, writable.fd, entry)
