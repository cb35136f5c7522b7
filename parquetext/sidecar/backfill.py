"""Compute bounds of the designated timestamp from the values if the footer lacks them."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .. import kernels, wire
from ..footer.pyarrow_footer import metadata_of
from ..footer.row_counts import RowsMissing, check_rows
from ..pruning.questdb import Tag
from .questdb_types import tag_of

__all__ = ["backfill"]

WIDTH = 8


def backfill(scan, header, data: pa.NativeFile) -> dict[tuple[int, int], tuple[bytes, bytes]]:
    """Return minimum and maximum, as stored, of the designated timestamp in row groups that lack either.

    If pyarrow loses rows of a row group, it gets no bounds, because a missing row may be outside them.

    Parameters
    ----------
    scan : Scan
        The Thrift footer.
    header : header.Header
    data : pyarrow.NativeFile
        The file, for reading those chunks.

    Returns
    -------
    dict
        By (row group, column).
    """
    column = header.designated_timestamp
    if column < 0:
        return {}
    facts = header.columns[column]
    if tag_of(facts.type) != Tag.TIMESTAMP or facts.physical_type != wire.PHYSICAL_INT64:
        return {}
    found = {}
    for row_group in _lacking(scan.column(column)):
        bounds = _bounds(kernels.slice.slice_footer(scan, [column], [row_group], arrow_schema=False), data)
        if bounds is not None:
            found[row_group, column] = bounds
    return found


def _lacking(chunks) -> Iterable[int]:
    facts = (chunks.array(name) for name in ("present", "num_values", "min_value_length", "max_value_length"))
    both = wire.PRESENT_MIN_VALUE | wire.PRESENT_MAX_VALUE
    for row_group, (present, values, low, high) in enumerate(zip(*facts, strict=True)):
        if values > 0 and not (present & both == both and low == high == WIDTH):
            yield row_group


def _bounds(footer: bytes, data: pa.NativeFile) -> tuple[bytes, bytes] | None:
    file = pq.ParquetFile(data, metadata=metadata_of(footer))
    table = file.read()
    try:
        check_rows(table.num_rows, file.metadata.num_rows)
    except RowsMissing:
        return None
    stored = pa.chunked_array([chunk.view(pa.int64()) for chunk in table.column(0).chunks], pa.int64())
    bounds = pc.min_max(stored)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if low is None:
        return None
    return low.to_bytes(WIDTH, "little", signed=True), high.to_bytes(WIDTH, "little", signed=True)
