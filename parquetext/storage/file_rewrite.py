"""A file written anew from what it holds: at every moment its name holds the old file or the new one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ..errors import Refused
from .appending import Appender, appender
from .commit import Change
from .create import NewFile, NewObject, NewS3Object, create
from .remote import check_same
from .s3 import s3_object
from .source import LocalSource, RemoteSource
from .unchanged import check_unchanged

__all__ = ["Rewriting", "check_as_opened", "rewriting"]


def check_as_opened(source: LocalSource | RemoteSource) -> None:
    """Raise Conflict if somebody has changed, replaced or removed a file since it was opened."""
    if isinstance(source, RemoteSource):
        check_same(source)
    else:
        check_unchanged(source)


@dataclass(slots=True)
class Rewriting:
    """A file and what takes its place, or gets another name.

    Attributes
    ----------
    source : LocalSource or RemoteSource
    sink : Appender
        What to write to.
    """

    source: LocalSource | RemoteSource
    new: NewFile | NewObject | NewS3Object
    sink: Appender
    keep_mtime: bool = False

    def commit(self) -> None:
        """Give the new file its name.

        Raises
        ------
        Conflict
            Somebody else has changed the old one since it was opened: nothing was done.
        """
        self.sink.flush()
        if self.keep_mtime:
            self.new.keep_times(self.source)
        if isinstance(self.new, NewS3Object):  # the store itself compares
            check_same(self.source)
            self.new.commit()
        else:
            self.new.commit(check=partial(check_as_opened, self.source))


@contextlib.contextmanager
def rewriting(changing: Change) -> Iterator[Rewriting]:
    """Write a file that is open to be changed anew; what is not committed is removed again.

    Raises
    ------
    Refused
        It is to be changed in place.
    """
    source = changing.source
    if changing.in_place:
        raise Refused("it is written anew, which cannot be done in place", file=source.name)
    new = _in_place_of(source, changing)
    try:
        yield Rewriting(source, new, appender(new, source), changing.keep_mtime)
    finally:
        new.abort()


def _in_place_of(source: LocalSource | RemoteSource, changing: Change) -> NewFile | NewObject | NewS3Object:
    if isinstance(source, LocalSource):
        return NewFile(source.name, changing.ignored, changing.operations)
    goal, tag = s3_object(source.target), source.version.identity[0]
    return create(source.target, ignore=changing.ignored) if goal is None or not tag else NewS3Object(goal, tag)
