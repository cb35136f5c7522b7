"""The number of values and nulls that are read of a column chunk, which its footer may contradict."""

from __future__ import annotations

from .codecs import BELIEVED

__all__ = ["entries_of", "most_entries"]

LIST_ENTRY_BYTES = 8  # of a value or null in a list: two levels and an offset


def entries_of(num_values: int, num_rows: int, repetition: int) -> int:
    """Return how many values and nulls are read of a chunk, as far as its footer tells.

    The rows of the row group are read: each has one value or null outside of lists, and at least one in lists.
    """
    return max(num_values, num_rows) if repetition else num_rows


def most_entries(entries: int, size: int, width: int) -> int:
    """Return how many values and nulls are read at most of a chunk in lists, whose pages take `size` bytes.

    The pages may have more than the footer says, if these take at most `BELIEVED` times the bytes of the pages.
    """
    return max(entries, BELIEVED * size // (LIST_ENTRY_BYTES + width))
