"""Check that a footer contains the fields that readers require."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from ... import kernels
from ...findings import Finding

__all__ = ["check_required"]

MISSING, WITHOUT_PATH = "missing-field", "path-omitted"


def check_required(footer: bytes, scan, names, offset: int) -> Iterator[Finding]:
    """Yield the first field that readers require and a scanned footer lacks; `names` names the leaves."""
    missing, without_path = kernels.required.find_missing(footer)
    if missing is not None:
        message = f"a {missing.structure} without {missing.field} (field {missing.id}), which readers require"
        yield Finding(MISSING, message, offset + missing.offset, _chunk_at(scan, missing.offset, names))
    if without_path:
        message = f"{without_path} column chunks do not say their path_in_schema: pyarrow refuses such a file as it is"
        yield Finding(WITHOUT_PATH, message, place="Thrift footer", is_note=True)


def _chunk_at(scan, offset: int, names) -> str:
    """Return the name of the column chunk that contains an offset of the footer."""
    starts, lengths = scan.chunks("chunk_offset"), scan.chunks("chunk_length")
    index = bisect_right(starts, offset) - 1
    if not scan.regular or index < 0 or offset >= starts[index] + lengths[index]:
        return "Thrift footer"
    row_group, leaf = divmod(index, scan.leaf_count)
    return f"row group {row_group}, column {names(scan)[leaf]}"
