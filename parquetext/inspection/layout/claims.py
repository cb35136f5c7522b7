"""Claims of bytes, collected as columns, and put in order so that each byte has exactly one owner."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from ... import compute as pc
from ...encoding.number_arrays import known, wrapped
from .part_kinds import KINDS

NONE = -1
MOST_DESCRIBED = 200  # further overlaps are reported without their owners
NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
COLUMNS = {"offset": "q", "length": "q", "kind": "b", "row_group": "i", "column": "i", "page": "i", "name": "i"}


class Overlap(NamedTuple):
    """Bytes that two parts claim, and which parts these are, in words; of many overlaps only of the first."""

    offset: int
    length: int
    first: str
    second: str


class Claims:
    """Parts of a file as parallel arrays.

    Attributes
    ----------
    size : int
        Bytes of the file: no claim reaches beyond it.
    """

    def __init__(self, size: int):
        self.size = size
        self._arrays = {name: array(code) for name, code in COLUMNS.items()}
        self._names: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._arrays["offset"])

    def holds(self, offset: int, length: int) -> bool:
        """Return True if the file has these bytes."""
        return 0 <= offset <= self.size and 0 <= length <= self.size - offset

    def add(
        self,
        offset: int,
        length: int,
        kind: str,
        *,
        row_group: int = NONE,
        column: int = NONE,
        page: int = NONE,
        name: str | None = None,
    ) -> None:
        """Claim bytes of the file; nothing is added for zero bytes."""
        if not self.holds(offset, length):
            raise ValueError(f"bytes {offset} to {offset + length} are claimed of a file of {self.size}")
        if length:
            values = (offset, length, NUMBERS[kind], row_group, column, page, self._number(name))
            for column_array, value in zip(self._arrays.values(), values, strict=True):
                column_array.append(value)

    def add_pages(
        self,
        offsets: Iterable[int],
        lengths: array,
        kind: str,
        row_group: int,
        column: int,
        pages: Sequence[int],
        name: str | None = None,
    ) -> None:
        """Claim the same part of many pages of one chunk; the caller has seen that the file has these bytes."""
        count, arrays = len(lengths), self._arrays
        arrays["offset"].extend(offsets)
        arrays["length"].extend(lengths)
        arrays["page"].extend(pages)
        number = self._number(name)
        for fact, value in (("kind", NUMBERS[kind]), ("row_group", row_group), ("column", column), ("name", number)):
            arrays[fact].extend(array(COLUMNS[fact], (value,)) * count)

    def _number(self, name: str | None) -> int:
        return NONE if name is None else self._names.setdefault(name, len(self._names))

    def cover(self, begin: int, end: int, kind: str, parts: Iterable[tuple[int, int, str, dict]]) -> None:
        """Claim all of [begin, end): these parts (offset, end, kind, attributes), and the bytes between them as `kind`.

        Parts are in file order; a part that begins before the end of another one is skipped.
        """
        at = begin
        for start, stop, own, attributes in parts:
            if at <= start < stop <= end:
                self.add(at, start - at, kind)
                self.add(start, stop - start, own, **attributes)
                at = stop
        self.add(at, end - at, kind)

    def table(self) -> tuple[pa.Table, list[Overlap]]:
        """Return the parts in file order, and the overlaps: the part that begins first keeps the bytes."""
        table = self._table()
        ends = pc.add(table["offset"], table["length"]).combine_chunks()
        furthest = pc.cumulative_max(ends)
        if len(ends) < 2 or pc.all(pc.greater_equal(table["offset"][1:], furthest[:-1])).as_py():
            return table, []
        return _without_overlaps(table)

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Yield (offset, length) of all bytes without a claim."""
        table = self._table()
        ends = pc.cumulative_max(pc.add(table["offset"], table["length"]).combine_chunks())
        begins = pa.concat_arrays([pa.array([0], pa.int64()), ends])
        ends = pa.concat_arrays([table["offset"].combine_chunks(), pa.array([self.size], pa.int64())])
        lengths = pc.subtract(ends, begins)
        is_gap = pc.greater(lengths, 0)
        yield from zip(begins.filter(is_gap).to_pylist(), lengths.filter(is_gap).to_pylist(), strict=True)

    def _table(self) -> pa.Table:
        arrays = {name: wrapped(values[:]) for name, values in self._arrays.items()}
        arrays["kind"] = pa.DictionaryArray.from_arrays(arrays["kind"], pa.array(KINDS, pa.string()))
        for name in ("row_group", "column", "page", "name"):
            arrays[name] = known(arrays[name])
        arrays["name"] = pa.DictionaryArray.from_arrays(arrays["name"], pa.array(self._names, pa.string()))
        table = pa.table(arrays)
        return table.take(pc.sort_indices(table["offset"])).combine_chunks()


def _without_overlaps(table: pa.Table) -> tuple[pa.Table, list[Overlap]]:
    """Parts without the bytes that an earlier one has; parts with nothing left are dropped."""
    offsets, lengths = table["offset"].to_pylist(), table["length"].to_pylist()
    kept, end, owner = [], 0, NONE
    overlaps: list = []
    for row, (offset, length) in enumerate(zip(offsets, lengths, strict=True)):
        stop, start = offset + length, max(offset, end)
        if offset < end:
            both = (_described(table, owner), _described(table, row)) if len(overlaps) < MOST_DESCRIBED else ("", "")
            overlaps.append(Overlap(offset, min(end, stop) - offset, *both))
        offsets[row], lengths[row] = start, stop - start
        if stop > start:
            kept.append(row)
            end, owner = stop, row
    table = table.set_column(0, "offset", pa.array(offsets, pa.int64()))
    table = table.set_column(1, "length", pa.array(lengths, pa.int64()))
    return table.take(pa.array(kept, pa.int64())).combine_chunks(), overlaps


def _described(table: pa.Table, row: int) -> str:
    """Describe a part by its kind and its owner."""
    found = {name: table[name][row].as_py() for name in ("kind", "row_group", "column", "page", "name")}
    kind, name = KINDS[found.pop("kind")].title, found.pop("name")
    positions = [f"{what.replace('_', ' ')} {number}" for what, number in found.items() if number is not None]
    return f"{kind} ({', '.join(positions)})" if positions else f"{kind} {name}" if name else kind
