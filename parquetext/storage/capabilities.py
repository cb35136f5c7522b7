"""Capabilities of open files. Callers ask for these instead of testing classes.

A reader accepts any object with `read(offset, length)` and `size`: a source of this package, the kernels' file, or an
overlay over one of these. The functions here also accept such objects.
"""

from __future__ import annotations


def has_descriptor(source: object) -> bool:
    """Return True if `source.fd` is a file descriptor of the operating system."""
    return hasattr(source, "fd")


def is_remote(source: object) -> bool:
    """Return True if each read may be a request to a server; `source.target` is then the file's address."""
    return hasattr(source, "target")


def can_gather(source: object) -> bool:
    """Return True if `source.gather` fetches the ranges that several operations need together."""
    return hasattr(source, "gather")


def can_read_many(source: object) -> bool:
    """Return True if `source.read_many` fetches several ranges at the same time."""
    return hasattr(source, "read_many")


def can_reopen(source: object) -> bool:
    """Return False for bytes in memory and for files that the caller has opened: they have no path."""
    return getattr(source, "can_reopen", True)


def has_arrow_file(source: object) -> bool:
    """Return True if `source.for_arrow()` returns the file as pyarrow's readers expect it."""
    return hasattr(source, "for_arrow")


def counts_requests(source: object) -> bool:
    """Return True if `source.requests` and `source.bytes_read` count what was read."""
    return hasattr(source, "requests")
