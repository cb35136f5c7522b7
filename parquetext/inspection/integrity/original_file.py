"""Check that the original of an encoded file can still be restored."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels
from ...edits.recorded_original import recorded_original
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...rewrite.original import Original, OriginalSource, digest_of
from ...rewrite.recorded import RecordedOriginal, bare_struct

__all__ = ["check_original", "check_rest", "compare_digest", "read_original"]

PLACE = "original"
DAMAGED, LOST = "original-damaged", "original-lost"


def read_original(source, tail, report) -> RecordedOriginal | None:
    """Return the record of the original in the tail; None if there is none, or if it cannot be read."""
    try:
        found = recorded_original(source, tail)
    except ParquetextError as error:
        is_note = isinstance(error, Unsupported)
        report.findings.append(Finding(DAMAGED, error.message, error.offset, PLACE, is_note))
        return None
    return found


def check_original(original: Original, footer: bytes, data_end: int) -> Iterator[Finding]:
    """Check that the Thrift footer is the recorded one, and that the recorded ranges end before `data_end`."""
    try:
        struct = bare_struct(footer)
    except ParquetextError:
        return  # which the footer's own checks tell
    told, found = (original.struct_length, original.struct_crc), (len(struct), kernels.checksum.crc32(struct))
    if told != found:
        message = (
            f"the Thrift footer has {found[0]} bytes with the checksum {found[1]:#010x}, expected {told[0]} with "
            f"{told[1]:#010x}: it is damaged, or another program has changed the file, and strip refuses it"
        )
        yield Finding(LOST, message, place=PLACE)
    rest = original.rest
    ranges = [(part.new, part.length) for part in original.ranges if part.new is not None]
    if (total := sum(length for _, length in ranges)) > data_end:
        yield Finding(LOST, f"its ranges have {total} bytes, {data_end} are there", place=PLACE)
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
    """Put the original together, and compare its SHA-256."""
    try:
        found = digest_of(OriginalSource(original, source))
    except ParquetextError as error:
        yield Finding(LOST, error.message, error.offset, PLACE)
        return
    if found != original.sha256:
        message = f"what comes back has the SHA-256 {found.hex()}, expected {original.sha256.hex()}"
        yield Finding(LOST, message, place=PLACE)
