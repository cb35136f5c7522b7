"""The decoded entries of a column that have not been taken yet."""

from __future__ import annotations

from array import array
from collections import deque
from itertools import accumulate, groupby

from .. import wire
from .column_page import Leaf, OpenPage
from .encoding_runs import pack_booleans
from .ranges import Ranges


class Output:
    """Decoded entries: their levels, and their values in slots.

    Attributes
    ----------
    entries, rows : int
        The number of entries, and of rows that begin among them.
    """

    def __init__(self, leaf: Leaf, keeps_definition: bool, most_bytes: int):
        self._leaf, self.most_bytes = leaf, most_bytes
        self._keeps_definition = keeps_definition and leaf.max_definition > 0
        self.entries = self.rows = 0
        self._definition, self._repetition = array("H"), array("H")
        self._has_value = bytearray()  # one flag per slot
        self._values = bytearray()  # one byte per boolean
        self._lengths = array("i")  # one length per slot, for byte arrays

    def append(self, page: OpenPage, end: int) -> int:
        """Add the page's next entries up to `end`, or as many as fit, and return the position after the last added."""
        if self._leaf.type == wire.PHYSICAL_BYTE_ARRAY:
            end = self._append_texts(page, end)
        else:
            self._spread(page.slots_to(end), page.take_values(page.values_to(end)))
        self.entries += end - page.at
        self.rows += page.rows_to(end)
        if self._keeps_definition and page.definition is not None:
            self._definition.extend(page.definition[page.at : end])
        if page.repetition is not None:
            self._repetition.extend(page.repetition[page.at : end])
        page.at = end
        return end

    def take(self, *, whole_rows: bool) -> tuple:
        """Return the members of a `Decoded`.

        With `whole_rows`, the decoded part of the last row stays in this object.
        """
        rest = Output(self._leaf, self._keeps_definition, self.most_bytes)
        if whole_rows:
            self._move_last_row(rest)
        members = self._members()
        self.__dict__.update(rest.__dict__)
        return members

    def _append_texts(self, page: OpenPage, end: int) -> int:
        """Add byte arrays and their slots, as many as fit, and return the position after the last added entry."""
        lengths = array("i")
        for text in page.take_texts(page.values_to(end)):
            if len(self._values) + len(text) > self.most_bytes:
                page.put_back(text)
                end = page.entry_of_value(len(lengths))
                break
            self._values += text
            lengths.append(len(text))
        has_value, following = page.slots_to(end), iter(lengths)
        self._has_value += has_value
        self._lengths.extend(next(following) if has else 0 for has in has_value)
        return end

    def _spread(self, has_value: bytes, values: memoryview) -> None:
        """Copy each value into its slot."""
        self._has_value += has_value
        width, at = self._leaf.width or 1, 0
        for has, slots in groupby(has_value):
            size = sum(1 for _ in slots) * width
            self._values += values[at : at + size] if has else bytes(size)
            at += size if has else 0

    def _move_last_row(self, rest: Output) -> None:
        entry = max(position for position, level in enumerate(self._repetition) if not level)
        levels = self._definition[entry:]
        slots = sum(level >= self._leaf.repeated_definition for level in levels)
        slot = len(self._has_value) - slots
        is_text = self._leaf.type == wire.PHYSICAL_BYTE_ARRAY
        position = sum(self._lengths[:slot]) if is_text else slot * (self._leaf.width or 1)
        rest.entries, rest.rows = self.entries - entry, 1
        rest._definition, rest._repetition = levels, self._repetition[entry:]
        rest._has_value, rest._values = self._has_value[slot:], self._values[position:]
        rest._lengths = self._lengths[slot:]
        self.entries, self.rows = entry, self.rows - 1
        del self._definition[entry:], self._repetition[entry:]
        del self._has_value[slot:], self._values[position:], self._lengths[slot:]

    def _members(self) -> tuple:
        """Return entries, rows, slots, nulls, valid, values, offsets, definition and repetition."""
        slots, nulls = len(self._has_value), self._has_value.count(0)
        values: bytes | bytearray = self._values
        offsets = None
        if self._leaf.type == wire.PHYSICAL_BOOLEAN:
            values = pack_booleans(values)
        elif self._leaf.type == wire.PHYSICAL_BYTE_ARRAY:
            offsets = array("i", accumulate(self._lengths, initial=0))
        highest = self._leaf.max_definition
        definition = self._definition if any(level != highest for level in self._definition) else None
        return (
            self.entries,
            self.rows,
            slots,
            nulls,
            pack_booleans(self._has_value) if nulls else None,
            values,
            offsets,
            definition,
            self._repetition if self._leaf.max_repetition else None,
        )


class Found(Output):
    """An output that has a boolean instead of each value: True if one of the ranges contains it."""

    def __init__(self, leaf: Leaf, ranges: Ranges, most_bytes: int):
        super().__init__(leaf._replace(type=wire.PHYSICAL_BOOLEAN, width=1), False, most_bytes)
        self._ranges, self._is_text = ranges, leaf.type == wire.PHYSICAL_BYTE_ARRAY

    def append(self, page: OpenPage, end: int) -> int:
        count = page.values_to(end)
        if self._is_text:
            found = self._ranges.find_texts(map(bytes, page.take_texts(count)))
        else:
            found = self._ranges.find(memoryview(page.take_values(count)))
        self._spread(page.slots_to(end), memoryview(found))
        self.entries += end - page.at
        self.rows += page.rows_to(end)
        page.at = end
        return end

    def take(self, *, whole_rows: bool) -> tuple:
        members = self._members()
        self.entries = self.rows = 0
        self._has_value, self._values = bytearray(), bytearray()
        return members


class Forgotten(Output):
    """An output that decodes the values of its entries, in order to check them, and discards them."""

    def append(self, page: OpenPage, end: int) -> int:
        count = page.values_to(end)
        if self._leaf.type == wire.PHYSICAL_BYTE_ARRAY:
            deque(page.take_texts(count), maxlen=0)
        else:
            page.take_values(count)
        page.at = end
        return end
