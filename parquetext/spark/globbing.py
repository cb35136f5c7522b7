"""Which files and folders a pattern stands for, found name by name, as Spark's own readers have it."""

from __future__ import annotations

import errno
import posixpath
import re
from collections.abc import Iterator

from ..edits.many import WILDCARD, is_skipped
from .filesystems import Filesystems, normal
from .folders import entries_of, entry_at, pattern

__all__ = ["is_named", "matches"]

_CHOICE = re.compile(r"\{([^{}]*)\}")


def matches(filesystems: Filesystems, path: str) -> list[str]:
    """The paths that a path or pattern stands for, those of a pattern in their order.

    ``*``, ``?``, ``[a-c]`` and ``[!a]`` stay within a name, ``{a,b}`` is one or the other. Hidden names, and those that
    begin with ``_`` unless they hold ``=``, match nothing. What is there under the very name stands for itself.

    Raises
    ------
    FileNotFoundError
        Nothing matches.
    """
    url = normal(path)
    choices = list(_choices(url))
    if (choices == [url] and not WILDCARD.search(url)) or entry_at(filesystems.target(url)) is not None:
        return [path]
    found = [match for choice in choices for match in _matches(filesystems, choice)]
    if not found:
        raise FileNotFoundError(errno.ENOENT, "nothing matches", path)
    return found


def is_named(name: str, glob: str) -> bool:
    """Whether a pattern stands for a name."""
    return any(pattern(choice).fullmatch(name) for choice in _choices(glob))


def _choices(url: str) -> Iterator[str]:
    """The patterns without braces."""
    braces = _CHOICE.search(url)
    if braces is None:
        yield url
    else:
        for choice in braces[1].split(","):
            yield from _choices(url[:braces.start()] + choice + url[braces.end():])


def _matches(filesystems: Filesystems, url: str) -> Iterator[str]:
    wildcard = WILDCARD.search(url)
    folder = posixpath.dirname(url[:wildcard.start()]) if wildcard else url
    yield from _below(filesystems, folder, [name for name in url[len(folder):].split("/") if name])


def _below(filesystems: Filesystems, folder: str, names: list[str]) -> Iterator[str]:
    """What is there under names, of which some are patterns, in a folder."""
    if not names:
        if entry_at(filesystems.target(folder)) is not None:
            yield folder
    elif not WILDCARD.search(names[0]):
        yield from _below(filesystems, posixpath.join(folder, names[0]), names[1:])
    else:
        for entry in sorted(entries_of(filesystems.target(folder), links=True)):
            if not is_skipped(entry.name) and pattern(names[0]).fullmatch(entry.name):
                path = posixpath.join(folder, entry.name)
                if not names[1:]:
                    yield path
                elif entry.is_folder:
                    yield from _below(filesystems, path, names[1:])
