"""One data page of a column, with its levels and values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import encoding
from .page import level_parts


class Leaf(NamedTuple):
    """The type and the levels of a column's leaf."""

    type: int
    type_length: int
    width: int  # bytes of a value; 0 for booleans and byte arrays
    max_definition: int
    max_repetition: int
    repeated_definition: int


class GivenPage(NamedTuple):
    """A page as it was given. `levels` is None if they precede the values. Error offsets are increased by `base`."""

    number: int
    header: Any
    levels: memoryview | None
    values: memoryview
    base: int

    def placed(self, part: str):
        return placed(self.number, part, self.base)


@contextmanager
def placed(page: int, part: str, base: int):
    """Add the page and the part to errors raised inside, and make their offsets count from the given bytes."""
    try:
        yield
    except ParquetextError as error:
        error.page, error.part = page, part
        error.offset = (error.offset or 0) + base
        raise


class OpenPage:
    """A page with decoded levels.

    Attributes
    ----------
    entries, rows, count : int
        The number of entries in the page, of rows that begin in it, and of its values.
    at : int
        The position of the next entry.
    repetition, definition : memoryview or None
        Its levels; None if the column has none.
    """

    def __init__(self, leaf: Leaf, given: GivenPage, dictionary: tuple[object, int] | None):
        self.leaf, self.given, self._dictionary = leaf, given, dictionary
        self.entries, self.at = given.header.num_values, 0
        self.repetition: memoryview | None = None
        self.definition: memoryview | None = None
        self._values_start = self._taken = self._passed = 0
        self._values: memoryview | None = None
        self._texts: Iterator[bytes | memoryview] | None = None
        self._put_back: bytes | memoryview | None = None
        if self.entries:
            with given.placed("levels"):
                self._decode_levels()
        self.rows = self.rows_to(self.entries)
        self.count = self.values_to(self.entries)

    def check(self, row_may_go_on: bool) -> None:
        """Raise Malformed if the page begins within a row, but there is no row to continue."""
        if self.repetition is not None and self.is_within_row and not row_may_go_on:
            raise wire_error(wire.ROW_START, 0, 0, self.repetition[0])

    @property
    def is_used_up(self) -> bool:
        return self.at == self.entries

    @property
    def is_v2(self) -> bool:
        return self.given.header.type == wire.PAGE_DATA_PAGE_V2

    @property
    def is_within_row(self: Any) -> bool:
        """Return True if the next entry belongs to the row of the previous one."""
        return self.repetition is not None and not self.is_used_up and self.repetition[self.at] != 0

    @property
    def may_go_on(self) -> bool:
        """Return True if the last row may continue in the next page."""
        return bool(self.leaf.max_repetition) and self.is_used_up

    def stretch(self, rows: int) -> int:
        """Return the end of the current row and `rows` more: the entry at which the row after them begins."""
        if self.repetition is None:
            return min(self.at + rows, self.entries)
        for entry in range(self.at, self.entries):
            if not self.repetition[entry]:
                if not rows:
                    return entry
                rows -= 1
        return self.entries

    def rows_to(self, end: int) -> int:
        """Return the number of rows that begin before the entry at `end`."""
        return end - self.at if self.repetition is None else self.repetition[self.at : end].tolist().count(0)

    def values_to(self, end: int) -> int:
        """Return the number of values of the entries before `end`."""
        if self.definition is None:
            return end - self.at
        return self.definition[self.at : end].tolist().count(self.leaf.max_definition)

    def slots_to(self, end: int) -> bytes:
        """Return a byte for each slot of the entries before `end`: 1 if it has a value."""
        if self.definition is None:
            return b"\1" * (end - self.at)
        highest, lowest = self.leaf.max_definition, self.leaf.repeated_definition
        return bytes(level == highest for level in self.definition[self.at : end] if level >= lowest)

    def entry_of_value(self, count: int) -> int:
        """Return the entry of the value that follows the next `count` values."""
        if self.definition is None:
            return self.at + count
        highest, levels = self.leaf.max_definition, self.definition[self.at :]
        return self.at + next(
            islice((position for position, level in enumerate(levels) if level == highest), count, None)
        )

    def skip(self, end: int) -> None:
        self._passed += self.values_to(end)
        self.at = end

    def take_values(self, count: int) -> memoryview:
        """Return the next values as bytes; a boolean takes one byte."""
        if not count:
            return memoryview(b"")
        with self.given.placed("values"):
            values = self._all_values()
        width = self.leaf.width or 1
        start = self._taken + self._passed
        self._taken, self._passed = start + count, 0
        return values[start * width : self._taken * width]

    def take_texts(self, count: int) -> Iterator[bytes | memoryview]:
        """Yield the next byte arrays, one at a time."""
        with self.given.placed("values"):
            for _ in range(count):
                yield self._next_text()

    def put_back(self, text: bytes | memoryview) -> None:
        """Undo taking the last byte array."""
        self._put_back = text

    def _next_text(self) -> bytes | memoryview:
        if self._put_back is not None:
            text, self._put_back = self._put_back, None
            if not self._passed:
                return text
            self._passed -= 1
        if self._texts is None:
            kind, body = self.given.header.encoding, self.given.values
            self._texts = encoding.texts(kind, body, self.count, self._values_start, self._dictionary)
        passed, self._passed = self._passed, 0
        return next(islice(self._texts, passed, None))

    def _decode_levels(self: Any) -> None:
        header, leaf = self.given.header, self.leaf
        body = self.given.values if self.given.levels is None else self.given.levels
        repetition, definition, values = level_parts(header, body, leaf.max_definition, leaf.max_repetition)
        if leaf.max_repetition:
            self.repetition = self._levels(body, header.repetition_encoding, leaf.max_repetition, *repetition)
        if leaf.max_definition:
            self.definition = self._levels(body, header.definition_encoding, leaf.max_definition, *definition)
        if self.given.levels is None:
            self._values_start = values

    def _levels(self, body: memoryview, kind: int, most: int, start: int, end: int) -> memoryview:
        kind = wire.ENCODING_RLE if self.is_v2 else kind
        levels, _ = encoding.decode_levels(kind, most, body, self.entries, start, end)
        return memoryview(levels).cast("B").cast("H")

    def _all_values(self) -> memoryview:
        if self._values is None:
            leaf, body = self.leaf, self.given.values
            kind, start = self.given.header.encoding, self._values_start
            values, _ = encoding.decode(kind, leaf.type, leaf.type_length, body, self.count, start, self._dictionary)
            self._values = self._one_by_one(values)
        return self._values

    def _one_by_one(self, values) -> memoryview:
        if self.leaf.type != wire.PHYSICAL_BOOLEAN:
            return memoryview(values).cast("B")
        bits = int.from_bytes(values, "little")
        return memoryview(f"{bits:0{self.count}b}".encode()[::-1].translate(_DIGITS)[: self.count])


_DIGITS = bytes.maketrans(b"01", b"\0\1")
