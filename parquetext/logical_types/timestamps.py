"""TIMESTAMP on INT64."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import LogicalType, SortOrder, SqlText
from .entry import INT64, Entry
from .times import UNIT_AND_ZONE

_READINGS = {"ms": wire.READING_MILLISECONDS, "us": wire.READING_MICROSECONDS, "ns": wire.READING_NANOSECONDS}
_QUESTDB = {"ms": "DATE", "us": "TIMESTAMP", "ns": "TIMESTAMP_NS"}
_SPARK_UNITS = "ms", "us"


class Timestamp(Entry):
    """Timestamps of any physical type."""

    name = "TIMESTAMP"
    order = SortOrder.SIGNED
    parameters = UNIT_AND_ZONE
    table = "TimeOptions"
    is_timestamp = True

    def fits(self, logical, physical, width):
        return logical.unit is not None and super().fits(logical, physical, width)

    def arrow(self, logical, width):
        return pa.timestamp(logical.unit, tz="UTC" if logical.utc else None)

    def reading(self, logical, physical, width):
        fits = self.widths.get(physical) in (0, width)
        return wire.READING_SIGNED | _READINGS.get(logical.unit, 0) if fits else None

    def spark(self, logical, physical):
        if logical.unit not in _SPARK_UNITS:
            return None
        return "timestamp" if logical.utc else "timestamp_ntz"


class _Timestamp(Timestamp):
    field_id = wire.LOGICAL_TIMESTAMP
    converted = {
        wire.CONVERTED_TIMESTAMP_MILLIS: LogicalType("TIMESTAMP", unit="ms", utc=True),
        wire.CONVERTED_TIMESTAMP_MICROS: LogicalType("TIMESTAMP", unit="us", utc=True),
    }
    widths = {INT64: 0}
    sql = {
        pa.timestamp("ms"): SqlText("TIMESTAMP_NTZ", "TIMESTAMP"),
        pa.timestamp("us"): SqlText("TIMESTAMP_NTZ", "TIMESTAMP"),
        pa.timestamp("ns"): SqlText(duckdb="TIMESTAMP_NS"),
        pa.timestamp("ms", "UTC"): SqlText("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"),
        pa.timestamp("us", "UTC"): SqlText("TIMESTAMP", "TIMESTAMP WITH TIME ZONE"),
        pa.timestamp("ns", "UTC"): SqlText(duckdb="TIMESTAMP WITH TIME ZONE"),
    }

    def questdb(self, logical, physical, width):
        return _QUESTDB[logical.unit]


ENTRIES = (_Timestamp(),)
