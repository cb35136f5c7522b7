"""UUID, FLOAT16 and INTERVAL: byte arrays of a length that the annotation determines."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import LogicalType, SortOrder, SqlText
from .entry import FIXED, Entry


class _Uuid(Entry):
    name = "UUID"
    field_id = wire.LOGICAL_UUID
    widths = {FIXED: 16}
    order = SortOrder.UNSIGNED
    sql = {pa.uuid(): SqlText(duckdb="UUID")}
    questdb_type = "UUID"


class _Float16(Entry):
    name = "FLOAT16"
    field_id = wire.LOGICAL_FLOAT16
    widths = {FIXED: 2}
    order = SortOrder.FLOAT16
    arrow_type = pa.float16()
    bounds_reading = wire.READING_FLOAT
    sql = {pa.float16(): SqlText("FLOAT", "FLOAT")}


class _Interval(Entry):
    """Months, days and milliseconds, which have no order. Only ConvertedType has it."""

    name = "INTERVAL"
    converted = {wire.CONVERTED_INTERVAL: LogicalType("INTERVAL")}
    widths = {FIXED: 12}


ENTRIES = _Uuid(), _Float16(), _Interval()
