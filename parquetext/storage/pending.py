"""A journal that lies beside a file: whether it is trusted, and what it means for the file as it is now."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Malformed, ParquetextError
from .edit import TailEdit
from .folder import Folder
from .hidden_names import JOURNAL, STALE, beside
from .journal import MIXED, Journal, is_of_later_version, parse
from .source import LocalSource
from .trust import distrust
from .unchanged import status_of

__all__ = ["LEFT", "OTHERS", "UNTRUSTED", "IsSound", "Pending", "find", "journals_beside", "old_tail"]

LEFT, OTHERS, UNTRUSTED = "left", "others", "untrusted"

IsSound = Callable[[LocalSource], bool]
"""Whether a file ends in a sound footer of any form."""

_LOOKS, _PAUSE_SECONDS = 3, 0.002  # of a reader, while a change may be going on


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
