"""Rows by number, as a map-style dataset of PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch.utils.data

from .rows import Row, Rows
from .source import Source
from .tensors import Fill


class MapDataset(torch.utils.data.Dataset):  # type: ignore[misc, unused-ignore]
    """The rows of Parquet files by number.

    A `DataLoader` reads a batch by one `take`, and returns a dictionary of columns: a tensor with one element for each
    row, or a list of str or bytes. No `collate_fn` is needed. The dataset can be pickled and used in forked processes.

    Parameters
    ----------
    source : Dataset, path or list of paths
        A `parquetext.Dataset`, or files as in `parquetext.dataset`.
    columns : list of str, optional
        All columns by default.
    filter : pyarrow.compute.Expression, or lists of tuples, optional
        Only rows that match are numbered. Their numbers are found at once, and take 8 bytes for each row.
    fill : object or dict, optional
        A value in place of nulls, for all numbers, or for each named column. By default, nulls are refused. Texts
        and bytes are None if they are null.

    Raises
    ------
    ColumnError
        If there is no such column.
    Unsupported
        If a column has a type without a tensor, such as a map.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from parquetext.torch import MapDataset
    >>> rows = MapDataset("wide.parquet", columns=["price"])
    >>> batch = next(iter(DataLoader(rows, batch_size=256, shuffle=True, num_workers=4)))
    >>> batch["price"].shape
    torch.Size([256])
    """

    def __init__(self, source: Any, *, columns: Sequence[str] | None = None, filter: object = None, fill: Fill = None):
        self._source = Source(source, columns, filter, fill)

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._source.count_rows()

    def __getitem__(self, number: int) -> Row:
        """Return one row, as a dictionary of tensors without dimensions, of str and of bytes."""
        row: Row = self.__getitems__([number + len(self) if number < 0 else number])[0]
        return row

    def __getitems__(self, numbers: Sequence[int]) -> Rows:
        """Return rows that are read together.

        Raises
        ------
        RowIndexError
            If there is no such row.
        ParquetextError
            If there is a null without a value to fill it.
        """
        table = self._source.take(numbers)
        return Rows(self._source.tensors(table), table.num_rows)
