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
    paths: list[str] = []
    for element, parent in enumerate(parents):
        name = bytes(data[offsets[element] : offsets[element] + lengths[element]]).decode("utf-8", "replace")
        path = "" if parent < 0 else f"{paths[parent]}.{name}" if paths[parent] else name
        paths.append(path if len(path) <= LONGEST_PATH else f"…{path[-LONGEST_PATH:]}")
    return [paths[element] for element in scan.leaves]
