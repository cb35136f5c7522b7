"""The parts of a Thrift FileMetaData: its fields, and in them schema elements, row groups, chunks and key-values."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels
from ...footer.chunk_copies import copies_by_chunk

Part = tuple[int, int, str, dict]  # offset and end in the file, kind, attributes of the claim

SCHEMA, ROW_GROUPS, KEY_VALUES, CREATED_BY, COLUMN_ORDERS, ENCRYPTION, SIGNING_KEY = 2, 4, 5, 6, 7, 8, 9
KINDS = {
    SCHEMA: "schema",
    ROW_GROUPS: "row-group",
    KEY_VALUES: "key-value",
    CREATED_BY: "created-by",
    COLUMN_ORDERS: "column-orders",
    ENCRYPTION: "encryption",
    SIGNING_KEY: "encryption",
}
LONGEST_NAME = 80


def thrift_parts(footer: bytes, scan, base: int, end: int) -> Iterator[Part]:
    """Yield the parts of the struct at `base` in the file that end before `end`, without the bytes between them."""
    inner = {SCHEMA: _elements, ROW_GROUPS: _row_groups, KEY_VALUES: _key_values}
    for id, _, header, value, stop in kernels.thrift.fields(footer):
        if id not in KINDS or base + stop > end:
            continue
        kind, at = KINDS[id], header
        for start, behind, own, attributes in inner[id](footer, scan) if id in inner else ():
            if not value <= start < behind <= stop or start < at:
                continue  # of an earlier field with this id
            if at < start:
                yield base + at, base + start, kind, {}
            yield base + start, base + behind, own, attributes
            at = behind
        if at < stop:
            yield base + at, base + stop, kind, {}


def _elements(footer: bytes, scan) -> Iterator[Part]:
    leaf_of = {element: leaf for leaf, element in enumerate(scan.leaves)}
    positions = zip(scan.elements("bytes_offset"), scan.elements("bytes_length"), strict=True)
    for element, (offset, length) in enumerate(positions):
        leaf = leaf_of.get(element)
        yield offset, offset + length, "schema", {} if leaf is None else {"column": leaf}


def _row_groups(footer: bytes, scan) -> Iterator[Part]:
    extensions = {found.index: found.extension for found in copies_by_chunk(scan)}
    chunk, positions = 0, list(zip(scan.chunks("chunk_offset"), scan.chunks("chunk_length"), strict=True))
    groups = zip(
        scan.row_groups("bytes_offset"), scan.row_groups("bytes_length"), scan.row_groups("chunk_count"), strict=True
    )
    for row_group, (offset, length, count) in enumerate(groups):
        at = offset
        for leaf, (start, size) in enumerate(positions[chunk : chunk + count]):
            if at < start:
                yield at, start, "row-group", {"row_group": row_group}
            column = leaf if leaf < scan.leaf_count else -1
            yield from _chunk_parts(
                start, size, {"row_group": row_group, "column": column}, extensions.get(chunk + leaf)
            )
            at = start + size
        if at < offset + length:
            yield at, offset + length, "row-group", {"row_group": row_group}
        chunk += count


def _chunk_parts(start: int, size: int, owner: dict, extension: tuple[int, int] | None) -> Iterator[Part]:
    """Yield the parts of a ColumnChunk; the extension of its metadata is one. Offsets count from the footer's start."""
    at, end = start, start + size
    if extension is not None and extension[1] and start <= extension[0] <= sum(extension) <= end:
        yield start, extension[0], "chunk-metadata", owner
        at = sum(extension)
        yield extension[0], at, "column-extension", owner
    yield at, end, "chunk-metadata", owner


def _key_values(footer: bytes, scan) -> Iterator[Part]:
    positions = (scan.key_values(name) for name in ("bytes_offset", "bytes_length"))
    for offset, length, name in zip(*positions, key_names(footer, scan), strict=True):
        yield offset, offset + length, "key-value", {"name": name}


def key_names(footer: bytes, scan) -> list[str]:
    """Return the keys of the key-values, shortened if they are long."""
    positions = zip(scan.key_values("key_offset"), scan.key_values("key_length"), strict=True)
    return [bytes(footer[key : key + min(size, LONGEST_NAME)]).decode("utf-8", "replace") for key, size in positions]
