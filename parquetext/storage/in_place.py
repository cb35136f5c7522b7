"""Changes of a file's tail in place, and the repair of interrupted ones."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Conflict, Malformed, ParquetextError, Refused
from . import journal
from .folder import JOURNAL, STALE, Folder, beside, names_file, status_of
from .journal import MIXED, Journal, is_of_later_version, parse
from .locking import in_place_change
from .operations import Operations, keep_attributes, keep_times
from .ownership import distrust
from .source import LocalSource, TailEdit

__all__ = [
    "IsSound",
    "LEFT",
    "OTHERS",
    "Pending",
    "UNTRUSTED",
    "commit_in_place",
    "find",
    "journals_beside",
    "old_tail",
    "repair",
]

LEFT, OTHERS, UNTRUSTED = "left", "others", "untrusted"
IsSound = Callable[[LocalSource], bool]
"""Whether a file ends in a sound footer of any form."""
_LOOKS, _PAUSE_SECONDS = 3, 0.002  # of a reader, while a change may be going on
_BEST_EFFORT = frozenset({"attributes"})


@dataclass(slots=True)
class Pending:
    """A journal beside a file.

    Attributes
    ----------
    path : str
    verdict : str
        `journal.MIXED`: the file's change was stopped. `LEFT`: the file is as before the change or after it, or was
        never touched. `OTHERS`: it is of another file. `UNTRUSTED`: nobody knows who made it.
    told : str
        The same in words.
    journal : Journal or None
        Open where the verdict is `MIXED`, or `LEFT` and it is whole.
    """

    path: str
    verdict: str
    told: str
    journal: Journal | None = None

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def close(self) -> None:
        if self.journal is not None:
            self.journal.file.close()

    def __enter__(self) -> Pending:
        return self

    def __exit__(self, *exception) -> None:
        self.close()


def find(source: LocalSource, is_sound: IsSound | None = None) -> Pending | None:
    """The journal beside `source`, whose folder is held open; None where there is none.

    A journal of version 1 says too little of the new tail. It counts only where the file's end is no sound footer.
    """
    path = beside(source.name, JOURNAL)
    try:
        file = LocalSource(path, folder=source.folder)
    except FileNotFoundError:
        return None
    except ParquetextError:
        return _untrusted(path, "is not a regular file")
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EACCES, errno.EPERM, errno.ENXIO):
            raise
        return _untrusted(path, "is a symbolic link" if error.errno == errno.ELOOP else "cannot be read")
    try:
        found = _judge(path, file, source, is_sound)
    except BaseException:
        file.close()
        raise
    if found.journal is None:
        file.close()
    return found


def _judge(path: str, file: LocalSource, source: LocalSource, is_sound: IsSound | None) -> Pending:
    reason = distrust(os.fstat(file.fd), source.owner)
    if reason or is_of_later_version(file):
        return _untrusted(path, reason or "is of a later version")
    journal = parse(file)
    if journal is None:
        return Pending(path, LEFT, "a journal of a change that had not begun")
    try:
        state = journal.state(source)
    except Malformed:  # it gets shorter at this moment
        state = None
    if state is None or (state == MIXED and journal.version is None and (is_sound is None or is_sound(source))):
        return Pending(path, OTHERS, f"{journal}: not for this one")
    if state == MIXED:
        return Pending(path, MIXED, "a change in place was interrupted", journal)
    return Pending(path, LEFT, f"a journal that is no longer needed: the {state} tail is whole", journal)


def _untrusted(path: str, reason: str) -> Pending:
    return Pending(path, UNTRUSTED, f"{os.path.basename(path)} {reason}: not trusted, and left alone")


def old_tail(path: str | os.PathLike, is_sound: IsSound | None = None) -> TailEdit | None:
    """What a reader uses whose file's tail fails its checks: the tail from before a change that was interrupted.

    Nothing is changed. The file then reads as its first `keep` bytes and `tail`. None where there is no journal that
    is trusted, whole and made for this file: a change may also have been finished meanwhile, so a reader that gets
    None looks at the tail once more before it gives up.
    """
    path = os.path.realpath(path)
    for look in range(_LOOKS):
        if look:
            time.sleep(_PAUSE_SECONDS)
        found = _look(path, is_sound)
        if found is None or isinstance(found, TailEdit):
            return found
    return None


def _look(path: str, is_sound: IsSound | None) -> TailEdit | Pending | None:
    """The old tail, or what else is there; None where looking again is of no use."""
    with Folder.of(path, searched_only=True) as folder, LocalSource(path, folder=folder) as source:
        found = find(source, is_sound)
        if found is None:
            return None
        with found:
            if found.journal is not None:
                return found.journal.old_tail()
    return found if found.verdict == OTHERS else None  # a change may go on: what was read may be half of a sector


def journals_beside(path: str | os.PathLike, is_sound: IsSound | None = None) -> list[Pending]:
    """What lies beside a file of an interrupted change: its journal, and one that was set aside. Nothing is changed."""
    path = os.path.realpath(path)
    with Folder.of(path, searched_only=True) as folder, LocalSource(path, folder=folder) as source:
        found = find(source, is_sound)
        told = [] if found is None else [found]
        for each in told:
            each.close()
        stale = beside(path, STALE)
        try:
            status_of(stale, folder)
        except FileNotFoundError:
            return told
        return [*told, Pending(stale, OTHERS, "the journal of another file, which was set aside")]


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
        source.check_unchanged()
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
