"""The report of a verification."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from ...findings import Finding, is_sound
from ...masking import without_secrets
from ...tabular import Listing, Shown, Tabular, chosen

DEPTHS = "tail", "pages", "deep"
OF_FINDINGS = "kind", "message", "place", "offset", "is"
MOST_LETTERS = 120  # of a message


def deeper_than(depth: str) -> tuple[str, ...]:
    """Return the depths that check more than this one."""
    return DEPTHS[DEPTHS.index(depth) + 1 :]


@dataclass(slots=True, repr=False)
class Report(Tabular):
    """The findings of a verification, and how much of the file was checked.

    Attributes
    ----------
    path : str
    depth : str
        ``"tail"``, ``"pages"`` or ``"deep"``.
    forms : list of str
        The footer forms that are there.
    findings : list of Finding
    checked_bytes : int
        Bytes under a checksum that was computed.
    pages : int
        Page headers walked; 0 if only the tail is checked.
    decompressed_pages : int
        Pages without a checksum that were decompressed; 0 if only the tail is checked.
    chunks_elsewhere : int
        Column chunks in other files, as those of a ``_metadata`` file: their pages and values are not checked.
    rows : int or None
        Rows decoded; None unless the depth is ``"deep"``.
    omitted : list of str
        Fields of the Thrift footer that a block of the arrow dialect does not carry. They are not findings.
    gaps : list of (int, int)
        Offset and length of bytes that belong to no chunk, index or Bloom filter, such as
        padding: no findings either. Empty if only the tail is checked.
    bytes_read : int
        Bytes read from the file, those of our decoder at the depth ``"deep"`` included, those of pyarrow not.
    """

    path: str
    depth: str
    forms: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    checked_bytes: int = 0
    pages: int = 0
    decompressed_pages: int = 0
    chunks_elsewhere: int = 0
    rows: int | None = None
    omitted: list[str] = field(default_factory=list)
    gaps: list[tuple[int, int]] = field(default_factory=list)
    bytes_read: int = 0

    @property
    def not_run(self) -> list[str]:
        """Return the depths that would check more."""
        return list(deeper_than(self.depth))

    @property
    def ok(self) -> bool:
        """Return True if there are no findings except notes, such as a block of another vendor."""
        return is_sound(self.findings)

    def extend(self, findings: Iterable[Finding]) -> None:
        self.findings.extend(findings)

    def _shown(self) -> Shown:
        rows = [
            (found.kind, found.message, found.place, found.offset, "a note" if found.is_note else "wrong")
            for found in (self.findings[number] for number in chosen(len(self.findings)))
        ]
        fields = [
            ("ok", str(self.ok)),
            ("depth", self.depth),
            ("not run", ", ".join(self.not_run) or None),
            ("footer", ", ".join(self.forms) or None),
            ("pages", self.pages or None),
            ("pages decompressed", self.decompressed_pages or None),
            ("chunks in other files", self.chunks_elsewhere or None),
            ("rows", self.rows),
            ("bytes under checksums", self.checked_bytes),
            ("bytes read", self.bytes_read),
            ("omitted", len(self.omitted) or None),
            ("gaps", len(self.gaps) or None),
        ]
        listing = Listing(OF_FINDINGS, rows, len(self.findings), "findings", MOST_LETTERS)
        return Shown(f"parquetext.Report {without_secrets(self.path)}", fields, [listing])

    def as_dict(self) -> dict[str, object]:
        return {
            "path": self.path,
            "ok": self.ok,
            "depth": self.depth,
            "not_run": self.not_run,
            "forms": self.forms,
            "pages": self.pages,
            "decompressed_pages": self.decompressed_pages,
            "chunks_elsewhere": self.chunks_elsewhere,
            "rows": self.rows,
            "checked_bytes": self.checked_bytes,
            "omitted": self.omitted,
            "gaps": [{"offset": offset, "length": length} for offset, length in self.gaps],
            "findings": [asdict(found) for found in self.findings],
        }
