"""Refusals that a caller may waive, by name."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import ParquetextError, Refused

__all__ = ["WAIVERS", "check", "refuse"]

WAIVERS = {
    "hard-links": "the file has other names: they keep the old content (in place: they change too)",
    "attributes": "mode, owner or extended attributes that cannot be given to the new file are dropped",
    "lock": "the filesystem has no locks: nothing keeps a second writer away",
}


def check(waive: Iterable[str], known: Iterable[str] = WAIVERS) -> frozenset[str]:
    """The set of waived refusals; ParquetextError for a name that is none."""
    waived = frozenset([waive] if isinstance(waive, str) else waive)
    if unknown := sorted(waived - set(known)):
        raise ParquetextError(f"no such refusal to waive: {', '.join(unknown)} (known: {', '.join(sorted(known))})")
    return waived


def refuse(waived: frozenset[str], name: str, message: str, file: str | None = None, **place) -> None:
    """Raise Refused unless `name` is waived."""
    if name not in waived:
        raise Refused(f"{message} (waive {name!r} to do it anyway)", file=file, **place)
