"""Check files with copies of columns in other encodings, tier by tier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import kernels
from ...edits.decode_columns import recorded_original
from ...errors import ParquetextError, Unsupported
from ...findings import Finding, is_sound
from ...rewrite.original import Original, OriginalSource, digest_of
from ...rewrite.recorded import RecordedOriginal, bare_struct, kept_places
from .copy_checks import check_copies, check_copy_pages
from .copy_values import compare_copies

PLACE = "original"
DAMAGED, LOST = "original-damaged", "original-lost"


def read_original(source, tail, report) -> RecordedOriginal | None:
    """Return the record of the original in the tail; None if there is none, or if it cannot be read."""
    try:
        return recorded_original(source, tail)
    except ParquetextError as error:
        is_note = isinstance(error, Unsupported)
        report.findings.append(Finding(DAMAGED, error.message, error.offset, PLACE, is_note))
        return None


def check_original(original: Original, footer: bytes, data_end: int) -> Iterator[Finding]:
    """Check that the Thrift footer is the recorded one, and that the recorded ranges end before `data_end`."""
    try:
        struct = bare_struct(footer)
    except ParquetextError:
        return  # the footer's checks report it
    text, found = (original.struct_length, original.struct_crc), (len(struct), kernels.checksum.crc32(struct))
    if text != found:
        message = (
            f"the Thrift footer has {found[0]} bytes with the checksum {found[1]:#010x}, expected {text[0]} with "
            f"{text[1]:#010x}: it is damaged, or another program has changed the file, and strip refuses it"
        )
        yield Finding(LOST, message, place=PLACE)
    rest = original.rest
    ranges = [(part.new, part.length) for part in original.ranges if part.new is not None]
    if (total := sum(length for _, length in ranges)) > data_end:
        yield Finding(LOST, f"its ranges have {total} bytes, but the file's data has {data_end}", place=PLACE)
        return
    for offset, length in [*ranges, (rest.offset, rest.length)]:
        if offset + length > data_end:
            message = f"bytes {offset} to {offset + length} leave the data, which ends at {data_end}"
            yield Finding(LOST, message, offset, PLACE)
            return


def check_rest(source, original: Original) -> Iterator[Finding]:
    """Check the checksum of the kept part of the original, and that it decompresses to the missing bytes."""
    try:
        OriginalSource(original, source)
    except ParquetextError as error:
        offset = original.rest.offset if error.offset is None else error.offset
        yield Finding(LOST, error.message, offset, PLACE)


def compare_digest(source, original: Original) -> Iterator[Finding]:
    """Reconstruct the original, and compare its SHA-256."""
    try:
        found = digest_of(OriginalSource(original, source))
    except ParquetextError as error:
        yield Finding(LOST, error.message, error.offset, PLACE)
        return
    if found != original.sha256:
        message = f"what comes back has the SHA-256 {found.hex()}, expected {original.sha256.hex()}"
        yield Finding(LOST, message, place=PLACE)


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
        base = None if tail.is_final else tail.footer_offset
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
        ranges = [(copy.facts.offset, copy.facts.end, copy.label) for copy in self.copies]
        kept = () if self._recorded is None else kept_places(self._source, self._recorded)
        return ranges + [(offset, offset + length, "what is kept of the original") for offset, length in kept]

    def check_bytes(self) -> None:
        """Check all checksums and the page headers of the copies: the second tier."""
        check_copy_pages(self._source, self.copies, self._report)
        if self.original is not None:
            self._report.extend(check_rest(self._source, self.original))
            self._report.checked_bytes += self.original.rest.length

    def compare_values(self) -> None:
        """Compare the values of each copy with those of its chunk, and the original's SHA-256: the third tier."""
        self._report.extend(compare_copies(self._source, self._scan, self.copies))
        if self.original is not None:
            self._report.extend(compare_digest(self._source, self.original))
