"""Find the files and row groups that may match a predicate in a catalog, without opening files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from ..arrow.datasets.dataset_plan import FileBounds, surviving
from ..errors import ColumnError
from ..footer.typed_bounds import StoredBounds
from ..pruning import Comparison, Predicate, check_types, predicate_of, text_of
from ..pruning.serialized import Call, Field, Node, tree_of
from .file_batches import names_of
from .plan_facts import MISSING, UNKNOWN, CatalogColumns, ColumnStatistics


def check_literals(predicate: Predicate, types: Mapping[str, pa.DataType]) -> None:
    """Raise the same error as reading if a literal cannot be compared with its column's type.

    Parameters
    ----------
    predicate : Predicate
    types : mapping of str to pyarrow.DataType
        The types of the predicate's columns. A type is nested if it is unknown, or not the same in all files.

    Raises
    ------
    pyarrow.ArrowException
        If no type of the column can be compared with the literal.
    """
    if predicate.alternatives is None:
        if not any(pa.types.is_nested(kind) or _is_open(kind) for kind in types.values()):
            check_types(predicate, pa.schema(types.items()))
        return
    for comparison in chain.from_iterable(predicate.alternatives):
        kind = types[comparison.column]
        if not pa.types.is_nested(kind):
            _check_comparison(comparison, kind)


def has_durations(predicate: Predicate) -> bool:
    """Return True if a literal may be a duration; then only the file determines how an INT64 is compared."""
    if predicate.alternatives is None:
        text = text_of(predicate.expression)
        return text is None or "duration[" in text
    kinds = (_type_of(comparison) for comparison in chain.from_iterable(predicate.alternatives))
    return any(kind is None or pa.types.is_duration(kind) for kind in kinds)


def columns_named(predicate: Predicate) -> set[str]:
    """Return the top-level columns that an expression names, even if Arrow refuses it; none if they are unknown."""
    tree = tree_of(predicate.expression)
    return set() if tree is None else set(_fields(tree))


def _fields(node: Node) -> Iterator[str]:
    if isinstance(node, Field):
        yield node.path[0]
    elif isinstance(node, Call):
        for argument in node.arguments:
            yield from _fields(argument)


def _is_open(kind: pa.DataType) -> bool:
    """Return True if a file's Arrow schema may replace the type by another one."""
    return pa.types.is_int64(kind) or (pa.types.is_timestamp(kind) and kind.tz is not None)


def _check_comparison(comparison: Comparison, kind: pa.DataType) -> None:
    part, literal = predicate_of([comparison]), _type_of(comparison)
    if pa.types.is_int64(kind) and literal is not None and pa.types.is_duration(literal):
        return
    if _is_open(kind) and literal is not None and pa.types.is_timestamp(literal) and literal.tz is not None:
        kind = pa.timestamp(kind.unit, literal.tz) if pa.types.is_timestamp(kind) else kind
    check_types(part, pa.schema([(comparison.column, kind)]))


def _type_of(comparison: Comparison) -> pa.DataType | None:
    """Return the type of a literal, or of the values of a list; None if Arrow has no type for it."""
    value = comparison.value
    if isinstance(value, (pa.Scalar, pa.Array, pa.ChunkedArray)):
        return value.type
    try:
        return (pa.array(list(value)) if comparison.operator.endswith("in") else pa.scalar(value)).type
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


class Planned(NamedTuple):
    """A file and its row groups that may contain matching rows; None if nothing is known, so that all are read."""

    file: Any
    row_groups: list[int] | None


def plan(catalog: Any, filters: Any, *, files: Iterable[object] | None = None) -> list[Planned]:
    """Return the files and row groups of a catalog that may contain rows that match the filters.

    Parameters
    ----------
    catalog : path, parquetext.Dataset, pyarrow.dataset.Dataset, pyarrow.Table, pyarrow.RecordBatch, or Spark DataFrame
        The result of `parquetext.spark.build_catalog`, or a part of its files: unchanged, in Parquet, or in memory.
    filters : list of tuples, list of lists of tuples, or pyarrow.compute.Expression
        Filters as in `parquetext.read_table`. Names refer to directories ``name=value`` first, then to top-level
        columns. If a file lacks a column, the column is null there.

    files : iterable of path, optional
        The files of the catalog, as passed to `catalog.batches_of`. The result contains them instead of their names,
        because a catalog has URLs without credentials.

    Returns
    -------
    list of Planned
        In the order of the catalog. Files whose footers could not be read when the catalog was made are included.

    Raises
    ------
    ColumnError
        If no file has such a column.
    ValueError
        If the filters are not well-formed.
    pyarrow.ArrowException
        If a literal cannot be compared with its column's type. Reading raises the same error.

    Notes
    -----
    If the files have not changed since the catalog was made, the files and row groups left out contain no matching row.
    From a catalog in Parquet or on Spark, only some columns of the rows for the filters' columns are read. Bloom
    filters are not used.

    Examples
    --------
    >>> from parquetext import catalog
    >>> rows = pa.Table.from_batches(catalog.batches_of(["wide.parquet"]))
    >>> parquetext.plan(rows, [("price", ">", 250)])
    [Planned(file='wide.parquet', row_groups=[2])]
    """
    planned = _planned(catalog, filters)
    if files is None:
        return planned
    paths = names_of(files)
    return [one._replace(file=paths.get(one.file, one.file)) for one in planned]


def _planned(catalog: object, filters: object) -> list[Planned]:
    predicate, fields = predicate_of(filters), CatalogColumns(catalog)
    names = predicate.columns(fields.type_of)
    if names is None:
        named = {name: fields.type_of(name) for name in columns_named(predicate)}
        if named and None not in named.values():
            check_literals(predicate, named)
        return _by_file(fields, range(fields.count))
    columns = {name: column for name in names if (column := fields.column(name)) is not None}
    lacking = [name for name in names if name not in columns]
    if lacking and all(row_group is None for row_group in fields.row_groups):  # no file could be read
        return _by_file(fields, [])
    if lacking:
        raise ColumnError(f"no file of the catalog has a column {lacking[0]!r}")
    check_literals(predicate, {name: column.type for name, column in columns.items()})
    return _by_file(fields, _kept(predicate, fields, columns))


def _kept(predicate: Predicate, fields: CatalogColumns, columns: Mapping[str, ColumnStatistics]) -> list[int]:
    """Return the remaining row groups, ascending.

    Row groups in which the columns have the same types are evaluated together, as one file.
    """
    alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for row_group, kinds in enumerate(zip(*(column.kinds for column in columns.values()), strict=True)):
        alike[kinds].append(row_group)
    files = []
    given: dict[str, list[Any]] = {name: [] for name, column in columns.items() if column.is_key}
    is_open = has_durations(predicate)
    for kinds, row_groups in alike.items():
        of = dict(zip(columns, kinds, strict=True))
        bounds = {
            name: _stored(columns[name], kind, row_groups)
            for name, kind in of.items()
            if name not in given
            and kind not in (MISSING, UNKNOWN)
            and not (is_open and pa.types.is_int64(columns[name].leaf_types[kind].arrow))
        }
        missing = frozenset(name for name, kind in of.items() if kind == MISSING and name not in given)
        files.append(FileBounds(len(row_groups), bounds, missing))
        for name, values in given.items():
            values.append(of[name])
    keys = {name: pa.array(values, pa.string()).cast(columns[name].type) for name, values in given.items()}
    left = surviving(predicate, files, {name: column.type for name, column in columns.items()}, keys)
    return sorted(
        row_groups[position]
        for row_groups, positions in zip(alike.values(), left, strict=True)
        for position in positions
    )


def _stored(column: ColumnStatistics, kind: int, row_groups: list[int]) -> tuple[StoredBounds, pa.DataType]:
    rows, leaf = column.rows.take(pa.array(row_groups, pa.int64())), column.leaf_types[kind]
    counts = (rows[name].fill_null(-1).to_pylist() for name in ("null_count", "num_values"))
    return StoredBounds(leaf, rows["min"].to_pylist(), rows["max"].to_pylist(), *counts), leaf.arrow


def _by_file(fields: CatalogColumns, kept: Iterable[int]) -> list[Planned]:
    found: dict[str, list[int] | None] = {}
    chosen = set(kept)
    for number, (file, row_group) in enumerate(zip(fields.files, fields.row_groups, strict=True)):
        if row_group is None:
            found[file] = None
        elif number in chosen:
            row_groups = found.setdefault(file, [])
            if row_groups is not None:
                row_groups.append(row_group)
    return [Planned(file, row_groups) for file, row_groups in found.items()]
