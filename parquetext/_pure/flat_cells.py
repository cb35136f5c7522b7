"""Checked access to a flat footer: the tail block when it is opened, then single cells (docs/formats.md, 3.7)."""

from __future__ import annotations

import errno
import struct
from typing import NamedTuple

from .. import systems, wire
from ..errors import wire_error
from . import checksum
from .flat_tables import PAYLOAD_LIMIT

IS_VERBATIM, ALL_FLAGS = 8, 31  # flags in the tail block
FEW_BUCKETS = 32
FIRST_READ = 4096  # bytes to read from the end if the given tail does not contain the record
LEAST_AT_ONCE = 256
SMALLEST_CHUNK = 8  # an entry of a vector and a table
_HEADER = struct.Struct("<IIHHI")
_COUNTS = struct.Struct("<7IiqI7I")
_RECORD = struct.Struct("<16s4I")
_SMALLEST_TAIL = wire.FLAT_TAIL_BYTES + wire.FLAT_RECORD_BYTES
_PAGES = (wire.KIND_DIRECTORY, wire.KIND_BUCKET)  # small, and a lookup may need many: not counted


def _slot(kind: int, part: int = 0) -> tuple[int, bool]:
    """Return the key in the cache of cells: the last cell of each key is kept."""
    return kind, kind == wire.KIND_COLUMN and part > 0


def cell_leaves(row_groups: int) -> int:
    """Return the number of leaves in a COLUMN cell: several if there are few row groups."""
    return max(1, wire.FLAT_CELL_LEAVES // max(1, row_groups))


class Counts(NamedTuple):
    """The numbers at the start of a tail block."""

    leaves: int
    nodes: int
    row_groups: int
    key_values: int
    pool_pages: int
    row_group_cells: int
    flags: int
    version: int
    num_rows: int
    directory: int
    buckets: int
    bucket_count: int
    column_hint: int
    pool_hint: int
    vtable_bytes: int
    listed: int
    extensions: int  # position of their list; 0: none


class Vtable(NamedTuple):
    """A vtable, interpreted for tables of one name."""

    size: int  # of the table
    at: dict[str, int]  # present field -> its offset in the table
    wrong: int | None  # the first entry that exceeds the table


class Source:
    """Ranges of a file, with counters of reads and bytes."""

    def __init__(self, source):
        self.fd, self.size = source if isinstance(source, tuple) else (None, source.size)
        self.object = source
        self.reads = self.bytes = 0

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes, or raise OSError."""
        data = self.object.read(offset, length) if self.fd is None else self._pread(offset, length)
        if len(data) != length:
            raise wire_error(wire.IO, offset, length, errno.ENODATA)
        self.reads += 1
        self.bytes += length
        return bytes(data)

    def _pread(self, offset: int, length: int) -> bytes:
        pieces = []
        try:
            while length and (piece := systems.pread(self.fd, length, offset)):
                pieces.append(piece)
                offset, length = offset + len(piece), length - len(piece)
        except OSError as error:
            raise wire_error(wire.IO, offset, length, error.errno or errno.EIO) from error
        return b"".join(pieces)


class Cell:
    """A cell with a valid checksum. Its content is checked when it is used."""

    def __init__(self, footer: Footer, position: int, data):
        self.footer, self.position, self.data, self.size = footer, position, data, len(data)
        _, _, self.kind, self.part, self.number = _HEADER.unpack_from(data)

    def fail(self, code: int, at: int, expected: int, found: int) -> Exception:
        """Return the error for the content at cell offset `at`."""
        return self.footer.fail(code, self.position + at, expected, found)

    def u32(self, at: int) -> int:
        return int.from_bytes(self.data[at : at + 4], "little")

    def words(self, at: int, count: int) -> tuple[int, ...]:
        return struct.unpack_from(f"<{count}I", self.data, at)

    def require(self, size: int) -> None:
        """Raise an error if the cell is smaller than its fixed part of `size` bytes."""
        if self.size < size:
            raise self.fail(wire.BAD_VALUE, 4, size, self.size)

    def equals(self, at: int, expected: int) -> None:
        """Raise an error if the u32 at `at` differs from `expected`."""
        if self.u32(at) != expected:
            raise self.fail(wire.BAD_VALUE, at, expected, self.u32(at))

    def inside(self, words: int, at: int, length: int) -> bytes:
        """Return a range of bytes, which the words at `words` specify."""
        if at > self.size or length > self.size - at:
            raise self.fail(wire.BAD_OFFSET, words, self.size, at)
        return bytes(self.data[at : at + length])

    def vtable(self, name: str, at: int) -> Vtable:
        """Return the vtable of the table at `at`, which must end in the cell."""
        if at % 4 or at > self.size - 4:
            raise self.fail(wire.BAD_OFFSET, at, self.size, at)
        distance = (self.position + at - self.u32(at) - self.footer.vtables_at) & 0xFFFFFFFF
        vtable = self.footer.vtable(name, distance)
        if vtable is None:
            raise self.fail(wire.BAD_OFFSET, at, self.footer.counts.vtable_bytes, distance)
        if not 4 <= vtable.size <= self.size - at:
            raise self.fail(wire.BAD_OFFSET, at, self.size, vtable.size)
        if vtable.wrong is not None:
            raise self.fail(wire.BAD_OFFSET, at, vtable.size, vtable.wrong)
        return vtable

    def table(self, name: str, at: int) -> dict[str, int]:
        """Return the positions of the present fields of the table at `at`."""
        return {field: at + offset for field, offset in self.vtable(name, at).at.items()}

    def number_at(self, fields: dict[str, int], name: str, code: str, absent: int) -> int:
        """Return a field's value, or `absent` if the field is missing."""
        return struct.unpack_from("<" + code, self.data, fields[name])[0] if name in fields else absent

    def follow(self, field: int) -> int:
        """Return the target of the offset at `field`, which must be in this cell and after the field."""
        offset = self.u32(field)
        if not offset or offset > self.size - 4 - field:
            raise self.fail(wire.BAD_OFFSET, field, self.size, field + offset)
        return field + offset

    def blob_length(self, at: int, width: int = 1) -> int:
        """Return the number of items, of `width` bytes each, in the string or vector at `at`."""
        length = self.u32(at)
        if length > (self.size - at - 4) // width:
            raise self.fail(wire.BAD_OFFSET, at, self.size, length)
        return length

    def blob(self, at: int) -> bytes:
        """Return a string, or a vector of bytes."""
        return bytes(self.data[at + 4 : at + 4 + self.blob_length(at)])

    def child(self, fields: dict[str, int], field: str, name: str) -> dict[str, int] | None:
        """Return the table to which a field refers, or None if the field is absent."""
        return self.table(name, self.follow(fields[field])) if field in fields else None

    def text(self, fields: dict[str, int], field: str) -> bytes | None:
        """Return the string or bytes to which a field refers, or None if the field is absent."""
        return self.blob(self.follow(fields[field])) if field in fields else None


class OpenPayload:
    """A payload in a source, of which the bytes `known`, which end at `known_end`, have been read before.

    Attributes
    ----------
    limit : int
        The size of everything that a call may read; also the bound in errors about it.
    """

    def __init__(self, source, payload: int, length: int, known, known_end: int | None, smallest: int):
        self.source, self.payload, self.length = Source(source), payload, length
        size = self.source.size
        self.known_end = size if known_end is None else known_end
        self.known_begin = self.known_end - len(known)
        if self.known_end > size or self.known_begin < 0:
            raise wire_error(wire.BAD_ARGUMENT, 0, min(size, self.known_end), len(known))
        if payload > size or length > size - payload or not smallest <= length <= PAYLOAD_LIMIT:
            raise wire_error(wire.BAD_OFFSET, payload, size, length)
        self.limit = length

    def fail(self, code: int, position: int, expected: int, found: int) -> Exception:
        """Return the error for the content at a payload offset."""
        return wire_error(code, self.payload + position, expected, found)

    def begin(self) -> None:
        """Begin a call, and set the limit of bytes that it may load, so that overlaps do not multiply its work."""
        self.allowance = 2 * self.limit + 65536

    def spend(self, position: int, size: int) -> None:
        """Subtract `size` bytes, to which the bytes at `position` refer, from those that this call may load."""
        if size > self.allowance:
            raise self.fail(wire.BAD_OFFSET, position, self.limit, size)
        self.allowance -= size


class Footer(OpenPayload):
    """A payload in a source: opened by its tail block, read cell by cell. Offsets count from the payload's start."""

    def __init__(self, source, payload: int, length: int, known, known_end: int | None = None):
        known = memoryview(known)
        super().__init__(source, payload, length, known, known_end, 8 + _SMALLEST_TAIL)
        begin, end = self.known_begin, payload + length
        # From payload offset `held` on, the payload is in memory.
        self.held = length if self.known_end < end else min(max(begin - payload, 0), length)
        self.memory = bytes(known[payload + self.held - begin : end - begin]) if self.held < length else b""
        self._vtable_views: dict[tuple[str, int], Vtable | None] = {}
        self._cells: dict[tuple[int, bool], Cell] = {}  # the last cell of each kind; separate for parts above 0
        self._names, self._bucket_loads = b"", 0  # all BUCKET cells, after many of them were needed
        self.unseen: bytearray | None = None  # during a full check: the payload, with zeros for loaded bytes
        self.begin()
        self._open()

    def read(self, position: int, count: int) -> bytes:
        """Return bytes of the payload from memory or from the source."""
        if position >= self.held:
            return self.memory[position - self.held : position - self.held + count]
        if self._names and 0 <= position - self.counts.buckets <= len(self._names) - count:
            return self._names[position - self.counts.buckets : position - self.counts.buckets + count]
        return self.source.read(self.payload + position, count)

    def hold(self, position: int) -> None:
        """Load the payload from `place` on into memory."""
        if position < self.held:
            self.memory, self.held = self.source.read(self.payload + position, self.length - position), position

    def _open(self) -> None:
        record = self.length - wire.FLAT_RECORD_BYTES
        if record < self.held:
            self.hold(max(0, self.length - FIRST_READ))
        uuid, version, length, tail_length, crc = _RECORD.unpack(self.read(record, wire.FLAT_RECORD_BYTES))
        if length != self.length:
            raise self.fail(wire.BAD_CELL, record + 20, self.length, length)
        if tail_length % 8 or not _SMALLEST_TAIL <= tail_length <= length - 8:
            raise self.fail(wire.BAD_CELL, record + 24, length, tail_length)
        self.tail = length - tail_length
        self.hold(self.tail)
        block = self.read(self.tail, tail_length)
        if (found := checksum.crc32(memoryview(block)[:-4])) != crc:
            raise self.fail(wire.CHECKSUM, record + 28, crc, found)
        if uuid != wire.UUID_FLAT_FOOTER.bytes:
            raise self.fail(wire.UNKNOWN_LAYOUT, record, wire.FLAT_LAYOUT_VERSION, 0)
        if version != wire.FLAT_LAYOUT_VERSION:
            raise self.fail(wire.UNKNOWN_LAYOUT, record + 16, wire.FLAT_LAYOUT_VERSION, version)
        self.counts = Counts(*_COUNTS.unpack_from(block))
        self._check_counts()
        self._check_places(block)

    def _wrong(self, code: int, at: int, expected: int, found: int) -> Exception:
        return self.fail(code, self.tail + at, expected, found)

    def _check_counts(self) -> None:
        counts = self.counts
        cells = -(-counts.row_groups // wire.FLAT_PART_ROW_GROUPS)
        if not counts.nodes and not counts.flags & IS_VERBATIM:
            raise self._wrong(wire.BAD_CELL, 4, 1, 0)
        if counts.row_group_cells != cells:
            raise self._wrong(wire.BAD_CELL, 20, cells, counts.row_group_cells)
        if counts.flags > ALL_FLAGS:
            raise self._wrong(wire.BAD_CELL, 24, ALL_FLAGS, counts.flags)
        if counts.flags & IS_VERBATIM and (counts.flags > IS_VERBATIM or any(counts[:6])):
            raise self._wrong(wire.BAD_CELL, 24, IS_VERBATIM, counts.flags)
        smallest = counts.row_groups * max(counts.leaves, 1) * SMALLEST_CHUNK
        if smallest > self.length:
            raise self._wrong(wire.BAD_OFFSET, 8, self.length, min(smallest, 2**64 - 1))
        if counts.listed > wire.FLAT_LIST_ENTRIES:
            raise self._wrong(wire.BAD_CELL, 64, wire.FLAT_LIST_ENTRIES, counts.listed)

    def _check_places(self, block: bytes) -> None:
        counts, tail_length = self.counts, self.length - self.tail
        counted = min(counts.row_groups, wire.FLAT_PART_ROW_GROUPS)
        vtables = wire.FLAT_TAIL_BYTES + wire.FLAT_TAIL_GROUP_BYTES * counted
        lists = vtables + counts.vtable_bytes + 3 & ~3
        size = (lists + 8 * counts.listed + 7 & ~7) + wire.FLAT_RECORD_BYTES
        if counts.vtable_bytes % 2 or size != tail_length:
            raise self._wrong(wire.BAD_CELL, 60, tail_length, size)
        words = struct.unpack_from(f"<{4 * counted}q{counted}h", block, wire.FLAT_TAIL_BYTES)
        self.first_row_groups = [words[index::counted] for index in range(counted)]
        self.vtables_at, self.vtables = self.tail + vtables, block[vtables : vtables + counts.vtable_bytes]
        self.listed = list(struct.iter_unpack("<II", block[lists : lists + 8 * counts.listed]))
        self.cell_leaves = cell_leaves(counts.row_groups)
        self.column_cells = -(-counts.leaves // self.cell_leaves)
        # The directory lists the following cells, in this order.
        sizes = {
            wire.KIND_COLUMN: self.column_cells,
            wire.KIND_NODE: counts.nodes,
            wire.KIND_ROW_GROUPS: counts.row_group_cells,
            wire.KIND_KEY_VALUE: counts.key_values,
            wire.KIND_ROOT: 1,
            wire.KIND_POOL: counts.pool_pages,
        }
        self.first_entry, entries = {}, 0
        for kind, count in sizes.items():
            self.first_entry[kind] = entries
            entries += count
        self._check_pages(40, counts.directory, -(-entries // wire.FLAT_DIRECTORY_ENTRIES))
        if counts.bucket_count or counts.buckets:
            self._check_pages(44, counts.buckets, counts.bucket_count or PAYLOAD_LIMIT)

    def _check_pages(self, at: int, position: int, count: int) -> None:
        if position % 8 or position > self.tail or count > (self.tail - position) // wire.FLAT_PAGE_BYTES:
            raise self._wrong(wire.BAD_OFFSET, at, self.tail, position)

    def vtable(self, name: str, distance: int) -> Vtable | None:
        """Return the vtable at `distance` from the first one, for tables of that name; None if there is none."""
        key = name, distance
        if key not in self._vtable_views:
            self._vtable_views[key] = self._view_vtable(name, distance)
        return self._vtable_views[key]

    def _view_vtable(self, name: str, distance: int) -> Vtable | None:
        left = len(self.vtables) - distance
        if distance % 2 or left < 4:
            return None
        vtable_size, size = struct.unpack_from("<HH", self.vtables, distance)
        if vtable_size % 2 or not 4 <= vtable_size <= left:
            return None
        entries = struct.unpack_from(f"<{vtable_size // 2 - 2}H", self.vtables, distance + 4)
        at, wrong = {}, None
        for field, (slot, width) in wire.FLAT_TABLES[name].items():
            entry = entries[slot] if slot < len(entries) else 0
            if entry and not 4 <= entry <= size - width and wrong is None:
                wrong = entry
            if entry:
                at[field] = entry
        return Vtable(size, at, wrong)

    def kept(self, position: int, *kinds: tuple[int, bool]) -> Cell | None:
        """Return the cell at `place` if it is the last one of one of these kinds; otherwise None."""
        return next((cell for kind in kinds if (cell := self._cells.get(kind)) and cell.position == position), None)

    def _check_position(self, position: int) -> None:
        if position % 8 or not 8 <= position <= self.tail - wire.FLAT_CELL_HEADER_BYTES:
            raise self.fail(wire.BAD_OFFSET, position, self.tail, position)

    def load(self, position: int, hint: int = FIRST_READ) -> Cell:
        """Return the cell at `place` after checking its length and checksum."""
        self._check_position(position)
        left = self.tail - position
        data = self.read(position, min(max(hint, LEAST_AT_ONCE), FIRST_READ, left))
        (length,) = struct.unpack_from("<I", data, 4)
        if length % 8 or not wire.FLAT_CELL_HEADER_BYTES <= length <= left:
            raise self.fail(wire.BAD_CELL, position + 4, left, length)
        if _HEADER.unpack_from(data)[2] not in _PAGES:
            self.spend(position, length)
        if length > len(data):
            data += self.read(position + len(data), length - len(data))
        view = memoryview(data)[:length]
        (stored,) = struct.unpack_from("<I", data)
        if (found := checksum.crc32(view[4:])) != stored:
            raise self.fail(wire.CHECKSUM, position, stored, found)
        if self.unseen is not None:
            self.unseen[position : position + length] = bytes(length)
        return Cell(self, position, view)

    def keep(self, cell: Cell) -> Cell:
        """Keep a cell that turned out to be the requested one."""
        self._cells[_slot(cell.kind, cell.part)] = cell
        return cell

    def cell(self, position: int, kind: int, number: int, part: int = 0, hint: int = FIRST_READ) -> Cell:
        """Return the cell at `place`; raise an error if it is not the requested one."""
        cell = self.kept(position, _slot(kind, part)) or self.load(position, hint)
        if cell.kind != kind:
            raise cell.fail(wire.BAD_CELL, 8, kind, cell.kind)
        if kind == wire.KIND_COLUMN and cell.part != min(part, 0xFFFF):
            raise cell.fail(wire.BAD_CELL, 10, min(part, 0xFFFF), cell.part)
        if cell.number != number:
            raise cell.fail(wire.BAD_CELL, 12, number, cell.number)
        return self.keep(cell)

    def page(self, kind: int, first: int, number: int, most: int) -> tuple[Cell, int]:
        """Return a DIRECTORY or BUCKET cell, and its number of entries."""
        cell = self.cell(first + wire.FLAT_PAGE_BYTES * number, kind, number, hint=wire.FLAT_PAGE_BYTES)
        if cell.size != wire.FLAT_PAGE_BYTES:
            raise cell.fail(wire.BAD_CELL, 4, wire.FLAT_PAGE_BYTES, cell.size)
        if cell.part > most:
            raise cell.fail(wire.BAD_CELL, 10, most, cell.part)
        return cell, cell.part

    def listed_cell(self, kind: int, number: int, hint: int = FIRST_READ) -> Cell:
        """Return cell `number` of a kind: the last one if it matches, else by the directory."""
        last = self._cells.get(_slot(kind))
        if last is not None and last.number == number:
            return last
        return self.cell(self._listed_position(kind, number), kind, number, hint=hint)

    def peek_listed(self, kind: int, number: int, size: int) -> Cell:
        """Return the first bytes of cell `number` of a kind, by the directory. Their checksum is not checked."""
        position = self._listed_position(kind, number)
        self._check_position(position)
        return Cell(self, position, memoryview(self.read(position, min(size, self.tail - position))))

    def _listed_position(self, kind: int, number: int) -> int:
        page, entry = divmod(self.first_entry[kind] + number, wire.FLAT_DIRECTORY_ENTRIES)
        cell, used = self.page(wire.KIND_DIRECTORY, self.counts.directory, page, wire.FLAT_DIRECTORY_ENTRIES)
        if entry >= used:
            raise cell.fail(wire.BAD_CELL, 10, entry + 1, used)
        return cell.u32(wire.FLAT_CELL_HEADER_BYTES + 4 * entry)

    def _is_far(self, number: int) -> bool:
        """Return True if a bucket is neither in the tail nor the last one that was loaded."""
        last, position = self._cells.get((wire.KIND_BUCKET, False)), self.counts.buckets + wire.FLAT_PAGE_BYTES * number
        return position < self.held and (last is None or last.position != position)

    def _hold_names(self) -> None:
        """Load all buckets if many names were looked up: 1 in 32 buckets has been read by then."""
        if not self._names and self._bucket_loads >= max(FEW_BUCKETS, self.counts.bucket_count // 32):
            size = wire.FLAT_PAGE_BYTES * self.counts.bucket_count
            self._names = self.source.read(self.payload + self.counts.buckets, size)

    def bucket(self, number: int) -> tuple[list[tuple[int, int]], bool]:
        """Return the (tag, position) entries of a bucket, and True if the next bucket may have more."""
        is_far = self._is_far(number)
        if is_far:
            self._hold_names()
        cell, used = self.page(wire.KIND_BUCKET, self.counts.buckets, number, wire.FLAT_BUCKET_ENTRIES)
        self._bucket_loads += is_far
        begin = wire.FLAT_CELL_HEADER_BYTES
        return list(struct.iter_unpack("<II", cell.data[begin : begin + 8 * used])), used == wire.FLAT_BUCKET_ENTRIES
