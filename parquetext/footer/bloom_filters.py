"""A file's Bloom filters, asked for what bounds leave undecided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pyarrow as pa

from .. import kernels, wire
from ..pruning import Probe, may_hold
from .model import Form
from .plain import plain_forms
from .typed_bounds import comparable_leaf

__all__ = ["BloomFilters"]

ELSEWHERE = wire.PRESENT_FILE_PATH | wire.PRESENT_CRYPTO  # places are of another file, or of encrypted bytes


class BloomFilters:
    """The Bloom filters of a file's chunks.

    Parameters
    ----------
    source
        The file's bytes: `size` and `read(offset, length)`.
    gather : callable
        Gives the results of a list of callables that read from `source`.
    types : mapping
        The type of the rows of each top-level column that is asked for.
    """

    def __init__(self, form: Form, source, gather: Callable[[list[Callable]], list], types: Mapping[str, pa.DataType]):
        self._form, self._source, self._gather, self._types = form, source, gather, types
        self._places: dict[str, tuple | None] = {}

    def absent(self, probes: Sequence[Probe]) -> list[bool]:
        """Whether the filters surely hold none of the values, for each probe; False where there is no filter."""
        hashes: dict[int, list[int] | None] = {}
        for probe in probes:
            if id(probe.comparison) not in hashes:
                hashes[id(probe.comparison)] = self._hashes(probe)
        answers, numbers, tasks = [False] * len(probes), [], []
        for number, probe in enumerate(probes):
            place, wanted = self._place(probe), hashes[id(probe.comparison)]
            if place is not None and wanted:
                numbers.append(number)
                tasks.append(partial(may_hold, self._source.read, self._source.size, *place, wanted))
        for number, may in zip(numbers, self._gather(tasks), strict=True):
            answers[number] = not may
        return answers

    def _hashes(self, probe: Probe) -> list[int] | None:
        column = self._column(probe.comparison.column)
        if column is None:
            return None
        forms = plain_forms(probe.comparison, column[0], column[1])
        return None if forms is None else [kernels.checksum.xxh64(form) for form in forms]

    def _place(self, probe: Probe) -> tuple[int, int] | None:
        """Offset and length of the filter of a chunk."""
        column = self._column(probe.comparison.column)
        if column is None:
            return None
        _, _, offsets, lengths, present = column
        has = offsets[probe.row_group] > 0 and not present[probe.row_group] & ELSEWHERE
        return (offsets[probe.row_group], lengths[probe.row_group]) if has else None

    def _column(self, name: str) -> tuple | None:
        """A column's type, that of its rows, and the places of its filters; None where none can be asked."""
        if name not in self._places:
            self._places[name] = self._found(name)
        return self._places[name]

    def _found(self, name: str) -> tuple | None:
        rows = self._types.get(name)
        rows = rows.value_type if rows is not None and pa.types.is_dictionary(rows) else rows
        found = None if rows is None else comparable_leaf(self._form, name, rows)
        if found is None:
            return None
        leaf, kind = found
        chunks = self._form.column(leaf)
        offsets = chunks.array("bloom_filter_offset")
        if max(offsets, default=-1) <= 0:
            return None
        return kind, rows, offsets, chunks.array("bloom_filter_length"), chunks.array("present")
