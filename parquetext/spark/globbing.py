"""Find the files and folders that a pattern matches, name by name, as Spark's readers do."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from .. import wire
from ..edits.globs import Glob, is_pattern, matcher, matching, places
from ..errors import ParquetextError
from ..masking import without_secrets
from .filesystems import Filesystems, normal
from .folders import entries_of, entry_at


def matches(filesystems: Filesystems, path: str) -> list[str]:
    """Return the paths that a path or pattern (`edits.globs`) matches, sorted.

    An existing path is not treated as a pattern; ``**`` means ``*``, as in Spark's readers.

    Raises
    ------
    FileNotFoundError
        If nothing matches.
    ParquetextError
        If the pattern is invalid.
    """
    url = normal(path)
    if not is_pattern(url) or entry_at(filesystems.target(url)) is not None:
        return [path]
    where = places(url)
    if not where:
        raise _no_pattern(path)
    found = [match for position in where for match in _matching(filesystems, position)]
    if not found:
        raise FileNotFoundError(errno.ENOENT, "nothing matches", without_secrets(path))
    return found


def is_named(name: str, pattern: str) -> bool:
    """Return True if a pattern matches a name; raise ParquetextError if it is invalid."""
    try:
        return matcher(pattern).fullmatch(name) is not None
    except re.error:
        raise _no_pattern(pattern) from None


def _no_pattern(text: str) -> ParquetextError:
    return ParquetextError(
        f"not a pattern, for a brace, a bracket or an escape in it has no end: {text}", code=wire.BAD_ARGUMENT
    )


def _matching(filesystems: Filesystems, glob: Glob) -> Iterator[str]:
    def entries(folder: str, links: bool) -> Iterator[tuple[str, bool]]:
        return ((entry.name, entry.is_folder) for entry in sorted(entries_of(filesystems.target(folder), links=links)))

    names = ["*" if name == "**" else name for name in glob.pattern.split("/")]
    return matching(
        Glob(glob.path, "/".join(names)), entries, lambda path: entry_at(filesystems.target(path)) is not None
    )
