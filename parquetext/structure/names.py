"""The names of leaves in findings."""

from __future__ import annotations

__all__ = ["leaf_paths"]

LONGEST_PATH = 1000  # characters: all paths of a deep schema together may be far longer than its footer


def leaf_paths(scan) -> list[str]:
    """Return the dotted paths of the leaves without the root's name; of a long path, the end."""
    if scan is None:
        return []
    data, parents = memoryview(scan.data), scan.elements("parent")
    offsets, lengths = scan.elements("name_offset"), scan.elements("name_length")

    def path(element: int) -> str:
        names, size = [], 0
        while parents[element] >= 0 and size <= LONGEST_PATH:  # groups further up are not shown
            name = bytes(data[offsets[element] : offsets[element] + lengths[element]]).decode("utf-8", "replace")
            names.append(name)
            size += len(name) + 1
            element = parents[element]
        found = ".".join(reversed(names))
        return found if parents[element] < 0 and len(found) <= LONGEST_PATH else f"…{found[-LONGEST_PATH:]}"

    return [path(element) for element in scan.leaves]
