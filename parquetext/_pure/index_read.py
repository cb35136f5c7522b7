"""Read only the parts of the Thrift footer that a projection uses, by its index, each byte checksummed."""

from __future__ import annotations

from array import array
from contextlib import suppress
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import flat_names
from .bounds import Leaf
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS, Chunks
from .flat_ending import HAS_CREATED_BY
from .flat_names import GROUP, limit_of
from .index_file import IndexFile, Range, read_row_group, read_sorting_columns
from .index_shape import Numbers
from .index_slice import slice_index
from .name_table import CellReader, NameTable
from .records import ABSENT, Records, checked
from .scan import ELEMENT_FIELDS, ELEMENT_MEMBERS, IN_LISTED_STRUCT, KEY_VALUE_FIELDS, NO_FIELD_ID, ROW_GROUP_MEMBERS
from .scan_chunk import ChunkReader
from .schema import sort_order

FEW_NAMES = 16  # which are read in the given order
MOST_SORTED = 4  # one in so many columns; more are faster in the given order


class Entry(NamedTuple):
    """A leaf's or node's cell, and the schema element that it refers to."""

    id: int
    cell: bytes
    offset: int  # position in the file of its index in preorder
    thrift: bytes  # the SchemaElement
    element: dict[str, int]  # the members of pqx_element
    parent: int
    schema_index: int
    position: int
    first_leaf: int
    leaf_count: int
    path: bytes | None

    @property
    def column_order(self) -> int:
        return self.element["column_order"]

    @property
    def max_definition(self) -> int:
        return self.element["max_definition"]

    @property
    def max_repetition(self) -> int:
        return self.element["max_repetition"]

    def fail(self, code: int, expected: int, found: int) -> Exception:
        """Return the error for a wrong number in the cell."""
        return wire_error(code, self.offset, expected, found)


class Reader(CellReader):
    """The Thrift footer that begins at `footer`, read by the index whose payload is [payload, payload + length).

    Parameters
    ----------
    source : (int, int) or object
        A file descriptor and the file's size, or an object with `size` and `read(offset, length) -> bytes`.
    footer, payload, length : int
        The positions of the Thrift footer and of the payload in the source.
    known : bytes-like
        Bytes of the source that have been read already; any number.
    known_end : int, optional
        The position of their end in the source; by default the source's end.
    thrift_length : int, optional
        The number of Thrift footer bytes that the index may refer to; by default, all bytes before the payload.
    """

    def __init__(
        self,
        source,
        footer: int,
        payload: int,
        length: int,
        known,
        known_end: int | None = None,
        thrift_length: int | None = None,
    ):
        self._open = IndexFile(source, footer, payload, length, known, known_end, thrift_length)
        self._is_local = isinstance(source, tuple)
        shape, fields = self.file.shape, self.file.facts
        self.version, self.num_rows = fields.version, fields.num_rows
        self.leaf_count, self.node_count = shape.leaves, shape.nodes
        self.row_group_count, self.key_value_count = shape.row_groups, shape.key_values
        self._entries: dict[bool, Entry] = {}  # the last leaf and the last node
        self._names = NameTable()
        self._groups: dict[int, bytes] = {}  # the path of the group that contains the last node
        self._part: tuple[int, int, list[Range], list[bytes]] | None = None
        self._pair: tuple[int, dict[str, int], bytes] | None = None
        self._row_group_cell: tuple[int, bytes] | None = None

    def hold(self) -> None:
        """Read the whole Thrift footer and the index into memory, once.

        This pays off for projections of most columns.
        """
        self.file.hold_all()

    # ---- the schema

    def entry(self, id: int) -> Entry:
        """Return a leaf or node; use the last one if it matches. The path may not be known yet."""
        is_node, number = bool(id & GROUP), id & ~GROUP
        count = self.node_count if is_node else self.leaf_count
        checked(number, count)
        entry = self._entries.get(is_node)
        if entry is None or entry.id != id:
            self._entries.pop(is_node, None)
            entry = self._entries[is_node] = self._load(id)
        return entry

    def named(self, id: int) -> Entry:
        """Return a leaf or node with its path."""
        entry = self.entry(id)
        if entry.path is None:
            entry = self._entries[bool(id & GROUP)] = entry._replace(path=self._path(entry))
        return entry

    def _load(self, id: int) -> Entry:
        """Load an entry without its path."""
        file, shape, is_node, number = self.file, self.file.shape, bool(id & GROUP), id & ~GROUP
        record_offset = shape.nodes_position + number * shape.node_bytes if is_node else shape.part_position(id, 0)
        cell = file.checked_cell(record_offset, shape.node_bytes if is_node else shape.part_bytes(0))
        numbers = Numbers(cell, 4)
        crc, thrift = numbers.take(4), Range(numbers.take(shape.offset_bytes), numbers.take(shape.length_bytes))

        def below(limit: int) -> int:
            at, value = numbers.at, numbers.take(shape.number_bytes)
            if value >= limit:
                raise file.fail(wire.BAD_VALUE, record_offset + at, limit, value)
            return value

        elements = self.leaf_count + self.node_count
        at = numbers.at + shape.number_bytes
        parent = below(1 if id == GROUP else number if is_node else self.node_count)
        index, position = below(elements), below(elements)
        levels = [numbers.take(1) for _ in range(3)]
        first_leaf, leaf_count = number, 1
        if is_node:
            first_leaf, leaf_count = self._leaves(record_offset, numbers)
        try:
            data = file.thrift(record_offset + 8, thrift, crc)
        except Exception as error:
            if not is_node and not isinstance(error, ParquetextError):
                self._want_chunks(number, cell)
            raise
        element = self._element(data, thrift)
        element |= zip(("column_order", "max_definition", "max_repetition"), levels, strict=True)
        return Entry(
            id,
            cell,
            file.payload + record_offset + at,
            data,
            element,
            parent,
            index,
            position,
            first_leaf,
            leaf_count,
            None,
        )

    def _leaves(self, position: int, numbers: Numbers) -> tuple[int, int]:
        """Return a node's first leaf and its number of leaves."""
        found, most = [], self.leaf_count
        for _ in range(2):
            at, value = numbers.at, numbers.take(self.file.shape.number_bytes)
            if value > most:
                raise self.file.fail(wire.BAD_VALUE, position + at, most, value)
            found.append(value)
            most -= value
        return found[0], found[1]

    def _element(self, data: bytes, thrift: Range) -> dict[str, int]:
        fields = self._decode(data, thrift, ELEMENT_FIELDS, {"field_id": NO_FIELD_ID})
        absent = {name: ABSENT[code] for name, code in ELEMENT_MEMBERS.items()}
        element = absent | fields
        columns = {name: [value] for name, value in element.items()}
        return element | {"sort_order": sort_order(memoryview(data), columns, 0)}

    def _decode(self, data: bytes, range: Range, fields, statistics: dict[str, int]) -> dict[str, int]:
        """Decode the bytes, which must be exactly one struct."""
        try:
            statistics, end = ChunkReader(memoryview(data)).struct(0, fields, statistics, IN_LISTED_STRUCT)
        except ParquetextError:
            raise self.file.not_whole(range) from None
        if end != len(data):
            raise self.file.not_whole(range)
        return statistics

    def _path(self, entry: Entry) -> bytes:
        """Return the names from below the root, separated by NUL. Cache the path of the group that contains a node."""
        if entry.id == GROUP:
            return b""
        if not entry.id & GROUP:
            above = (self.named(GROUP | entry.parent).path or b"") + b"\0" if entry.parent else b""
            return above + name_of(entry)
        node, names = entry, [name_of(entry)]
        while entry.parent and entry.parent not in self._groups:
            entry = self._load(GROUP | entry.parent)
            names.append(name_of(entry))
        if entry.parent:
            names.append(self._groups[entry.parent])
        path = b"\0".join(reversed(names))
        if node.parent:
            self._groups = {node.parent: path[: -len(names[0]) - 1]}
        return path

    # ---- names

    def find_columns(self, names: list) -> list:
        """Return the leaf of each name as `find_column` does, read in the likely order of the leaves."""
        numbers = list(range(len(names)))
        if self._is_local and FEW_NAMES <= len(names) < self.leaf_count // MOST_SORTED:
            numbers.sort(key=[self._guess(name) for name in names].__getitem__)
        found = {number: super(Reader, self).find_columns([names[number]])[0] for number in numbers}
        return [found[number] for number in range(len(names))]

    def _guess(self, name) -> int:
        """Return the id that a name most likely has."""
        with suppress(AttributeError, OSError, ParquetextError, UnicodeEncodeError):
            hash = flat_names.hash_path(name.encode())
            if not self._names.is_read:
                self.begin()
                entries, _ = next(self._candidates(hash))
                return next((where[0] for tag, where in entries if tag == flat_names.tag_of(hash)), wire.FLAT_NONE)
        return wire.FLAT_NONE

    def _candidates(self, hash: int):
        file, buckets = self.file, self.file.shape.buckets
        if not buckets:
            yield self._placed(file.shape.tail_position + wire.INDEX_TAIL_BYTES, file.listed), True
        for step in range(buckets):
            number = (flat_names.home_of(hash, buckets) + step) % buckets
            position = file.shape.buckets_position + wire.FLAT_PAGE_BYTES * number
            entries = self._bucket(position, number)
            yield (
                self._placed(position + wire.FLAT_CELL_HEADER_BYTES, entries),
                len(entries) < wire.FLAT_BUCKET_ENTRIES or step + 1 == buckets,
            )

    @staticmethod
    def _placed(position: int, entries: list[tuple[int, int]]) -> list[tuple[int, tuple[int, int]]]:
        """Return (tag, (id, its position)) of entries at `place`."""
        return [(tag, (id, position + 8 * number + 4)) for number, (tag, id) in enumerate(entries)]

    def _bearer(self, where: tuple[int, int]) -> int:
        id, position = where
        most = self.node_count if id & GROUP else self.leaf_count
        if id & ~GROUP >= most:
            raise self.file.fail(wire.BAD_VALUE, position, most, id & ~GROUP)
        return id

    def _bearer_of(self, id: int) -> int:
        return id

    _id = _bearer_of

    def _is_called(self, id: int, wanted: bytes | int) -> bool:
        if isinstance(wanted, bytes):
            return flat_names.dotted(self.named(id).path or b"") == wanted
        return self.entry(id).element["field_id"] == wanted

    def _all_names(self):
        limit, found = limit_of(self.file.limit), 0
        for id in self._all_ids():
            self.begin()
            entry = self.named(id)
            found += len(entry.path)  # assembling a path reads about as many cells
            if found > limit:
                raise wire_error(wire.BAD_OFFSET, entry.offset, limit, found)
            field_id = entry.element["field_id"]
            yield entry.path, None if field_id == NO_FIELD_ID else field_id, id

    def _bucket(self, position: int, number: int) -> list[tuple[int, int]]:
        return self._entries_of(position, number, self.file.checked_cell(position, wire.FLAT_PAGE_BYTES))

    def _entries_of(self, position: int, number: int, bucket: bytes) -> list[tuple[int, int]]:
        numbers = Numbers(bucket, 4)
        size, kind, used, found = (numbers.take(width) for width in (4, 2, 2, 4))
        for at, expected, value in ((4, wire.FLAT_PAGE_BYTES, size), (8, wire.KIND_BUCKET, kind), (12, number, found)):
            if value != expected:
                raise self.file.fail(wire.BAD_CELL, position + at, expected, value)
        if used > wire.FLAT_BUCKET_ENTRIES:
            raise self.file.fail(wire.BAD_CELL, position + 10, wire.FLAT_BUCKET_ENTRIES, used)
        return [(numbers.take(4), numbers.take(4)) for _ in range(used)]

    # ---- chunks

    def column(self, leaf: int, first: int = 0, count: int | None = None) -> Chunks:
        """Return a leaf's chunks in the row groups [first, first + count)."""
        checked(leaf, self.leaf_count)
        wanted = self.check_range(first, count)
        self.begin()
        return self.chunks_of(leaf, *self.facts(*self.chunk_bytes(leaf, wanted)))

    def chunks_of(self, leaf: int, facts: list[dict[str, int]], arena: bytes, *, lacks_bounds: bool = False) -> Chunks:
        """Return a leaf's chunks with these members, whose ranges are in `arena`."""
        records = Records(CHUNK_MEMBERS | PLACES_MEMBERS)
        for fact in facts:
            records.append(fact)
        element = self.entry(leaf).element
        return Chunks(records, arena, Leaf(*(element[name] for name in Leaf._fields)), lacks_bounds=lacks_bounds)

    def chunk_structs(self, leaf: int, first: int, count: int) -> list[bytes]:
        """Return the ColumnChunk structs of a leaf in the row groups [first, first + count)."""
        checked(leaf, self.leaf_count)
        wanted = self.check_range(first, count)
        self.begin()
        data, ranges = self.chunk_bytes(leaf, wanted)
        self.decode_chunks(data, ranges)
        ends = [0, *accumulate(thrift.length for thrift in ranges)]
        return [data[begin:end] for begin, end in pairwise(ends)]

    def facts(self, data: bytes, ranges: list[Range]) -> tuple[list[dict[str, int]], bytes]:
        """Return the members of chunks, and the bytes to which their ranges refer."""
        return self.decode_chunks(data, ranges), data

    def decode_chunks(self, data: bytes, ranges: list[Range]) -> list[dict[str, int]]:
        """Return the members of pqx_chunk and pqx_places of chunks that follow each other."""
        begins = accumulate((thrift.length for thrift in ranges), initial=0)
        return [self.decode_chunk(data, at, thrift) for at, thrift in zip(begins, ranges, strict=False)]

    def chunk_bytes(self, leaf: int, row_groups) -> tuple[bytes, list[Range]]:
        """Return the concatenated Thrift bytes of a leaf's chunks in row groups, which ascend, and their ranges."""
        pieces, ranges = [], []
        self.entry(leaf)
        for part, numbers in groupby(row_groups, lambda row_group: row_group // wire.FLAT_PART_ROW_GROUPS):
            first = wire.FLAT_PART_ROW_GROUPS * part
            of_part, data = self._load_part(leaf, part)
            for number in numbers:
                ranges.append(of_part[number - first])
                pieces.append(data[number - first])
        return b"".join(pieces), ranges

    def _load_part(self, leaf: int, part: int) -> tuple[list[Range], list[bytes]]:
        """Return the ranges and the bytes of a part's chunks; use the last part if it matches."""
        if self._part is not None and self._part[:2] == (leaf, part):
            return self._part[2:]
        file, shape, entry = self.file, self.file.shape, self.entry(leaf)
        self._part = None
        position = shape.part_position(leaf, part)
        cell = file.checked_cell(position, shape.part_bytes(part)) if part else entry.cell
        crc, ranges = self._ranges(leaf, part, cell)
        data = file.gather(position, ranges)
        file.check_thrift(crc, b"".join(data), ranges[0].offset)
        self._part = leaf, part, ranges, data
        return ranges, data

    def _ranges(self, leaf: int, part: int, cell: bytes) -> tuple[int, list[Range]]:
        """Return the checksum of a part's chunks, and their ranges, which ascend."""
        file, shape = self.file, self.file.shape
        position, head = shape.part_position(leaf, part), 4 if part else shape.schema_bytes
        numbers, ranges, end = Numbers(cell, head), [], 0
        crc, count = numbers.take(4), len(shape.groups(part))
        offsets = [numbers.take(shape.offset_bytes) for _ in range(count)]
        for number, offset in enumerate(offsets):
            length = numbers.take(shape.length_bytes)
            if offset < end or offset + length > file.limit:
                at = position + head + 4 + number * shape.offset_bytes
                raise file.fail(wire.BAD_OFFSET, at, file.limit, offset)
            ranges.append(Range(offset, length))
            end = offset + length
        return crc, ranges

    def _want_chunks(self, leaf: int, cell: bytes) -> None:
        """Request the chunks of an unreadable leaf, so that a source that collects missing ranges learns them."""
        with suppress(Exception):  # the original error is raised anyway
            _, ranges = self._ranges(leaf, 0, cell)
            self.file.gather(0, ranges)

    def decode_chunk(self, arena: bytes, at: int, thrift: Range) -> dict[str, int]:
        """Return the members of pqx_chunk and pqx_places of the chunk at `at` of the arena."""
        try:
            fields, end = ChunkReader(memoryview(arena)).chunk(at)
        except ParquetextError:
            raise self.file.not_whole(thrift) from None
        if end != at + thrift.length:
            raise self.file.not_whole(thrift)
        return fields

    # ---- row groups

    def row_groups(self, name: str) -> memoryview:
        """Return one member of all row groups, such as num_rows, total_byte_size, file_offset or ordinal."""
        self.begin()
        fields = self.row_group_fields(0, self.row_group_count)
        return memoryview(array(ROW_GROUP_MEMBERS[name], [fact.get(name, -1) for fact in fields]))

    def row_group_fields(self, first: int, count: int) -> list[dict[str, Any]]:
        """Return the members of row groups; ranges count from the bytes in ``"own"``."""
        found, end = [], 0
        for _, numbers in groupby(range(first, first + count), lambda number: number // wire.FLAT_PART_ROW_GROUPS):
            entries, start = [], 0
            for number in numbers:
                position, crc, offsets = self._row_group_entry(number, end)
                entries.append(
                    (crc, Range(offsets[0], offsets[1] - offsets[0]), Range(offsets[2], offsets[3] - offsets[2]))
                )
                start, end = start or position, offsets[3]
            data = self.file.gather(start, [range for entry in entries for range in entry[1:]])
            for crc, before, _ in entries:
                own, data = data[0] + data[1], data[2:]
                self.file.check_thrift(crc, own, before.offset)
                fields = read_row_group(own, before.length)
                if fields is None:
                    raise self.file.not_whole(Range(before.offset, len(own)))
                found.append(fields | {"chunk_count": self.leaf_count, "own": own})
        return found

    def _row_group_entry(self, number: int, end: int) -> tuple[int, int, list[int]]:
        """Return an entry's position, checksum and four offsets.

        The offsets ascend and are at or above `end`.
        """
        file, shape = self.file, self.file.shape
        part, size = number // wire.FLAT_PART_ROW_GROUPS, shape.row_group_bytes
        cell_position = shape.row_groups_position + part * (4 + wire.FLAT_PART_ROW_GROUPS * size)
        if self._row_group_cell is None or self._row_group_cell[0] != part:
            self._row_group_cell = None
            self._row_group_cell = part, file.checked_cell(cell_position, 4 + len(shape.groups(part)) * size)
        at = 4 + number % wire.FLAT_PART_ROW_GROUPS * size
        numbers, offsets = Numbers(self._row_group_cell[1], at), []
        crc = numbers.take(4)
        for _ in range(4):
            position, offset = cell_position + numbers.at, numbers.take(shape.offset_bytes)
            if offset < end or offset > file.limit:
                raise file.fail(wire.BAD_OFFSET, position, file.limit, offset)
            offsets.append(offset)
            end = offset
        return cell_position + at, crc, offsets

    def sorting_columns(self, row_group: int) -> list[tuple[int, bool, bool]]:
        """Return (column_idx, descending, nulls_first) of each column that a row group is sorted by."""
        checked(row_group, self.row_group_count)
        self.begin()
        (fields,) = self.row_group_fields(row_group, 1)
        if not fields.get("sorting_columns_length"):
            return []
        return read_sorting_columns(fields["own"], fields["sorting_columns_offset"])

    # ---- key-values and the rest

    def key_value(self, index: int) -> tuple[bytes, bytes | None]:
        """Return the key and the value of a pair; the value is None if it is absent."""
        checked(index, self.key_value_count)
        self.begin()
        fields, data = self.pair(index)
        key, value = (
            data[at : at + length]
            for at, length in (
                (fields.get(f"{name}_offset", 0), fields.get(f"{name}_length", 0)) for name in ("key", "value")
            )
        )
        return key, value if "value_offset" in fields else None

    def pair(self, index: int) -> tuple[dict[str, int], bytes]:
        """Return the members of a pair, and the Thrift bytes from which its ranges count."""
        if self._pair is None or self._pair[0] != index:
            file, shape = self.file, self.file.shape
            self._pair = None
            position = shape.key_values_position + index * shape.key_value_bytes
            numbers = Numbers(file.checked_cell(position, shape.key_value_bytes), 4)
            crc, thrift = numbers.take(4), Range(numbers.take(shape.offset_bytes), numbers.take(shape.offset_bytes))
            data = file.thrift(position + 8, thrift, crc)
            self._pair = index, self._decode(data, thrift, KEY_VALUE_FIELDS, {}), data
        return self._pair[1:]

    @property
    def created_by(self) -> bytes | None:
        """Return the name of the writer, or None if the footer has none."""
        self.begin()
        return self.read_created_by()

    def read_created_by(self) -> bytes | None:
        fields = self.file.facts
        if not fields.flags & HAS_CREATED_BY:
            return None
        return self.file.thrift(self.file.shape.tail_position + 36, fields.created_by, fields.created_by_crc)

    def slice(self, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
        """Return the Thrift footer for a projection, like `slice.slice_footer`."""
        return slice_index(self, leaves, row_groups, arrow_schema, key_values)


def name_of(entry: Entry) -> bytes:
    at = entry.element["name_offset"]
    return entry.thrift[at : at + entry.element["name_length"]]
