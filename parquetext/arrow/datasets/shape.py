"""What the rows of a dataset look like, and a file's rows brought into that shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

__all__ = ["Shape", "check_schema", "counted", "empty_table", "has_column", "rows_alone"]


def check_schema(schema: object) -> None:
    """Raise TypeError for what is no schema."""
    if not isinstance(schema, pa.Schema):
        raise TypeError(f"schema is a pyarrow.Schema, not {type(schema).__name__}")


def empty_table(schema: pa.Schema) -> pa.Table:
    """A table without rows; `Schema.empty_table` cannot make one with extension types in nested columns."""
    return pa.Table.from_batches([], schema)


def has_column(schema: pa.Schema, name: str) -> bool:
    """Whether a schema, which may have very many columns, has one of this name."""
    return bool(schema.get_all_field_indices(name))


def rows_alone(count: int, metadata: Mapping | None) -> pa.Table:
    """So many rows of no columns."""
    return pa.table({"": pa.nulls(count)}, metadata=metadata).select([])


def counted(table: pa.Table) -> pa.Table:
    """A table without columns with one of nulls, which has its rows."""
    return pa.table({"": pa.nulls(table.num_rows)}, metadata=table.schema.metadata)


@dataclass(frozen=True, slots=True)
class Shape:
    """What rows have to look like: the schema, and the values that directories give."""

    schema: pa.Schema
    given: Mapping[str, pa.Scalar]

    def narrowed(self, names: Sequence[str] | None) -> Shape:
        """With these columns alone."""
        if names is None:
            return self
        fields = [self.schema.field(name) for name in names]
        return Shape(pa.schema(fields, self.schema.metadata), self.given)

    def type_of(self, name: str) -> pa.DataType | None:
        """The type of a column, None where there is none."""
        return self.schema.field(name).type if has_column(self.schema, name) else None

    def is_nested(self, name: str) -> bool:
        """Whether a column has others below it."""
        return pa.types.is_nested(self.type_of(name))

    def conformed(self, table: pa.Table) -> pa.Table:
        """A file's columns as the schema has them: cast, or null where there are none.

        Raises
        ------
        pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError
            A column's values are none of the schema's type.
        """
        if table.schema.equals(self.schema, check_metadata=True) and not self.given:
            return table
        columns = [self._column(table, field) for field in self.schema]
        if not columns:
            return rows_alone(table.num_rows, self.schema.metadata)
        return pa.Table.from_arrays(columns, schema=self.schema)

    def _column(self, table: pa.Table, field: pa.Field) -> pa.Array | pa.ChunkedArray:
        if field.name in self.given:
            value = self.given[field.name]
            column = _repeated(value, table.num_rows)
            return column if value.type == field.type else column.cast(field.type)
        if field.name not in table.column_names:
            return pa.nulls(table.num_rows, field.type)
        column = table.column(field.name)
        if column.type == field.type:
            return column
        try:
            return column.cast(field.type)
        except MemoryError:
            raise
        except pa.ArrowException as error:
            raise type(error)(f"column {field.name!r} is {column.type} here: {error}") from error


def _repeated(value: pa.Scalar, count: int) -> pa.Array:
    """A value as often; one that is null over the dictionary of the others, which `pyarrow.repeat` leaves out."""
    if value.is_valid or not pa.types.is_dictionary(value.type):
        return pa.repeat(value, count)
    indices = pa.nulls(count, value.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, value.dictionary, ordered=value.type.ordered)
