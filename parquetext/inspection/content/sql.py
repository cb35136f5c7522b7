"""Format Arrow types in the SQL of Spark and DuckDB, and the statement that creates such a table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pyarrow as pa

from ...errors import Unsupported
from ...logical_types import SqlText, sql_text
from ...records import frozen

_NOT_IN_NAMES = re.compile(r"\W")


@frozen
class Dialect:
    """The notation of a system for types and names.

    Attributes
    ----------
    name : str
    name_of : callable
        Select the system's name of a type that is not nested.
    lists, structs, maps : callable
        Format a nested type from the texts of the types within.
    quote : str
        The quotation mark around names; it is doubled within them.
    ending : str
        The end of the statement that creates a table.
    """

    name: str
    name_of: Callable[[SqlText], str | None]
    lists: Callable[[str], str]
    structs: Callable[[list[tuple[str, str]]], str]
    maps: Callable[[str, str], str]
    quote: str
    ending: str

    def type_of(self, kind: pa.DataType) -> str:
        """Return the type's name.

        Raises
        ------
        Unsupported
            If the system has no such type.
        """
        if isinstance(kind, pa.BaseExtensionType):
            return self.name_of(sql_text(kind)) or self.type_of(kind.storage_type)
        if pa.types.is_dictionary(kind):
            return self.type_of(kind.value_type)
        if pa.types.is_map(kind):
            return self.maps(self.type_of(kind.key_type), self.type_of(kind.item_type))
        if pa.types.is_struct(kind):
            fields = [kind.field(at) for at in range(kind.num_fields)]
            return self.structs([(self.quoted(each.name), self.type_of(each.type)) for each in fields])
        if pa.types.is_nested(kind):
            return self.lists(self.type_of(kind.value_type))
        found = self.name_of(sql_text(_usual(kind)))
        if found is None:
            raise Unsupported(f"{self.name} has no type for {kind}")
        return found

    def quoted(self, name: str) -> str:
        """Return a column's name in quotation marks, because any name may be a keyword."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def statement(self, columns: list[str], path: str) -> str:
        """Return the statement CREATE TABLE, with the table named after the file."""
        stem = _NOT_IN_NAMES.sub("_", os.path.basename(path.rstrip("/")).partition(".")[0]) or "parquet_file"
        return f"CREATE TABLE {self.quoted(stem)} (\n" + ",\n".join(columns) + f"\n){self.ending};"


def _usual(kind: pa.DataType) -> pa.DataType:
    """Return one type for all types that differ only in their layout."""
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_duration(kind):
        return pa.int64()
    if pa.types.is_timestamp(kind) and kind.tz:
        return pa.timestamp(kind.unit, "UTC")
    return kind


SPARK = Dialect(
    "Spark",
    lambda text: text.spark,
    lists=lambda kind: f"ARRAY<{kind}>",
    structs=lambda fields: f"STRUCT<{', '.join(f'{name}: {kind}' for name, kind in fields)}>",
    maps=lambda key, item: f"MAP<{key}, {item}>",
    quote="`",
    ending=" USING parquet",
)
DUCKDB = Dialect(
    "DuckDB",
    lambda text: text.duckdb,
    lists=lambda kind: f"{kind}[]",
    structs=lambda fields: f"STRUCT({', '.join(f'{name} {kind}' for name, kind in fields)})",
    maps=lambda key, item: f"MAP({key}, {item})",
    quote='"',
    ending="",
)
