"""The rows of one request, which `torch.utils.data.default_collate` turns into a batch without touching each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch.utils.data._utils.collate import collate, default_collate_fn_map

from .tensors import Values


class Row(dict):
    """One row: a value for each column, as a tensor without dimensions, a text, or bytes."""


class Rows(Sequence):
    """Rows that were read together; a row is made when it is used.

    Attributes
    ----------
    batch : dict
        The columns of all rows, each as a tensor with one element for each row, a list, or a dictionary.
    """

    def __init__(self, batch: dict[str, Values], count: int):
        self.batch, self._count = batch, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return [self[number] for number in range(*position.indices(self._count))]
        if not -self._count <= position < self._count:
            raise IndexError(f"no row {position}: there are {self._count} rows")
        return Row({name: _cell(values, position) for name, values in self.batch.items()})


def _cell(values: Values, position: int) -> Any:
    if isinstance(values, dict):
        return {name: _cell(part, position) for name, part in values.items()}
    return values[position]


def collate_rows(rows: Sequence[Mapping], *, collate_fn_map: dict | None = None) -> Any:
    """Return the batch of rows: their columns if they were read together, otherwise as for any other mappings."""
    if isinstance(rows, Rows):
        return rows.batch
    return collate([dict(row) for row in rows], collate_fn_map=collate_fn_map)


default_collate_fn_map[Row] = collate_rows
