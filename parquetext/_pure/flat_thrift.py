"""Rebuild the Thrift footer from a complete flat payload (docs/formats.md, 3.6)."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError, wire_error
from . import varint
from .flat_cells import Cell
from .flat_heads import Head, heads_end
from .flat_pool import pool_position
from .flat_read import CREATED_BY, GROUP, NO_MEMBERS, Reader
from .flat_residue import SAME, SAME_SKELETON, Broken, chunk_fields, footer_fields, group_fields, rebuild
from .records import checked
from .thrift_write import path_list

NOT_A_NUMBER = 256  # replaces the operation in errors if a record's number is damaged


_SIDES = (("min_value", wire.PRESENT_MIN_VALUE), ("max_value", wire.PRESENT_MAX_VALUE))


def _bound(arena: bytearray, fact: dict[str, int], side: str, bit: int) -> bytes | None:
    begin = fact[f"{side}_offset"]
    return bytes(arena[begin : begin + fact[f"{side}_length"]]) if fact["present"] & bit else None


class Memory:
    """A payload in memory, as a source."""

    def __init__(self, data):
        self.data, self.size = memoryview(data), len(data)

    def read(self, offset: int, length: int):
        return self.data[offset : offset + length]


def to_thrift(payload) -> bytes:
    """Return the Thrift FileMetaData from which a payload was written, byte for byte, without its extension.

    The result of a compact payload has the payload's bounds. O(size of the result), which is at most 64 times the
    payload.

    Raises
    ------
    Damaged
        If a checksum, cell, offset or skeleton is wrong.
    Unsupported
        TOO_LARGE, if the result would exceed 64 times the payload.
    """
    data = memoryview(payload).cast("B")
    return _Rebuilding(Reader(Memory(data), 0, len(data), data, allow_verbatim=True), len(data)).run()


def chunk_structs(reader: Reader, leaf: int, first: int = 0, count: int | None = None) -> list[bytes]:
    """Return the ColumnChunk structs of a leaf in row groups ``[first, first + count)``, as in `to_thrift`.

    Raises
    ------
    Damaged
        If a checksum, cell, offset or skeleton is wrong.
    Unsupported
        If the result would exceed 64 times the payload.
    """
    checked(leaf, reader.leaf_count)
    wanted = reader.check_range(first, count)
    return _Rebuilding(reader, reader.file.length).chunks_of_range(leaf, wanted.start, len(wanted))


class Records:
    """The records of one cell, from `at` on."""

    def __init__(self, rebuilding: _Rebuilding, cell: Cell, at: int):
        self.rebuilding, self.cell, self.at = rebuilding, cell, at
        self.skeleton: bytes | None = None
        self.literals = 0

    def next(self, fields, out: bytearray) -> None:
        """Rebuild the next struct."""
        record, cell = self.at, self.cell
        try:
            number, at = varint.decode32(cell.data, record)
        except ParquetextError:
            raise cell.fail(wire.BAD_VALUE, record, 0, NOT_A_NUMBER) from None
        if number > SAME_SKELETON:
            self.skeleton = self.rebuilding.skeleton(number, cell.position + record)
        elif self.skeleton is None:
            raise cell.fail(wire.BAD_VALUE, record, SAME_SKELETON + 1, number)
        if number != SAME:
            self.literals = at
        try:
            end = rebuild(self.skeleton, cell.data, self.literals, fields, out, self.rebuilding.spend)
        except Broken as broken:
            raise cell.fail(wire.BAD_VALUE, record, 0, broken.op) from None
        self.at = at if number == SAME else end


class _Rebuilding:
    def __init__(self, reader: Reader, size: int):
        self.reader, self.footer = reader, reader.file
        self.limit = self.left = wire.FLAT_REBUILT_LIMIT * size
        self.pages: dict[int, Cell] = {}  # pages of the pool, each loaded once
        self.records: Records  # records of the current COLUMN cell

    def spend(self, size: int) -> None:
        """Subtract `size`, before as many bytes are written, from the limit of the result."""
        if size > self.left:
            raise wire_error(wire.TOO_LARGE, 0, self.limit, self.limit + 1)
        self.left -= size

    def skeleton(self, number: int, named: int) -> bytes:
        """Return the skeleton at a pool reference, which the record at `named` contains."""
        page, at = pool_position(number)
        if page not in self.pages:
            self.footer.begin()
            self.pages[page] = self.reader.pool_page(named, page)
        return self.reader.item_of(self.pages[page], named, at)

    def run(self) -> bytes:
        reader = self.reader
        orders = [0] * reader.leaf_count
        elements = self.elements(orders)
        chunks = [self.chunks(leaf) for leaf in range(reader.leaf_count)]
        row_groups = self.row_groups(chunks)
        fields = footer_fields(reader, map(reader.key_value, range(reader.key_value_count)), orders)
        return self.root(fields | {wire.OP_ELEMENTS: elements, wire.OP_ROW_GROUPS: row_groups})

    def root(self, fields) -> bytes:
        self.footer.begin()
        cell, out = self.footer.listed_cell(wire.KIND_ROOT, 0), bytearray()
        cell.require(CREATED_BY)
        at, length, literals = cell.words(16, 3)
        skeleton = cell.inside(16, at, length)
        content = cell.inside(24, at + length, literals)
        try:
            rebuild(skeleton, content, 0, fields, out, self.spend)
        except Broken as broken:
            raise cell.fail(wire.BAD_VALUE, 16, 0, broken.op) from None
        return bytes(out)

    def elements(self, orders: list[int]) -> bytes:
        """Return all SchemaElements in preorder, and store the leaves' column orders in `orders`."""
        reader = self.reader
        found: dict[int, bytes] = {}
        for id in [*(GROUP | node for node in range(reader.node_count)), *range(reader.leaf_count)]:
            self.footer.begin()
            head = reader.head(id)
            if head.index in found:
                raise head.fail(wire.BAD_VALUE, reader.leaf_count + reader.node_count, head.index)
            self.spend(1 + len(head.thrift))
            found[head.index] = head.thrift
            if not id & GROUP:
                orders[id] = head.column_order
        return b"".join(found[index] for index in range(len(found)))

    def chunks(self, leaf: int) -> list[bytes]:
        """Return a leaf's ColumnChunks by row group."""
        head = self.open_leaf(leaf)
        parts = range(self.footer.counts.row_group_cells)
        return [struct for part in parts for struct in self.chunks_of_part(leaf, head, part)]

    def open_leaf(self, leaf: int) -> Head:
        """Prepare for the parts of a leaf. The leaves of a cell must be opened in order."""
        self.footer.begin()
        head = self.reader.head(leaf)
        if leaf % self.footer.cell_leaves == 0:
            here = min(self.footer.cell_leaves, self.reader.leaf_count - leaf)
            self.records = Records(self, head.cell, heads_end(head.cell, self.footer.counts, leaf, here))
        return head

    def chunks_of_part(self, leaf: int, head: Head, part: int) -> list[bytes]:
        """Return a leaf's ColumnChunks in one part."""
        reader, found, arena, path = self.reader, [], bytearray(), path_list(head.path)
        self.footer.begin()
        fields = [{**NO_MEMBERS, **fact} for _, fact in reader._fields(leaf, reader._part_range(part), arena)]
        if part:
            cell, _, end = reader.part(head, part)
            self.records = Records(self, cell, end)
        for fact in fields:
            bounds = [_bound(arena, fact, *side) for side in _SIDES]
            out = bytearray()
            self.records.next(chunk_fields(fact, path, *bounds), out)
            found.append(bytes(out))
        return found

    def chunks_of_range(self, leaf: int, first: int, count: int) -> list[bytes]:
        """Return a leaf's ColumnChunks in row groups.

        In part 0, the leaves before it in its cell are rebuilt first, because records have no offsets.
        """
        step, found, last = wire.FLAT_PART_ROW_GROUPS, [], first + count
        for part in range(first // step, -(-last // step) if count else first // step):
            begin = leaf if part else leaf - leaf % self.footer.cell_leaves
            structs = []
            for at in range(begin, leaf + 1):
                structs = self.chunks_of_part(at, self.open_leaf(at), part)
            found += structs[max(first - part * step, 0) : last - part * step]
        return found

    def records_at(self, cell: Cell, word: int) -> Records:
        """Return the records whose offset is stored at `word`."""
        at = cell.u32(word)
        cell.inside(word, at, 0)
        return Records(self, cell, at)

    def row_groups(self, chunks: list[list[bytes]]) -> bytes:
        """Return all RowGroups, concatenated."""
        reader, out, records = self.reader, bytearray(), None
        for index in range(reader.row_group_count):
            self.footer.begin()
            cell, _ = reader._row_group(index)
            if records is None or index % wire.FLAT_PART_ROW_GROUPS == 0:
                records = self.records_at(cell, 24)
            fields = group_fields(reader.row_group_table(index), b"".join(column[index] for column in chunks))
            records.next(fields, out)
        return bytes(out)
