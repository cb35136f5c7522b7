"""A tail edit made safe, on any storage: locked, checked, committed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .. import systems
from ..errors import ParquetextError, Refused
from .crc_renewal import discard_checksums, renewed_for_edit, settle_checksums
from .edit import TailEdit
from .folder import Folder
from .forcing import check, refuse
from .fsspec_file import forget
from .in_place import commit_in_place, repair
from .lock import open_locked
from .operations import OPERATIONS, Operations
from .paths import Target, resolve
from .pending import IsSound
from .remote import commit_remote
from .replace import replace, sweep
from .source import HTTP, LocalSource, RemoteSource

__all__ = ["Change", "change", "recover", "remove_unfinished"]

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
    settled : str
        What was done to what killed processes had left, in words; empty for nothing.
    told : str
        What else is worth knowing of the commit.
    """

    source: LocalSource | RemoteSource
    in_place: bool
    keep_mtime: bool
    forced: frozenset[str]
    operations: Operations
    written: int = 0
    settled: str = ""
    told: str = ""

    def commit(self, edit: TailEdit) -> None:
        """Make the file its first `edit.keep` bytes and `edit.tail`; afterwards `source` is of no use.

        Raises
        ------
        Conflict
            Somebody else has changed the file since it was opened: nothing was done.
        Refused
            An attribute of the file cannot be kept, its checksum file not be renewed, or an object is too large.
        """
        source = self.source
        if not 0 <= edit.keep <= source.size:
            raise ParquetextError(f"cannot keep {edit.keep} of {source.size} bytes", file=source.name)
        if isinstance(source, RemoteSource):
            self.written = commit_remote(source, edit, self.forced)
            return
        with renewed_for_edit(self.operations, source, edit, self.forced) as self.told:
            if self.in_place:
                commit_in_place(self.operations, source, edit, keep_mtime=self.keep_mtime)
            else:
                replace(self.operations, source, edit, keep_mtime=self.keep_mtime, forced=self.forced)
        self.written = len(edit.tail) + (source.size - edit.keep if self.in_place else edit.keep)


@contextlib.contextmanager
def change(
    path: object,
    *,
    in_place: bool = False,
    keep_mtime: bool = False,
    force: Iterable[str] = (),
    timeout: float = 0,
    is_sound: IsSound | None = None,
    operations: Operations = OPERATIONS,
) -> Iterator[Change]:
    """Open a file to change its tail.

    A local file is locked until the end of the block, and a change in place that was interrupted is undone first.
    Symbolic links are followed to it once: all that is done is done in the folder that was found then.

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
    is_sound : callable, optional
        Whether a file ends in a sound footer of any form: for journals of version 1, which are set aside without.
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
    if not target.is_local:
        with _open_remote(target, in_place, keep_mtime) as source:
            yield Change(source, False, False, forced, operations)
        return
    if in_place and not systems.has_locks():
        raise Refused("this system has no locks of files (fcntl): nothing is changed in place", file=target.path)
    if keep_mtime and os.utime not in os.supports_fd:
        raise Refused("this system cannot set the times of an open file: they are not kept", file=target.path)
    with _open_local(target, writable=in_place, timeout=timeout, forced=forced) as source:
        links = os.fstat(source.fd).st_nlink
        if links > 1:
            refuse(forced, "hard-links", f"it has {links} hard links", source.name)
        settled = _clean(operations, source, is_sound, untrusted_passes=not in_place)
        yield Change(source, in_place, keep_mtime, forced, operations, settled=settled or "")


def _open_remote(target: Target, in_place: bool, keep_mtime: bool) -> RemoteSource:
    if in_place or keep_mtime:
        what = "changed in place" if in_place else "kept with their times"
        raise Refused(f"objects cannot be {what}", file=str(target))
    if target.filesystem.type_name == HTTP:
        raise Refused("files are read over HTTP, and not changed", file=str(target))
    if target.filesystem.type_name == "hdfs":
        raise Refused(
            "libhdfs cannot put a file in the place of another at once: hdfs-native can "
            "(pip install 'parquetext[hdfs]'), for files named by URL",
            file=str(target),
        )
    forget(target)
    return RemoteSource(target)


@contextlib.contextmanager
def _open_local(
    target: Target,
    *,
    writable: bool,
    timeout: float,
    forced: frozenset[str] = frozenset(),
) -> Iterator[LocalSource]:
    """The file, locked, in its folder, which is held open."""
    path = os.path.realpath(target.path)
    with (
        Folder.of(path) as folder,
        open_locked(path, writable=writable, timeout=timeout, forced=forced, folder=folder) as source,
    ):
        yield source


def _clean(
    operations: Operations, source: LocalSource, is_sound: IsSound | None, *, untrusted_passes: bool = False
) -> str | None:
    """Settle what killed processes left; says what was done, or what was left alone where that may pass."""
    swept = sweep(operations, source.name, source.folder)
    try:
        done = repair(operations, source, is_sound)
    except Refused as error:
        if not untrusted_passes:
            raise
        done = error.message
    source.refresh()
    settled = settle_checksums(operations, source)
    return "; ".join(filter(None, [done or (SWEPT if swept else None), settled])) or None


def recover(
    path: object, *, timeout: float = 0, is_sound: IsSound | None = None, operations: Operations = OPERATIONS
) -> str | None:
    """Undo a change in place that was interrupted, and remove what a killed process left beside a local file.

    Returns
    -------
    str or None
        What was done, or None if there was nothing to do.

    Raises
    ------
    Conflict
        Somebody is changing the file right now.
    Refused
        What lies beside it under the names of ours is not trusted.
    """
    target = resolve(path)
    if not target.is_local:
        return None
    try:
        with _open_local(target, writable=False, timeout=timeout) as source:
            return _clean(operations, source, is_sound)
    except FileNotFoundError:
        swept = remove_unfinished(target, operations=operations)
        if _discard_checksums(target, operations) or swept:
            return SWEPT
        raise


def _discard_checksums(target: Target, operations: Operations) -> bool:
    path = os.path.realpath(target.path)
    with Folder.of(path) as folder:
        return discard_checksums(operations, path, folder)


def remove_unfinished(target: Target, *, operations: Operations = OPERATIONS) -> bool:
    """Remove the unfinished new file of a killed process beside a name, whatever has that; whether there was one.

    Conflict where somebody is writing it right now.
    """
    path = os.path.realpath(target.path)
    with Folder.of(path) as folder:
        return sweep(operations, path, folder)
