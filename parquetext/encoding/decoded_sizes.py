"""Limits of the memory that values and pages take if the file has few bytes for them."""

from __future__ import annotations

import os

from ..errors import LimitExceeded, ParquetextError
from .codecs import BELIEVED

LIST_ENTRY_BYTES = 8  # of a value or null in a list: two levels and an offset


def entries_of(num_values: int, num_rows: int, repetition: int) -> int:
    """Return the number of values and nulls of a chunk according to the footer.

    The rows of the row group are read: each has one value or null outside of lists, and at least one in lists.
    """
    return max(num_values, num_rows) if repetition else num_rows


def most_entries(entries: int, size: int, width: int) -> int:
    """Return how many values and nulls are read at most of a chunk in lists, whose pages take `size` bytes.

    The pages may have more than the footer says, if these take at most `BELIEVED` times the bytes of the pages.
    """
    return max(entries, BELIEVED * size // (LIST_ENTRY_BYTES + width))


DECODED_SIZE_LIMIT = 1 << 32
VARIABLE = "PARQUETEXT_DECODED_SIZE_LIMIT"
VAST_PAGE = 1 << 24  # bytes below which a page is decompressed, however few are stored
LEVEL_BYTES = 8  # of an entry: two levels, with their runs
SPARE_BYTES = 1 << 20  # of block headers and padding
PAGES_OF_LIMIT = 64  # a byte-array page may have this part of `decoded_size_limit`


def check_option(limit: int | None) -> None:
    """Raise ValueError if `decoded_size_limit` is not above 0."""
    if limit is not None and limit <= 0:
        raise ValueError(f"decoded_size_limit must be larger than zero, not {limit}")


def limit_of(given: int | None) -> int:
    """Return the limit in bytes: the option's value, else that of the environment variable, else the default."""
    if given is not None:
        return given
    text = os.environ.get(VARIABLE)
    if text is None:
        return DECODED_SIZE_LIMIT
    if not text.isdecimal() or not int(text):
        raise ParquetextError(f"{VARIABLE} is a number of bytes above 0, not {text!r}")
    return int(text)


def check_page_size(values: int, size: int, stored: int, width: int, most: int) -> None:
    """Check the decompressed size in a page's header.

    Parameters
    ----------
    values : int
        How many values and nulls the page has.
    size, stored : int
        Bytes of the page, decompressed and in the file.
    width : int
        Bytes of a value; 0 for byte arrays.
    most : int
        The limit of bytes that values take in memory.

    Raises
    ------
    LimitExceeded
        The page is larger than 16 MiB and 64 times its stored bytes, and larger than its values can be: of byte arrays
        a 64th of `most`.
    """
    if size <= max(VAST_PAGE, BELIEVED * stored):
        return
    needed = 2 * values * (width + LEVEL_BYTES) + SPARE_BYTES if width else most // PAGES_OF_LIMIT
    if size <= needed:
        return
    message = f"a page of {stored} bytes decompresses to {size}"
    reason = (
        f"its {values} values need {needed} at most" if width else f"the limit is {needed} (decoded_size_limit / 64)"
    )
    raise LimitExceeded(f"{message}; {reason}", expected=needed, found=size)
