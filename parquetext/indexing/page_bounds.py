"""The bounds of pages as a column index stores them."""

from __future__ import annotations

from typing import Any

from .value_order import ValueOrder

LONGEST = 64  # bytes of a bound of texts, as in parquet-java

Bounds = tuple[bytes, bytes]


def bounds_of(low: Any, high: Any, order: ValueOrder) -> Bounds:
    """Return the bounds of a page whose smallest and greatest value have these keys."""
    assert order.plain is not None
    if order.is_nan is not None:  # readers may take one zero for smaller than the other one
        low = -0.0 if low == 0 else low
        high = 0.0 if high == 0 else high
    minimum, maximum = order.plain(low), order.plain(high)
    if order.is_truncatable and not order.width:
        return minimum[: _end_of_text(minimum)], shortened_maximum(maximum)
    return minimum, maximum


def shortened_maximum(value: bytes) -> bytes:
    """Return an upper bound of at most 64 bytes: the begin of the value, with its last character incremented.

    If no character can be incremented, the value itself is returned.
    """
    if len(value) <= LONGEST:
        return value
    begin = value[: _end_of_text(value)]
    try:
        text = begin.decode()
    except UnicodeDecodeError:
        shorter = begin.rstrip(b"\xff")
        return shorter[:-1] + bytes([shorter[-1] + 1]) if shorter else value
    for end in range(len(text), 0, -1):
        following = ord(text[end - 1]) + 1
        if following == 0xD800:
            following = 0xE000
        if following <= 0x10FFFF:
            found = (text[: end - 1] + chr(following)).encode()
            if len(found) <= LONGEST:
                return found
    return value


def _end_of_text(value: bytes) -> int:
    """Return the most bytes that a bound keeps: 64, or less if that is within a UTF-8 character."""
    if len(value) <= LONGEST:
        return len(value)
    return next((end for end in range(LONGEST, LONGEST - 4, -1) if value[end] & 0xC0 != 0x80), LONGEST)
