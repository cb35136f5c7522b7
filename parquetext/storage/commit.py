"""Safe changes of files on any storage: lock, check, commit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ..errors import ParquetextError, Refused
from ..records import frozen
from .appending import Appender, appender
from .backend import Backend
from .in_place import IsSound
from .operations import OPERATIONS, Operations
from .paths import resolve
from .refusals import check
from .source import LocalSource, RemoteSource, TailEdit


def create(path: object, *, ignore: Iterable[str] = (), owner: int | None = None):
    """Return a new file: write to its `sink`, then `commit` or `abort` it.

    Call `hold` before writing the end that an edit may change, then compute the edit from the source that `written`
    returns.

    Parameters
    ----------
    path : str, os.PathLike, (filesystem, str), or file object
        See `paths.resolve`. A file object is written to, and stays open.
    ignore : iterable of str
        Keys of `refusals.IGNORABLE` to ignore.
    owner : int, optional
        The user who owns the file that this local file accompanies; see `NewFile`.
    """
    ignored = check(ignore)
    if hasattr(path, "write") and not isinstance(path, os.PathLike):
        from .objects import NewStream

        return NewStream(path)
    target = resolve(path)
    return target.backend.new_file(target, ignored=ignored, owner=owner)


@frozen
class ChangeOptions:
    """The arguments of `change`, checked; `ignored` contains the names of `ignore`."""

    in_place: bool = False
    keep_mtime: bool = False
    ignored: frozenset[str] = frozenset()
    timeout: float = 0
    is_sound: IsSound | None = None
    operations: Operations = OPERATIONS


@dataclass(slots=True)
class Change:
    """A file that only this process may change.

    Attributes
    ----------
    source : LocalSource or RemoteSource
        The content that `commit` expects.
    written : int
        Bytes written by `commit`: the tail; for a new file or object also the kept bytes, unless the store copies them;
        in place also the journal.
    settled : str
        How leftovers of interrupted processes were repaired; empty if there were none.
    note : str
        A note about the commit; often empty.
    """

    backend: Backend
    source: Any
    options: ChangeOptions
    written: int = 0
    settled: str = ""
    note: str = ""

    def commit(self, edit: TailEdit) -> None:
        """Reduce the file to its first `edit.keep` bytes and append `edit.tail`; `source` cannot be used afterwards.

        Raises
        ------
        Conflict
            If the file has changed since it was opened. It is left unchanged.
        Refused
            If an attribute of the file cannot be kept, its checksum file cannot be renewed, or an object is too large.
        """
        source = self.source
        if not 0 <= edit.keep <= source.size:
            raise ParquetextError(f"cannot keep {edit.keep} of {source.size} bytes", file=source.name)
        self.backend.commit(self, edit)


def change(
    path: object,
    *,
    in_place: bool = False,
    keep_mtime: bool = False,
    ignore: Iterable[str] = (),
    timeout: float = 0,
    is_sound: IsSound | None = None,
    operations: Operations = OPERATIONS,
) -> AbstractContextManager[Change]:
    """Open a file to change its tail.

    A local file is locked until the end of the block, and an interrupted change in place is undone first. Symbolic
    links are followed once; all operations use the folder found then.

    Parameters
    ----------
    path : str, os.PathLike or (filesystem, str)
        See `paths.resolve`.
    in_place : bool
        Change the tail of the file itself, under a journal, instead of replacing the file.
    keep_mtime : bool
        Keep the times of the last access and change.
    ignore : iterable of str
        Keys of `refusals.IGNORABLE` to ignore.
    timeout : float
        Seconds to wait for another writer.
    is_sound : callable, optional
        Returns True if a file ends in a valid footer. Journals of version 1 need it, and are set aside without it.
    operations : Operations
        For tests.

    Raises
    ------
    Conflict
        If another process is changing the file.
    Refused
        If it has several hard links, or if its storage lacks a required capability: locks, changes in place, times.
    OSError
        If it cannot be opened.
    """
    target = resolve(path)
    options = ChangeOptions(in_place, keep_mtime, check(ignore), timeout, is_sound, operations)
    return target.backend.change(target, options)


def recover(
    path: object, *, timeout: float = 0, is_sound: IsSound | None = None, operations: Operations = OPERATIONS
) -> str | None:
    """Undo an interrupted change in place, and remove files that a killed process has left next to a local file.

    Returns
    -------
    str or None
        A description, or None if there was nothing to do.

    Raises
    ------
    Conflict
        If another process is changing the file.
    Refused
        If a file with the name of one of our files cannot be trusted.
    """
    target = resolve(path)
    return target.backend.recover(target, ChangeOptions(timeout=timeout, is_sound=is_sound, operations=operations))


@dataclass(slots=True)
class Rewriting:
    """A file, and the new file that will replace it.

    Attributes
    ----------
    source : LocalSource or RemoteSource
    sink : Appender
        The new file, to be written to.
    """

    source: LocalSource | RemoteSource
    new: Any
    sink: Appender
    keep_mtime: bool = False

    def commit(self) -> None:
        """Give the new file its name.

        Raises
        ------
        Conflict
            If the old file has changed since it was opened. It is left unchanged.
        """
        self.sink.flush()
        if self.keep_mtime:
            self.new.keep_times(self.source)
        self.new.commit(check=self.source.make_way)


@contextlib.contextmanager
def rewriting(changing: Change) -> Iterator[Rewriting]:
    """Write the whole content of a file that is open to be changed; remove the new file if it is not committed.

    Raises
    ------
    Refused
        If the file is to be changed in place.
    """
    source = changing.source
    if changing.options.in_place:
        raise Refused("it is written anew, which cannot be done in place", file=source.name)
    new = changing.backend.new_content(changing)
    try:
        yield Rewriting(source, new, appender(new, source), changing.options.keep_mtime)
    finally:
        new.abort()
