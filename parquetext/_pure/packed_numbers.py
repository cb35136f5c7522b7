"""Packed numbers: a table of 64-bit integers in as few bits as their differences need (docs/formats.md, 15.3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .. import wire
from . import varint
from .bits import bytes_of, pack, signed, unpack
from .packed_content import Content
from .thrift_write import integer

ZERO, MOST_BITS, CONSTANT = wire.TABLE_ZERO, wire.TABLE_MOST_BITS, wire.TABLE_CONSTANT
COLUMNS, SHARED = wire.TABLE_COLUMNS, wire.TABLE_SHARED
DELTA = wire.TABLE_DELTA
MARK = wire.TABLE_MARK  # of a table's form, for the caller's use


# ---- encoding


def encode(columns: Sequence[Sequence[int]]) -> bytes:
    """Return the shortest form of a table with columns of equal length; of equally short forms, the first one."""
    values = [value for column in columns for value in column]
    if not any(values):
        return bytes((ZERO,))
    low = min(values)
    width = (max(values) - low).bit_length()
    if not width:
        return bytes((CONSTANT,)) + integer(low)
    forms = [plain(values, low, width), by_columns(columns)]
    if len(columns) > 1 and all(column == columns[0] for column in columns[1:]):
        forms.append(bytes((SHARED,)) + encode(columns[:1]))
    return min(forms, key=len)


def plain(values: Sequence[int], low: int, width: int) -> bytes:
    return bytes((width,)) + integer(low) + pack([value - low for value in values], width)


def row_of(values: Sequence[int]) -> bytes:
    """Return one number for each column."""
    low = min(values)
    return plain(values, low, (max(values) - low).bit_length())


def by_columns(columns: Sequence[Sequence[int]]) -> bytes:
    codes, bases, slopes, data = bytearray(), [], [], []
    for column in columns:
        low = min(column)
        width = (max(column) - low).bit_length()
        slope, steps_width, steps = steps_of(column)
        if bytes_of(len(steps), steps_width) + 2 < bytes_of(len(column), width):
            codes.append(steps_width | DELTA)
            bases.append(column[0])
            slopes.append(slope)
            data.append(pack(steps, steps_width))
        else:
            codes.append(width)
            bases.append(low)
            data.append(pack([value - low for value in column], width))
    return b"".join((bytes((COLUMNS,)), codes, row_of(bases), row_of(slopes) if slopes else b"", *data))


def steps_of(column: Sequence[int]) -> tuple[int, int, list[int]]:
    """Return the usual difference of neighbours, and the width and the values of their distances from it."""
    differences = [signed(after - before) for before, after in pairwise(column)]
    slope = (min(differences) + max(differences)) >> 1 if differences else 0
    steps = [varint.zigzag_encode(signed(difference - slope)) for difference in differences]
    return slope, max(steps, default=0).bit_length(), steps


# ---- decoding


class Table:
    """A table of `columns` × `rows` numbers that begins at the content's position; its end becomes the position."""

    def __init__(self, content: Content, columns: int, rows: int):
        self.content, self.columns, self.rows = content, columns, rows
        at, form = content.at, content.byte()
        self.is_marked, form = form >= MARK, form & ~MARK
        self.form, self.base, self.data = form, 0, content.at
        if form == SHARED:
            if content.left and content.data[at + 1] >= SHARED:
                raise content.fail(wire.BAD_VALUE, at + 1, SHARED - 1, content.data[at + 1])
            self.inner = Table(content, 1, rows)
        elif form == COLUMNS:
            self._read_columns()
        elif form <= CONSTANT:
            if form != ZERO:
                self.base = content.zigzag()
            self.width = form if form <= MOST_BITS else 0
            self.data = content.skip(bytes_of(columns * rows, self.width))
        else:
            raise content.fail(wire.BAD_VALUE, at, SHARED, form)

    def _read_columns(self) -> None:
        content = self.content
        at = content.skip(self.columns)
        self.codes = bytes(content.data[at : at + self.columns])
        for number, code in enumerate(self.codes):
            if code & ~DELTA > MOST_BITS:
                raise content.fail(wire.BAD_VALUE, at + number, MOST_BITS, code & ~DELTA)
        self.bases = row(content, self.columns)
        deltas = sum(code >= DELTA for code in self.codes)
        self.slopes = row(content, deltas) if deltas else []
        self.data = content.skip(sum(map(self._column_bytes, self.codes)))

    def _column_bytes(self, code: int) -> int:
        return bytes_of(self.rows - 1 if code >= DELTA else self.rows, code & ~DELTA)

    def column(self, number: int) -> list[int]:
        """Return the numbers of a column."""
        if self.form == SHARED:
            return self.inner.column(0)
        if self.form != COLUMNS:
            return self._plain_column(number)
        code, base = self.codes[number], self.bases[number]
        begin, width = 8 * (self.data + sum(map(self._column_bytes, self.codes[:number]))), code & ~DELTA
        if code < DELTA:
            return [signed(base + value) for value in unpack(self.content.data, begin, width, self.rows)]
        slope = self.slopes[sum(before >= DELTA for before in self.codes[:number])]
        values = [base]
        for step in unpack(self.content.data, begin, width, self.rows - 1):
            values.append(signed(values[-1] + slope + varint.zigzag_decode(step)))
        return values

    def _plain_column(self, number: int) -> list[int]:
        begin = 8 * self.data + number * self.rows * self.width
        return [signed(self.base + value) for value in unpack(self.content.data, begin, self.width, self.rows)]


def row(content: Content, count: int) -> list[int]:
    """Read one number for each of `count` columns."""
    at, width = content.at, content.byte()
    if width > MOST_BITS:
        raise content.fail(wire.BAD_VALUE, at, MOST_BITS, width)
    base = content.zigzag()
    begin = content.skip(bytes_of(count, width))
    return [signed(base + value) for value in unpack(content.data, 8 * begin, width, count)]
