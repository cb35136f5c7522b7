"""The schema of a dataset's rows, and the conversion of a file's rows to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from ...records import frozen


def check_schema(schema: object) -> None:
    """Raise TypeError if the argument is not a schema."""
    if not isinstance(schema, pa.Schema):
        raise TypeError(f"schema must be a pyarrow.Schema, not {type(schema).__name__}")


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table without rows; `Schema.empty_table` fails for extension types in nested columns."""
    return pa.Table.from_batches([], schema)


def has_column(schema: pa.Schema, name: str) -> bool:
    """Return True if a schema, which may have very many columns, has a column of this name."""
    return bool(schema.get_all_field_indices(name))


def table_without_columns(count: int, metadata: Mapping | None) -> pa.Table:
    """Return a table with `count` rows and no columns."""
    return pa.table({"": pa.nulls(count)}, metadata=metadata).select([])


def with_null_column(table: pa.Table) -> pa.Table:
    """Replace a table without columns by one that has a column of nulls and the same number of rows."""
    return pa.table({"": pa.nulls(table.num_rows)}, metadata=table.schema.metadata)


@frozen
class Shape:
    """The schema that rows must have, and the values from directories."""

    schema: pa.Schema
    given: Mapping[str, pa.Scalar]

    def narrowed(self, names: Sequence[str] | None) -> Shape:
        """Return the shape with only these columns."""
        if names is None:
            return self
        fields = [self.schema.field(name) for name in names]
        return Shape(pa.schema(fields, self.schema.metadata), self.given)

    @property
    def stored_names(self) -> list[str]:
        """The columns that are not given by directories."""
        return [name for name in self.schema.names if name not in self.given]

    def type_of(self, name: str) -> pa.DataType | None:
        """Return the type of a column, or None if there is no such column."""
        return self.schema.field(name).type if has_column(self.schema, name) else None

    def is_nested(self, name: str) -> bool:
        """Return True if a column is a struct, list or map."""
        return pa.types.is_nested(self.type_of(name))

    def conformed(self, table: pa.Table) -> pa.Table:
        """Convert a file's columns to the schema: cast them, or add nulls for missing columns.

        Raises
        ------
        pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError
            If a column's values cannot be cast to the schema's type.
        """
        if table.schema.equals(self.schema, check_metadata=True) and not self.given:
            return table
        columns = [self._column(table, field) for field in self.schema]
        if not columns:
            return table_without_columns(table.num_rows, self.schema.metadata)
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
            raise type(error)(f"column {field.name!r} is {column.type} in this file: {error}") from error


def _repeated(value: pa.Scalar, count: int) -> pa.Array:
    """Repeat a value; a null of a dictionary type keeps the dictionary, which `pyarrow.repeat` would drop."""
    if value.is_valid or not pa.types.is_dictionary(value.type):
        return pa.repeat(value, count)
    indices = pa.nulls(count, value.type.index_type)
    return pa.DictionaryArray.from_arrays(indices, value.dictionary, ordered=value.type.ordered)
