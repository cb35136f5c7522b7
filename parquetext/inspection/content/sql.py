"""Format Arrow types in the SQL of Spark and DuckDB, and the statement that creates such a table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from ...errors import Unsupported
from ...logical_types import SqlText, entry_of, sql_text
from ...records import frozen

if TYPE_CHECKING:
    from .schema_text import Node

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

    def type_of(self, kind: pa.DataType, node: Node | None = None) -> str:
        """Return the type's name.

        Parameters
        ----------
        kind : pyarrow.DataType
        node : Node, optional
            The schema element with this Arrow type, of which the annotation may have a name that Arrow's type lacks.

        Raises
        ------
        Unsupported
            If the system has no such type.
        """
        annotated = None if node is None else self._annotated(node)
        if annotated is not None:
            return annotated
        if isinstance(kind, pa.BaseExtensionType):
            return self.name_of(sql_text(kind)) or self.type_of(kind.storage_type)
        if pa.types.is_dictionary(kind):
            return self.type_of(kind.value_type)
        if pa.types.is_map(kind):
            nodes = _children(_inner(node), 2)
            return self.maps(self.type_of(kind.key_type, nodes[0]), self.type_of(kind.item_type, nodes[1]))
        if pa.types.is_struct(kind):
            fields = zip(kind, _children(node, kind.num_fields), strict=True)
            return self.structs([(self.quoted(each.name), self.type_of(each.type, below)) for each, below in fields])
        if pa.types.is_nested(kind):
            return self.lists(self.type_of(kind.value_type, _inner(_inner(node))))
        found = self.name_of(sql_text(_usual(kind)))
        if found is None:
            raise Unsupported(f"{self.name} has no type for {kind}")
        return found

    def _annotated(self, node: Node) -> str | None:
        logical, physical = node.element.logical, node.element.type
        entry = entry_of(logical)
        if logical is None or (physical is not None and not entry.fits(logical, physical, 0)):
            return None
        return self.name_of(entry.annotated_sql(logical))

    def quoted(self, name: str) -> str:
        """Return a column's name in quotation marks, because any name may be a keyword."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def statement(self, columns: list[str], path: str) -> str:
        """Return the statement CREATE TABLE, with the table named after the file."""
        stem = _NOT_IN_NAMES.sub("_", os.path.basename(path.rstrip("/")).partition(".")[0]) or "parquet_file"
        return f"CREATE TABLE {self.quoted(stem)} (\n" + ",\n".join(columns) + f"\n){self.ending};"


def _children(node: Node | None, count: int) -> Sequence[Node | None]:
    """Return the elements below another one; None for each if there are not as many as expected."""
    return [None] * count if node is None or len(node.children) != count else node.children


def _inner(node: Node | None) -> Node | None:
    """Return the only element below another one, such as the repeated group of a list; None if there are more."""
    return _children(node, 1)[0]


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
