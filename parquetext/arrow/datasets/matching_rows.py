"""The rows of a dataset by number, if it has a filter: the numbers of the matching rows are found once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from ... import compute as pc
from .scans import Columns, DatasetScans


class RowsByNumber(Protocol):
    """Rows that are read by their numbers in a time that depends on the number of requested rows."""

    def count_rows(self) -> int:
        """Return the number of rows."""

    def take(self, rows: Sequence[int], /, columns: Columns = None, *, use_threads: bool = True) -> pa.Table:
        """Return rows in the order of `rows`."""


class MatchingRows:
    """The rows that match the filter of a dataset, counted from the first of them.

    The columns of the filter are read once. Then `take` reads only the pages that contain the rows.

    Parameters
    ----------
    everything : Dataset
        The dataset without its filter.
    condition : pyarrow.compute.Expression
    """

    def __init__(self, everything: DatasetScans, condition: pc.Expression):
        self._everything = everything
        numbers, begin = [pa.array([], pa.int64())], 0
        for batch in everything.to_batches(columns={"matches": condition}):
            found = pc.indices_nonzero(batch.column("matches")).cast(pa.int64())
            numbers.append(pc.add(found, begin))
            begin += batch.num_rows
        self._numbers = pa.concat_arrays(numbers)

    def count_rows(self) -> int:
        """Return the number of rows that match."""
        return len(self._numbers)

    def take(self, rows: Sequence[int], /, columns: Columns = None, *, use_threads: bool = True) -> pa.Table:
        """Return rows in the order of `rows`."""
        numbers = self._numbers.take(pa.array(rows, pa.int64()))
        return self._everything.take(numbers, columns, use_threads=use_threads)


def rows_by_number(dataset: DatasetScans) -> RowsByNumber:
    """Return the rows of a dataset, so that reading some of them by number never scans."""
    everything, condition = dataset.without_filter()
    return dataset if condition is None else MatchingRows(everything, condition)
