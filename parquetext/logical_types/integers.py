"""INTEGER: signed and unsigned integers of 8 to 64 bits."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import FLAG, NUMBER, LogicalType, Parameter, SortOrder, SqlText
from .entry import INT32, INT64, Entry

_ARROW = {
    (8, True): pa.int8(),
    (16, True): pa.int16(),
    (32, True): pa.int32(),
    (64, True): pa.int64(),
    (8, False): pa.uint8(),
    (16, False): pa.uint16(),
    (32, False): pa.uint32(),
    (64, False): pa.uint64(),
}
_SPARK = {
    (8, True): "byte",
    (16, True): "short",
    (32, True): "integer",
    (64, True): "long",
    (8, False): "short",
    (16, False): "integer",
    (32, False): "long",
    (64, False): "decimal(20,0)",
}
_QUESTDB = {(8, True): "BYTE", (16, True): "SHORT"}


class _Integer(Entry):
    name = "INTEGER"
    field_id = wire.LOGICAL_INTEGER
    widths = {INT32: 0, INT64: 0}
    parameters = (
        Parameter("bits", 1, "bitWidth", "bit_width", NUMBER, default=8),
        Parameter("signed", 2, "isSigned", "is_signed", FLAG, {True: "signed", False: "unsigned"}),
    )
    table = "IntOptions"
    converted = {
        number: LogicalType("INTEGER", bits=bits, signed=signed)
        for number, bits, signed in (
            (wire.CONVERTED_UINT_8, 8, False),
            (wire.CONVERTED_UINT_16, 16, False),
            (wire.CONVERTED_UINT_32, 32, False),
            (wire.CONVERTED_UINT_64, 64, False),
            (wire.CONVERTED_INT_8, 8, True),
            (wire.CONVERTED_INT_16, 16, True),
            (wire.CONVERTED_INT_32, 32, True),
            (wire.CONVERTED_INT_64, 64, True),
        )
    }
    sql = {
        pa.int8(): SqlText("TINYINT", "TINYINT"),
        pa.int16(): SqlText("SMALLINT", "SMALLINT"),
        pa.int32(): SqlText("INT", "INTEGER"),
        pa.int64(): SqlText("BIGINT", "BIGINT"),
        pa.uint8(): SqlText("SMALLINT", "UTINYINT"),
        pa.uint16(): SqlText("INT", "USMALLINT"),
        pa.uint32(): SqlText("BIGINT", "UINTEGER"),
        pa.uint64(): SqlText("DECIMAL(20,0)", "UBIGINT"),
    }

    def fits(self, logical, physical, width):
        is_known = (logical.bits, logical.signed) in _ARROW
        return is_known and physical == (INT64 if logical.bits == 64 else INT32)

    def sort_order(self, logical):
        return SortOrder.SIGNED if logical.signed else SortOrder.UNSIGNED

    def arrow(self, logical, width):
        return _ARROW[logical.bits, logical.signed]

    def reading(self, logical, physical, width):
        if physical not in self.widths:
            return None
        return wire.READING_SIGNED if logical.signed else wire.READING_UNSIGNED

    def spark(self, logical, physical):
        return _SPARK[logical.bits, logical.signed]

    def questdb(self, logical, physical, width):
        return _QUESTDB.get((logical.bits, logical.signed))


ENTRIES = (_Integer(),)
