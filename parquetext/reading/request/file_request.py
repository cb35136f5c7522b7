"""Request a read of an open file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from ...footer.facade import File
from ...footer.model import GROUP, FooterReader
from .read_request import ReadOptions, Request, resolve
from .selection import leaves_of

__all__ = ["request_of"]


def request_of(
    file: File, columns: Iterable | None, row_groups: Sequence[int] | None, filters: object, options: ReadOptions
) -> Request:
    """Resolve the names of a read, on the form in use, or on the next one if that form is damaged.

    Raises
    ------
    ColumnError, IndexError
        If there is no such column or row group.
    """
    if columns is not None and not isinstance(columns, str):
        if not isinstance(columns, Iterable):
            raise TypeError(f"columns is a list of names, not {columns!r}")
        columns = list(columns)
    _fetch_cells(file, columns, row_groups)
    return file._on_form(lambda form: resolve(form, columns, row_groups, filters, options))


def _fetch_cells(file: File, columns: list | str | None, row_groups: Sequence[int] | None) -> None:
    """Announce how many columns are looked up; fetch the cells of a remote footer for their slice in few rounds."""
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
