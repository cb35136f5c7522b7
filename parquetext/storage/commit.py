"""A tail edit made safe, on any storage: locked, checked, committed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..errors import ParquetextError, Refused
from .edit import TailEdit
from .forcing import check, refuse
from .fsspec_file import forget
from .in_place import commit_in_place, repair
from .lock import open_locked
from .operations import OPERATIONS, Operations
from .paths import LocalTarget, RemoteTarget, resolve
from .remote import commit_remote
from .replace import replace, sweep
from .source import LocalSource, RemoteSource

__all__ = ["Change", "change", "recover"]

SWEPT = "removed an unfinished new file"


@dataclass(slots=True)
class Change:
    """A file that this process alone may change.

    Attributes
    ----------
    source : LocalSource or RemoteSource
        Its content, as `commit` expects to find it.
    written : int
        Bytes written by `commit`: the tail; in a new file or object the kept bytes too, unless the store copies them;
        in place the journal too.
    """

    source: LocalSource | RemoteSource
    in_place: bool
    keep_mtime: bool
    forced: frozenset[str]
    operations: Operations
    written: int = 0

    def commit(self, edit: TailEdit) -> None:
        """Make the file its first `edit.keep` bytes and `edit.tail`; afterwards `source` is of no use.

        Raises
        ------
        Conflict
            Somebody else has changed the file since it was opened: nothing was done.
        Refused
            An attribute of the file cannot be kept, or an object is too large.
        """
        source = self.source
        if not 0 <= edit.keep <= source.size:
            raise ParquetextError(f"cannot keep {edit.keep} of {source.size} bytes", file=source.name)
        if isinstance(source, RemoteSource):
            self.written = commit_remote(source, edit, self.forced)
            return
        if self.in_place:
            commit_in_place(self.operations, source, edit, keep_mtime=self.keep_mtime)
        else:
            replace(self.operations, source, edit, keep_mtime=self.keep_mtime, forced=self.forced)
        self.written = len(edit.tail) + (source.size - edit.keep if self.in_place else edit.keep)


@contextlib.contextmanager
def change(path: object, *, in_place: bool = False, keep_mtime: bool = False, force: Iterable[str] = (),
           timeout: float = 0, operations: Operations = OPERATIONS) -> Iterator[Change]:
    """Open a file to change its tail.

    A local file is locked until the end of the block, symbolic links are followed to it, and a change in place that
    was interrupted is undone first.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        See `paths.resolve`.
    in_place : bool
        Change the tail of the file itself, under a journal, instead of replacing the file.
    keep_mtime : bool
        Keep the times of the last access and change.
    force : iterable of str
        Refusals to pass over: the keys of `forcing.FORCEABLE`.
    timeout : float
        Seconds to wait for another writer.
    operations : Operations
        For tests.

    Raises
    ------
    Conflict
        Somebody else is changing the file.
    Refused
        It has several hard links; it is remote and `in_place` or `keep_mtime` is asked for; there are no locks.
    OSError
        It cannot be opened.
    """
    target, forced = resolve(path), check(force)
    if isinstance(target, RemoteTarget):
        with _open_remote(target, in_place, keep_mtime) as source:
            yield Change(source, False, False, forced, operations)
        return
    with _open_local(target, in_place, timeout, forced, operations) as source:
        yield Change(source, in_place, keep_mtime, forced, operations)


def _open_remote(target: RemoteTarget, in_place: bool, keep_mtime: bool) -> RemoteSource:
    if in_place or keep_mtime:
        what = "changed in place" if in_place else "kept with their times"
        raise Refused(f"objects cannot be {what}", file=str(target))
    if target.filesystem.type_name == "hdfs":
        raise Refused("libhdfs cannot put a file in the place of another at once: hdfs-native can "
                      "(pip install 'parquetext[hdfs]'), for files named by URL", file=str(target))
    forget(target)
    return RemoteSource(target)


def _open_local(target: LocalTarget, in_place: bool, timeout: float, forced: frozenset[str],
                operations: Operations) -> LocalSource:
    path = os.path.realpath(target.path)
    source = open_locked(path, writable=in_place, timeout=timeout, forced=forced)
    try:
        links = os.fstat(source.fd).st_nlink
        if links > 1:
            refuse(forced, "hard-links", f"it has {links} hard links", source.name)
        _clean(operations, source)
        return source
    except BaseException:
        source.close()
        raise


def _clean(operations: Operations, source: LocalSource) -> str | None:
    """Settle what killed processes left; says what was done."""
    swept = sweep(operations, source.name)
    done = repair(operations, source)
    source.refresh()
    return done or (SWEPT if swept else None)


def recover(path: object, *, timeout: float = 0, operations: Operations = OPERATIONS) -> str | None:
    """Undo a change in place that was interrupted, and remove what a killed process left beside a local file.

    Returns
    -------
    str or None
        What was done, or None if there was nothing to do.

    Raises
    ------
    Conflict
        Somebody is changing the file right now.
    """
    target = resolve(path)
    if isinstance(target, RemoteTarget):
        return None
    path = os.path.realpath(target.path)
    try:
        source = open_locked(path, writable=False, timeout=timeout, forced=frozenset())
    except FileNotFoundError:
        if sweep(operations, path):
            return SWEPT
        raise
    with source:
        return _clean(operations, source)
