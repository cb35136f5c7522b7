"""One data page of a column: its levels and its values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import encoding
from .page import level_parts

__all__ = ["GivenPage", "Leaf", "OpenPage", "placed"]


class Leaf(NamedTuple):
    """What a column is of."""

    type: int
    type_length: int
    width: int  # bytes of a value; 0: booleans and byte arrays
    max_definition: int
    max_repetition: int
    repeated_definition: int


class GivenPage(NamedTuple):
    """A page as it was given; `levels` is None where they stand in front of the values. Errors count from -`base`."""

    number: int
    header: object
    levels: memoryview | None
    values: memoryview
    base: int

    def placed(self, part: str):
        return placed(self.number, part, self.base)


@contextmanager
def placed(page: int, part: str, base: int):
    """Errors from within say of which page and part they are, and count from what was given."""
    try:
        yield
    except ParquetextError as error:
        error.page, error.part = page, part
        error.offset += base
        raise


class OpenPage:
    """A page whose levels are decoded.

    Attributes
    ----------
    entries, rows, count : int
        Of the page; rows that begin in it; its values.
    at : int
        The entry that comes next.
    repetition, definition : memoryview or None
        Its levels; None where the column has none.
    """

    def __init__(self, leaf: Leaf, given: GivenPage, dictionary: tuple[object, int] | None):
        self.leaf, self.given, self._dictionary = leaf, given, dictionary
        self.entries, self.at = given.header.num_values, 0
        self.repetition = self.definition = None
        self._values_start = self._taken = self._passed = 0
        self._values = self._texts = self._put_back = None
        if self.entries:
            with given.placed("levels"):
                self._decode_levels()
        self.rows = self.rows_to(self.entries)
        self.count = self.values_to(self.entries)

    def check(self, row_may_go_on: bool) -> None:
        """Raise Malformed if the page goes on with a row, and there is none."""
        if self.is_within_row and not row_may_go_on:
            raise wire_error(wire.ROW_START, 0, 0, self.repetition[0])

    @property
    def is_used_up(self) -> bool:
        return self.at == self.entries

    @property
    def is_v2(self) -> bool:
        return self.given.header.type == wire.PAGE_DATA_PAGE_V2

    @property
    def is_within_row(self) -> bool:
        """Whether the next entry goes on with the row of the last one."""
        return self.repetition is not None and not self.is_used_up and self.repetition[self.at] != 0

    @property
    def may_go_on(self) -> bool:
        """Whether the last row may go on in the next page."""
        return bool(self.leaf.max_repetition) and self.is_used_up

    def stretch(self, rows: int) -> int:
        """The entry at which another row begins behind the one that goes on at `at` and `rows` more."""
        if self.repetition is None:
            return min(self.at + rows, self.entries)
        for entry in range(self.at, self.entries):
            if not self.repetition[entry]:
                if not rows:
                    return entry
                rows -= 1
        return self.entries

    def rows_to(self, end: int) -> int:
        """Rows that begin in front of the entry at `end`."""
        return end - self.at if self.repetition is None else self.repetition[self.at : end].tolist().count(0)

    def values_to(self, end: int) -> int:
        """Values that the entries in front of `end` have."""
        if self.definition is None:
            return end - self.at
        return self.definition[self.at : end].tolist().count(self.leaf.max_definition)

    def slots_to(self, end: int) -> bytes:
        """Of each slot of the entries in front of `end`, 1 if it has a value."""
        if self.definition is None:
            return b"\1" * (end - self.at)
        highest, lowest = self.leaf.max_definition, self.leaf.repeated_definition
        return bytes(level == highest for level in self.definition[self.at : end] if level >= lowest)

    def entry_of_value(self, count: int) -> int:
        """The entry of the value behind the next `count` values."""
        if self.definition is None:
            return self.at + count
        highest, levels = self.leaf.max_definition, self.definition[self.at :]
        return self.at + next(islice((place for place, level in enumerate(levels) if level == highest), count, None))

    def skip(self, end: int) -> None:
        self._passed += self.values_to(end)
        self.at = end

    def take_values(self, count: int) -> memoryview:
        """The next values as bytes; booleans as one byte each."""
        if not count:
            return memoryview(b"")
        with self.given.placed("values"):
            values = self._all_values()
        width = self.leaf.width or 1
        start = self._taken + self._passed
        self._taken, self._passed = start + count, 0
        return values[start * width : self._taken * width]

    def take_texts(self, count: int) -> Iterator[bytes | memoryview]:
        """The next byte arrays, one at a time."""
        with self.given.placed("values"):
            for _ in range(count):
                yield self._next_text()

    def put_back(self, text: bytes | memoryview) -> None:
        """Take the last byte array for not taken."""
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

    def _decode_levels(self) -> None:
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
