"""Columns without lists of a local file: one call of the kernels decodes a leaf's chunks of many row groups."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from .. import kernels, wire
from ..encoding.chunk_reader import MOST_ARRAY_BYTES
from ..errors import ParquetextError
from ..footer.model import Form
from .assemble import assemble
from .assemble_plan import LeafPlan
from .in_threads import each, workers_of
from .picks import Picks, kept
from .text_batches import TextBudget
from .wanted_columns import Column

__all__ = ["LocalColumns"]

UNITS_OF_WORKER = 8  # at least, so that all workers end at about the same time
BYTES_OF_TEXT = 16
LEAST_ROWS = 1 << 16  # of a unit, where there is a choice


class Unit(NamedTuple):
    """What one task decodes: a field of the row groups from `first` on, up to `last`."""

    column: Column
    first: int
    last: int


class LocalColumns:
    """Decodes columns of a slice.

    Parameters
    ----------
    form : Form
        The slice.
    source
        A local file: it has `fd` and `size`.
    groups : sequence of Picks
        The rows to read of each row group.
    whole : bool
        Whether these are all rows.
    """

    def __init__(self, form: Form, source, groups: Sequence[Picks], *, whole: bool):
        self._form, self._source, self._groups, self._whole = form, source, groups, whole
        self._rows = form.row_groups("num_rows")
        self._turns: dict[tuple[int, int], tuple[array, array]] = {}

    def takes(self, column: Column) -> bool:
        """Whether a field is one to read so: of others parts are lists, dictionaries, or pages found by an index."""
        return not column.has_dictionaries and not any(
            leaf.levels.repetition or not (self._whole or self._has_no_index(leaf)) for leaf in column.leaves
        )

    def read(
        self, columns: Sequence[Column], texts: TextBudget | None, *, use_threads: bool
    ) -> dict[int, list[pa.Array]]:
        """The arrays of fields, by the `id` of each; fields that cannot be read are left out.

        Parameters
        ----------
        texts : TextBudget, optional
            How many bytes of texts are decoded at most.
        """
        parts = self._parts(len(columns), use_threads) if columns else []
        units = [Unit(column, *part) for column in columns for part in parts]
        found = each(lambda unit: self._read(unit, texts), units, use_threads, list(map(_weight, units)))
        arrays: dict[int, list[pa.Array]] = {id(column): [] for column in columns}
        for unit, pieces in zip(units, found, strict=True):
            if pieces is None:
                arrays.pop(id(unit.column), None)
            elif id(unit.column) in arrays:
                arrays[id(unit.column)] += pieces
        return arrays

    def _has_no_index(self, leaf: LeafPlan) -> bool:
        return max(self._form.column(leaf.leaf).array("offset_index_length"), default=0) <= 0

    def _parts(self, columns: int, use_threads: bool) -> list[tuple[int, int]]:
        """Row groups to read by one task: as many parts as give each thread enough to do."""
        with_rows = [number for number, picks in enumerate(self._groups) if picks.ranges]
        if not with_rows:
            return []
        first, last = with_rows[0], with_rows[-1] + 1
        rows = sum(picks.count for picks in self._groups)
        wanted = -(-UNITS_OF_WORKER * workers_of(use_threads) // columns) if use_threads else 1
        count = max(1, min(wanted, rows // LEAST_ROWS, last - first))
        ends, done = [first], 0
        for number in range(first, last):
            done += self._groups[number].count
            if done * count >= rows * len(ends) or number == last - 1:
                ends.append(number + 1)
        return list(pairwise(ends))

    def _read(self, unit: Unit, texts: TextBudget | None) -> list[pa.Array] | None:
        """The arrays of a unit: of several row groups one, unless its texts are too many for that."""
        found = self._together(unit, texts)
        if found is not None or unit.last - unit.first < 2:
            return found
        arrays: list[pa.Array] = []
        for number in range(unit.first, unit.last):
            found = self._together(Unit(unit.column, number, number + 1), texts)
            if found is None:
                return None
            arrays += found
        return arrays

    def _together(self, unit: Unit, texts: TextBudget | None) -> list[pa.Array] | None:
        groups = self._groups[unit.first : unit.last]
        rows = sum(picks.count for picks in groups)
        try:
            taken = {}
            for leaf in unit.column.leaves:
                taken[leaf.leaf] = self._decoded(unit, leaf, rows, texts)
                if taken[leaf.leaf] is None:
                    return None
            return kept([assemble(unit.column.plan, unit.column.field.type, taken, {})], _mask_of(groups))
        except (ParquetextError, RecursionError):
            return None

    def _decoded(self, unit: Unit, leaf: LeafPlan, rows: int, texts: TextBudget | None):
        """What is in a leaf; None where the kernels do not read it."""
        kind, own = leaf.kind, leaf.levels
        column = kernels.column.Column(
            kind.physical,
            kind.width,
            own.definition,
            own.repetition,
            own.ancestor,
            levels=leaf.leaf in unit.column.telling,
            most_bytes=MOST_ARRAY_BYTES if texts is None else min(texts.left, MOST_ARRAY_BYTES),
            rows=rows,
        )
        source, turns = self._source, (None, None) if self._whole else self._turns_of(unit.first, unit.last)
        chunks = self._form.column(leaf.leaf)
        if not column.from_file(source.fd, source.size, chunks, self._rows, unit.first, unit.last, *turns):
            return None
        taken = column.take()
        if texts is not None and kind.physical == wire.PHYSICAL_BYTE_ARRAY:
            texts.count(len(taken.values))
        return taken

    def _turns_of(self, first: int, last: int) -> tuple[array, array]:
        """Rows to skip and to read of row groups, and how many of these numbers are of each."""
        key = first, last
        if key not in self._turns:
            numbers = range(first, last)
            each_group = [self._groups[number].turns(0, self._rows[number]) for number in numbers]
            counts = array("q", (count for turns in each_group for count in turns))
            self._turns[key] = counts, array("q", map(len, each_group))
        return self._turns[key]


def _weight(unit: Unit) -> int:
    """What a unit takes, more or less: bytes of a row. Parts of a field have about as many rows each."""
    return sum(leaf.kind.width or BYTES_OF_TEXT for leaf in unit.column.leaves)


def _mask_of(groups: Sequence[Picks]) -> pa.BooleanArray | None:
    """Which of the decoded rows of row groups are kept, where that is not all of them."""
    if all(picks.mask is None for picks in groups):
        return None
    return pa.concat_arrays([pa.repeat(True, picks.count) if picks.mask is None else picks.mask for picks in groups])
