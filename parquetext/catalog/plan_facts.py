"""The parts of a catalog that a plan needs: its row groups, and the statistics of single columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from .. import compute as pc
from ..arrow.datasets.discovery import inferred_type
from ..footer.elements import Element
from ..footer.leaf_types import PHYSICAL_TYPES, LeafType, leaf_type
from ..logical_types import parse_catalog_text
from ..records import frozen
from ..storage.paths import directory_keys
from .picked_rows import rows_of

MISSING, UNKNOWN = -1, -2  # kinds: the file has no such column; the column's type is unknown
_PLACE = ["file", "row_group"]
_TYPE = ["physical_type", "type_length", "logical_type"]
_FACTS = [*_TYPE, "depth", "max_repetition_level", "num_values", "null_count", "min", "max"]


@frozen
class ColumnStatistics:
    """A column in all row groups of a catalog.

    `kinds` has one entry per row group: an index into `leaf_types`, MISSING or UNKNOWN. If `is_key` is set, the column
    is a key of directories, and the entries are its values as text. `type` is the type in which values are compared,
    and `rows` contains the statistics.
    """

    type: pa.DataType
    kinds: list
    leaf_types: list[LeafType]
    rows: Any  # a table; None for a key
    is_key: bool = False


class CatalogColumns:
    """A catalog, read column by column.

    Attributes
    ----------
    files : list of str
    row_groups : list of int or None
        One entry per row group, in the catalog's order; None for a file that could not be read.
    """

    def __init__(self, catalog: object):
        self._rows = rows_of(catalog)
        self._base = self._rows.one_per_row_group(_PLACE)
        self.files = self._base["file"].to_pylist()
        self.row_groups = self._base["row_group"].to_pylist()
        self._columns: dict[str, ColumnStatistics | None] = {}

    @property
    def count(self) -> int:
        return len(self.files)

    def type_of(self, name: str) -> pa.DataType | None:
        """Return the type in which a column's values are compared, or None if there is no such column."""
        column = self.column(name)
        return None if column is None else column.type

    def column(self, name: str) -> ColumnStatistics | None:
        """Return a key of the directories, else a top-level column, or None if no file has one."""
        if name not in self._columns:
            self._columns[name] = self._key(name) or self._top_level(name)
        return self._columns[name]

    def _key(self, name: str) -> ColumnStatistics | None:
        values: list = [directory_keys(file.rpartition("/")[0]).get(name, MISSING) for file in self.files]
        known = [value for value in values if value not in (MISSING, None)]
        if all(value == MISSING for value in values):
            return None
        values = [None if value == MISSING else value for value in values]
        return ColumnStatistics(inferred_type(known), values, [], None, is_key=True)

    def _top_level(self, name: str) -> ColumnStatistics | None:
        found = self._rows.of_column(name, [*_PLACE, "column", *_FACTS])
        found = found.filter((pc.field("column") == name) | (pc.field("depth") > 1))
        if not found.num_rows:
            return None
        one = found.group_by(_PLACE, use_threads=False).aggregate(
            [([], "count_all"), *((fact, "first") for fact in _FACTS)]
        )
        numbered = self._base.append_column("number", pa.array(range(self.count), pa.int64()))
        rows = numbered.join(one, _PLACE, join_type="left outer").sort_by("number")
        rows = rows.rename_columns([each.removesuffix("_first") for each in rows.column_names])
        return _typed(rows)


def _typed(rows: pa.Table) -> ColumnStatistics:
    kinds, known = [], {}
    leaf_types: list[LeafType] = []
    columns = (rows[name].to_pylist() for name in ("count_all", "depth", "max_repetition_level", *_TYPE))
    for count, depth, repetition, *fields in zip(*columns, strict=True):
        if count is None:
            kinds.append(MISSING)
        elif count > 1 or depth != 1 or repetition or fields[0] not in PHYSICAL_TYPES:
            kinds.append(UNKNOWN)
        else:
            key = tuple(fields)
            if key not in known:
                known[key] = len(leaf_types)
                leaf_types.append(leaf_type(_element(*key)))
            kinds.append(known[key])
    return ColumnStatistics(_common([leaf.arrow for leaf in leaf_types]), kinds, leaf_types, rows)


def _element(physical: str, length: int | None, logical: str | None) -> Element:
    return Element("", PHYSICAL_TYPES.index(physical), length, None, None, None, None, parse_catalog_text(logical))


def _common(types: list[pa.DataType]) -> pa.DataType:
    """Return the type in which values of several types are compared.

    If there is none, return an empty struct, which is not compared.
    """
    try:
        schemas = [pa.schema([("", kind)]) for kind in types]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type if types else pa.struct([])
    except (pa.ArrowException, TypeError):
        return pa.struct([])
