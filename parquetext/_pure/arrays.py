"""Short column chunks of many flat leaves as Arrow arrays."""

from __future__ import annotations

from .scan import Scan

__all__ = ["Arrays", "count_entries"]


class Arrays:
    """Arrow arrays of the flat leaves of a scan, read from a local file.

    The compiled kernels read top-level leaves of chunks that are not compressed or by Snappy, of types and encodings
    that every reader decodes alike. The twin reads none: it is no sooner than others.

    Parameters
    ----------
    scan : Scan
    file_size : int
    """

    def __init__(self, scan: Scan, file_size: int):
        self._leaves = scan.leaf_count

    @property
    def count(self) -> int:
        """How many leaves can be read, as far as the footer's chunks tell."""
        return 0

    def type(self, schema: object) -> None:
        """Choose the types of the arrays, once, before any of them is made.

        Parameters
        ----------
        schema : capsule
            An ``arrow_schema`` of the Arrow C data interface, with the top-level fields of the footer. No array will be
            made of a leaf whose field has a type that readers might understand in other ways.
        """

    @property
    def stored(self) -> int:
        """Bytes of the chunks that are to be read."""
        return 0

    def parts(self, most_bytes: int, most_leaves: int) -> list[tuple[int, int]]:
        """Which leaves to read with one call each, as (first, end).

        Parameters
        ----------
        most_bytes, most_leaves : int
            What one call reads, unless a leaf alone takes more.
        """
        return []

    def read(self, fd: int, first: int, end: int, most_bytes: int) -> int:
        """Make the arrays of the leaves from `first` on up to `end`, once.

        Threads may do so for other leaves at the same time.

        Parameters
        ----------
        most_bytes : int
            Of texts, of all these arrays together: arrays with more of them are not made.

        Returns
        -------
        int
            How many bytes of texts there are.
        """
        return 0

    def addresses(self) -> list[int]:
        """Where the array of each leaf is, for whoever takes it over; 0 where it was not made.

        An array is not made of chunks that this does not read, or where anything is wrong with them: other ways read
        them, or say what it is. What nobody takes over is given back with this object.
        """
        return [0] * self._leaves


def count_entries(schema: object, array: object) -> int | None:
    """Count the entries that the leaves in lists of an Arrow array have in Parquet.

    Entries are values, nulls and lists without elements.

    Parameters
    ----------
    schema, array : capsule
        An ``arrow_schema`` and an ``arrow_array`` of the Arrow C data interface.

    Returns
    -------
    int or None
        None if the array has types that are not counted. The compiled kernels count structs, lists and maps; the twin
        counts nothing.
    """
    return None
