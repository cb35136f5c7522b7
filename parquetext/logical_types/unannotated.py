"""Leaves without an annotation, or with the annotation UNKNOWN, whose values are all null."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import SortOrder, SqlText
from .entry import BYTES, FIXED, INT32, INT64, Entry
from .int96 import ENTRIES as INT96_ENTRIES

_SIGNED = INT32, INT64, wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE


class _Unannotated(Entry):
    """The values of one physical type."""

    def __init__(self, physical, arrow, reading, spark, questdb, sql=None):
        self.widths = {physical: 0}
        self.order = SortOrder.SIGNED if physical in _SIGNED else SortOrder.UNSIGNED
        self.sql = {arrow: SqlText(*sql)} if sql else {}
        self.arrow_type, self.bounds_reading, self.spark_type, self.questdb_type = arrow, reading, spark, questdb


class _FixedLength(Entry):
    widths = {FIXED: 0}
    order = SortOrder.UNSIGNED
    bounds_reading = 0
    spark_type = "binary"

    def arrow(self, logical, width):
        return pa.binary(width)

    def questdb(self, logical, physical, width):
        return {16: "LONG128", 32: "LONG256"}.get(width)


class _Unknown(Entry):
    name = "UNKNOWN"
    field_id = wire.LOGICAL_UNKNOWN
    widths = dict.fromkeys(wire.NAMES_OF_TYPE, 0)
    sql = {pa.null(): SqlText("VOID", "INTEGER")}
    arrow_type = pa.null()

    def spark(self, logical, physical):
        return next(entry.spark_type for entry in (*PLAIN, *INT96_ENTRIES) if physical in entry.widths)


BOOLEAN, FLOAT, DOUBLE = wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE
PLAIN = (
    _Unannotated(BOOLEAN, pa.bool_(), wire.READING_BOOLEAN, "boolean", "BOOLEAN", ("BOOLEAN", "BOOLEAN")),
    _Unannotated(INT32, pa.int32(), wire.READING_SIGNED, "integer", "INT"),
    _Unannotated(INT64, pa.int64(), wire.READING_SIGNED, "long", "LONG"),
    _Unannotated(FLOAT, pa.float32(), wire.READING_FLOAT, "float", "FLOAT", ("FLOAT", "FLOAT")),
    _Unannotated(DOUBLE, pa.float64(), wire.READING_FLOAT, "double", "DOUBLE", ("DOUBLE", "DOUBLE")),
    _Unannotated(BYTES, pa.binary(), 0, "binary", "BINARY", ("BINARY", "BLOB")),
    _FixedLength(),
)
ENTRIES = *PLAIN, _Unknown()
