"""Checks of a footer alone: its counts, and the bytes behind its struct."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding

__all__ = ["SIGNATURE_BYTES", "behind_struct", "check_counts"]

SIGNATURE_BYTES = 28  # nonce and tag of AES-GCM
PLACE = "Thrift footer"


def check_counts(scan) -> Iterator[Finding]:
    """Compare the chunks of each row group with the schema, and the rows of the row groups with the file's."""
    if not scan.regular:
        yield Finding("irregular", "a row group does not have one column chunk per leaf", place=PLACE)
    total = sum(scan.row_groups("num_rows"))
    if total != scan.num_rows:
        yield Finding("row-count", f"the row groups have {total} rows, the file {scan.num_rows}", place=PLACE)


def behind_struct(scan, length: int, offset: int) -> Finding:
    """Return the finding about `length` bytes behind a footer's struct: a note if they are a signature."""
    if length == SIGNATURE_BYTES and scan.encrypted:
        message = f"the footer is signed: {length} bytes behind the struct, which only its key can check"
        return Finding("signed", message, offset, PLACE, is_note=True)
    signature = " (the length of a signature, but the footer names no key)" if length == SIGNATURE_BYTES else ""
    return Finding("stray-bytes", f"{length} bytes behind the struct{signature}", offset, PLACE)
