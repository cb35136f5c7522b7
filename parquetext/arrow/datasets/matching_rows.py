"""Find rows of a dataset by number. Rows are counted once; with a filter, the matching rows are found once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import pyarrow as pa

from ... import compute as pc
from ...storage import ChangedFile
from .scans import Columns, DatasetScans


class RowsByNumber(Protocol):
    """Rows that are read by their numbers in a time that depends on the number of requested rows."""

    def count_rows(self) -> int:
        """Return the number of rows."""

    def take(self, rows: Sequence[int], /, columns: Columns = None, *, use_threads: bool = True) -> pa.Table:
        """Return rows in the order of `rows`."""


class AllRows:
    """The rows of a dataset without a filter, counted at the time to which the numbers of `take` refer.

    Parameters
    ----------
    dataset : Dataset
    """

    def __init__(self, dataset: DatasetScans):
        self._dataset = dataset

    def count_rows(self) -> int:
        """Return the number of rows."""
        return self._dataset._row_positions().total

    def take(self, rows: Sequence[int], /, columns: Columns = None, *, use_threads: bool = True) -> pa.Table:
        """Return rows in the order of `rows`."""
        return self._dataset.take(rows, columns, use_threads=use_threads)


class MatchingRows:
    """The rows that match the filter of a dataset, counted from the first of them.

    The columns of the filter are read once. Then `take` reads only the pages that contain the rows.

    Parameters
    ----------
    everything : Dataset
        The dataset without its filter.
    condition : pyarrow.compute.Expression

    Raises
    ------
    ChangedFile
        If a file was changed while the rows were counted and found.
    """

    def __init__(self, everything: DatasetScans, condition: pc.Expression):
        self._everything = AllRows(everything)
        total = self._everything.count_rows()
        numbers, begin = [pa.array([], pa.int64())], 0
        for batch in everything.to_batches(columns={"matches": condition}):
            found = pc.indices_nonzero(batch.column("matches")).cast(pa.int64())
            numbers.append(pc.add(found, begin))
            begin += batch.num_rows
        if begin != total:
            raise ChangedFile(f"files were replaced or changed: {total} rows were counted, and {begin} found")
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
    return AllRows(dataset) if condition is None else MatchingRows(everything, condition)
