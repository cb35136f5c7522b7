"""Refuse footers in which a row group does not have one column chunk per leaf, as arrays over all chunks need it."""

from __future__ import annotations

from .. import wire
from ..errors import wire_error


def check_regular(scan) -> None:
    """Raise `Unsupported` for the first row group of a scanned footer with more or fewer chunks than leaves."""
    if scan.regular:
        return
    for count, offset in zip(scan.row_groups("chunk_count"), scan.row_groups("columns_offset"), strict=True):
        if count != scan.leaf_count:
            raise wire_error(wire.IRREGULAR, offset, scan.leaf_count, count)
