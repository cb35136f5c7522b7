"""Query a file's Bloom filters, if bounds do not decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pyarrow as pa

from .. import kernels, wire
from ..pruning import Probe, may_hold
from .leaf_types import LeafType
from .model import FooterReader
from .plain import plain_forms
from .typed_bounds import comparable_leaf

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

    def __init__(
        self, form: FooterReader, source, gather: Callable[[list[Callable]], list], types: Mapping[str, pa.DataType]
    ):
        self._form, self._source, self._gather, self._types = form, source, gather, types
        self._columns: dict[str, tuple[int, LeafType, pa.DataType] | None] = {}
        self._known: dict[int, tuple] = {}

    def absent(self, probes: Sequence[Probe]) -> list[bool]:
        """Return for each probe True if a filter certainly contains none of its values."""
        hashes: dict[int, list[int] | None] = {}
        for probe in probes:
            if id(probe.comparison) not in hashes:
                hashes[id(probe.comparison)] = self._hashes(probe)
        answers, numbers, tasks = [False] * len(probes), [], []
        for number, probe in enumerate(probes):
            wanted = hashes[id(probe.comparison)]
            question = self._question(probe, wanted) if wanted else None
            if question is not None:
                numbers.append(number)
                tasks.append(question)
        for number, may in zip(numbers, self._gather(tasks), strict=True):
            answers[number] = not may
        return answers

    def _hashes(self, probe: Probe) -> list[int] | None:
        column = self._column(probe.comparison.column)
        if column is None:
            return None
        forms = plain_forms(probe.comparison, *column[1:])
        return None if forms is None else [kernels.checksum.xxh64(form) for form in forms]

    def _question(self, probe: Probe, hashes: list[int]) -> Callable[[], bool] | None:
        """Return a function that tests whether a chunk's filter may contain a value; None if it has no filter."""
        column = self._column(probe.comparison.column)
        if column is None:
            return None
        offsets, lengths, present = self._places(column[0])
        if offsets[probe.row_group] <= 0 or present[probe.row_group] & ELSEWHERE:
            return None
        return partial(
            may_hold, self._source.read, self._source.size, offsets[probe.row_group], lengths[probe.row_group], hashes
        )

    def _column(self, name: str) -> tuple[int, LeafType, pa.DataType] | None:
        """Return a column's leaf, its type and that of its rows; None if no filter can be queried."""
        if name not in self._columns:
            self._columns[name] = self._found(name)
        return self._columns[name]

    def _found(self, name: str) -> tuple[int, LeafType, pa.DataType] | None:
        rows = self._types.get(name)
        rows = rows.value_type if rows is not None and pa.types.is_dictionary(rows) else rows
        found = None if rows is None else comparable_leaf(self._form, name, rows)
        return (*found, rows) if found is not None and self._has_filters(found[0]) else None

    def _has_filters(self, leaf: int) -> bool:
        return max(self._places(leaf)[0], default=-1) > 0

    def _places(self, leaf: int) -> tuple[memoryview, memoryview, memoryview]:
        """Return the offsets, lengths and presence bits of the filters of a leaf's chunks."""
        if leaf not in self._known:
            chunks = self._form.column(leaf)
            self._known[leaf] = tuple(map(chunks.array, ("bloom_filter_offset", "bloom_filter_length", "present")))
        return self._known[leaf]
