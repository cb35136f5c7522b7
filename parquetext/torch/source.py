"""The rows that a dataset of PyTorch reads: of files or of a dataset, filtered, by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from torch.utils.data import get_worker_info

from ..arrow.datasets.dataset import Dataset, dataset
from ..arrow.datasets.matching_rows import rows_by_number
from ..arrow.datasets.scans import Columns
from .sending import SentTogether
from .tensors import Fill, Values, check_columns, tensors_of


class Source:
    """Some columns of the rows of files, by number, as tables or tensors.

    Parameters
    ----------
    files : Dataset, path or list of paths
    columns : list of str, optional
    filter : pyarrow.compute.Expression, or lists of tuples, optional
    fill : object or mapping, optional
        As in `tensors_of`.
    """

    def __init__(self, files: Any, columns: Sequence[str] | None, filter: object, fill: Fill):
        whole = files if isinstance(files, Dataset) else dataset(files)
        if not isinstance(whole, Dataset):
            raise TypeError(f"expected Parquet files or a dataset of them, not a {type(whole).__name__}")
        check_columns(whole.scanner(columns).projected_schema, fill)
        self._rows = rows_by_number(whole if filter is None else whole.filter(filter))
        self._columns, self._fill = columns, fill
        self._count = self._rows.count_rows()  # once for all workers

    def count_rows(self) -> int:
        """Return the number of rows."""
        return self._count

    def take(self, rows: Sequence[int], /, columns: Columns = None, *, use_threads: bool = True) -> pa.Table:
        """Return rows in the order of `rows`; in a worker without threads, because the workers share the processors."""
        return self._rows.take(rows, self._columns, use_threads=use_threads and get_worker_info() is None)

    def tensors(self, table: pa.Table) -> dict[str, Values]:
        """Return the columns of a table as tensors; a worker sends all of them to the main process in one message."""
        batch = tensors_of(table, self._fill)
        return batch if get_worker_info() is None else SentTogether(batch)
