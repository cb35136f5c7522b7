"""Read the heads of leaves and groups in the COLUMN and NODE cells of a flat footer (docs/formats.md, 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import wire
from ..errors import ParquetextError
from . import varint
from .flat_cells import Cell, Counts
from .flat_names import GROUP

HEADS, TABLES_AT = 16, 20  # in COLUMN and NODE cells: the word with the heads' offset; the begin of the tables
PART_LIST, PART_TABLES = 20, 24  # the same in parts above 0, and their list
_WRAP = 2**32


@dataclass(slots=True)
class Head:
    """The description of a leaf or group in its cell."""

    cell: Cell
    id: int  # leaf, or GROUP | node
    at: int  # its offset in the cell
    column_order: int = 0
    max_definition: int = 0
    max_repetition: int = 0
    type: int = 0
    element: int = 0  # cell offset of its SchemaElement
    chunks: list[int] = field(default_factory=list)
    index: int = 0  # in preorder
    parent: int = 0  # node; 0 for the root too
    position: int = 0  # among its siblings, if below the top level
    arrow: int = 0  # pool reference of the Arrow field, 0 for none
    first_leaf: int = 0
    leaf_count: int = 1
    prefix: bytes = b""  # the Thrift element before and after its name
    suffix: bytes = b""
    above: bytes = b""  # the parent's path
    name: bytes = b""
    last: int = 0  # cell offset of the last table that the head lists
    end: int = 0
    fields: dict[str, int] = field(default_factory=dict)  # offsets of the SchemaElement's fields

    @property
    def thrift(self) -> bytes:
        """The SchemaElement's Thrift bytes."""
        return self.prefix + self.name + self.suffix

    @property
    def path(self) -> bytes:
        """Names from below the root, NUL between them; b"" for the root."""
        if self.id == GROUP:
            return b""
        return self.above + b"\0" + self.name if self.parent else self.name

    schema_index = property(lambda self: self.index)

    def fail(self, code: int, expected: int, found: int) -> Exception:
        """Return the error for a wrong value in the head."""
        return self.cell.fail(code, self.at, expected, found)


class _Numbers:
    """A reader of the bytes and varints of a cell from an offset on."""

    def __init__(self, cell: Cell, at: int, before: int):
        self.cell, self.at = cell, at
        self.position, self.beyond = before, 0  # of the last table; of the first one that exceeds the cell

    def byte(self) -> int:
        if self.at >= self.cell.size:
            raise EOFError
        self.at += 1
        return self.cell.data[self.at - 1]

    def varint(self) -> int:
        try:
            number, self.at = varint.decode32(self.cell.data, self.at)
        except ParquetextError:
            raise EOFError from None
        return number

    def table(self) -> int:
        self.position += 4 * self.varint()
        if self.position > self.cell.size - 4 and not self.beyond:
            self.beyond = self.position
        return self.position


def _read(cell: Cell, counts: Counts, id: int, at: int, before: int) -> Head:
    """Read the head at `at`; the table listed before it is at `before`."""
    head, numbers = Head(cell, id, at), _Numbers(cell, at, before)
    number, is_node = id & ~GROUP, bool(id & GROUP)
    try:
        head.column_order, head.max_definition, head.max_repetition, head.type = (numbers.byte() for _ in range(4))
        head.element = numbers.table()
        chunks = 0 if is_node else min(counts.row_groups, wire.FLAT_PART_ROW_GROUPS)
        head.chunks = [numbers.table() for _ in range(chunks)]
        head.index, head.parent, head.first_leaf = number + numbers.varint(), numbers.varint(), number
        above = 0
        if head.parent:
            head.position, above = numbers.varint(), numbers.varint()
        else:
            head.arrow = numbers.varint()
        if is_node:
            head.first_leaf, head.leaf_count = numbers.varint(), numbers.varint()
        prefix, suffix = numbers.varint(), numbers.varint()
    except EOFError:
        raise head.fail(wire.BAD_VALUE, 1, 0) from None
    if numbers.beyond:
        raise head.fail(wire.BAD_OFFSET, cell.size, numbers.beyond)
    _check(head, counts, number, is_node)
    begin, head.last = numbers.at, numbers.position
    head.end = begin + prefix + suffix + above
    if head.end > cell.size:
        raise head.fail(wire.BAD_OFFSET, cell.size, head.end)
    head.prefix, head.suffix, head.above = (
        bytes(cell.data[first : first + length])
        for first, length in ((begin, prefix), (begin + prefix, suffix), (begin + prefix + suffix, above))
    )
    return head


def _check(head: Head, counts: Counts, number: int, is_node: bool) -> None:
    """Check the ranges of the numbers in a head."""
    parents, elements = (number or 1) if is_node else counts.nodes, (counts.leaves + counts.nodes) % _WRAP
    if head.parent >= parents:
        raise head.fail(wire.BAD_VALUE, parents, head.parent)
    if head.index >= elements:
        raise head.fail(wire.BAD_VALUE, elements, head.index)
    if is_node and head.first_leaf > counts.leaves:
        raise head.fail(wire.BAD_VALUE, counts.leaves, head.first_leaf)
    if is_node and head.leaf_count > counts.leaves - head.first_leaf:
        raise head.fail(wire.BAD_VALUE, counts.leaves - head.first_leaf, head.leaf_count)


def _find(cell: Cell, counts: Counts) -> tuple[int, int]:
    """Return the offsets of the heads and of the tables."""
    parts = max(counts.row_group_cells, 1) if cell.kind == wire.KIND_COLUMN else 1
    tables = TABLES_AT + 4 * (parts - 1)
    cell.require(tables)
    at = cell.u32(HEADS)
    if at > cell.size:
        raise cell.fail(wire.BAD_OFFSET, HEADS, cell.size, at)
    return at, tables


def _read_several(cell: Cell, counts: Counts, first: int, count: int) -> list[Head]:
    """Return the first `count` heads of a cell."""
    (at, before), heads = _find(cell, counts), []
    for number in range(count):
        heads.append(_read(cell, counts, first + number, at, before))
        at, before = heads[-1].end, heads[-1].last
    return heads


def read_head(cell: Cell, counts: Counts, id: int, which: int) -> Head:
    """Return the head of `id`, which follows `which` others in its cell, including its name."""
    head = _read_several(cell, counts, id - which, which + 1)[-1]
    head.fields = cell.table("SchemaElement", head.element)
    head.name = cell.text(head.fields, "name") or b""
    return head


def heads_end(cell: Cell, counts: Counts, first: int, count: int) -> int:
    """Return the end of the heads of a cell."""
    return _read_several(cell, counts, first, count)[-1].end


def read_list(cell: Cell, count: int) -> tuple[list[int], int]:
    """Return the offsets of the chunks of a part above 0, and the end of the list of them."""
    at = cell.u32(PART_LIST)
    if at > cell.size:
        raise cell.fail(wire.BAD_OFFSET, PART_LIST, cell.size, at)
    numbers = _Numbers(cell, at, PART_TABLES)
    try:
        positions = [numbers.table() for _ in range(count)]
    except EOFError:
        raise cell.fail(wire.BAD_VALUE, PART_LIST, 1, 0) from None
    if numbers.beyond:
        raise cell.fail(wire.BAD_OFFSET, PART_LIST, cell.size, numbers.beyond)
    return positions, numbers.at
