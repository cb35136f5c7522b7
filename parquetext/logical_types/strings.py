"""STRING, ENUM, JSON and BSON: byte arrays that are compared byte by byte."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import LogicalType, SortOrder, SqlText
from .entry import BYTES, Entry


class _Text(Entry):
    widths = {BYTES: 0}
    order = SortOrder.UNSIGNED
    bounds_reading = wire.READING_TEXT
    spark_type = "string"
    is_text = True


class _String(_Text):
    name = "STRING"
    field_id = wire.LOGICAL_STRING
    converted = {wire.CONVERTED_UTF8: LogicalType("STRING")}
    arrow_type = pa.string()
    sql = {pa.string(): SqlText("STRING", "VARCHAR")}
    questdb_type = "VARCHAR"


class _Enum(_Text):
    name = "ENUM"
    field_id = wire.LOGICAL_ENUM
    converted = {wire.CONVERTED_ENUM: LogicalType("ENUM")}


class _Json(_Text):
    name = "JSON"
    field_id = wire.LOGICAL_JSON
    converted = {wire.CONVERTED_JSON: LogicalType("JSON")}
    arrow_type = pa.string()


class _Bson(Entry):
    name = "BSON"
    field_id = wire.LOGICAL_BSON
    converted = {wire.CONVERTED_BSON: LogicalType("BSON")}
    widths = {BYTES: 0}
    order = SortOrder.UNSIGNED
    spark_type = "binary"


ENTRIES = _String(), _Enum(), _Json(), _Bson()
