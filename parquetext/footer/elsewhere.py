"""Column chunks whose values lie in another file, as in a ``_metadata`` file: readers refuse and name that file."""

from __future__ import annotations

from collections.abc import Sequence

from .. import wire
from ..thrift import read
from .arrow_errors import ArrowUnsupported
from .column_footer import chunk_structs
from .model import FooterReader
from .names import as_path

__all__ = ["check_here", "other_file"]


def other_file(form: FooterReader, leaf: int, row_group: int) -> str:
    """Return the path of the file that has a chunk's values, as the chunk gives it."""
    struct = (chunk_structs(form, leaf, row_group, 1) or [b"\0"])[0]
    path = read("ColumnChunk", struct).get("file_path", "")
    return path.decode("utf-8", "replace") if isinstance(path, bytes) else path


def check_here(
    form: FooterReader, leaves: Sequence[int], row_groups: Sequence[int], numbers: Sequence[int] | None = None
) -> None:
    """Raise if a chunk of these leaves and row groups lies in another file.

    Parameters
    ----------
    form : FooterReader
        A footer, or a slice of one.
    leaves, row_groups : sequence of int
        Of the form.
    numbers : sequence of int, optional
        Numbers of the row groups in the file, if the form is a slice.

    Raises
    ------
    ArrowUnsupported
        The error names the row group, the column and the other file.
    """
    for leaf in leaves:
        present = form.column(leaf).array("present")
        for position, row_group in enumerate(row_groups):
            if present[row_group] & wire.PRESENT_FILE_PATH:
                name = ".".join(as_path(form.node(leaf).path))
                number = int(row_group if numbers is None else numbers[position])
                path = other_file(form, leaf, row_group)
                raise ArrowUnsupported(
                    f"row group {number}, column {name}: the values lie in another file, {path!r}; read that one, "
                    "or the dataset"
                )
