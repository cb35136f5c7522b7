"""TIMESTAMP on FIXED_LEN_BYTE_ARRAY(12) of parquet-format 2.14: signed, little-endian, in the annotation's unit."""

from __future__ import annotations

from .annotation import SortOrder
from .entry import FIXED
from .timestamps import Timestamp


class _LongTimestamp(Timestamp):
    widths = {FIXED: 12}
    order = SortOrder.LITTLE_ENDIAN


ENTRIES = (_LongTimestamp(),)
