"""A commit that changes a file's tail where it is, and the repair of one that was interrupted."""

from __future__ import annotations

import os

from ..errors import Conflict
from . import journal
from .attributes import keep_attributes, keep_times
from .edit import TailEdit
from .operations import Operations
from .source import LocalSource
from .unchanged import check_unchanged

__all__ = ["commit_in_place", "repair"]

_BEST_EFFORT = frozenset({"attributes"})


def commit_in_place(operations: Operations, source: LocalSource, edit: TailEdit, *, keep_mtime: bool) -> None:
    """Journal, change, forget the journal; `source` is locked, open for writing, and has no journal."""
    path = journal.journal_path(source.name)
    folder = os.path.dirname(path)
    _write_journal(operations, path, journal.encode(source, edit), source)
    try:
        _put_tail(operations, source, edit)
        if keep_mtime:
            keep_times(operations, source, source.fd)
        operations.fsync(source.fd)
    except BaseException:
        source.refresh()
        repair(operations, source)
        raise
    operations.unlink(path)
    operations.fsync_folder(folder)


def _write_journal(operations: Operations, path: str, content: bytes, source: LocalSource) -> None:
    """The journal on disk, or none at all."""
    try:
        file = operations.create(path)
    except FileExistsError:
        raise Conflict("another process is changing it", file=source.name) from None
    try:
        keep_attributes(operations, source, file, _BEST_EFFORT)  # whoever reads the file may need it
        operations.write(file, content, 0)
        operations.fsync(file)
        operations.fsync_folder(os.path.dirname(path))
        check_unchanged(source)
    except BaseException:
        operations.unlink(path)
        raise
    finally:
        os.close(file)


def _put_tail(operations: Operations, source: LocalSource, edit: TailEdit) -> None:
    if edit.size < os.fstat(source.fd).st_size:
        operations.truncate(source.fd, edit.size)
    operations.write(source.fd, edit.tail, edit.keep)


def repair(operations: Operations, source: LocalSource) -> str | None:
    """Undo an interrupted change of `source`, which is locked; says what was done, None for nothing.

    A change whose last byte got to the file counts as done; otherwise the old tail is put back. A journal that is not
    whole, or of another file that had this name, is removed.
    """
    path = journal.journal_path(source.name)
    if not os.path.lexists(path):
        return None
    found = journal.read(path)
    done = "removed a journal that was not in use"
    if found is not None and found.belongs_to(source):
        done = _settle(operations, source, found)
    operations.unlink(path)
    operations.fsync_folder(os.path.dirname(path))
    return done


def _settle(operations: Operations, source: LocalSource, found: journal.Journal) -> str:
    """Make `source` hold the old tail or the new one, on disk."""
    state = found.state(source)
    if state == "mixed":
        with LocalSource(source.name, os.O_RDWR) as writable:
            _put_tail(operations, writable, TailEdit(found.keep, found.tail))
            operations.fsync(writable.fd)
        return "put the old tail back"
    operations.fsync(source.fd)
    return f"the {state} tail was whole"
