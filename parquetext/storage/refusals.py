"""Refusals that a caller may override, by name."""

from __future__ import annotations

from collections.abc import Iterable

from .. import wire
from ..errors import ParquetextError, Refused

FORCEABLE = {
    "hard-links": "the file has other names: they keep the old content (in place: they change too)",
    "attributes": "mode, owner or extended attributes that cannot be given to the new file are dropped",
    "lock": "the filesystem has no locks: nothing keeps a second writer away",
}


def check(force: Iterable[str], known: Iterable[str] = FORCEABLE) -> frozenset[str]:
    """Return the names as a set; ParquetextError for an unknown one."""
    forced = frozenset([force] if isinstance(force, str) else force)
    if unknown := sorted(forced - set(known)):
        raise ParquetextError(
            f"no such refusal to force: {', '.join(unknown)} (known: {', '.join(sorted(known))})",
            code=wire.BAD_ARGUMENT,
        )
    return forced


def refuse(forced: frozenset[str], name: str, message: str, file: str | None = None, **position) -> None:
    """Raise Refused, unless `name` is forced."""
    if name not in forced:
        error = Refused(f"{message} (force {name!r} to do it anyway)", file=file, **position)
        error.force = name
        raise error
