"""Plan many files at once by their sidecars."""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from .. import systems, wire
from ..errors import ParquetextError, wire_error
from .bounds import Leaf, usable_bounds
from .checksum import xxh64
from .chunks import CHUNK_MEMBERS
from .encoding_runs import pack_booleans
from .records import checked
from .sidecar_file import is_untouched
from .sidecar_read import Reader
from .sidecar_slice import Slices
from .sidecar_sums import BEHIND, ENTRY_HEAD, SUMS, Parts, column_sum, descriptor, lead_sum, tail_bytes

__all__ = ["NONE", "OTHER", "PLANNED", "UNUSED", "first_schema", "gather"]

PLANNED, NONE, UNUSED, OTHER = range(4)
# The compiled kernels read a sidecar in parts if this saves reads; one of a page takes about as long as starting it.
PAGE, READS = 1 << 12, 4
LARGEST = 0xFFFFFFFF
HEADER = struct.Struct("<QQiII")


class Wanted(NamedTuple):
    """The request of a plan: files of this schema, these columns."""

    schema: bytes
    hash: int
    leaves: Sequence[int]

    @classmethod
    def of(cls, schema: bytes, leaves: Sequence[int]) -> Wanted:
        return cls(schema, xxh64(schema), leaves)


def read_by_sums(data: bytes, wanted: Wanted) -> tuple[int, Parts] | None:
    """Read a sidecar whose note with checksums covers all bytes that a plan uses. Other bytes are not checked.

    Returns
    -------
    (int, Parts) or None
        PLANNED or OTHER, except for the check of the file itself. None if the whole sidecar must be checked.
    """
    if len(data) < HEADER.size:
        return None
    committed, features, _, _, columns = HEADER.unpack_from(data)
    first_block, tail_size = descriptor(columns), tail_bytes(columns)
    if (
        not READS * PAGE <= committed <= len(data)
        or features & wire.PM_REQUIRED_MASK
        or first_block + wire.PM_FOOTER_BYTES + tail_size > committed
    ):
        return None
    data = data[:committed]
    tail = data[-tail_size:]
    sums_at = ENTRY_HEAD + wire.PM_ORIGIN_BYTES
    schema_hash, schema_length, count, groups, layout, lead = SUMS.unpack_from(tail, -BEHIND - wire.PM_SUMS_CRC)
    heads = struct.unpack_from("<II", tail), struct.unpack_from("<II", tail, sums_at)
    origin_head = wire.PM_ORIGIN_CODE, wire.PM_ORIGIN_BYTES
    if heads != (origin_head, (wire.PM_SUMS_CODE, 4 * columns + wire.PM_SUMS_BYTES)):
        return None
    if (layout, count) != (wire.PM_SUMS_KNOWN_LAYOUT, columns):
        return None
    parts = parts_of(data, columns, groups, tail_size)
    if parts is None or lead_sum(parts, tail[:-BEHIND]) != lead:
        return None
    block_size = wire.PM_BLOCK_BYTES + columns * wire.PM_CHUNK_BYTES
    if not all(first_block <= parts.block(row) <= parts.footer.offset - block_size for row in range(groups)):
        return None
    if (schema_hash, schema_length) != (wanted.hash, len(wanted.schema)):
        return OTHER, parts
    if READS + len(wanted.leaves) * groups > committed // PAGE or max(wanted.leaves, default=0) >= columns:
        return None
    sums = struct.unpack_from(f"<{columns}I", tail, sums_at + ENTRY_HEAD)
    return (PLANNED, parts) if all(column_sum(parts, leaf) == sums[leaf] for leaf in wanted.leaves) else None


def parts_of(data: bytes, columns: int, groups: int, tail_size: int) -> Parts | None:
    """Return the parts of a sidecar by the length in its trailer; None if that does not fit the numbers in its note."""
    trailer = len(data) - wire.PM_TRAILER_BYTES
    length = int.from_bytes(data[trailer:], "little")
    least = wire.PM_FOOTER_BYTES + groups * wire.PM_ENTRY_BYTES + tail_size - wire.PM_TRAILER_BYTES
    if not least <= length <= trailer - descriptor(columns):
        return None
    parts = Parts(data, columns, trailer - length)
    is_known = parts.row_group_count == groups and not parts.footer.features & wire.PM_REQUIRED_MASK
    return parts if is_known else None


class Opened(NamedTuple):
    """A sidecar that belongs to its file. If it was read in parts, the schema is the requested one."""

    reader: Reader | Parts
    schema: bytes


def first_schema(paths: Sequence[str], *, verify: bool = True) -> tuple[int, bytes] | None:
    """Find the first file with a sidecar that belongs to it and contains what slices need.

    Parameters
    ----------
    paths : list of str
        Paths of local files.
    verify : bool
        Check the checksums.

    Returns
    -------
    (int, bytes) or None
        The number of the file, and its schema: a Thrift FileMetaData without row groups.
    """
    for number, path in enumerate(encoded(paths)):
        _, opened = open_beside(path, verify)
        if opened is not None:
            return number, opened.schema
    return None


def gather(paths: Sequence[str], schema, columns: Sequence[tuple[int, int]], *, verify: bool = True) -> tuple:
    """Return the statistics of some columns from the sidecars of files with one schema.

    Parameters
    ----------
    paths : list of str
        Paths of local files.
    schema : Scan
        The schema of `first_schema`, scanned.
    columns : list of (int, int)
        Leaves, and the size in bytes of each leaf's bounds; 0 if it varies.
    verify : bool
        Check the checksums.

    Returns
    -------
    statuses : bytes
        For each file: PLANNED, NONE (it has no sidecar), UNUSED (the sidecar does not belong to the file, is damaged,
        or lacks data), OTHER (it has another schema).
    counts : memoryview
        The number of row groups of each file (``I``), 0 if it was not planned.
    facts : list of tuples
        For each column, the buffers of arrays over the row groups of all files, concatenated: null counts and values
        (``int64``, -1 if unknown), then the usable minima, then the maxima (a bitmap of present bounds, ends as
        ``int64`` or None, bytes).
    filtered : bytes
        For each file, 1 if it was planned and its sidecar has Bloom filters.
    """
    gathered = [ColumnStatistics(schema, leaf, width) for leaf, width in columns]
    statuses, counts, filtered = bytearray(), array("I"), bytearray()
    wanted = Wanted.of(bytes(memoryview(schema.data)), [leaf for leaf, _ in columns])
    for path in encoded(paths):
        status, opened = open_beside(path, verify, wanted)
        if opened is not None and opened.schema != wanted.schema:
            status = OTHER
        elif opened is not None:
            try:
                found = [column.read(opened.reader) for column in gathered]
            except ParquetextError:
                status = UNUSED
            else:
                for column, fields in zip(gathered, found, strict=True):
                    column.append(*fields)
        statuses.append(status)
        reader = opened.reader if opened is not None and status == PLANNED else None
        counts.append(0 if reader is None else reader.row_group_count)
        filtered.append(reader is not None and bool(reader.features & wire.PM_FEATURE_BLOOM_FILTERS))
    return bytes(statuses), memoryview(counts), [column.buffers() for column in gathered], bytes(filtered)


def encoded(paths: Sequence[str]) -> list[bytes]:
    names = [os.fsencode(path) for path in paths]
    if any(b"\0" in name for name in names):
        raise ValueError("embedded null byte")
    return names


def open_beside(path: bytes, verify: bool, wanted: Wanted | None = None) -> tuple[int, Opened | None]:
    """Open the sidecar of a file: ``_NAME.pm``, or for ``data.parquet`` also ``_pm``."""
    folder, name = os.path.split(path)
    status, opened = open_one(path, os.path.join(folder, b"_" + name + b".pm"), verify, wanted)
    if opened is None and status != OTHER and name == b"data.parquet":
        other, opened = open_one(path, os.path.join(folder, b"_pm"), verify, wanted)
        status = status if other == NONE else other
    return status, opened


def open_one(path: bytes, sidecar: bytes, verify: bool, wanted: Wanted | None) -> tuple[int, Opened | None]:
    try:
        fd = systems.open_file(sidecar, os.O_RDONLY | systems.O_CLOEXEC | systems.O_NONBLOCK)
    except FileNotFoundError:
        return NONE, None
    except OSError:
        return UNUSED, None
    try:
        data, size = read_file(fd), os.fstat(fd).st_size
    except OSError:
        return UNUSED, None
    finally:
        os.close(fd)
    try:
        found = None if wanted is None else read_by_sums(data, wanted)
    except ParquetextError:
        found = None
    if wanted is not None and found is not None and is_beside(path, found[1], found[1].origin):
        return found[0], Opened(found[1], wanted.schema) if found[0] == PLANNED else None
    return open_whole(data, path, verify) if size <= LARGEST else (UNUSED, None)


def open_whole(data: bytes, path: bytes, verify: bool) -> tuple[int, Opened | None]:
    committed = int.from_bytes(data[:8], "little") if len(data) >= wire.PM_SMALLEST_BYTES else 0
    if not wire.PM_SMALLEST_BYTES <= committed <= len(data):
        return UNUSED, None
    try:
        reader = Reader(data[:committed], verify=False)
        notes = reader.scratchpad
        slices = Slices(reader, notes.get(wire.PM_SLICES_CODE, b""))
        fits = (slices.leaf_count, slices.row_group_count) == (reader.column_count, reader.row_group_count)
        if not fits or not is_beside(path, reader, notes.get(wire.PM_ORIGIN_CODE, b"")):
            return UNUSED, None
        if verify:
            reader.check()
    except ParquetextError:
        return UNUSED, None
    return PLANNED, Opened(reader, slices.schema)


def read_file(fd: int) -> bytes:
    """Read a file up to the largest size of a sidecar."""
    with open(fd, "rb", closefd=False) as file:
        return file.read(LARGEST)


def is_beside(path: bytes, reader: Reader | Parts, note: bytes) -> bool:
    """Return True if the file at `path` is the unchanged one for which a sidecar was written."""
    try:
        return is_untouched(os.stat(path), reader.footer, note)
    except OSError:
        return False


class Side:
    """The usable minima or maxima of a column, by row group."""

    def __init__(self, width: int):
        self.width = width
        self.values: list[bytes | None] = []

    def buffers(self) -> tuple[bytes, bytes | None, bytes]:
        stored = [bytes(self.width) if value is None else value for value in self.values]
        ends = array("q", accumulate(map(len, stored), initial=0) if stored else ())
        valid = pack_booleans([value is not None for value in self.values])
        return valid, None if self.width else ends.tobytes(), b"".join(stored)


class ColumnStatistics:
    """One column's statistics in all files so far."""

    def __init__(self, schema, leaf: int, width: int):
        checked(leaf, schema.leaf_count)
        self.number = leaf
        self.leaf = Leaf(*(schema.elements(name)[schema.leaves[leaf]] for name in Leaf._fields))
        self.nulls, self.values = array("q"), array("q")
        self.low, self.high = Side(width), Side(width)

    def read(self, reader: Reader | Parts) -> tuple:
        """Return null counts, values, and (minimum, maximum) pairs of one file."""
        if reader.column(self.number).physical_type != self.leaf.type:
            raise wire_error(wire.PM_SLICES, 0, self.number, self.number)
        chunks, data = reader.chunks(self.number), memoryview(reader.data)
        pairs = []
        for has, low, low_size, high, high_size in zip(*chunks.bounds(), strict=True):
            present = (wire.PRESENT_MIN_VALUE if has & 1 else 0) | (wire.PRESENT_MAX_VALUE if has & 2 else 0)
            chunk = dict.fromkeys(CHUNK_MEMBERS, 0) | {
                "present": present,
                "min_value_offset": low,
                "min_value_length": low_size,
                "max_value_offset": high,
                "max_value_length": high_size,
            }
            has, low, low_size, high, high_size = usable_bounds(data, chunk, self.leaf)
            pairs.append(
                (
                    bytes(data[low : low + low_size]) if has & 1 else None,
                    bytes(data[high : high + high_size]) if has & 2 else None,
                )
            )
        return chunks.array("null_count"), chunks.array("num_values"), pairs

    def append(self, nulls, values, pairs) -> None:
        self.nulls.extend(nulls)
        self.values.extend(values)
        for low, high in pairs:
            self.low.values.append(low)
            self.high.values.append(high)

    def buffers(self) -> tuple:
        return self.nulls.tobytes(), self.values.tobytes(), self.low.buffers(), self.high.buffers()
