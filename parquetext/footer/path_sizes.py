"""Limit the bytes of all paths of a schema, which a long name of a group above many columns makes very many.

pyarrow keeps a copy of the whole path of each column, and so do lists of names. A footer that spells out the path of
each column chunk, as nearly all do, has all of these bytes itself and is never beyond the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import LimitExceeded
from .model import FooterReader

MOST_PATH_BYTES = 1 << 24
TIMES_OF_FOOTER = 2
SHORT_FOOTER = 1 << 12  # its elements are so few that their paths are below the limit
POINTER = 8


def check_paths(scan, *, groups: bool = False) -> None:
    """Check the bytes of the paths of all leaves of a scanned footer, or of groups as well.

    Raises
    ------
    LimitExceeded
        They are more than 16 MiB, and more than twice the footer's bytes.
    """
    size, elements = len(scan.data), scan.element_count
    if size <= SHORT_FOOTER or elements - scan.leaf_count <= 1 or elements * size <= MOST_PATH_BYTES:
        return
    most, total = most_path_bytes(size), 0
    lengths: list[int] = []
    leaves = set() if groups else set(scan.leaves)
    for element, (parent, length) in enumerate(zip(scan.elements("parent"), scan.elements("name_length"), strict=True)):
        lengths.append(lengths[parent] + 1 + length if parent >= 0 else 0)
        total += lengths[element] if groups or element in leaves else 0
    if total > most:
        raise _exceeded(total, most)


def check_form(form: FooterReader, *, groups: bool = False) -> None:
    """Check the paths of a form that has a whole Thrift footer in memory; others are read node by node.

    Raises
    ------
    LimitExceeded
        As `check_paths` raises it.
    """
    scan = getattr(form, "scan", None)
    if scan is not None:
        check_paths(scan, groups=groups)


def nodes_of(form: FooterReader, identities: Iterable[int], size: int) -> Iterator:
    """Yield the nodes of a form while the total size of their paths is below the limit for a file of `size` bytes.

    Raises
    ------
    LimitExceeded
        As `check_paths` raises it.
    """
    most, total = most_path_bytes(size), 0
    for identity in identities:
        node = form.node(identity)
        total += len(node.path) + POINTER * node.path.count(b"\0")  # of a path's parts, which are a tuple
        if total > most:
            raise _exceeded(total, most)
        yield node


def most_path_bytes(size: int, least: int = MOST_PATH_BYTES) -> int:
    """Return how many bytes all paths of a footer of `size` bytes may have together, at least `least`."""
    return max(least, TIMES_OF_FOOTER * size)


def _exceeded(found: int, most: int) -> LimitExceeded:
    message = f"the paths of the columns have {found} bytes or more, the limit is {most}: names of groups are very long"
    return LimitExceeded(f"{message}; name the columns that are wanted", expected=most, found=found)
