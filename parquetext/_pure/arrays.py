"""Short column chunks of many flat leaves as Arrow arrays."""

from __future__ import annotations

from .scan import Scan

__all__ = ["Arrays"]


class Arrays:
    """Arrow arrays of the flat leaves of a scan, read from a local file.

    The compiled kernels read top-level leaves of chunks that are not compressed or by Snappy, of types and encodings
    that every reader decodes alike. The twin reads none: it is no sooner than others.

    Parameters
    ----------
    scan : Scan
        Of a footer without nested columns.
    schema : capsule
        An ``arrow_schema`` of the Arrow C data interface: a field for each leaf, of the type that its array will have.
    file_size : int
    """

    def __init__(self, scan: Scan, schema: object, file_size: int):
        self._leaves = scan.leaf_count

    @property
    def is_whole(self) -> bool:
        """Whether all leaves are to be read, as far as the footer tells."""
        return not self._leaves

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
