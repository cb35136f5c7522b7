"""Refusals that a caller may override, by name."""

from __future__ import annotations

from collections.abc import Iterable

from .. import wire
from ..errors import ParquetextError, Refused

IGNORABLE = {
    "hard-links": "the file has other names: they keep the old content (in place: they change too)",
    "attributes": "mode, owner or extended attributes that cannot be given to the new file are dropped",
    "lock": "the filesystem has no locks: nothing keeps a second writer away",
}


def check(ignore: Iterable[str], known: Iterable[str] = IGNORABLE) -> frozenset[str]:
    """Return the names as a set; ParquetextError for an unknown one."""
    ignored = frozenset([ignore] if isinstance(ignore, str) else ignore)
    if unknown := sorted(ignored - set(known)):
        raise ParquetextError(
            f"no such refusal to ignore: {', '.join(unknown)} (known: {', '.join(sorted(known))})",
            code=wire.BAD_ARGUMENT,
        )
    return ignored


def refuse(ignored: frozenset[str], name: str, message: str, file: str | None = None, **position) -> None:
    """Raise Refused, unless `name` is ignored."""
    if name not in ignored:
        error = Refused(f"{message} (ignore {name!r} to do it anyway)", file=file, **position)
        error.ignore = name
        raise error
