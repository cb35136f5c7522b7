"""Apply a catalog to listed files: find the row groups that may match a predicate in files that have not changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from .. import compute as pc
from ..arrow.datasets.dataset_plan import FileBounds, given_bounds, joined_bounds
from ..footer.elements import Element
from ..footer.leaf_types import PHYSICAL_TYPES, LeafType, leaf_type
from ..footer.typed_bounds import RawBounds
from ..logical_types import parse_catalog_text
from ..pruning import ColumnBounds, Predicate, surviving_row_groups
from .footers import same_time
from .picked_rows import rows_of

_FILE = ["file", "file_size", "modified", "row_group"]
_BASE = [*_FILE, "row_group_rows", "data_page_offset", "dictionary_page_offset"]
_TYPE = ["physical_type", "type_length", "logical_type"]
_COLUMN = [*_FILE, "leaf", *_TYPE, "num_values", "null_count", "min", "max"]
_ROW_GROUPS = 1 << 32  # more than the row groups of any file
_UNKNOWN = -1


class Kept(NamedTuple):
    """The remaining row groups of a file, their offsets in bytes, and their share of the file's rows."""

    row_groups: list[int]
    begins: list[int]
    share: float


class Cover:
    """A catalog applied to the files of a listing.

    Parameters
    ----------
    catalog : path, target, pyarrow.Table, or dataset
        As in `plan`, except for DataFrames.
    paths, sizes, modified : sequence
        The path, size and time of each file of the listing.
    path_of : callable
        Converts a file name of the catalog to the path in the listing.
    since : int
        Time in µs since 1970. Bounds of dates and timestamps before it are ignored.

    Attributes
    ----------
    others : list of int
        The numbers of the files that the catalog does not describe: new or changed files, and files it could not read.

    Notes
    -----
    A file is identified by name, size and time. If a file has no column of exactly that name, the column rules out none
    of its row groups.
    """

    def __init__(
        self,
        catalog,
        paths: Sequence[str],
        sizes: Sequence[int],
        modified: Sequence[int],
        *,
        path_of: Callable[[str], str] = str,
        since: int | None = None,
    ):
        self._rows, self._path_of, self._since = rows_of(catalog), path_of, since
        self._paths = pa.array(paths, pa.string())
        self._named: tuple[pa.Array, pa.Array] | None = None
        self._listed = pa.array(sizes, pa.int64()), pa.array(modified, pa.int64())
        base = self._same(self._rows.one_per_row_group(_BASE))
        base = base.take(pc.sort_indices(base["slot"]))
        again = pc.equal(base["slot"].slice(1), base["slot"].slice(0, max(base.num_rows - 1, 0)))
        if pc.any(again).as_py():  # the catalog contains the same version of a file twice
            base = base.filter(pa.chunked_array([pa.array([True]), pc.invert(again.combine_chunks())]))
        self._base, self._slots = base, base["slot"].combine_chunks()
        self._owners = base["number"].combine_chunks()
        known = pc.is_in(pa.array(range(len(paths)), pa.int64()), self._owners)
        self.others = pc.indices_nonzero(pc.invert(known)).to_pylist()

    def left(
        self, predicate: Predicate, types: Mapping[str, pa.DataType], given: Mapping[str, pa.Array] | None = None
    ) -> dict[int, Kept]:
        """Return the remaining row groups of each known file that has any, by the file's number.

        Parameters
        ----------
        types : mapping
            The types in which the predicate's columns are compared.
        given : mapping, optional
            Columns from directory names, one value for each file of the listing.
        """
        given = given or {}

        def bounds_of(name: str) -> ColumnBounds | None:
            if name in given:
                return given_bounds(given[name].take(self._owners))
            return self._bounds(name, types[name])

        count = len(self._slots)
        kept = surviving_row_groups(predicate, bounds_of, count, range(count), types)
        return self._by_file(kept)

    def _by_file(self, kept: list[int]) -> dict[int, Kept]:
        chosen = self._base.take(pa.array(kept, pa.int64()))
        whole = self._base.group_by("number").aggregate([("row_group_rows", "sum")])
        all_rows = dict(zip(*(whole[name].to_pylist() for name in ("number", "row_group_rows_sum")), strict=True))
        found: dict[int, Kept] = {}
        rows: dict[int, int] = {}
        columns = ("number", "row_group", "row_group_rows", "data_page_offset", "dictionary_page_offset")
        for number, row_group, count, *offsets in zip(*(chosen[name].to_pylist() for name in columns), strict=True):
            left = found.setdefault(number, Kept([], [], 0))
            left.row_groups.append(row_group)
            left.begins.append(min((offset for offset in offsets if offset), default=0))
            rows[number] = rows.get(number, 0) + (count or 0)
        return {
            number: left._replace(share=rows[number] / all_rows[number] if all_rows[number] else 1.0)
            for number, left in found.items()
        }

    def _same(self, rows: pa.Table) -> pa.Table:
        """Return the rows of files that have not changed, with the file's number and the row group's slot."""
        files = rows["file"].combine_chunks()
        if not pa.types.is_dictionary(files.type):
            files = files.dictionary_encode()
        number = self._numbers_of(files.dictionary).take(files.indices)
        size, modified = (column.take(number) for column in self._listed)
        same = pc.and_(pc.equal(rows["file_size"], size), same_time(rows["modified"], modified))
        slot = pc.add(pc.multiply(number, pa.scalar(_ROW_GROUPS, pa.int64())), rows["row_group"].cast(pa.int64()))
        rows = rows.drop_columns("file").append_column("number", number).append_column("slot", slot)
        return rows.filter(pc.and_kleene(same, pc.is_valid(slot)))

    def _numbers_of(self, files: pa.Array) -> pa.Array:
        """Return the files' numbers in the listing.

        The result is cached, because most columns have rows of the same files.
        """
        if self._named is None or not files.equals(self._named[0]):
            paths = pa.array([self._path_of(file) for file in files.to_pylist()], pa.string())
            self._named = files, pc.index_in(paths, self._paths).cast(pa.int64())
        return self._named[1]

    def _bounds(self, name: str, wanted: pa.DataType) -> ColumnBounds | None:
        """Return a top-level column's bounds in all row groups; unknown for files that lack the column."""
        found = self._same(self._rows.of_top_level(name, _COLUMN))
        if not found.num_rows:
            return None
        slots = found["slot"].combine_chunks()
        rows = found.take(pc.index_in(self._slots, slots))
        kinds, leaf_types = self._kinds(rows, _ambiguous(found))
        fields, order = [], []
        for number in [*range(len(leaf_types)), _UNKNOWN]:
            positions = pc.indices_nonzero(pc.equal(kinds, number))
            if len(positions):
                order.append(positions)
                fields.append(_bounds(name, rows.take(positions), None if number == _UNKNOWN else leaf_types[number]))
        bounds = joined_bounds(name, fields, wanted)
        if bounds is None:
            return None
        bounds = _late(bounds, self._since)
        if len(order) == 1:
            return bounds
        back = pc.sort_indices(pa.concat_arrays(order))
        return bounds.take(back)

    def _kinds(self, rows: pa.Table, ambiguous: pa.Array) -> tuple[pa.Array, list[LeafType]]:
        """Return the number of the column type for each row group, and the list of these types."""
        parts = [pc.fill_null(rows[name].cast(pa.string()), "") for name in _TYPE]
        coded = pc.binary_join_element_wise(*parts, "\0").combine_chunks().dictionary_encode()
        numbers = []
        leaf_types: list[LeafType] = []
        for text in coded.dictionary.to_pylist():
            physical, length, logical = text.split("\0")
            is_known = physical in PHYSICAL_TYPES
            numbers.append(len(leaf_types) if is_known else _UNKNOWN)
            if is_known:
                element = (PHYSICAL_TYPES.index(physical), int(length) if length else None)
                leaf_types.append(leaf_type(Element("", *element, None, None, None, None, parse_catalog_text(logical))))
        kinds = pa.array(numbers, pa.int64()).take(coded.indices)
        return pc.if_else(pc.is_in(self._slots, ambiguous), _UNKNOWN, kinds), leaf_types


def _late(bounds: ColumnBounds, since: int | None) -> ColumnBounds:
    """Remove the bounds of row groups that may have dates or timestamps before `since`."""
    kind = bounds.min.type
    if since is None or not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return bounds
    first = pa.scalar(since, pa.int64()).cast(pa.timestamp("us")).cast(kind)
    is_late = pc.greater_equal(bounds.min, first)
    low, high = (pc.if_else(is_late, side, None) for side in (bounds.min, bounds.max))
    return ColumnBounds(low, high, bounds.only_nulls, bounds.no_nulls)


def _ambiguous(found: pa.Table) -> pa.Array:
    """Return the row groups with several columns of the name."""
    if pc.count_distinct(found["slot"]).as_py() == found.num_rows:
        return pa.array([], pa.int64())
    leaves = found.group_by("slot").aggregate([("leaf", "count_distinct")])
    return leaves.filter(pc.greater(leaves["leaf_count_distinct"], 1))["slot"].combine_chunks()


def _bounds(name: str, rows: pa.Table, kind: LeafType | None) -> FileBounds:
    if kind is None:
        return FileBounds(rows.num_rows, {}, frozenset())
    counts = (pc.fill_null(rows[each], -1).combine_chunks() for each in ("null_count", "num_values"))
    bounds = RawBounds(kind, *(_raw(rows[end].combine_chunks(), kind) for end in ("min", "max")), *counts)
    return FileBounds(rows.num_rows, {name: (bounds, kind.arrow)}, frozenset())


def _raw(values: pa.Array, kind: LeafType) -> pa.Array:
    """Return stored bounds in the width of the type, if it has one; bounds of other widths are null."""
    if not (kind.is_viewed and kind.width):
        return values
    return pc.if_else(pc.equal(pc.binary_length(values), kind.width), values, None).cast(pa.binary(kind.width))
