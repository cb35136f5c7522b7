"""DATE: days since 1970-01-01."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import LogicalType, SortOrder, SqlText
from .entry import INT32, Entry


class _Date(Entry):
    name = "DATE"
    field_id = wire.LOGICAL_DATE
    converted = {wire.CONVERTED_DATE: LogicalType("DATE")}
    widths = {INT32: 0}
    order = SortOrder.SIGNED
    arrow_type = pa.date32()
    bounds_reading = wire.READING_SIGNED | wire.READING_DAYS
    sql = {pa.date32(): SqlText("DATE", "DATE")}
    spark_type = "date"
    questdb_type = "DATE"


ENTRIES = (_Date(),)
