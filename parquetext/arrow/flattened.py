"""Resolve column names as pyarrow's datasets do: a struct field is a column, and a name may occur twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import pyarrow as pa

from ..errors import ColumnError
from ..footer.arrow_errors import as_arrow_error
from ..footer.model import FooterReader
from ..footer.names import as_path, find_group_or_leaf
from ..nearest import nearest
from .file import File

Name = str | tuple[str, ...]


def has_dots_or_doubles(columns: Sequence[Name]) -> bool:
    """Return True if a name has dots or occurs twice, so that names may not correspond to top-level columns."""
    return len(set(columns)) < len(columns) or any("." in name for name in columns if isinstance(name, str))


class Wanted(NamedTuple):
    """A column of the result: its top-level column, and the path of struct fields below it."""

    top: str
    fields: tuple[str, ...] = ()


class Flattened:
    """The columns to read for a list of names, and the conversion to the result.

    Attributes
    ----------
    names : list of tuple
        Distinct paths, as in `File.read`.
    """

    def __init__(self, names: Sequence[Name], path_of: Callable[[Name], tuple[str, ...]]):
        paths = {name: path_of(name) for name in dict.fromkeys(names)}
        self.names = list(dict.fromkeys(paths.values()))
        self._wanted = [Wanted(paths[name][0], paths[name][1:] if isinstance(name, str) else ()) for name in names]

    @classmethod
    def of_file(cls, file: File, names: Sequence[Name]) -> Self:
        """Resolve the names as a file's columns.

        Raises
        ------
        ColumnError
            If a name is unknown or ambiguous.
        """
        return cls(names, lambda name: file._on_form(lambda form: _path_in_file(form, name)))

    @classmethod
    def of_schema(cls, schema: pa.Schema, names: Sequence[Name]) -> Self:
        """Resolve the names as a schema's columns.

        Raises
        ------
        ColumnError
            If a name is unknown or ambiguous.
        """
        return cls(names, lambda name: _path_in(schema, name))

    @property
    def tops(self) -> list[str]:
        """The distinct top-level columns."""
        return list(dict.fromkeys(one.top for one in self._wanted))

    def apply(self, table: pa.Table) -> pa.Table:
        """Return the columns, followed by other columns that were read, which are pandas' index."""
        made = [_field_of(table, one) for one in self._wanted]
        tops = set(self.tops)
        made += [(table.field(name), table.column(name)) for name in table.column_names if name not in tops]
        schema = pa.schema([field for field, _ in made], table.schema.metadata)
        if not made:
            return table
        return pa.Table.from_arrays([column for _, column in made], schema=schema)


def _path_in_file(form: FooterReader, name: Name) -> tuple[str, ...]:
    """Return the path of a name; a column whose name contains the dots has precedence over a struct field."""
    if isinstance(name, str) and "." in name:
        found = [
            as_path(form.node(identity).path) for identity in form.find_name(name.encode("utf-8", "surrogateescape"))
        ]
        for path in ((name,), tuple(name.split("."))):
            if path in found:
                return path
    return as_path(form.node(find_group_or_leaf(form, name)).path)


def _path_in(schema: pa.Schema, name: Name) -> tuple[str, ...]:
    path = (name,) if isinstance(name, str) and name in schema.names else name
    path = tuple(path.split(".")) if isinstance(path, str) else path
    if len(schema.get_all_field_indices(path[0])) == 1:
        return path
    if path[0] in schema.names:
        raise as_arrow_error(ColumnError(f"the schema has more than one column {path[0]!r}"))
    error = ColumnError(f"no column {name!r} in the schema", absent=name)
    error.suggest(nearest(path[0], schema.names))
    raise as_arrow_error(error)


def _field_of(table: pa.Table, wanted: Wanted) -> tuple[pa.Field, pa.ChunkedArray]:
    """Return a struct field under its last name, or the whole column if the path leads through a list or a map."""
    field, column = table.field(wanted.top), table.column(wanted.top)
    found, inner = field, column
    for name in wanted.fields:
        at = found.type.get_field_index(name) if pa.types.is_struct(found.type) else -1
        if at < 0:
            return field, column
        found, inner = found.type.field(at), inner.flatten()[at]
    return found, inner
