"""Many small local files that have the schema of a first one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import wire
from ..errors import wire_error
from .ranges import Ranges
from .scan import Scan

__all__ = ["AND", "OR", "SmallFiles"]

AND, OR = -1, -2


class SmallFiles:
    """Small local files with one schema, open together until the object is deleted.

    The compiled kernels open a file if its Thrift footer alone says how to read it, and if the footer has the same
    schema, the same Arrow schema and the same column orders as that of the first file. The twin opens none, because it
    would not be faster than opening them one by one. Use an object from one thread at a time.

    Parameters
    ----------
    first : Scan
        The scanned footer of the first file.
    paths : list of bytes
        Local paths, in the encoding of the system; UTF-8 on Windows.
    most_bytes : int
        Larger files are not opened.

    Raises
    ------
    ValueError
        If a path contains a null byte.
    """

    def __init__(self, first: Scan, paths: list[bytes], most_bytes: int):
        if any(b"\0" in path for path in paths):
            raise ValueError("embedded null byte")
        self._count = len(paths)

    @property
    def taken(self) -> bytes:
        """Return one byte per file: 1 if it was opened, 0 if it must be read in another way."""
        return bytes(self._count)

    def row_groups(self, file: int) -> int:
        """Return the number of row groups of a file.

        Raises
        ------
        Malformed
            With `BAD_ARGUMENT`, if the file was not opened.
        """
        raise wire_error(wire.BAD_ARGUMENT, 0, self._count, file)

    def bounds(self, file: int, leaf: int) -> tuple[list[bytes | None], list[bytes | None], list[int], list[int]]:
        """Return the usable minima and maxima of a leaf, its null counts and its numbers of values, per row group.

        Raises
        ------
        Malformed
            With `BAD_ARGUMENT`, if the file was not opened, or has no such leaf.
        """
        raise wire_error(wire.BAD_ARGUMENT, 0, self._count, file)

    def read(
        self,
        schema: object,
        leaves: Sequence[int],
        numbers: Sequence[int],
        tests: Sequence[tuple[int, Ranges, bool]] = (),
        steps: Sequence[int] = (),
    ) -> SmallRows | None:
        """Read rows of leaves as one array per leaf, with the rows of one file after those of another.

        Parameters
        ----------
        schema : capsule
            An ``arrow_schema`` of the Arrow C data interface, with the top-level fields of the first file's footer.
        leaves : sequence of int
        numbers : sequence of int
            The numbers of open files.
        tests : sequence of (int, kernels.ranges.Ranges, bool)
            Leaves, the ranges that contain values of matching rows, and whether a null matches.
        steps : sequence of int
            The tests of the filter, joined in postfix order: the number of a test, or `AND` or `OR` of the two results
            before it. If it is empty, all rows are read.

        Returns
        -------
        SmallRows or None
            None if a file must be read in another way.
        """
        return None


class SmallRows(NamedTuple):
    """Rows of small files.

    Attributes
    ----------
    addresses : list of int
        The addresses of arrays of the Arrow C data interface, one per leaf. Arrays that are not imported are released
        with the object.
    counts : list of int
        The number of rows of each file.
    is_filtered : bool
        True if only the rows that match are returned; False if all are, because very many match.
    """

    addresses: list[int]
    counts: list[int]
    is_filtered: bool
