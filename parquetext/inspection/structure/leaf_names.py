"""The names of leaves in findings."""

from __future__ import annotations

from ...footer.path_sizes import most_path_bytes

__all__ = ["leaf_paths"]

LONGEST_PATH = 1000  # characters
FEW_BYTES = 1 << 20  # that all paths may have, however short the footer is
SHORTEST_CUT = 80  # characters that each path keeps, however many paths there are
LONGEST_CHARACTER = 4  # bytes in UTF-8


def leaf_paths(scan) -> list[str]:
    """Return the dotted paths of the leaves without the root's name.

    Of a path longer than 1000 characters only the end is returned, after an ellipsis. If all paths together have more
    than 1 MiB and more than twice the footer's bytes, because names of groups are long, the limit is lower.
    """
    if scan is None:
        return []
    longest = _longest_path(scan)
    kept = longest + 1  # characters, one more than are shown: a path that has it is cut
    most_bytes = LONGEST_CHARACTER * (kept + 1)  # the first 3 may be the end of a character
    data, paths = memoryview(scan.data), []
    for parent, offset, length in zip(*map(scan.elements, ("parent", "name_offset", "name_length")), strict=True):
        end = offset + length
        name = bytes(data[max(offset, end - most_bytes) : end]).decode("utf-8", "replace")
        paths.append((f"{paths[parent]}.{name}" if parent > 0 else name)[-kept:])
    return [path if len(path) <= longest else f"…{path[1:]}" for path in map(paths.__getitem__, scan.leaves)]


def _longest_path(scan) -> int:
    """Return the number of characters after which a path is cut."""
    most, total = most_path_bytes(len(scan.data), FEW_BYTES), 0
    if scan.element_count * LONGEST_PATH <= most:
        return LONGEST_PATH
    lengths: list[int] = []
    for parent, length in zip(scan.elements("parent"), scan.elements("name_length"), strict=True):
        lengths.append(min(length + (lengths[parent] + 1 if parent > 0 else 0), LONGEST_PATH))
        total += lengths[-1]
    return LONGEST_PATH if total <= most else max(most // scan.element_count, SHORTEST_CUT)
