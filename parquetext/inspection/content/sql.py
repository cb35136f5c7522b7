"""Arrow types as the SQL of Spark and DuckDB names them, and the statement that makes such a table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from ...errors import Unsupported

__all__ = ["DUCKDB", "SPARK", "Dialect"]

MAX_PRECISION = 38
_NOT_IN_NAMES = re.compile(r"\W")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a system writes types and names.

    Attributes
    ----------
    name : str
    scalars : mapping of pyarrow.DataType to str
    lists, structs, maps : callable
        Give a nested type of the types within.
    quote : str
        Around names; doubled within them.
    ending : str
        Of the statement that makes a table.
    """

    name: str
    scalars: dict[pa.DataType, str]
    lists: Callable[[str], str]
    structs: Callable[[list[tuple[str, str]]], str]
    maps: Callable[[str, str], str]
    quote: str
    ending: str

    def type_of(self, kind: pa.DataType) -> str:
        """The type's name.

        Raises
        ------
        Unsupported
            The system has no such type.
        """
        if isinstance(kind, pa.BaseExtensionType):
            return self.scalars.get(kind) or self.type_of(kind.storage_type)
        if pa.types.is_dictionary(kind):
            return self.type_of(kind.value_type)
        if pa.types.is_map(kind):
            return self.maps(self.type_of(kind.key_type), self.type_of(kind.item_type))
        if pa.types.is_struct(kind):
            fields = [kind.field(at) for at in range(kind.num_fields)]
            return self.structs([(self.quoted(each.name), self.type_of(each.type)) for each in fields])
        if pa.types.is_nested(kind):
            return self.lists(self.type_of(kind.value_type))
        if pa.types.is_decimal(kind) and kind.precision <= MAX_PRECISION:
            return f"DECIMAL({kind.precision},{kind.scale})"
        found = self.scalars.get(_usual(kind))
        if found is None:
            raise Unsupported(f"{self.name} has no type for {kind}")
        return found

    def quoted(self, name: str) -> str:
        """A column's name in quotation marks: any name may be a word of SQL."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def statement(self, columns: list[str], path: str) -> str:
        """CREATE TABLE, by the file's name."""
        stem = _NOT_IN_NAMES.sub("_", os.path.basename(path.rstrip("/")).partition(".")[0]) or "parquet_file"
        return f"CREATE TABLE {self.quoted(stem)} (\n" + ",\n".join(columns) + f"\n){self.ending};"


def _usual(kind: pa.DataType) -> pa.DataType:
    """One type for those that differ in layout alone."""
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_duration(kind):
        return pa.int64()
    if pa.types.is_timestamp(kind) and kind.tz:
        return pa.timestamp(kind.unit, "UTC")
    return kind


_COMMON = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int64(): "BIGINT",
    pa.float16(): "FLOAT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
}
SPARK = Dialect(
    "Spark",
    _COMMON
    | {
        pa.int32(): "INT",
        pa.uint8(): "SMALLINT",
        pa.uint16(): "INT",
        pa.uint32(): "BIGINT",
        pa.uint64(): "DECIMAL(20,0)",
        pa.string(): "STRING",
        pa.binary(): "BINARY",
        pa.null(): "VOID",
        pa.time64("us"): "TIME(6)",
    }
    | {pa.timestamp(unit, "UTC"): "TIMESTAMP" for unit in ("ms", "us")}
    | {pa.timestamp(unit): "TIMESTAMP_NTZ" for unit in ("ms", "us")},
    lists=lambda kind: f"ARRAY<{kind}>",
    structs=lambda fields: f"STRUCT<{', '.join(f'{name}: {kind}' for name, kind in fields)}>",
    maps=lambda key, item: f"MAP<{key}, {item}>",
    quote="`",
    ending=" USING parquet",
)
DUCKDB = Dialect(
    "DuckDB",
    _COMMON
    | {
        pa.int32(): "INTEGER",
        pa.uint8(): "UTINYINT",
        pa.uint16(): "USMALLINT",
        pa.uint32(): "UINTEGER",
        pa.uint64(): "UBIGINT",
        pa.string(): "VARCHAR",
        pa.binary(): "BLOB",
        pa.null(): "INTEGER",
        pa.time32("ms"): "TIME",
        pa.time64("us"): "TIME",
        pa.time64("ns"): "TIME_NS",
        pa.uuid(): "UUID",
        pa.timestamp("ms"): "TIMESTAMP",
        pa.timestamp("us"): "TIMESTAMP",
        pa.timestamp("ns"): "TIMESTAMP_NS",
    }
    | {pa.timestamp(unit, "UTC"): "TIMESTAMP WITH TIME ZONE" for unit in ("ms", "us", "ns")},
    lists=lambda kind: f"{kind}[]",
    structs=lambda fields: f"STRUCT({', '.join(f'{name} {kind}' for name, kind in fields)})",
    maps=lambda key, item: f"MAP({key}, {item})",
    quote='"',
    ending="",
)
