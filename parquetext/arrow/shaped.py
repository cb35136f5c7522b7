"""Read a file's rows in a given schema, as a dataset of this file would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from ..errors import ColumnError
from ..pruning import predicate_of
from ..reading.request.selection import find_top_level
from .datasets.file_plans import left_row_groups
from .datasets.shape import Shape
from .file import File
from .flattened import Flattened


def pandas_index(metadata: Mapping[bytes, bytes] | None, names: Iterable[str]) -> list[str]:
    """Return the columns of pandas' index that are not among the names."""
    described = pa.schema([], metadata).pandas_metadata or {}
    have = set(names)
    return [name for name in described.get("index_columns", []) if isinstance(name, str) and name not in have]


def read_as(file: File, schema: pa.Schema, columns: Iterable | None, filters: object, options: dict) -> pa.Table:
    """Read the schema's columns, or some of them. Columns are cast; columns that the file lacks are null.

    Parameters
    ----------
    options
        Options of `File.read`; `use_pandas_metadata` refers to the schema's metadata.

    Raises
    ------
    ColumnError
        If the schema has no such column.
    """
    try:
        return _read_as(file, schema, columns, filters, options)
    except ColumnError as error:
        raise error if error.file else error.at(str(file.path)) from None


def _read_as(file: File, schema: pa.Schema, columns: Iterable | None, filters: object, options: dict) -> pa.Table:
    predicate = None if filters is None else predicate_of(filters)
    options = {**options, "key_values": False}
    with_index = options.pop("use_pandas_metadata")
    names = list(schema.names if columns is None else columns)
    if with_index:
        names += pandas_index(schema.metadata, names)
    wanted = Flattened.of_schema(schema, names)
    types = {field.name: field.type for field in schema}
    looked_at = [] if predicate is None else predicate.columns(types.get)
    needed = schema.names if looked_at is None else list(dict.fromkeys([*wanted.tops, *looked_at]))
    Flattened.of_schema(schema, [(name,) for name in needed])
    left = None
    if predicate is not None and looked_at:
        left = left_row_groups(file, predicate, {name: types[name] for name in looked_at}, {})
    there = file._on_form(lambda form: [name for name in needed if find_top_level(form, name) is not None])
    table = file.read([(name,) for name in there], left, **options)
    table = Shape(schema, {}).narrowed(needed).conformed(table)
    if predicate is not None:
        table = table.filter(predicate.expression)
    return wanted.apply(table.select(wanted.tops))
