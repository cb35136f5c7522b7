"""Compare an index with the Thrift footer into which it leads."""

from __future__ import annotations

from collections.abc import Iterator

from .index_struct import FooterIndex, child_counts, chunk_offsets, element_paths
from .name_hash import NameHash


def differences(index: FooterIndex, scan) -> Iterator[tuple[str, int]]:
    """Yield the first difference of each part of an index from a scanned footer: a message, and the target's offset."""
    found, expected = (index.leaves, index.row_groups), (scan.leaf_count, scan.row_group_count)
    if found != expected:
        yield f"leaves and row groups: the jump table says {found}, Thrift {expected}", 0
        return
    if scan.regular:
        yield from _first("chunk", index.chunks, chunk_offsets(scan))
    if not index.elements:
        return
    if index.elements != scan.element_count:
        yield f"schema elements: the jump table says {index.elements}, Thrift {scan.element_count}", 0
        return
    yield from _first("schema element", index.element_offsets, scan.elements("bytes_offset"))
    if index.children is not None:
        yield from _first("number of children of schema element", index.children, child_counts(scan))
    if index.names is not None:
        yield from _lost_name(index.names, scan)


def _first(what: str, found, expected) -> Iterator[tuple[str, int]]:
    for number, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if ours != theirs:
            yield f"{what} {number}: the jump table says {ours}, Thrift {theirs}", theirs
            return


def _lost_name(names: NameHash, scan) -> Iterator[tuple[str, int]]:
    offsets = scan.elements("bytes_offset")
    for element, path in enumerate(element_paths(scan)):
        if element and element not in names.candidates(path):
            yield f"the table of names does not lead to schema element {element}, {path!r:.80}", offsets[element]
            return
