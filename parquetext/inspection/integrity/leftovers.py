"""Report files that an interrupted change has left next to a file."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding
from ...footer.scanning import has_sound_footer
from ...storage import journals_beside
from ...storage.in_place import LEFT, OTHERS, UNTRUSTED
from ...storage.journal import MIXED

__all__ = ["leftovers"]

_KINDS = {MIXED: "change-interrupted", LEFT: "journal-left", OTHERS: "journal-stale", UNTRUSTED: "journal-untrusted"}
_ADVICE = {MIXED: "; parquetext.recover puts the old tail back", LEFT: "; parquetext.recover removes it"}


def leftovers(path: str) -> Iterator[Finding]:
    """Yield findings about the journals next to a local file: notes, unless a change was interrupted."""
    for found in journals_beside(path, has_sound_footer):
        yield Finding(
            _KINDS[found.verdict],
            f"{found.message}{_ADVICE.get(found.verdict, '')}",
            place=found.name,
            is_note=found.verdict != MIXED,
        )
