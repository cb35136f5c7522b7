"""Fetch the cells of a remote footer that a read needs, in few rounds of requests."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...footer.facade import File
from ...footer.model import GROUP, FooterReader
from .selection import leaves_of

__all__ = ["fetch_cells"]


def fetch_cells(file: File, columns: list | str | None, row_groups: Sequence[int] | None) -> None:
    """Announce how many columns are looked up, and fetch the data for the slice of these columns."""
    file._expect(file.num_columns if columns is None else len(columns))
    if not file._is_batched() or not isinstance(columns, list):
        return
    shared = [lambda form: form.row_groups("num_rows"), lambda form: form.created_by, lambda form: form.node(GROUP)]
    file._source.want_shared()
    found: Any = file._each([*(partial(leaves_of, name=name) for name in columns), *shared])
    leaves = {leaf for below in found[: len(columns)] for leaf in below}
    file._each(partial(_slice_of, leaf=leaf, row_groups=row_groups) for leaf in sorted(leaves))


def _slice_of(form: FooterReader, leaf: int, row_groups: Sequence[int] | None) -> bytes:
    return form.slice([leaf], range(form.row_group_count) if row_groups is None else row_groups)
