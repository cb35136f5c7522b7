"""Tiles: the values of the chunks of some leaves and row groups, as tables of numbers (docs/formats.md, 15.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import wire
from . import packed_numbers as numbers
from .bits import signed
from .packed_content import Content
from .packed_numbers import Table
from .packed_roles import ALONE, CHAINED, DIFFERENCE, NO_ROLE, SAME, Book
from .packed_template import BOUND, HAVE_NO_ROLE, PLACED, RAW, WORDS, Operation, pieces_of
from .packed_words import Words

ONE, BY_COLUMN, BY_CHUNK = wire.TEMPLATES_ONE, wire.TEMPLATES_BY_COLUMN, wire.TEMPLATES_BY_STRUCT

Values = dict[int, Any]  # by role
Part = tuple[Sequence[Operation], list[Any]]


class Chunk:
    """A struct to be written: its template's number, and its values by role."""

    def __init__(self, template: int, values: Values):
        self.template, self.values = template, values


Columns = Sequence[Sequence[Chunk]]  # of a tile; each has one chunk for each row group


# ---- predictions


def begin_of(values: Values, chain) -> int | None:
    """Return where a chunk's bytes begin, as a chain sees it."""
    begin = values.get(chain.first)
    return begin if begin is not None or chain.second == NO_ROLE else values.get(chain.second)


def predicted(book: Book, number: int, values: Values, positions: Sequence[int]) -> int:
    """Return the value from which the distance of a role's value is stored; `positions` are those of the chains."""
    role = book.roles[number]
    if role.predictor == SAME:
        return values.get(role.first, 0)
    if role.predictor == DIFFERENCE:
        return signed(values.get(role.first, 0) - values.get(role.second, 0))
    if role.predictor == CHAINED:
        chain = book.chains[role.first]
        return values[chain.first] if number == chain.second and chain.first in values else positions[role.first]
    return 0


def advance(book: Book, values: Values, positions: list[int]) -> None:
    """Move the chains past a chunk."""
    for number, chain in enumerate(book.chains):
        begin = begin_of(values, chain)
        if begin is not None:
            positions[number] = signed(begin + values.get(chain.length, 0))


def first_positions(book: Book, columns: Columns) -> list[list[int]]:
    """Return, for each chain, where the first begin of each row group is."""
    found = []
    for chain in book.chains:
        by_row = zip(*columns, strict=True)
        begins = ([begin_of(chunk.values, chain) for chunk in row] for row in by_row)
        found.append([next((begin for begin in row if begin is not None), 0) for row in begins])
    return found


# ---- writing


def write_templates(columns: Columns) -> bytes:
    by_column = [[chunk.template for chunk in column] for column in columns]
    if any(set(column) != {column[0]} for column in by_column):
        return bytes((BY_CHUNK, *(template for column in by_column for template in column)))
    firsts = [column[0] for column in by_column]
    return bytes((ONE, firsts[0])) if len(set(firsts)) == 1 else bytes((BY_COLUMN, *firsts))


def write_numbers(book: Book, area: int, columns: Columns) -> bytes:
    """Return the begins of the chains, for PLACED, and the tables of all roles of an area."""
    firsts = first_positions(book, columns)
    pieces = [numbers.encode([row]) for row in firsts] if area == PLACED else []
    residuals = residuals_of(book, area, columns, firsts)
    for number, role in enumerate(book.roles):
        if role.area == area:
            pieces.append(write_role(number, role.predictor, columns, residuals[number]))
    return b"".join(pieces)


def residuals_of(book: Book, area: int, columns: Columns, firsts: Sequence[Sequence[int]]) -> dict[int, list]:
    """Return the distances of a role's values from their predictions; None where a chunk has no value."""
    found: dict[int, list[list[int | None]]] = {
        number: [[None] * len(column) for column in columns]
        for number, role in enumerate(book.roles)
        if role.area == area
    }
    for row in range(len(columns[0])):
        positions = [first[row] for first in firsts]
        for at, column in enumerate(columns):
            values = column[row].values
            for number in found:
                if number in values:
                    found[number][at][row] = signed(values[number] - predicted(book, number, values, positions))
            advance(book, values, positions)
    return found


def write_role(number: int, predictor: int, columns: Columns, residuals: list) -> bytes:
    written = numbers.encode(filled(residuals))
    if predictor == ALONE:
        return written
    plain = numbers.encode(filled([[chunk.values.get(number) for chunk in column] for column in columns]))
    return written if len(written) <= len(plain) else bytes((plain[0] | numbers.MARK,)) + plain[1:]


def filled(table: list[list[int | None]]) -> list[list[int]]:
    """Replace absent numbers by ones that cost little: another number of the column, or of the table."""
    default = next((value for column in table for value in column if value is not None), 0)
    made = []
    for column in table:
        other = next((value for value in column if value is not None), default)
        made.append([other if value is None else value for value in column])
    return made


# ---- reading


class Tile:
    """The chunks of some leaves and row groups, whose values are decoded when they are needed.

    Parameters
    ----------
    book : Book
    columns, rows : int
    load : callable
        Return the content of PLACED or of BOUND.
    limit : int
        Of the bytes that one call makes.
    has_cells : bool
        True if each part is a cell of its own.
    """

    def __init__(
        self, book: Book, columns: int, rows: int, load: Callable[[int], Content], limit: int, has_cells: bool
    ):
        self.book, self.columns, self.rows, self.load = book, columns, rows, load
        self.limit, self.has_cells = limit, has_cells
        self.tables: dict[int, tuple[Table, bool]] = {}
        content = load(PLACED)
        self.templates = self._read_templates(content)
        self.firsts = [Table(content, 1, rows).column(0) for _ in book.chains]
        self._read_tables(content, PLACED)
        self.placed = content
        self._columns: list[list[Values]] = []
        self._positions = [list(row) for row in zip(*self.firsts, strict=True)] or [[] for _ in range(rows)]
        self._has_bounds = False

    def _read_templates(self, content: Content) -> Sequence[int]:
        """Return the template of each chunk, column by column."""
        at, form = content.at, content.byte()
        if form > BY_CHUNK:
            raise content.fail(wire.BAD_VALUE, at, BY_CHUNK, form)
        count = (1, self.columns, self.columns * self.rows)[form]
        begin = content.at
        found = bytes(content.take(count))
        for number, template in enumerate(found):
            if template >= len(self.book.templates):
                raise content.fail(wire.BAD_VALUE, begin + number, len(self.book.templates), template)
        if form == BY_COLUMN:
            return [template for template in found for _ in range(self.rows)]
        return found * (self.columns * self.rows) if form == ONE else found

    def _read_tables(self, content: Content, area: int) -> None:
        for number, role in enumerate(self.book.roles):
            if role.area == area:
                table = Table(content, self.columns, self.rows)
                self.tables[number] = table, table.is_marked or role.predictor == ALONE
        if self.has_cells:
            content.end()

    def roles_of(self, template: int, area: int) -> list[int]:
        return [
            operation.role
            for operation in self.book.templates[template]
            if operation.kind not in HAVE_NO_ROLE and self.book.roles[operation.role].area == area
        ]

    def column(self, column: int) -> list[Values]:
        """Return the numbers of PLACED of a column's chunks. Those of the columns before it are needed, too."""
        while len(self._columns) <= column:
            self._columns.append(self._next_column(len(self._columns)))
        return self._columns[column]

    def _next_column(self, column: int) -> list[Values]:
        tables: dict[int, list[int]] = {}
        found = []
        for row in range(self.rows):
            values: Values = {}
            positions = self._positions[row]
            for number in sorted(set(self.roles_of(self.templates[column * self.rows + row], PLACED))):
                self._add(values, number, column, row, tables, positions)
            advance(self.book, values, positions)
            found.append(values)
        return found

    def _add(self, values: Values, number: int, column: int, row: int, tables: dict, positions: Sequence[int]) -> None:
        table, is_plain = self.tables[number]
        if number not in tables:
            tables[number] = table.column(column)
        residual = tables[number][row]
        values[number] = residual if is_plain else signed(residual + predicted(self.book, number, values, positions))

    def load_bounds(self) -> None:
        if not self._has_bounds:
            self._read_tables(self.load(BOUND), BOUND)
            self._has_bounds = True

    def chunks(self, column: int, first: int, count: int) -> list[Values]:
        """Return all numbers of a column's chunks in rows ``[first, first + count)``."""
        tables: dict[int, list[int]] = {}
        found = [dict(values) for values in self.column(column)[first : first + count]]
        for row, values in enumerate(found, first):
            for number in sorted(set(self.roles_at(column, row, BOUND))):
                self._add(values, number, column, row, tables, ())
        return found

    def roles_at(self, column: int, row: int, area: int) -> list[int]:
        return self.roles_of(self.templates[column * self.rows + row], area)

    def parts(self, column: int, first: int, count: int, words: Words, bounds: bool = True) -> list[Part]:
        """Return the operations and the values of a column's structs in rows ``[first, first + count)``.

        Without `bounds`, values of BOUND are 0 and texts are empty, unless a struct of these rows is a text.
        """
        rows = range(first, first + count)
        if not bounds and not any(self._has_raw(column, row) for row in rows):
            return [self._placed_part(column, row) for row in rows]
        if any(self.roles_at(column, row, BOUND) for row in rows):
            self.load_bounds()
        texts: list[dict[int, bytes]] = [{}] * self.rows
        if any(self.roles_at(column, row, WORDS) for row in rows):
            texts = words.column(column, [self.roles_at(column, row, WORDS) for row in range(self.rows)])
        made: list[Part] = []
        for row, values in zip(rows, self.chunks(column, first, count), strict=True):
            operations = self.book.templates[self.templates[column * self.rows + row]]
            both = values | texts[row]
            made.append((operations, [both[one.role] for one in operations if one.kind not in HAVE_NO_ROLE]))
        return made

    def _has_raw(self, column: int, row: int) -> bool:
        return any(one.kind == RAW for one in self.book.templates[self.templates[column * self.rows + row]])

    def _placed_part(self, column: int, row: int) -> Part:
        """Return the operations of a struct, and its values without bounds."""
        operations, placed = self.book.templates[self.templates[column * self.rows + row]], self.column(column)[row]
        absent = {BOUND: 0, WORDS: b""}
        of_role = (one.role for one in operations if one.kind not in HAVE_NO_ROLE)
        return operations, [placed[role] if role in placed else absent[self.book.roles[role].area] for role in of_role]

    def structs(
        self, column: int, first: int, count: int, words: Words, path: bytes, bounds: bool = True
    ) -> list[bytes]:
        """Return the Thrift bytes of structs of a column without lists of columns: rows ``[first, first + count)``."""
        made, size = [], 0
        for operations, values in self.parts(column, first, count, words, bounds):
            pieces = []
            for piece in pieces_of(operations, values, path):
                pieces.append(piece)
                size += len(piece)
                if size > self.limit:
                    raise self.placed.fail(wire.BAD_CELL, 0, self.limit, size)
            made.append(b"".join(pieces))
        return made
