"""Open the dataset that an engine reads, with all columns or only with the requested ones."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from itertools import chain
from types import ModuleType

import pyarrow as pa
import pyarrow.fs as pafs

from ..arrow.datasets.dataset import Dataset, dataset
from ..arrow.datasets.discovery import shared
from ..arrow.datasets.file_errors import naming
from ..arrow.datasets.fragment_planning import FragmentPlanner, UnionPlanner
from ..arrow.datasets.partitioning import HIVE, partition_keys
from ..arrow.datasets.scan_columns import check_columns
from ..arrow.file import open as open_file
from ..errors import ColumnError, ParquetextError, Unsupported
from ..footer.names import nearest_columns
from ..reading.fields.arrow_fields import schema_or_ours
from ..reading.request.selection import find_top_level
from ..storage import resolve


def import_optional(name: str, wanted_by: str) -> ModuleType:
    """Import the module `name`, which the extra of the same name installs.

    Raises
    ------
    Unsupported
        If it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise Unsupported(f"{wanted_by} needs {name}: pip install 'parquetext[{name}]'") from None


def open_source(source: object, columns: Iterable[str] | None, options: dict) -> Dataset:
    """Open `source` as a dataset of the requested columns, or of all columns if `columns` is None.

    If columns are requested, only their footer cells are read from the first file.

    Raises
    ------
    ColumnError
        If neither the first file nor the partition keys contain a requested column.
    """
    if isinstance(columns, str):
        raise TypeError("columns is a list of names, not one string")
    if columns is None or options.get("schema") is not None:
        lake = dataset(source, **options)
        if columns is None:
            return lake
        columns = list(columns)
        check_columns(lake.schema, columns)
        return dataset(source, **{**options, "schema": pa.schema([lake.schema.field(name) for name in columns])})
    lake = dataset(source, **{**options, "schema": pa.schema([])})
    return dataset(source, **{**options, "schema": _schema_of_some(lake, list(columns))})


def _schema_of_some(lake: Dataset, columns: list[str]) -> pa.Schema:
    """Return the schema of some columns, from the first file and from the partition keys."""
    found, keys = lake._planner.files, lake._planner.keys.schema
    if not found:
        raise ParquetextError("the dataset contains no file from which to read the schema")
    with naming(found[0].target), open_file(found[0].target) as file:
        own = [name for name in columns if name not in keys.names]
        leaves = file._on_form(lambda form: [find_top_level(form, name) for name in own])
        if None in leaves:
            missing = own[leaves.index(None)]
            error = ColumnError(f"no column {missing!r} in the first file", file=str(file.path))
            error.suggest(file._on_form(lambda form: nearest_columns(form, missing, leaves=False)))
            raise error
        schema = file._on_form(lambda form: schema_or_ours(form.slice(sorted(chain(*filter(None, leaves))), [])))
    return pa.schema([keys.field(name) if name in keys.names else schema.field(name) for name in columns])


def with_schema(lake: Dataset, schema: pa.Schema) -> Dataset:
    """Return a dataset of the same files with another schema."""
    return Dataset(_in_schema(lake._planner, schema))


def _in_schema(planner: FragmentPlanner | UnionPlanner, schema: pa.Schema) -> FragmentPlanner | UnionPlanner:
    if isinstance(planner, UnionPlanner):
        return UnionPlanner([_in_schema(child, schema) for child in planner.children], schema)
    if planner.keys.scheme != HIVE:
        return planner.with_schema(schema)
    keys = partition_keys(planner.files, HIVE, schema, planner.files.base)
    return FragmentPlanner(planner.files, keys, schema, planner.reading)


def texts_of_keys(lake: Dataset) -> dict[str, list[str]]:
    """Return the values of each partition key as text, without nulls."""
    texts: dict[str, dict[str, None]] = {}
    for keys in shared(lake._planner.files.keys):
        for name, value in keys.items():
            known = texts.setdefault(name, {})
            if value is not None:
                known[value] = None
    return {name: list(known) for name, known in texts.items()}


def is_directory(source: object, filesystem: pafs.FileSystem | None) -> bool:
    """Return True if a dataset's source is one directory."""
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, os.PathLike, tuple)):
        return False
    target = resolve(source, filesystem)
    if not target.is_local:
        return target.arrow_filesystem.get_file_info(target.path).type == pafs.FileType.Directory
    return os.path.isdir(target.path)
