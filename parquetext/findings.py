"""Results of a check or a fallback: reported next to a result, never instead of an error."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import ParquetextError
from .records import frozen

__all__ = ["Finding", "is_sound"]


@frozen
class Finding:
    """A defect of a file, or a note.

    Attributes
    ----------
    kind : str
        A short name for it, such as ``"flat-damaged"`` or ``"page-checksum"``.
    message : str
        The expected and the found value.
    offset : int or None
        Offset in bytes from the file's start.
    place : str
        The part of the file: a form, ``"row group 3, column a.b"``; may be empty.
    is_note : bool
        True if it is only a note: nothing is wrong.
    """

    kind: str
    message: str
    offset: int | None = None
    place: str = ""
    is_note: bool = False

    @classmethod
    def of(cls, kind: str, error: ParquetextError, place: str = "") -> Finding:
        """Return the finding for an error."""
        return cls(kind, error.message, error.offset, place)

    def __str__(self) -> str:
        where = "" if self.offset is None else f" (at offset {self.offset})"
        return f"{self.kind}: {self.place + ': ' if self.place else ''}{self.message}{where}"


def is_sound(findings: Iterable[Finding]) -> bool:
    """Return True if there are no findings except notes."""
    return all(finding.is_note for finding in findings)
