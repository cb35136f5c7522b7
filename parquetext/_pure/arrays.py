"""Short column chunks of many flat leaves as Arrow arrays."""

from __future__ import annotations

from .scan import Scan

__all__ = ["Arrays", "count_entries"]


class Arrays:
    """Arrow arrays of the flat leaves of a scan, read from a local file.

    The compiled kernels read top-level leaves whose chunks are uncompressed or compressed by Snappy, if every reader
    decodes their types and encodings alike. The twin reads none, because it would not be faster than other readers.

    Parameters
    ----------
    scan : Scan
    file_size : int
    """

    def __init__(self, scan: Scan, file_size: int):
        self._leaves = scan.leaf_count

    @property
    def count(self) -> int:
        """Return the number of leaves that can be read, judged by the chunks' metadata in the footer."""
        return 0

    def type(self, schema: object) -> None:
        """Choose the types of the arrays. Call it once, before any array is made.

        Parameters
        ----------
        schema : capsule
            An ``arrow_schema`` of the Arrow C data interface, with the top-level fields of the footer. If readers might
            interpret the type of a leaf's field differently, no array is made for that leaf.
        """

    @property
    def stored(self) -> int:
        """Return the size in bytes of the chunks that are to be read."""
        return 0

    def parts(self, most_bytes: int, most_leaves: int) -> list[tuple[int, int]]:
        """Return the ranges of leaves to read with one call each, as (first, end).

        Parameters
        ----------
        most_bytes, most_leaves : int
            Limits of one call. A single leaf may exceed them.
        """
        return []

    def read(self, fd: int, first: int, end: int, most_bytes: int) -> int:
        """Make the arrays of the leaves in ``[first, end)``. Call it once for each leaf.

        Threads may read other leaves at the same time.

        Parameters
        ----------
        most_bytes : int
            The most text bytes that all these arrays may contain together. Arrays that would exceed it are not made.

        Returns
        -------
        int
            The number of text bytes in the arrays.
        """
        return 0

    def addresses(self) -> list[int]:
        """Return the address of each leaf's array; 0 if the array was not made.

        An array is not made if this class does not read its chunks, or if they are damaged. Other readers read such
        chunks, or report the damage. The caller takes over an array by its address; arrays that are not taken over are
        released with this object.
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
        counts no types.
    """
    return None
