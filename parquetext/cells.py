"""Texts in the cells of tables: their widths, and which of them may be shortened."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

ELLIPSIS = "…"
LONGEST_WHOLE = 80  # letters; a decimal of 76 digits has 78
_NUMBER = re.compile(r"[-+]?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?(?: ?[×%M])?|[-+]?inf|nan", re.ASCII)
_WHOLE = re.compile(
    r"""
      -?\d{4,}-\d\d-\d\d (?: [ T] \d\d:\d\d(?::\d\d(?:\.\d+)?)? (?:Z|[+-]\d\d:?\d\d(?::?\d\d)?)? )?  # dates, timestamps
    | \d\d:\d\d(?::\d\d(?:\.\d+)?)? (?:Z|[+-]\d\d:?\d\d)?                                            # times
    | -?\d+\ days?(?:,\ -?\d+:\d\d:\d\d(?:\.\d+)?)?                                                  # durations
    | [\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}                                              # UUIDs
    | (?:0x)?[\da-fA-F]{8,64}                                                                        # hashes
    """,
    re.ASCII | re.VERBOSE,
)


def is_number(text: str) -> bool:
    """Return True if a text is a number as tables show it: ``-1,234.5``, ``1e+300``, ``12.5%``, ``nan``."""
    return _NUMBER.fullmatch(text) is not None


def is_whole(text: str) -> bool:
    """Return True if a part of the text would mislead: numbers, dates, times, durations, UUIDs and hashes.

    Examples
    --------
    >>> from parquetext.cells import is_whole
    >>> [is_whole(text) for text in ("2024-01-01 12:00:00.000000Z", "-1.5e-7", "a name")]
    [True, True, False]
    """
    return len(text) <= LONGEST_WHOLE and (is_number(text) or _WHOLE.fullmatch(text) is not None)


def width_of(text: str) -> int:
    """Return the width of a text in a terminal, in which East Asian letters take two columns."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(text: str, most: int) -> str:
    """Return the text, cut to a width, with an ellipsis at its end if it is cut."""
    if width_of(text) <= most:
        return text
    end, left = 0, most - 1
    for letter in text:
        left -= width_of(letter)
        if left < 0:
            break
        end += 1
    return text[:end] + ELLIPSIS
