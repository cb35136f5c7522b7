"""The columns of a scan: names, parts of structs, expressions, and the origin of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ... import compute as pc
from ...errors import ColumnError
from ...footer.arrow_errors import as_arrow_error
from ...nearest import nearest
from ...pruning import Predicate, check_types
from .shape import empty_table, has_column, with_null_column

# The number of the file, the number of the batch in it, True for the file's last batch, and the file's path.
ORIGINS = pa.schema(
    [
        ("__fragment_index", pa.int32()),
        ("__batch_index", pa.int32()),
        ("__last_in_fragment", pa.bool_()),
        ("__filename", pa.string()),
    ]
)


class ScanColumns:
    """The output columns of a scan.

    Parameters
    ----------
    schema : pyarrow.Schema
        The schema of the dataset.
    columns : list of str, mapping of str to pyarrow.compute.Expression, or None
        None selects all columns.
    predicate : Predicate, optional
        The condition on rows.

    Attributes
    ----------
    outputs : list of str
        The names of the output columns.
    names : list of str or None
        The dataset's columns to read, including those of the predicate; None for all columns.
    origins : list of str
        The requested columns of `ORIGINS`.

    Raises
    ------
    ColumnError
        If the schema has no such column, or more than one.
    """

    def __init__(self, schema: pa.Schema, columns: Any, predicate: Predicate | None):
        if isinstance(columns, (str, bytes)):
            raise ValueError("columns is a list of names, not one string")
        self._schema, self._all = schema, columns is None
        self._expressions: dict[int, pc.Expression] = {}
        self._projected: list[pa.Field] | None = None
        if isinstance(columns, Mapping):
            self.outputs = list(columns)
            self._expressions = dict(enumerate(columns.values()))
            for name, expression in columns.items():
                if not isinstance(expression, pc.Expression):
                    raise TypeError(f"column {name!r} is made of an Expression, not of a {type(expression).__name__}")
        else:
            self.outputs = list(schema.names if columns is None else columns)
            self._split_paths()
        self._read_for(predicate)

    def project(self, table: pa.Table) -> pa.Table:
        """Return the requested columns of a table of the columns that were read."""
        if self._all:
            return table
        if not self._expressions:
            return table.select(self.outputs)
        from pyarrow import acero  # slow to import, and only expressions need it

        if not table.num_columns:  # an Arrow plan returns no rows for such a table
            table = with_null_column(table)
        fields = [self._expressions.get(position, pc.field(name)) for position, name in enumerate(self.outputs)]
        steps = [
            acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
            acero.Declaration("project", acero.ProjectNodeOptions(fields, self.outputs)),
        ]
        found = acero.Declaration.from_sequence(steps).to_table(use_threads=False)
        schema = pa.schema(self._fields(table.schema, fields), table.schema.metadata)
        return pa.Table.from_arrays(found.columns, schema=schema)

    def projected_schema(self) -> pa.Schema:
        """Return the schema of the output."""
        fields = list(self._schema) if self.names is None else [self._schema.field(name) for name in self.names]
        fields += [ORIGINS.field(name) for name in self.origins]
        return self.project(empty_table(pa.schema(fields, self._schema.metadata))).schema

    def _fields(self, schema: pa.Schema, columns: Sequence[pc.Expression]) -> list[pa.Field]:
        """Return the fields of the projection; a column that is a field keeps its metadata and nullability."""
        if self._projected is None:
            import pyarrow.dataset as ds  # slow to import, and only expressions need it

            numbered = dict(zip(map(str, range(len(columns))), columns, strict=True))
            found = ds.InMemoryDataset([], schema).scanner(columns=numbered).projected_schema
            self._projected = [field.with_name(name) for field, name in zip(found, self.outputs, strict=True)]
        return self._projected

    def _split_paths(self) -> None:
        """Interpret a name with dots that is not a column as a part of a struct, as pyarrow does."""
        for position, name in enumerate(self.outputs):
            if not isinstance(name, str):
                raise TypeError(f"columns is a list of names, and {name!r} is none")
            first, *rest = name.split(".")
            if rest and not has_column(self._schema, name) and has_column(self._schema, first):
                self._expressions[position] = pc.field(first, *rest)
                self.outputs[position] = rest[-1]

    def _read_for(self, predicate: Predicate | None) -> None:
        used = list(self._expressions.values())
        plain = [name for position, name in enumerate(self.outputs) if position not in self._expressions]
        if not self._all:
            check_columns(self._schema, (name for name in plain if not self._is_origin(name)))
        seen: list[Sequence[str] | None] = [None if self._all else plain]
        if used:
            origins = [field for field in ORIGINS if self._is_origin(field.name)]
            whole = pa.schema([*self._schema, *origins])
            seen += [columns_looked_at(whole, Predicate(expression, None)) for expression in used]
        if predicate is not None:
            seen.append(columns_looked_at(self._schema, predicate))
            _check_types(self._schema, predicate, seen[-1])
        names = list(dict.fromkeys(name for some in seen if some is not None for name in some))
        self.origins = [name for name in names if self._is_origin(name)]
        self.names = None if None in seen else [name for name in names if not self._is_origin(name)]

    def _is_origin(self, name: str) -> bool:
        return name in ORIGINS.names and not has_column(self._schema, name)


def columns_looked_at(schema: pa.Schema, predicate: Predicate) -> list[str] | None:
    """Return the columns of a schema that a predicate refers to, or None if it may refer to any.

    Raises
    ------
    ColumnError
        If a list of filters names a column that the schema does not have.
    """
    names = predicate.columns_in(schema)
    check_columns(schema, names or ())
    return names


def _check_types(schema: pa.Schema, predicate: Predicate, names: Sequence[str] | None) -> None:
    """Call `check_types`, unless Arrow has already checked the expression when it found the columns."""
    if names is None or predicate.alternatives is not None:
        check_types(predicate, schema if names is None else pa.schema([schema.field(name) for name in names]))


def check_columns(schema: pa.Schema, names: Iterable[str]) -> None:
    """Raise ColumnError for a name that is not a column, or that several columns have."""
    for name in names:
        count = len(schema.get_all_field_indices(name))
        if count > 1:
            raise as_arrow_error(ColumnError(f"there is more than one column {name!r}"))
        if not count:
            error = ColumnError(f"no column {name!r} in the dataset's schema", absent=name)
            error.suggest(nearest(name, schema.names))
            raise as_arrow_error(error)
