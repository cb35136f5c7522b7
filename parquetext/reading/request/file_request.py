"""Request a read of an open file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...footer.arrow_errors import ArrowUnsupported
from ...footer.facade import File
from .footer_cells import fetch_cells
from .read_request import ReadOptions, Request, resolve

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
    fetch_cells(file, columns, row_groups)
    try:
        request = file._on_form(lambda form: resolve(form, columns, row_groups, filters, options))
    except ArrowUnsupported as error:
        raise error if error.file else error.at(str(file.path)) from None
    return request
