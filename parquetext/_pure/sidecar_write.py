"""Write a sidecar, or append to one: header, blocks, footer."""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Callable
from itertools import islice
from typing import Any

from .. import wire
from ..errors import wire_error
from .checksum import crc32
from .records import checked
from .scan import ELEMENT_MEMBERS, NO_FIELD_ID, Scan
from .sidecar_facts import chunk_fields
from .sidecar_read import DESCRIPTOR, Column, Reader
from .sidecar_sums import Parts, sums_note

REPETITION_SHIFT = 2
LIST_FIELD = 0x3C  # the first byte of a LogicalType LIST: field 3, a struct
LONG_LIST_FIELD = b"\x0c\x06"  # the same with a separate byte for the id
GROUP_FACTS = ("parent", "num_children", "repetition", "converted_type", "logical_type_offset", "logical_type_length")


def describe(scan: Scan, infer: Callable[[bytes, int, int, bool, int], int]) -> list[Column]:
    """Return the columns of a scanned footer: its leaves, with name, id and repetition of their top-level field.

    Parameters
    ----------
    scan : kernels.scan.Scan
    infer : callable
        A function that returns a leaf's type code. Its arguments are the leaf's Thrift bytes, its physical type, its
        width (0 except for FIXED_LEN_BYTE_ARRAY), True if the leaf is below other fields or repeated, and the number of
        lists around the leaf (0 if it has siblings in one of them, or if it is inside anything else).

    Raises
    ------
    Unsupported
        If a leaf has an unknown physical type.
    """
    data, columns, top = memoryview(scan.data), [], {"parent": 0}
    elements = zip(*(scan.elements(name) for name in ELEMENT_MEMBERS), strict=True)
    leaves, last = set(scan.leaves), max(scan.leaves, default=-1)
    for number, values in enumerate(islice(elements, last + 1)):
        element = dict(zip(ELEMENT_MEMBERS, values, strict=True))
        top = element if element["parent"] <= 0 else top
        if number not in leaves:
            continue
        physical, at, size = element["type"], element["bytes_offset"], element["bytes_length"]
        if not 0 <= physical <= wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            raise wire_error(wire.UNSUPPORTED_VALUE, at, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, physical & 0xFFFFFFFF)
        width = max(0, element["type_length"]) if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else 0
        known = 0 <= top["repetition"] <= wire.REPETITION_REPEATED
        repetition = top["repetition"] if known else wire.REPETITION_OPTIONAL
        is_nested = top is not element or element["max_repetition"] > 0
        code = infer(bytes(data[at : at + size]), physical, width, is_nested, lists_around(scan, number))
        columns.append(
            Column(
                bytes(data[top["name_offset"] : top["name_offset"] + top["name_length"]]),
                -1 if top["field_id"] == NO_FIELD_ID else top["field_id"],
                code,
                repetition << REPETITION_SHIFT,
                width,
                physical,
                element["max_repetition"],
                element["max_definition"],
            )
        )
    return columns


def lists_around(scan: Scan, element: int) -> int:
    """Return the number of lists around an element; 0 if it has siblings in one, or is inside anything else."""
    parents, children, repetitions, converted, at, size = map(scan.elements, GROUP_FACTS)
    data = memoryview(scan.data)

    def is_list(group: int) -> bool:
        annotation = bytes(data[at[group] : at[group] + min(2, size[group])])
        if not annotation:
            return converted[group] == wire.CONVERTED_LIST
        return annotation[0] == LIST_FIELD or annotation == LONG_LIST_FIELD

    lists, is_inside, group = 0, False, parents[element]  # True inside of a list's repeated group
    while group > 0:
        fits = is_list(group) if is_inside else repetitions[group] == wire.REPETITION_REPEATED and not is_list(group)
        if not fits or children[group] != 1:
            return 0
        lists, is_inside, group = lists + (not is_inside), not is_inside, parents[group]
    return 0 if is_inside else lists


Chunk = namedtuple(
    "Chunk",
    "codec encodings num_values byte_range_start total_compressed_size null_count "
    "distinct_count min max min_exact max_exact bloom",
    defaults=(0, 0, 0, 0, 0, None, None, b"", b"", True, True, None),
)

CHUNK = struct.Struct("<BBBBIQQQQQ8s8s")
BLOCK_LIMIT = 0xFFFFFFFF << wire.PM_ALIGNMENT_SHIFT
LARGEST_BLOOM = (1 << 31) - 1


class Writer:
    """A writer of a new sidecar, or of bytes to append to one.

    Parameters
    ----------
    columns : sequence of Column
    designated_timestamp : int
        Column; -1 if none.
    sorting_columns : sequence of int
        If the only one is the designated timestamp in ascending order, it is stored implicitly.
    bloom_columns : iterable of int
        Columns that may have Bloom filters.
    external_blooms : bool
        Filters stay in the Parquet file, and the sidecar contains their locations.
    squash_tracker : int
        -1 if none.

    Attributes
    ----------
    base : int
        The position of the bytes of `finish` in the sidecar; 0 for a new one.
    row_group_count : int

    Raises
    ------
    ParquetextError
        If a column's number does not exist.

    Notes
    -----
    A writer that has raised an error must not be used again.
    """

    def __init__(
        self,
        columns,
        *,
        designated_timestamp: int = -1,
        sorting_columns=(),
        bloom_columns=(),
        external_blooms: bool = False,
        squash_tracker: int = -1,
    ):
        columns, sorting, blooms = list(columns), list(sorting_columns), sorted(set(bloom_columns))
        self._begin(columns, blooms, bool(blooms and external_blooms))
        self._check(designated_timestamp, sorting)
        timestamp = designated_timestamp
        implicit = sorting == [timestamp] and not columns[timestamp].flags & wire.PM_COLUMN_FLAG_DESCENDING
        self._write_header(timestamp, [] if implicit else sorting, implicit, squash_tracker)

    @classmethod
    def on(cls, reader: Reader, base: int | None = None) -> Writer:
        """Return a writer of bytes to append to a sidecar after its snapshot `reader`.

        Parameters
        ----------
        base : int, optional
            The position to append at: at least the snapshot's size, at most the size of the reader's data. Bytes
            between belong to no snapshot. By default the snapshot's size.
        """
        made, footer, view = cls.__new__(cls), reader.footer, memoryview(reader.data).cast("B")
        base = footer.size if base is None else base
        external = bool(reader.features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL)
        columns = [reader.column(index) for index in range(reader.column_count)]
        made._begin(columns, list(reader.bloom_columns), external)
        if not footer.size <= base <= len(view):
            raise wire_error(wire.BAD_ARGUMENT, 0, len(view), base)
        made.base, made._previous = base, footer.size
        made._kept = footer.unused_bytes, footer.seq_txn, list(reader.scratchpad.items())
        checksum_at = footer.offset + footer.length - wire.PM_CHECKSUM_BYTES
        made._crc = crc32(view[checksum_at:base], footer.checksum)
        made._blocks = list(reader.block_offsets)
        at = footer.offset + wire.PM_FOOTER_BYTES + len(made._blocks) * wire.PM_ENTRY_BYTES
        row = len(made._bloom_columns) * made._bloom_bytes
        made._blooms = [bytes(view[at + number * row : at + (number + 1) * row]) for number in range(len(made._blocks))]
        return made

    def _begin(self, columns: list[Column], bloom_columns: list[int], external: bool) -> None:
        self.base = self._previous = self._crc = 0
        self._columns, self._bloom_columns, self._external = columns, bloom_columns, external
        self._bloom_bytes = wire.PM_EXTERNAL_BLOOM_BYTES if external else wire.PM_BLOOM_BYTES
        self._out = bytearray()
        self._blocks: list[int] = []
        self._blooms: list[bytes] = []
        self._kept: Any = 0, -1, []  # defaults of `finish`, from the snapshot before
        self._finished = False

    @property
    def row_group_count(self) -> int:
        return len(self._blocks)

    # ---- header

    def _check(self, timestamp: int, sorting: list[int]) -> None:
        count = len(self._columns)
        for column in (*sorting, *self._bloom_columns):
            if not 0 <= column <= 0xFFFFFFFF:
                raise wire_error(wire.BAD_ARGUMENT, 0, 0, column)
        if not -1 <= timestamp < count:
            raise wire_error(wire.BAD_ARGUMENT, 0, count, timestamp & 0xFFFFFFFF)
        for column in (*sorting, *self._bloom_columns):
            checked(column, count)

    def _write_header(self, timestamp: int, sorting: list[int], implicit: bool, squash_tracker: int) -> None:
        features = 0
        if self._bloom_columns:
            features |= wire.PM_FEATURE_BLOOM_FILTERS
            features |= wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL if self._external else 0
        features |= wire.PM_FEATURE_SORTED_BY_TIMESTAMP if implicit else 0
        features |= wire.PM_FEATURE_SQUASH_TRACKER if squash_tracker != -1 else 0
        out, columns = self._out, self._columns
        out += struct.pack("<QQiIII", 0, features, timestamp, len(sorting), len(columns), 0)
        name = wire.PM_HEADER_BYTES + len(columns) * wire.PM_COLUMN_BYTES + len(sorting) * wire.PM_SORTING_BYTES
        for column in columns:
            out += DESCRIPTOR.pack(name, *column[1:5], len(column.name), *column[5:]) + b"\0"
            name += len(column.name)
        out += struct.pack(f"<{len(sorting)}I", *sorting)
        out += b"".join(column.name for column in columns)
        if self._bloom_columns:
            out += struct.pack(f"<{len(self._bloom_columns) + 1}I", len(self._bloom_columns), *self._bloom_columns)
        if squash_tracker != -1:
            out += struct.pack("<q", squash_tracker)

    # ---- blocks

    def add(self, num_rows: int, chunks, at: int | None = None) -> None:
        """Write a row group: one `Chunk` per column.

        A chunk's `null_count` and `distinct_count` are None if unknown; `min` and `max` are empty if unknown. Its
        `bloom` is None, a bitset, or, if filters are external, (offset, length).

        Parameters
        ----------
        at : int, optional
            The row group to replace; by default a new one is added.
        """
        self._going_on()
        chunks = list(chunks)
        if len(chunks) != len(self._columns):
            raise wire_error(wire.BAD_ARGUMENT, 0, len(self._columns), len(chunks))
        at = self.row_group_count if at is None else at
        if not 0 <= at <= self.row_group_count:
            raise wire_error(wire.BAD_ARGUMENT, 0, self.row_group_count, at)
        self._align()
        start = self._position
        if start > BLOCK_LIMIT:
            raise wire_error(wire.PM_BLOCK_OFFSET, 0, BLOCK_LIMIT, start)
        block, out = len(self._out), self._out
        out += struct.pack("<Q", num_rows) + bytes(len(chunks) * wire.PM_CHUNK_BYTES)
        region, blooms = self._position, []
        for column, chunk in enumerate(chunks):
            record = self._chunk(chunk, region)
            if column in self._bloom_columns:
                blooms.append(self._bloom(chunk.bloom))
            position = block + wire.PM_BLOCK_BYTES + column * wire.PM_CHUNK_BYTES
            out[position : position + wire.PM_CHUNK_BYTES] = record
        self._blocks[at : at + 1] = [start]
        self._blooms[at : at + 1] = [b"".join(blooms)]

    def add_scan(self, scan: Scan, *, at=None, bounds=None, blooms=None) -> None:
        """Write the row groups of a scanned footer.

        Parameters
        ----------
        scan : kernels.scan.Scan
            With one leaf per column.
        at : sequence of int, optional
            For each row group, the one that it replaces, or one after the last; by default all are new.
        bounds : mapping, optional
            Exact minimum and maximum of chunks by (row group, column), as bytes; they replace the chunk's bounds.
        blooms : mapping, optional
            Bitsets of Bloom filters by (row group, column). Locations of external filters are read from the chunks.

        Raises
        ------
        Unsupported
            If a row group does not have one chunk per leaf, or if a chunk has no metadata, is in another file, or has
            an unknown codec.
        """
        self._going_on()
        bounds, blooms, row_counts = bounds or {}, blooms or {}, scan.row_groups("num_rows")
        if scan.leaf_count != len(self._columns):
            raise wire_error(wire.BAD_ARGUMENT, 0, len(self._columns), scan.leaf_count)
        forms = [scan.column(leaf) for leaf in range(scan.leaf_count)]
        if at is not None and len(at) != len(row_counts):
            raise wire_error(wire.BAD_ARGUMENT, 0, len(row_counts), len(at))
        fields = [chunk_fields(form, column) for form, column in zip(forms, self._columns, strict=True)]
        for row_group, rows in enumerate(row_counts):
            chunks = []
            for column in range(len(forms)):
                chunk = Chunk(*fields[column](row_group))
                if (row_group, column) in bounds:
                    low, high = bounds[row_group, column]
                    chunk = chunk._replace(min=low, max=high, min_exact=True, max_exact=True)
                if not self._external:
                    chunk = chunk._replace(bloom=blooms.get((row_group, column)))
                chunks.append(chunk)
            for group, column in (*bounds, *blooms):
                if group == row_group:
                    checked(column, len(forms))
            self.add(max(0, rows), chunks, None if at is None else at[row_group])

    @property
    def _position(self) -> int:
        return self.base + len(self._out)

    def _align(self) -> None:
        """Append zeros up to the next multiple of 8, counted from the file's start."""
        self._out += bytes(-self._position % wire.PM_ALIGNMENT)

    def _chunk(self, chunk: Chunk, region: int) -> bytes:
        """Return a chunk's record; append statistics that are too long for it to the output."""
        flags, sizes, slots = 0, 0, []
        for value, exact, shift in ((chunk.min, chunk.min_exact, 0), (chunk.max, chunk.max_exact, 3)):
            if value:
                flags |= (wire.PM_STAT_MIN_PRESENT | (wire.PM_STAT_MIN_EXACT if exact else 0)) << shift
            if value and len(value) <= wire.PM_INLINE_BYTES:
                flags |= wire.PM_STAT_MIN_INLINED << shift
                sizes |= len(value) << (4 if shift else 0)
            slots.append(self._statistic(value, region))
        flags |= wire.PM_STAT_DISTINCT_COUNT if chunk.distinct_count is not None else 0
        flags |= wire.PM_STAT_NULL_COUNT if chunk.null_count is not None else 0
        numbers = (chunk.num_values, chunk.byte_range_start, chunk.total_compressed_size)
        counts = (chunk.null_count or 0, chunk.distinct_count or 0)
        return CHUNK.pack(chunk.codec, chunk.encodings, flags, sizes, 0, *numbers, *counts, *slots)

    def _statistic(self, value: bytes, region: int) -> bytes:
        """Return the content of a statistic's slot."""
        if len(value) <= wire.PM_INLINE_BYTES:
            return value
        if len(value) > wire.PM_STATISTIC_BYTES:
            raise wire_error(wire.PM_STATISTIC_LENGTH, 0, wire.PM_STATISTIC_BYTES, len(value))
        reference = (self._position - region) << 16 | len(value)
        self._out += value
        return struct.pack("<Q", reference)

    def _bloom(self, bloom: bytes | tuple[int, int] | None) -> bytes:
        """Return a filter's entry in the matrix; append an inline filter to the output."""
        if self._external:
            return struct.pack("<QQ", *(bloom if isinstance(bloom, tuple) else (0, 0)))
        if not bloom or isinstance(bloom, tuple):
            return bytes(wire.PM_BLOOM_BYTES)
        if len(bloom) > LARGEST_BLOOM:
            raise wire_error(wire.TOO_LARGE, 0, LARGEST_BLOOM, len(bloom))
        self._align()
        at = self._position
        if at > BLOCK_LIMIT:
            raise wire_error(wire.PM_BLOCK_OFFSET, 0, BLOCK_LIMIT, at)
        self._out += struct.pack("<I", len(bloom)) + bloom
        return struct.pack("<I", at >> wire.PM_ALIGNMENT_SHIFT)

    # ---- footer

    def _going_on(self) -> None:
        if self._finished:
            raise ValueError("the writer has finished")

    def finish(
        self,
        parquet_footer_offset: int,
        parquet_footer_length: int,
        *,
        unused_bytes: int | None = None,
        seq_txn: int | None = None,
        scratchpad=None,
        schema: bytes = b"",
    ) -> bytes:
        """Write footer and trailer; return the bytes that belong at `base`.

        Parameters
        ----------
        parquet_footer_offset, parquet_footer_length : int
            Of the Parquet file.
        unused_bytes : int, optional
            Dead bytes in it. Values of this and the following parameters that are not given are copied from the
            snapshot before; a new sidecar has none.
        seq_txn : int, optional
            -1 if none.
        scratchpad : iterable of (int, bytes), optional
            Notes: a code and its bytes, 1 MiB in total.
        schema : bytes
            The schema of the note for slices. It adds the note with checksums of parts, with which plans read only
            parts. Allowed for a new sidecar whose last note is that of its file.

        Notes
        -----
        The bytes of a new sidecar include its committed size. In an existing sidecar, the caller writes the size at
        offset 0 after all other bytes are safe.
        """
        self._going_on()
        self._finished = True
        kept_unused, kept_number, kept_notes = self._kept
        unused_bytes = kept_unused if unused_bytes is None else unused_bytes
        seq_txn = kept_number if seq_txn is None else seq_txn
        out, start, notes = self._out, len(self._out), list(kept_notes if scratchpad is None else scratchpad)
        features = (wire.PM_FOOTER_FEATURE_SEQ_TXN if seq_txn != -1 else 0) | (
            wire.PM_FOOTER_FEATURE_SCRATCHPAD if notes or schema else 0
        )
        out += struct.pack(
            "<QIIQQQ",
            parquet_footer_offset,
            parquet_footer_length,
            len(self._blocks),
            unused_bytes,
            self._previous,
            features,
        )
        out += b"".join(struct.pack("<I", block >> wire.PM_ALIGNMENT_SHIFT) for block in self._blocks)
        out += b"".join(self._blooms)
        if seq_txn != -1:
            out += struct.pack("<q", seq_txn)
        if notes or schema:
            out += scratchpad_bytes(notes, 4 * len(self._columns) + wire.PM_SUMS_BYTES if schema else 0)
        if schema:
            self._add_sums(start, notes, schema)
        unchecked = 0 if self.base else wire.PM_HEADER_FEATURES
        out += struct.pack("<I", crc32(bytes(out[unchecked:]), self._crc))
        out += struct.pack("<I", len(out) - start)
        if not self.base:
            out[:8] = struct.pack("<Q", len(out))
        return bytes(out)

    def _add_sums(self, start: int, notes: list[tuple[int, bytes]], schema: bytes) -> None:
        """Write the last note: checksums of parts."""
        if self.base:
            raise wire_error(wire.BAD_ARGUMENT, 0, 0, self.base)
        last = notes[-1] if notes else (0, b"")
        if last[0] != wire.PM_ORIGIN_CODE or len(last[1]) != wire.PM_ORIGIN_BYTES:
            raise wire_error(wire.BAD_ARGUMENT, 0, wire.PM_ORIGIN_BYTES, len(last[1]))
        self._out += sums_note(Parts(bytes(self._out), len(self._columns), start), schema)


def scratchpad_bytes(notes: list[tuple[int, bytes]], sums: int) -> bytes:
    """Return [u32 count]([u32 code][u32 length][bytes])*; a note of `sums` bytes may follow."""
    section = struct.pack("<I", len(notes) + bool(sums))
    size = len(section)
    for length in [len(value) for _, value in notes] + ([sums] if sums else []):
        size += 8 + length
        if size > wire.PM_SCRATCHPAD_BYTES:
            found = length if length > wire.PM_SCRATCHPAD_BYTES else size
            raise wire_error(wire.PM_SCRATCHPAD_SIZE, 0, wire.PM_SCRATCHPAD_BYTES, found)
    return section + b"".join(struct.pack("<II", code, len(value)) + value for code, value in notes)
