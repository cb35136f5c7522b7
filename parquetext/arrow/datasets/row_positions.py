"""The rows of a dataset by number: the file of each row, by sums of the files' numbers of rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ...reading.request.row_numbers import RowNumbers, split
from .in_order import each_in_order

if TYPE_CHECKING:
    from .fragments import Fragment


class FileRows(NamedTuple):
    """The number of rows of a file, and the version of the file that has them; None if it cannot be identified."""

    num_rows: int
    version: tuple | None


class FilePart(NamedTuple):
    """Some rows of a file, ascending and counted from its first row, and the version of the file that has them."""

    fragment: Fragment
    rows: Sequence[int]
    version: tuple | None


class RowPositions:
    """The numbers of the first rows of all files of a dataset, read once.

    Parameters
    ----------
    fragments : sequence of Fragment
        The files, or some of their row groups, in order. Each is opened.

    Attributes
    ----------
    total : int
        The number of rows of all files.
    """

    def __init__(self, fragments: Sequence[Fragment], *, threads: bool | None = None):
        self._fragments = fragments
        self._files = list(each_in_order(lambda fragment: fragment.file_rows(), fragments, threads=threads))
        self._begins = list(accumulate((file.num_rows for file in self._files), initial=0))

    @property
    def total(self) -> int:
        return self._begins[-1]

    def by_file(self, numbers: RowNumbers) -> list[FilePart]:
        """Return the files that contain rows, and the rows of each."""
        parts = split(numbers.ascending, self._begins)
        return [
            FilePart(self._fragments[file], [row - first for row in rows], self._files[file].version)
            for file, first, rows in parts
        ]
