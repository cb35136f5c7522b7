"""Check files with copies of columns in other encodings, tier by tier."""

from __future__ import annotations

from collections.abc import Sequence

from ...findings import is_sound
from ...rewrite.recorded import kept_places
from .copy_checks import check_copies, check_copy_pages
from .copy_values import compare_copies
from .original_file import check_original, check_rest, compare_digest, read_original

__all__ = ["Encoded"]


class Encoded:
    """The copies of a file's columns, and the file that it was before: checked as far as the footer tells of them.

    Parameters
    ----------
    source
    scan
        Of the Thrift footer.
    footer : bytes
        The same, extension and all.
    tail : footer.tail.Tail
    names : sequence of str
        Of the leaves.
    report : Report
        Takes the findings.
    """

    def __init__(self, source, scan, footer: bytes, tail, names: Sequence[str], report):
        self._source, self._scan, self._report = source, scan, report
        base = None if tail.form.is_final else tail.footer_offset
        self.copies = check_copies(scan, names, base, tail.start, report)
        found = read_original(source, tail, report)
        if found is not None:
            findings = list(check_original(found.original, footer, tail.start))
            report.extend(findings)
            found = found if is_sound(findings) else None
        self._recorded, self.original = found, None if found is None else found.original

    @property
    def ranges(self) -> list[tuple[int, int, str]]:
        """Return begin, end and name of the bytes that belong to copies or to the original alone."""
        ranges = [(copy.facts.offset, copy.facts.end, copy.place) for copy in self.copies]
        kept = () if self._recorded is None else kept_places(self._source, self._recorded)
        return ranges + [(offset, offset + length, "what is kept of the original") for offset, length in kept]

    def check_bytes(self) -> None:
        """The second tier: all checksums, and the copies' page headers."""
        check_copy_pages(self._source, self.copies, self._report)
        if self.original is not None:
            self._report.extend(check_rest(self._source, self.original))
            self._report.checked_bytes += self.original.rest.length

    def compare_values(self) -> None:
        """The third tier: the values of each copy against those of its chunk, and the original's SHA-256."""
        self._report.extend(compare_copies(self._source, self._scan, self.copies))
        if self.original is not None:
            self._report.extend(compare_digest(self._source, self.original))
