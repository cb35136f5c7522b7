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
from .source import LocalSource, SourceInFolder, TailEdit

LEFT, OTHERS, UNTRUSTED = "left", "others", "untrusted"
IsSound = Callable[[LocalSource], bool]
"""Returns True if a file ends in a valid footer of any form."""
_LOOKS, _PAUSE_SECONDS = 3, 0.002  # looks of a reader, during a change
_BEST_EFFORT = frozenset({"attributes"})


@dataclass(slots=True)
class Pending:
    """A journal next to a file.

    Attributes
    ----------
    path : str
    verdict : str
        `journal.MIXED`: the file's change was interrupted. `LEFT`: the change has not begun or is complete. `OTHERS`:
        the journal belongs to another file. `UNTRUSTED`: another user may have created it.
    message : str
        The verdict in words.
    journal : Journal or None
        Open if the verdict is `MIXED`, or if it is `LEFT` and the journal is complete.
    """

    path: str
    verdict: str
    message: str
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
    """Return the journal next to `source`, whose folder is open; None if there is none.

    A journal of version 1 has too little information about the new tail. It counts only if the file does not end in a
    valid footer.
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
    except Malformed:  # the file is being shortened
        state = None
    if state is None or (state == MIXED and journal.version is None and (is_sound is None or is_sound(source))):
        return Pending(path, OTHERS, f"{journal}: not for this one")
    if state == MIXED:
        return Pending(path, MIXED, "a change in place was interrupted", journal)
    return Pending(path, LEFT, f"a journal that is no longer needed: the {state} tail is whole", journal)


def _untrusted(path: str, reason: str) -> Pending:
    return Pending(path, UNTRUSTED, f"{os.path.basename(path)} {reason}: not trusted, and left alone")


def old_tail(path: str | os.PathLike, is_sound: IsSound | None = None) -> TailEdit | None:
    """Return the tail from before an interrupted change, for readers of a file whose tail fails its checks.

    Nothing is changed. The file then reads as its first `keep` bytes and `tail`. Return None if there is no trusted,
    complete journal for this file. Because the change may have been completed in the meantime, a reader that gets None
    reads the tail once more before it fails.
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
    """Return the old tail, or the journal found instead; None if a second look cannot help."""
    with Folder.of(path, searched_only=True) as folder, LocalSource(path, folder=folder) as source:
        found = find(source, is_sound)
        if found is None:
            return None
        with found:
            if found.journal is not None:
                return found.journal.old_tail()
    return found if found.verdict == OTHERS else None  # during a change, a read may return half of a sector


def journals_beside(path: str | os.PathLike, is_sound: IsSound | None = None) -> list[Pending]:
    """Return the journal of an interrupted change, and the journal that was set aside. Nothing is changed."""
    path = os.path.realpath(path)
    with Folder.of(path, searched_only=True) as folder, LocalSource(path, folder=folder) as source:
        found = find(source, is_sound)
        pending = [] if found is None else [found]
        for each in pending:
            each.close()
        stale = beside(path, STALE)
        try:
            status_of(stale, folder)
        except FileNotFoundError:
            return pending
        return [*pending, Pending(stale, OTHERS, "the journal of another file, which was set aside")]


def commit_in_place(operations: Operations, source: SourceInFolder, edit: TailEdit, *, keep_mtime: bool) -> None:
    """Write the journal, change the file, remove the journal. `source` is locked, writable, and has no journal.

    There are three flushes: of the journal, its name, and the file. Removing the journal needs none: if a power cut
    restores it, it shows that the new tail is complete.
    """
    with in_place_change():
        _commit(operations, source, edit, keep_mtime)


def _commit(operations: Operations, source: SourceInFolder, edit: TailEdit, keep_mtime: bool) -> None:
    path = beside(source.name, JOURNAL)
    _write_journal(operations, path, source, edit)
    try:
        if edit.size != source.size:
            operations.truncate(source.fd, edit.size)  # also to grow, so that the file never ends within a sector
        operations.write(source.fd, edit.tail, edit.keep)
        if keep_mtime:
            keep_times(operations, source, source.fd)
        operations.fsync(source.fd)
    except BaseException:
        _undo(operations, path, source)
        raise
    operations.unlink(path, source.folder)


def _write_journal(operations: Operations, path: str, source: SourceInFolder, edit: TailEdit) -> None:
    """Write the journal to disk; leave none after an error."""
    try:
        file = operations.create(path, folder=source.folder)
    except FileExistsError:
        raise _taken(path, source) from None
    try:
        keep_attributes(operations, source, file, _BEST_EFFORT)  # readers of the file need access to it
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
    """Return the error for a journal name that exists: another process without locks, or a file that is not ours."""
    try:
        reason = distrust(status_of(path, source.folder), source.owner)
    except FileNotFoundError:
        reason = ""
    if reason:
        return Refused(
            f"{os.path.basename(path)}, where its journal would be, {reason}: remove that first", file=source.name
        )
    return Conflict("another process is changing it", file=source.name)


def _undo(operations: Operations, path: str, source: SourceInFolder) -> None:
    """Restore the old tail from the journal. The file is still locked."""
    with LocalSource(path, folder=source.folder) as file:
        entry = journal.parse(file)
        if entry is None:
            raise Conflict("another process has changed its journal", file=source.name)
        _put_back(operations, source.fd, entry)
    operations.unlink(path, source.folder)
    operations.fsync_folder(source.folder)


def _put_back(operations: Operations, file: int, entry: journal.Journal) -> None:
    """Restore the old tail of an open file, on disk."""
    if os.fstat(file).st_size != entry.old_size:
        operations.truncate(file, entry.old_size)
    for begin, end in journal.steps(entry.keep, entry.old_size):
        operations.write(file, entry.old(begin, end), begin)
    operations.fsync(file)


def repair(operations: Operations, source: SourceInFolder, is_sound: IsSound | None = None) -> str | None:
    """Settle an interrupted change of `source`, which is locked; return a description, or None if there was none.

    A change whose last byte was written counts as complete; otherwise the old tail is restored. The journal of another
    file that has or had this name is set aside. An incomplete journal was never in use, and is removed.

    Raises
    ------
    Refused
        If the journal is not trusted. Nothing was done.
    """
    found = find(source, is_sound)
    if found is None:
        return None
    with in_place_change(), found:
        if found.verdict == UNTRUSTED:
            raise Refused(found.message, file=source.name)
        if found.verdict == OTHERS:
            stale = beside(source.name, STALE)
            operations.rename(found.path, stale, source.folder)
            done = f"set aside {found.message}; it is {os.path.basename(stale)}"
        elif found.verdict == LEFT:
            operations.fsync(source.fd)
            operations.unlink(found.path, source.folder)
            done = f"removed {found.message}"
        else:
            assert found.journal is not None  # `_judge` compares the file with it before it returns MIXED
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
            raise Conflict("it was replaced by another process in the meantime", file=source.name)
        _put_back(operations, writable.fd, entry)
