"""DECIMAL: unscaled integers of four physical types."""

from __future__ import annotations

import pyarrow as pa

from .. import wire
from .annotation import NUMBER, LogicalType, Parameter, SortOrder, SqlText
from .entry import BYTES, FIXED, INT32, INT64, Entry

MAX_PRECISION = 76  # of Arrow
MAX_SQL_PRECISION = 38  # of Spark and DuckDB
MAX_128_PRECISION = 38  # of Arrow's decimal128


def decimal_type(precision: int, scale: int) -> pa.DataType | None:
    """Return the Arrow type of decimals; None if Arrow has none."""
    if not 0 < precision <= MAX_PRECISION or not 0 <= scale <= precision:
        return None
    return pa.decimal128(precision, scale) if precision <= MAX_128_PRECISION else pa.decimal256(precision, scale)


_QUESTDB = {2: "DECIMAL8", 4: "DECIMAL16", 9: "DECIMAL32", 18: "DECIMAL64", 38: "DECIMAL128", 76: "DECIMAL256"}


class _Decimal(Entry):
    name = "DECIMAL"
    field_id = wire.LOGICAL_DECIMAL
    converted = {wire.CONVERTED_DECIMAL: LogicalType("DECIMAL", scale=0, precision=0)}
    widths = {INT32: 0, INT64: 0, BYTES: 0, FIXED: 0}
    order = SortOrder.SIGNED
    parameters = (
        Parameter("precision", 2, "precision", "precision", NUMBER),
        Parameter("scale", 1, "scale", "scale", NUMBER),
    )
    table = "DecimalOptions"

    def converted_type(self, options):
        return wire.CONVERTED_DECIMAL

    def with_defaults(self, options):
        return {"scale": 0, "precision": 0} | options

    def arrow(self, logical, width):
        return decimal_type(logical.precision, logical.scale)

    def reading(self, logical, physical, width):
        return wire.READING_DECIMAL if physical in (BYTES, FIXED) else None

    def sql_text(self, kind):
        if not pa.types.is_decimal(kind) or kind.precision > MAX_SQL_PRECISION:
            return None
        text = f"DECIMAL({kind.precision},{kind.scale})"
        return SqlText(text, text)

    def spark(self, logical, physical):
        is_known = logical.precision <= MAX_SQL_PRECISION
        return f"decimal({logical.precision},{logical.scale})" if is_known else None

    def questdb(self, logical, physical, width):
        if self.arrow(logical, width) is None:
            return ""
        name = next(name for digits, name in _QUESTDB.items() if logical.precision <= digits)
        return f"{name}({logical.precision},{logical.scale})"


ENTRIES = (_Decimal(),)
