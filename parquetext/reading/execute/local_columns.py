"""Decode columns without lists of a local file: one kernel call reads several columns in many row groups."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa

from ... import kernels, wire
from ...encoding.chunk_reader import MOST_ARRAY_BYTES
from ...errors import ParquetextError
from ...footer.model import FooterReader
from ...footer.page_tables import PageTables
from ..choose.choice import has_own_codec
from ..fields.assemble_plan import LeafPlan
from ..fields.wanted_columns import Column
from ..plan.picks import Picks, kept
from .assemble import assemble
from .in_threads import each, workers_of
from .text_budget import Share, TextBudget

FEW_UNITS, MANY_UNITS = 2, 8  # units per worker, so that all workers end at about the same time
UNIT_VALUES = 1 << 17  # values per unit if there are many units
LEAST_ROWS, MOST_BYTES = 1 << 18, 1 << 26  # limits of a unit, if its size can be chosen
BYTES_OF_TEXT = 16  # assumed average


class Unit(NamedTuple):
    """Fields of the row groups `first` to `last` (exclusive), decoded by one task."""

    columns: Sequence[Column]
    first: int
    last: int


class LocalColumns:
    """Decode columns of a slice.

    Parameters
    ----------
    form : FooterReader
        The slice.
    source
        A local file: it has `fd` and `size`.
    groups : sequence of Picks
        The rows to read of each row group.
    tables : PageTables or None
        Find the pages that contain the rows; None if all rows are read.
    checks_crc : bool
        If True, compare the checksums of pages that have one.
    ranges : mapping of int to kernels.ranges.Ranges
        The leaves whose values are compared with ranges: the result of `read` is a boolean instead of each value.
    """

    def __init__(
        self,
        form: FooterReader,
        source,
        groups: Sequence[Picks],
        tables: PageTables | None,
        checks_crc: bool,
        ranges: Mapping[int, Any] = MappingProxyType({}),
    ):
        self._ranges = ranges
        self._form, self._source, self._groups, self._page_tables = form, source, groups, tables
        self._rows, self._checks_crc = form.row_groups("num_rows"), checks_crc
        self._with_rows = [number for number, picks in enumerate(groups) if picks.count]
        self._turns: dict[tuple[int, int], tuple[array, array]] = {}
        self._tables: dict[int, list] = {}  # of each leaf, by row group

    def takes(self, column: Column) -> bool:
        """Return True if the kernels can read the field together with others.

        They cannot if a leaf is read as a dictionary, has an unsupported codec, or is in a list and its pages are not
        known.
        """
        return not column.has_dictionaries and all(map(self._takes_leaf, column.leaves))

    def _takes_leaf(self, leaf: LeafPlan) -> bool:
        if not has_own_codec(self._form, leaf):
            return False
        if not leaf.levels.repetition:
            return True
        return self._page_tables is not None and all(
            self._tables_of(leaf)[number] is not None for number in self._with_rows
        )

    def _tables_of(self, leaf: LeafPlan) -> list:
        """Return the page table of each row group of a leaf; None if it is unknown, or if no rows are read there."""
        if leaf.leaf not in self._tables and self._page_tables is not None:
            chunks, is_flat = self._form.column(leaf.leaf), not leaf.levels.repetition
            found: list = [None] * len(self._groups)
            made = self._page_tables.of_leaf(chunks, self._with_rows, self._rows, is_flat=is_flat)
            for number, table in zip(self._with_rows, made, strict=True):
                found[number] = table
            self._tables[leaf.leaf] = found
        return self._tables[leaf.leaf]

    def read(self, columns: Sequence[Column], most_text: int | None, *, use_threads: bool) -> dict[int, list[pa.Array]]:
        """Return the arrays of fields, by the `id` of each. Fields that cannot be read are left out.

        Parameters
        ----------
        most_text : int, optional
            The maximal number of bytes of texts to decode.
        """
        units = self._units(columns, use_threads)
        texts = None if most_text is None else TextBudget(most_text, workers_of(use_threads, len(units)))
        weights = [sum(map(_width, unit.columns)) for unit in units]
        found = each(lambda unit: self._read(unit, texts), units, use_threads, weights)
        arrays: dict[int, list[pa.Array]] = {id(column): [] for column in columns}
        for unit, fields in zip(units, found, strict=True):
            for column, pieces in zip(unit.columns, fields, strict=True):
                if pieces is None:
                    arrays.pop(id(column), None)
                elif id(column) in arrays:
                    arrays[id(column)] += pieces
        return arrays

    def _units(self, columns: Sequence[Column], use_threads: bool) -> list[Unit]:
        """Split the read into tasks of several fields each, also by row groups if there are few fields; rows ascend."""
        if not columns:
            return []
        rows = sum(picks.count for picks in self._groups)
        wanted = _units_of(rows * len(columns)) if use_threads else 1
        parts = self._parts(-(-wanted // len(columns)))
        width = sum(map(_width, columns)) * len(parts) // wanted
        most = min(width, MOST_BYTES // max(rows // max(len(parts), 1), 1))
        fields: list[list[Column]] = []
        held = most
        for column in columns:
            if held >= most:
                fields.append([])
                held = 0
            fields[-1].append(column)
            held += _width(column)
        return [Unit(some, *part) for part in parts for some in fields]

    def _parts(self, wanted: int) -> list[tuple[int, int]]:
        """Split the row groups into parts with similar numbers of rows: as many as wanted, if there are enough rows."""
        if not self._with_rows:
            return []
        first, last = self._with_rows[0], self._with_rows[-1] + 1
        rows = sum(picks.count for picks in self._groups)
        count = max(1, min(wanted, rows // LEAST_ROWS, last - first))
        ends, done = [first], 0
        for number in range(first, last):
            done += self._groups[number].count
            if done * count >= rows * len(ends) or number == last - 1:
                ends.append(number + 1)
        return list(pairwise(ends))

    def _read(self, unit: Unit, texts: TextBudget | None) -> list[list[pa.Array] | None]:
        """Return the arrays of each field: one array for several row groups, unless its texts are too large for one."""
        found = self._together(unit, texts)
        if unit.last - unit.first > 1:
            for number, pieces in enumerate(found):
                if pieces is None:
                    found[number] = self._one_by_one(unit._replace(columns=[unit.columns[number]]), texts)
        return found

    def _one_by_one(self, unit: Unit, texts: TextBudget | None) -> list[pa.Array] | None:
        """Return the arrays of a field, one per row group."""
        arrays: list[pa.Array] = []
        for number in range(unit.first, unit.last):
            found = self._together(unit._replace(first=number, last=number + 1), texts)[0]
            if found is None:
                return None
            arrays += found
        return arrays

    def _together(self, unit: Unit, texts: TextBudget | None) -> list[list[pa.Array] | None]:
        """Return the arrays of each field, or None if the kernels do not read it."""
        if texts is None:
            return self._decoded(unit, None)[0]
        with texts.share() as share:
            found, cut = self._decoded(unit, share)
        if cut and share.is_part:
            with texts.rest() as share:
                again, _ = self._decoded(unit._replace(columns=[unit.columns[number] for number in cut]), share)
            for number, arrays in zip(cut, again, strict=True):
                found[number] = arrays
        return found

    def _decoded(self, unit: Unit, share: Share | None) -> tuple[list[list[pa.Array] | None], list[int]]:
        """Return the arrays of each field, and the fields left out because their texts exceed the share."""
        groups = self._groups[unit.first : unit.last]
        rows = sum(picks.count for picks in groups)
        leaves = [(leaf, leaf.leaf in column.telling) for column in unit.columns for leaf in column.leaves]
        try:
            decoders = [self._decoder(leaf, rows, levels=levels) for leaf, levels in leaves]
        except ParquetextError:
            return [None] * len(unit.columns), []
        chunks = [self._form.column(leaf.leaf) for leaf, _ in leaves]
        options: Any = {} if share is None else {"most_bytes": share.most}
        if self._page_tables is not None:
            options["counts"], options["turns"] = self._turns_of(unit.first, unit.last)
            options["tables"] = [table for leaf, _ in leaves for table in self._tables_of(leaf)[unit.first : unit.last]]
            options["checks_crc"] = self._checks_crc
        where = self._source.fd, self._source.size, self._rows, unit.first, unit.last
        are_done = kernels.column.from_file(decoders, chunks, *where, **options)
        taken, full = {}, set()
        for (leaf, _), decoder, is_done in zip(leaves, decoders, are_done, strict=True):
            if is_done:
                taken[leaf.leaf] = decoder.take()
            elif decoder.is_full:
                full.add(leaf.leaf)
        if share is not None:
            share.used = sum(
                len(taken[leaf.leaf].values) for leaf, _ in leaves if leaf.leaf in taken and _is_text(leaf)
            )
        mask = _mask_of(groups)
        found = [self._assembled(column, taken, mask) for column in unit.columns]
        return found, [
            number for number, column in enumerate(unit.columns) if full & {leaf.leaf for leaf in column.leaves}
        ]

    def _decoder(self, leaf: LeafPlan, rows: int, *, levels: bool):
        kind, own = leaf.kind, leaf.levels
        own_levels = own.definition, own.repetition, own.ancestor
        options: Any = {
            "levels": levels,
            "most_bytes": MOST_ARRAY_BYTES,
            "rows": rows,
            "ranges": self._ranges.get(leaf.leaf),
        }
        return kernels.column.Column(kind.physical, kind.width, *own_levels, **options)

    def _assembled(
        self, column: Column, taken: Mapping[int, Any], mask: pa.BooleanArray | None
    ) -> list[pa.Array] | None:
        if any(leaf.leaf not in taken for leaf in column.leaves):
            return None
        if column.leaves[0].leaf in self._ranges:
            found = taken[column.leaves[0].leaf]
            buffers = [None if part is None else pa.py_buffer(part) for part in (found.valid, found.values)]
            return [pa.Array.from_buffers(pa.bool_(), found.slots, buffers, found.nulls)]
        try:
            return kept([assemble(column.plan, column.field.type, taken, {})], mask)
        except (ParquetextError, RecursionError):
            return None

    def _turns_of(self, first: int, last: int) -> tuple[array, array]:
        """Return the counts of rows to skip and to read in row groups, and the number of counts of each row group."""
        key = first, last
        if key not in self._turns:
            numbers = range(first, last)
            each_group = [self._groups[number].turns(0, self._rows[number]) for number in numbers]
            counts = array("q", (count for turns in each_group for count in turns))
            self._turns[key] = counts, array("q", map(len, each_group))
        return self._turns[key]


def _units_of(values: int) -> int:
    workers = workers_of(True)
    return max(min(MANY_UNITS * workers, values // UNIT_VALUES), FEW_UNITS * workers)


def _width(column: Column) -> int:
    """Estimate the bytes of a row."""
    return sum(leaf.kind.width or BYTES_OF_TEXT for leaf in column.leaves)


def _is_text(leaf: LeafPlan) -> bool:
    return leaf.kind.physical == wire.PHYSICAL_BYTE_ARRAY


def _mask_of(groups: Sequence[Picks]) -> pa.BooleanArray | None:
    """Return the mask of the decoded rows of row groups that are kept, or None if all are."""
    if all(picks.mask is None for picks in groups):
        return None
    return pa.concat_arrays([pa.repeat(True, picks.count) if picks.mask is None else picks.mask for picks in groups])
