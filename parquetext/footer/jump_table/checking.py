"""Check that a Thrift footer can have a jump table, and compare an index with the footer into which it leads."""

from __future__ import annotations

from collections.abc import Iterator

from ... import wire
from ...errors import Unsupported
from ...thrift.values import names_of_path
from .index_struct import FooterIndex, child_counts, chunk_offsets, element_paths
from .name_hash import NameHash

NEEDED = wire.PRESENT_METADATA | wire.PRESENT_TYPE | wire.PRESENT_FILE_OFFSET


def check_chunks(scan) -> None:
    """Raise Unsupported if a column chunk contradicts the schema: the reader would not take it for the column's."""
    paths, types = element_paths(scan), scan.elements("type")
    leaves = [(types[element], names_of_path(paths[element])) for element in scan.leaves]
    fields = (scan.chunks(name) for name in ("present", "type", "chunk_offset", "chunk_length"))
    data = memoryview(scan.data)
    for number, (present, physical, begin, length) in enumerate(zip(*fields, strict=True)):
        row_group, leaf = divmod(number, len(leaves))
        expected, path = leaves[leaf]
        has_path = not present & wire.PRESENT_PATH_IN_SCHEMA or path in bytes(data[begin : begin + length])
        if present & NEEDED != NEEDED or physical != expected or not has_path:
            message = f"row group {row_group}, leaf {leaf}: a column chunk that contradicts the schema"
            raise Unsupported(f"{message} has no place in a jump table", offset=begin, code=wire.MISMATCH)


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
