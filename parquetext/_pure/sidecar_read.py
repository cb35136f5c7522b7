"""Read a sidecar in place: header, columns, row group blocks, statistics, Bloom filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .sidecar_sums import Parts


import struct
from array import array

from .. import wire
from ..errors import wire_error
from .checksum import crc32
from .chunks import bound_values
from .records import checked
from .sidecar_footer import Footer, Snapshot, find_snapshot

BLOOM_KINDS = ("none", "inline", "external", "unusable")

FIXED = struct.Struct("<QQiII")
DESCRIPTOR = struct.Struct("<QiiiiIBBB")
LARGEST = (1 << 63) - 1
BYTES = {
    "codec": wire.PM_CHUNK_CODEC,
    "encodings": wire.PM_CHUNK_ENCODINGS,
    "flags": wire.PM_CHUNK_STAT_FLAGS,
    "sizes": wire.PM_CHUNK_STAT_SIZES,
}
# Member: its position, and the flag that it requires.
NUMBERS = {
    "num_values": (wire.PM_CHUNK_NUM_VALUES, 0),
    "byte_range_start": (wire.PM_CHUNK_BYTE_RANGE_START, 0),
    "total_compressed_size": (wire.PM_CHUNK_TOTAL_COMPRESSED, 0),
    "null_count": (wire.PM_CHUNK_NULL_COUNT, wire.PM_STAT_NULL_COUNT),
    "distinct_count": (wire.PM_CHUNK_DISTINCT_COUNT, wire.PM_STAT_DISTINCT_COUNT),
}


def representable(number: int, limit: int) -> None:
    """Raise an error unless it is a number of 32 bits; `limit` is for the error's message."""
    if not 0 <= number <= 0xFFFFFFFF:
        raise wire_error(wire.BAD_ARGUMENT, 0, limit, number)


class Column(NamedTuple):
    """The descriptor of a leaf column."""

    name: bytes
    id: int
    type: int
    flags: int
    fixed_byte_len: int
    physical_type: int
    max_repetition: int
    max_definition: int


class Header:
    """The header of a sidecar, which all snapshots share, read and checked."""

    timestamp: int
    column_count: int

    def __init__(self, data):
        self.view = view = memoryview(data).cast("B")
        if len(view) < wire.PM_HEADER_BYTES:
            raise wire_error(wire.PM_TRUNCATED, 0, wire.PM_HEADER_BYTES, len(view))
        self.size, self.features, self.timestamp, sorting, self.column_count = FIXED.unpack_from(view)
        if self.features & wire.PM_REQUIRED_MASK:
            raise wire_error(
                wire.PM_REQUIRED_FEATURES, wire.PM_HEADER_FEATURES, 0, self.features & wire.PM_REQUIRED_MASK
            )
        self.sorting = wire.PM_HEADER_BYTES + self.column_count * wire.PM_COLUMN_BYTES
        names = self.sorting + sorting * wire.PM_SORTING_BYTES
        if names > len(view):
            raise wire_error(wire.PM_TRUNCATED, wire.PM_HEADER_SORTING_COUNT, names, len(view))
        self.sorting_count = 1 if self.features & wire.PM_FEATURE_SORTED_BY_TIMESTAMP else sorting
        self._check_features()
        self.end = self._check_names(names)
        self.bloom_columns = memoryview(b"").cast("I")
        self.squash_tracker = -1
        if self.features & wire.PM_FEATURE_BLOOM_FILTERS:
            self._read_bloom_columns(self.end)
        if self.features & wire.PM_FEATURE_SQUASH_TRACKER:
            self._need(self.end, 8)
            self.squash_tracker = int.from_bytes(view[self.end : self.end + 8], "little", signed=True)
            self.end += 8

    @property
    def bloom_bytes(self) -> int:
        """Return the size of an entry of the Bloom filters' matrix."""
        external = self.features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL
        return wire.PM_EXTERNAL_BLOOM_BYTES if external else wire.PM_BLOOM_BYTES

    def _need(self, at: int, size: int) -> None:
        if len(self.view) - at < size:
            raise wire_error(wire.PM_TRUNCATED, at, at + size, len(self.view))

    def _check_features(self) -> None:
        features, timestamp = self.features, self.timestamp
        external = wire.PM_FEATURE_BLOOM_FILTERS | wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL
        if features & external == wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL:
            raise wire_error(wire.PM_EXTERNAL_BLOOMS, wire.PM_HEADER_FEATURES, 0, features)
        if features & wire.PM_FEATURE_SORTED_BY_TIMESTAMP and timestamp < 0:
            raise wire_error(wire.PM_SORTED_BY_NOTHING, wire.PM_HEADER_FEATURES, 0, features)
        if not -1 <= timestamp < self.column_count:
            raise wire_error(wire.PM_TIMESTAMP, wire.PM_HEADER_TIMESTAMP, self.column_count, timestamp & 0xFFFFFFFF)

    def _check_names(self, start: int) -> int:
        """Check that every name is in the file, after the descriptors; return the end of the last one."""
        end, size = start, len(self.view)
        for index in range(self.column_count):
            at = wire.PM_HEADER_BYTES + index * wire.PM_COLUMN_BYTES
            fields = DESCRIPTOR.unpack_from(self.view, at)
            offset, length = fields[0], fields[5]
            if offset < start:
                raise wire_error(wire.PM_NAME, at, start, offset)
            if offset + length > size:
                raise wire_error(wire.PM_NAME, at, size, offset if offset > size else offset + length)
            end = max(end, offset + length)
        return end

    def _read_bloom_columns(self, at: int) -> None:
        self._need(at, 4)
        count = int.from_bytes(self.view[at : at + 4], "little")
        if not 0 < count <= self.column_count:
            raise wire_error(wire.PM_BLOOM_COUNT, at, self.column_count, count)
        at += 4
        self._need(at, 4 * count)
        columns = memoryview(bytes(self.view[at : at + 4 * count])).cast("I")
        for index, column in enumerate(columns):
            if column >= self.column_count:
                raise wire_error(wire.PM_BLOOM_COLUMN, at + 4 * index, self.column_count, column)
            if index and column <= columns[index - 1]:
                raise wire_error(wire.PM_BLOOM_ORDER, at + 4 * index, columns[index - 1], column)
        self.bloom_columns, self.end = columns, at + 4 * count

    def column(self, index: int) -> Column:
        at = wire.PM_HEADER_BYTES + checked(index, self.column_count) * wire.PM_COLUMN_BYTES
        offset, *fields, length, physical, repetition, definition = DESCRIPTOR.unpack_from(self.view, at)
        return Column._make((bytes(self.view[offset : offset + length]), *fields, physical, repetition, definition))


class Reader:
    """A sidecar at one of its snapshots.

    Parameters
    ----------
    data : bytes-like
        The sidecar's bytes, at least up to its committed size. They must not change.
    size : int, optional
        The committed size. By default the size in the header.
    parquet_size : int, optional
        Read the newest snapshot, from `size` back, for a Parquet file of this size in bytes. By default that of `size`.
    verify : bool
        Compute the checksum of the bytes up to the snapshot. Bounds are checked in any case.

    Attributes
    ----------
    data : bytes-like
    features : int
        Bits ``wire.PM_FEATURE_…``.
    designated_timestamp : int
        Column; -1 if none.
    squash_tracker : int
        -1 if none.
    column_count, row_group_count : int
    bloom_columns : memoryview
        The columns that may have Bloom filters, ascending (``I``).
    footer : Footer
        The snapshot's footer; `seq_txn` is -1 if it has none.

    Raises
    ------
    Damaged, Unsupported
        See docs/sidecar.md.
    """

    row_group_count: int

    def __init__(self, data, size: int | None = None, *, parquet_size: int | None = None, verify: bool = True):
        self.data, self._header = data, Header(data)
        header = self._header
        committed = header.size if size is None else size
        self._snapshot = (
            Snapshot(header, committed) if parquet_size is None else find_snapshot(header, committed, parquet_size)
        )
        if verify:
            self.check()
        self.footer = self._snapshot.footer
        self.features, self.designated_timestamp = header.features, header.timestamp
        self.squash_tracker, self.column_count = header.squash_tracker, header.column_count
        self.bloom_columns, self.row_group_count = header.bloom_columns, self.footer.row_group_count

    def check(self) -> None:
        """Compute the checksums of the snapshot and of the one before; raise Damaged if they differ."""
        view, previous, start, found = self._header.view, self._snapshot.footer.previous, wire.PM_HEADER_FEATURES, 0
        behind = wire.PM_CHECKSUM_BYTES + wire.PM_TRAILER_BYTES
        for at in ([previous - behind] if previous else []) + [self._snapshot.checksum_at]:
            stored = int.from_bytes(view[at : at + wire.PM_CHECKSUM_BYTES], "little")
            found = crc32(view[start:at], found)
            if found != stored:
                raise wire_error(wire.CHECKSUM, at, stored, found)
            start = at

    def footers(self) -> list[Footer]:
        """Return the chain of snapshots from this one back.

        Raises
        ------
        Damaged
            If one of them is not a footer. Their checksums are not computed.
        """
        found = [self.footer]
        while found[-1].previous:
            found.append(Snapshot(self._header, found[-1].previous).footer)
        return found

    def column(self, index: int) -> Column:
        """Return the descriptor of column `index`, with its name as bytes."""
        return self._header.column(index)

    def find_name(self, name: bytes) -> list[int]:
        """Return the columns of this name; leaves below one field share its name. O(columns)."""
        return [index for index in range(self.column_count) if self.column(index).name == name]

    @property
    def sorting_columns(self) -> list[int]:
        """Return the columns that rows are sorted by, including the implicit one."""
        if self.features & wire.PM_FEATURE_SORTED_BY_TIMESTAMP:
            return [self.designated_timestamp]
        header, found = self._header, []
        for index in range(header.sorting_count):
            at = header.sorting + index * wire.PM_SORTING_BYTES
            column = int.from_bytes(header.view[at : at + 4], "little")
            if column >= self.column_count:
                raise wire_error(wire.PM_SORTING_COLUMN, at, self.column_count, column)
            found.append(column)
        return found

    def block(self, row_group: int) -> int:
        """Return the offset of a row group's block."""
        return self._snapshot.block(self._header.view, row_group)

    @property
    def block_offsets(self) -> memoryview:
        """Return the offsets of the row groups' blocks (``Q``)."""
        return memoryview(array("Q", map(self.block, range(self.row_group_count)))).toreadonly()

    @property
    def row_counts(self) -> memoryview:
        """Return the rows of each row group (``q``); raise Damaged if their sum is above 2^63 - 1."""
        view, counts, total = self._header.view, array("q"), 0
        for row_group in range(self.row_group_count):
            at = self.block(row_group)
            rows = int.from_bytes(view[at : at + 8], "little")
            total += rows
            if total > LARGEST:
                raise wire_error(wire.PM_ROWS, at, LARGEST, rows)
            counts.append(rows)
        return memoryview(counts).toreadonly()

    def chunks(self, column: int, first: int = 0, count: int | None = None) -> Chunks:
        """Return a column's chunks in `count` row groups from `first` on; by default in all of them."""
        groups = self.row_group_count
        count = max(0, groups - first) if count is None else count
        for number, limit in ((column, self.column_count), (first, groups), (count, groups)):
            representable(number, limit)
        checked(column, self.column_count)
        if first + count > groups:
            raise wire_error(wire.BAD_ARGUMENT, 0, groups, first + count)
        return Chunks(self, self._header, column, range(first, first + count))

    def bloom(self, row_group: int, column: int) -> tuple[str, int, int]:
        """Return a chunk's Bloom filter: (kind of `BLOOM_KINDS`, offset, length).

        ``"inline"``: the bitset, in the sidecar. ``"external"``: header and bitset, in the Parquet file.
        ``"unusable"``: an offset or a length that no filter has.
        """
        header, view, limit = self._header, self._header.view, self.footer.offset
        groups = self.row_group_count
        representable(row_group, groups)
        representable(column, self.column_count)
        checked(column, self.column_count)
        if row_group >= groups:
            raise wire_error(wire.BAD_ARGUMENT, 0, groups, row_group + 1)
        columns = list(header.bloom_columns)
        if column not in columns:
            return "none", 0, 0
        at = self._snapshot.blooms + (row_group * len(columns) + columns.index(column)) * header.bloom_bytes
        if header.features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL:
            offset, length = struct.unpack_from("<QQ", view, at)
            if offset == length == 0:
                return "none", 0, 0
            return "external" if length and offset + length < 1 << 64 else "unusable", offset, length
        offset = int.from_bytes(view[at : at + 4], "little") << wire.PM_ALIGNMENT_SHIFT
        if offset == 0:
            return "none", 0, 0
        if offset < header.end or limit - offset < 4:
            return "unusable", offset, 0
        length = int.from_bytes(view[offset : offset + 4], "little")
        usable = length >= wire.PM_SMALLEST_BLOOM_BYTES and length % 32 == 0 and length <= limit - offset - 4
        return "inline" if usable else "unusable", offset + 4, length

    @property
    def parquet_footer(self) -> tuple[int, int]:
        """Return the offset and the length of the Parquet file's footer."""
        return self.footer.parquet_footer_offset, self.footer.parquet_footer_length

    def note(self, code: int) -> bytes | None:
        """Return the snapshot's first note of this code, or None."""
        return self.scratchpad.get(code)

    @property
    def scratchpad(self) -> dict[int, bytes]:
        """Return the snapshot's notes by code; if a code repeats, the first note counts."""
        view, at = self._header.view, self._snapshot.scratchpad
        found: dict = {}
        for _ in range(self._snapshot.scratchpad_count):
            code, length = struct.unpack_from("<II", view, at)
            at += 8
            found.setdefault(code, bytes(view[at : at + length]))
            at += length
        return found


class Chunks:
    """One column's chunks over row groups of a sidecar.

    Attributes
    ----------
    buffer : bytes-like
        The sidecar, to which the ranges of `bounds` refer.
    """

    def __init__(self, reader: Reader | Parts, header: Header | Parts, column: int, row_groups: range):
        self.buffer, self._reader, self._header = reader.data, reader, header
        self._column, self._row_groups = column, row_groups

    def __len__(self) -> int:
        return len(self._row_groups)

    def _places(self):
        """Yield the offsets of the chunks."""
        behind = wire.PM_BLOCK_BYTES + self._column * wire.PM_CHUNK_BYTES
        return (self._reader.block(row_group) + behind for row_group in self._row_groups)

    def array(self, name: str) -> memoryview:
        """Return one member of all chunks as a memoryview.

        ``B``: `codec`, `encodings`, `flags` (``wire.PM_STAT_…``), `sizes`. ``q``: `num_values`, `byte_range_start`,
        `total_compressed_size`, `null_count`, `distinct_count`; -1 if the chunk lacks the member, or if the number is
        larger than a file allows.

        Raises
        ------
        Damaged
            If the codec is unknown to Parquet.
        """
        view = self._header.view
        if name in BYTES:
            positions = [at + BYTES[name] for at in self._places()]
            for at in positions:
                if name == "codec" and view[at] > wire.PM_LAST_CODEC:
                    raise wire_error(wire.PM_CODEC, at, wire.PM_LAST_CODEC, view[at])
            return memoryview(bytes(view[at] for at in positions))
        member, flag = NUMBERS[name]
        numbers = array("q")
        for at in self._places():
            value = int.from_bytes(view[at + member : at + member + 8], "little")
            said = view[at + wire.PM_CHUNK_STAT_FLAGS] & flag == flag and value <= LARGEST
            numbers.append(value if said else -1)
        return memoryview(numbers).toreadonly()

    def bounds(self) -> tuple[bytes | memoryview, ...]:
        """Return the statistics as stored: (has, min_offset, min_length, max_offset, max_length).

        Bit 0 of `has` is min, bit 1 is max. Offsets are memoryviews of ``Q``, lengths of ``I``.

        Raises
        ------
        Damaged
            If a statistic exceeds its region.
        """
        view, fields = self._header.view, self._header.column(self._column)
        has, *columns = bytearray(), array("Q"), array("I"), array("Q"), array("I")
        blocks = map(self._reader.block, self._row_groups)
        for at, block in zip(self._places(), blocks, strict=True):
            region = block + wire.PM_BLOCK_BYTES + self._header.column_count * wire.PM_CHUNK_BYTES
            flags, sizes = view[at + wire.PM_CHUNK_STAT_FLAGS], view[at + wire.PM_CHUNK_STAT_SIZES]
            low = self._statistic(fields, at + wire.PM_CHUNK_MIN_STAT, region, flags, sizes & 15)
            high = self._statistic(fields, at + wire.PM_CHUNK_MAX_STAT, region, flags >> 3, sizes >> 4)
            has.append((low[1] != 0) | (high[1] != 0) << 1)
            for values, value in zip(columns, low + high, strict=True):
                values.append(value)
        return bytes(has), *(memoryview(values).toreadonly() for values in columns)

    def bound_values(self, bit: int) -> list[bytes | None]:
        """Return the minima (bit 1) or maxima (bit 2) as stored; None for chunks without one."""
        return bound_values(self.bounds(), self.buffer, bit)

    def _statistic(self, fields: Column, slot: int, region: int, flags: int, stored: int) -> tuple[int, int]:
        """Return the offset and the length of one statistic, (0, 0) for none; `flags` are those of a minimum."""
        if not flags & wire.PM_STAT_MIN_PRESENT:
            return 0, 0
        if flags & wire.PM_STAT_MIN_INLINED:
            width = min(inline_width(fields, stored), wire.PM_INLINE_BYTES)
            return (slot, width) if width else (0, 0)
        reference = int.from_bytes(self._header.view[slot : slot + 8], "little")
        start, length = region + (reference >> 16), reference & 0xFFFF
        if length and start + length > self._reader.footer.offset:
            raise wire_error(wire.PM_STATISTIC, slot, self._reader.footer.offset, start + length)
        return (start, length) if length else (0, 0)


def inline_width(fields: Column, stored: int) -> int:
    """Return the size of an inline statistic; the `stored` size counts only if the type has no fixed size."""
    if fields.physical_type in (wire.PHYSICAL_INT96, wire.PHYSICAL_BYTE_ARRAY):
        return stored
    if fields.physical_type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return max(0, fields.fixed_byte_len)
    return wire.WIDTH_OF_TYPE.get(fields.physical_type, 0)
