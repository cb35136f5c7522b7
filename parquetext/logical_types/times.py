"""TIME: time of day in milliseconds, microseconds or nanoseconds."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import FLAG, UNIT, UNIT_WORDS, LogicalType, Parameter, SortOrder, SqlText
from .entry import INT32, INT64, Entry

UNIT_AND_ZONE = (
    Parameter("unit", 2, "unit", "unit", UNIT, UNIT_WORDS),
    Parameter("utc", 1, "isAdjustedToUTC", "is_adjusted_to_utc", FLAG, {True: "utc", False: "local"}),
)


class _Time(Entry):
    name = "TIME"
    field_id = wire.LOGICAL_TIME
    converted = {
        wire.CONVERTED_TIME_MILLIS: LogicalType("TIME", unit="ms", utc=True),
        wire.CONVERTED_TIME_MICROS: LogicalType("TIME", unit="us", utc=True),
    }
    widths = {INT32: 0, INT64: 0}
    order = SortOrder.SIGNED
    parameters = UNIT_AND_ZONE
    table = "TimeOptions"
    sql = {
        pa.time32("ms"): SqlText(duckdb="TIME"),
        pa.time64("us"): SqlText("TIME(6)", "TIME"),
        pa.time64("ns"): SqlText(duckdb="TIME_NS"),
    }
    spark_name = "time"
    spark_to_arrow = False

    def fits(self, logical, physical, width):
        return logical.unit is not None and physical == (INT32 if logical.unit == "ms" else INT64)

    def arrow(self, logical, width):
        return pa.time32("ms") if logical.unit == "ms" else pa.time64(logical.unit)


ENTRIES = (_Time(),)
