"""List the cells of our payloads (docs/formats.md, 3.3 and 7) whose listed positions are in the payload."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .. import wire

Cell = tuple[int, int, str, int]  # begin and end in the payload, name, number of the leaf or key-value, or -1

RECORD_BYTES = 12
COLUMNS, KEY_VALUES = "columns", "key-values"
TEMPLATES, DIRECTORY = "templates", "directory"
NAMES = {
    wire.KIND_ROOT: "root",
    wire.KIND_NODE: "nodes",
    wire.KIND_COLUMN: COLUMNS,
    wire.KIND_ROW_GROUPS: "row groups",
    wire.KIND_KEY_VALUE: KEY_VALUES,
    wire.KIND_POOL: "pool",
    wire.KIND_DIRECTORY: DIRECTORY,
    wire.KIND_BUCKET: "buckets",
    wire.KIND_EXTENSIONS: "extension slots",
    wire.KIND_EXTENSION: "extension slots",
}
FLAT_COUNTS, FLAT_PLACES, PLACES_AT = struct.Struct("<6I"), struct.Struct("<3I"), 40
DIRECTORY_ENTRIES = 60
INDEX_COUNTS, WIDTHS_AT = struct.Struct("<5I"), 48
PACKED_AREA, PACKED_AREAS_AT, PACKED_TAIL_BYTES = struct.Struct("<4I"), 49, 52
PACKED_NAMES = (
    *(TEMPLATES, "leaves", "nodes", "row groups", "placement", "bounds", "texts", "long texts"),
    *(KEY_VALUES, "buckets", "frame", "extension slots"),
)  # of the areas of kinds 1 to 12


def flat_parts(payload: bytes) -> Iterator[Cell]:
    """Yield the cells of a flat footer front to back, and its tail block; nothing if the payload has none."""
    tail = _tail_position(payload, PLACES_AT + FLAT_PLACES.size + RECORD_BYTES)
    if tail is None:
        return
    end = 0
    for position in sorted(_flat_places(payload, tail)):
        length = int.from_bytes(payload[position + 4 : position + 8], "little")
        kind, _, number = struct.unpack_from("<HHI", payload, position + 8)
        if position < end or kind not in NAMES or not wire.FLAT_CELL_HEADER_BYTES <= length <= tail - position:
            continue
        is_one = kind == wire.KIND_KEY_VALUE or (kind == wire.KIND_COLUMN and _leaves_of_a_cell(payload, tail) == 1)
        yield position, position + length, NAMES[kind], number if is_one else -1
        end = position + length
    yield tail, len(payload), "tail block", -1


def _tail_position(payload: bytes, least: int) -> int | None:
    length = int.from_bytes(payload[-8:-4], "little") if len(payload) >= RECORD_BYTES else 0
    return len(payload) - length if least <= length <= len(payload) else None


def _leaves_of_a_cell(payload: bytes, tail: int) -> int:
    return max(1, 8 // max(1, int.from_bytes(payload[tail + 8 : tail + 12], "little")))


def _flat_places(payload: bytes, tail: int) -> Iterator[int]:
    """Yield possible offsets of cells: those in the directory, and parts that the columns' first cells list."""
    most = tail - wire.FLAT_CELL_HEADER_BYTES
    leaves, nodes, _, pairs, pages, parts = FLAT_COUNTS.unpack_from(payload, tail)
    directory, buckets, bucket_count = FLAT_PLACES.unpack_from(payload, tail + PLACES_AT)
    columns = -(-leaves // _leaves_of_a_cell(payload, tail))
    listed = 0
    for page in range(directory, most + 1, wire.FLAT_PAGE_BYTES):
        if listed >= columns + nodes + parts + pairs + 1 + pages:
            break
        yield page
        used = min(int.from_bytes(payload[page + 10 : page + 12], "little"), DIRECTORY_ENTRIES)
        for (position,) in struct.iter_unpack("<I", payload[page + 16 : page + 16 + 4 * used]):
            if position <= most:
                yield position
                yield from _further_parts(payload, position, parts, most) if listed < columns else ()
            listed += 1
        if not used:
            break
    yield from range(buckets, min(buckets + bucket_count * wire.FLAT_PAGE_BYTES, most + 1), wire.FLAT_PAGE_BYTES)


def _further_parts(payload: bytes, block: int, parts: int, most: int) -> Iterator[int]:
    begin = block + 20
    end = min(begin + 4 * max(parts - 1, 0), most)
    if end > begin:
        found = struct.iter_unpack("<I", payload[begin : end - (end - begin) % 4])
        yield from (position for (position,) in found if position <= most)


def index_parts(payload: bytes) -> Iterator[Cell]:
    """Yield the cells of a footer index front to back, those of a leaf together, and its tail block."""
    tail = _tail_position(payload, WIDTHS_AT + 4 + RECORD_BYTES)
    if tail is None:
        return
    leaves, nodes, row_groups, pairs, _ = INDEX_COUNTS.unpack_from(payload, tail)
    offsets, lengths, numbers = payload[tail + WIDTHS_AT : tail + WIDTHS_AT + 3]
    parts = -(-row_groups // wire.FLAT_PART_ROW_GROUPS)
    element = 8 + offsets + lengths + 3 * numbers + 3
    leaf_bytes = element + 4 + row_groups * (offsets + lengths) + 8 * max(parts - 1, 0)
    at = 0
    for leaf in range(leaves if leaves * leaf_bytes <= tail else 0):
        yield at, at + leaf_bytes, COLUMNS, leaf
        at += leaf_bytes
    sizes = (
        ("nodes", nodes * (element + 2 * numbers)),
        ("row groups", 4 * parts + row_groups * (4 + 4 * offsets)),
        (KEY_VALUES, pairs * (8 + 2 * offsets)),
    )
    for name, size in sizes:
        if size and at + size <= tail:
            yield at, at + size, name, -1
            at += size
    if at < tail:
        yield at, tail, "buckets", -1
    yield tail, len(payload), "tail block", -1


def packed_parts(payload: bytes) -> Iterator[Cell]:
    """Yield the areas of a packed footer front to back, the lists of their cells, and its tail block."""
    tail = _tail_position(payload, PACKED_TAIL_BYTES + RECORD_BYTES)
    if tail is None:
        return
    count = min(payload[tail + PACKED_AREAS_AT], (len(payload) - tail - PACKED_TAIL_BYTES) // PACKED_AREA.size)
    parts: list[tuple[int, int, str]] = []
    for number in range(count):
        kind, cells, begin, directory = PACKED_AREA.unpack_from(
            payload, tail + PACKED_TAIL_BYTES + PACKED_AREA.size * number
        )
        end = directory + 4 * cells
        if cells and 1 <= kind <= len(PACKED_NAMES) and end <= tail:
            last = int.from_bytes(payload[end - 4 : end], "little")
            parts += (begin, last, PACKED_NAMES[kind - 1]), (directory, end, DIRECTORY)
    at = 0
    for begin, end, name in sorted(parts):
        if at <= begin < end <= tail:
            yield begin, end, name, -1
            at = end
    yield tail, len(payload), "tail block", -1
