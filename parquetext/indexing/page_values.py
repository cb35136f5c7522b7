"""Decode a column chunk page by page, to compare its values with statistics and indexes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..encoding.chunk_reader import Chunk, ChunkReader, Stretch
from ..encoding.pages import VAST_BYTES
from ..encoding.stored_arrays import stored_array
from .value_order import ValueOrder

MOST_ROWS, BATCH_BYTES = 1 << 16, 1 << 22
LEAST_MOST_BYTES = 1 << 22  # of the byte arrays of a batch
LEAST_WIDTH = 8


@dataclass(slots=True)
class Measured:
    """Measurements of decoded values: of a page, or of all pages of a chunk.

    Attributes
    ----------
    entries, values, rows : int
        Entries are values and nulls; rows are those that begin here.
    first_row : int
        The first row of the row group that begins here, or that continues here.
    begins_within_row : bool
    extremes : dict
        For the legacy order (True) and the column's (False) the keys of the smallest and the greatest value.
    nans, text_bytes : int
        Values that are NaN; bytes of byte arrays.
    definition, repetition : list of int
        How many entries have each level.
    """

    first_row: int
    definition: list[int]
    repetition: list[int]
    entries: int = 0
    values: int = 0
    rows: int = 0
    begins_within_row: bool = False
    extremes: dict[bool, tuple[Any, Any]] = field(default_factory=dict)
    nans: int = 0
    text_bytes: int = 0

    @property
    def nulls(self) -> int:
        return self.entries - self.values

    def add(self, other: Measured) -> None:
        """Add the measurements of following values."""
        for name in ("entries", "values", "rows", "nans", "text_bytes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for kind, (low, high) in other.extremes.items():
            least, most = self.extremes.get(kind, (low, high))
            self.extremes[kind] = min(least, low), max(most, high)
        self.definition = [one + two for one, two in zip(self.definition, other.definition, strict=True)]
        self.repetition = [one + two for one, two in zip(self.repetition, other.repetition, strict=True)]


def decoded_pages(source, chunk: Chunk, entries: list[int], orders: dict[bool, ValueOrder], see) -> Iterator[Measured]:
    """Decode a chunk, and yield the measurements of each data page.

    Memory is that of a batch of rows, and of a page.

    Parameters
    ----------
    entries : list of int
        Values and nulls of each data page.
    orders : dict
        The orders in which extremes are wanted, by the keys of `Measured.extremes`.
    see : callable
        Is given each array of values, without nulls.

    Raises
    ------
    ParquetextError
        The pages cannot be decoded.
    """
    splitter = _Splitter(chunk, orders, see)
    batches, page, rows = _batches(source, chunk), None, 0
    batch = next(batches, None)
    at = 0
    for count in entries:
        page = splitter.nothing(rows)
        while page.entries < count:
            if batch is None:
                return
            taken = min(count - page.entries, batch.entries - at)
            if taken:
                fields = splitter.measure(batch, at, at + taken)
                if not page.entries and fields.begins_within_row:
                    page.begins_within_row, page.first_row = True, rows - 1
                page.add(fields)
                at += taken
            if at == batch.entries:
                batch, at = next(batches, None), 0
                splitter.begin()
        rows += page.rows
        yield page


def _batches(source, chunk: Chunk) -> Iterator[Any]:
    """Yield the rows of a chunk as `Decoded`, as many at a time as take little memory."""
    most_bytes = max(LEAST_MOST_BYTES, 2 * source.size)
    reader = ChunkReader(chunk.leaf, source, levels=True, checks_crc=False, most_bytes=most_bytes, most_page=VAST_BYTES)
    reader.begin(chunk)
    reader.open(Stretch(chunk.begin, chunk.end, 0, chunk.num_rows))
    most = min(MOST_ROWS, max(1, BATCH_BYTES // max(chunk.leaf.kind.width, LEAST_WIDTH)))
    row, rows = 0, 1 << 4
    while row < chunk.num_rows:
        rows = max(1, min(rows, most, chunk.num_rows - row))
        reader.read(rows)
        row += rows
        for decoded in reader.take():
            grown = memoryview(decoded.values).nbytes + decoded.entries
            yield decoded
        # Texts that a few bytes repeat may be long: batches grow as far as they are small.
        rows = min(4 * rows, rows * BATCH_BYTES // max(grown, 1))


class _Splitter:
    """Takes batches apart at the borders of pages."""

    def __init__(self, chunk: Chunk, orders: dict[bool, ValueOrder], see):
        self._kind, self._levels, self._orders, self._see = chunk.leaf.kind, chunk.leaf.levels, orders, see
        self._slot = 0

    def begin(self) -> None:
        """Change to another batch."""
        self._slot = 0

    def nothing(self, row: int) -> Measured:
        return Measured(row, [0] * (self._levels.definition + 1), [0] * (self._levels.repetition + 1))

    def measure(self, decoded, begin: int, end: int) -> Measured:
        """Measure entries of a batch; batches are measured in order."""
        found, count = self.nothing(0), end - begin
        found.entries = count
        found.definition = _histogram(decoded.definition, begin, end, self._levels.definition)
        found.repetition = _histogram(decoded.repetition, begin, end, self._levels.repetition)
        found.rows = found.repetition[0]
        if self._levels.repetition:
            found.begins_within_row = memoryview(decoded.repetition).cast("B").cast("H")[begin] > 0
        slots = found.definition[-1] if self._levels.repetition else count
        values = stored_array(decoded, self._kind).slice(self._slot, slots)
        self._slot += slots
        values = values.drop_null() if values.null_count else values
        found.values = len(values)
        if found.values:
            self._look_at(found, values)
        return found

    def _look_at(self, found: Measured, values: pa.Array) -> None:
        for kind, order in self._orders.items():
            if (extremes := order.extremes(values)) is not None:
                found.extremes[kind] = extremes
            found.nans = max(found.nans, order.nan_count(values))
        if self._kind.physical == wire.PHYSICAL_BYTE_ARRAY:
            found.text_bytes = pc.sum(pc.binary_length(values)).as_py()
        self._see(values)


def _histogram(levels, begin: int, end: int, highest: int) -> list[int]:
    """Return the histogram of levels; without stored levels all entries have the highest one."""
    if levels is None:
        return [0] * highest + [end - begin]
    array = pa.Array.from_buffers(pa.uint16(), end - begin, [None, pa.py_buffer(levels)], offset=begin)
    counts = {pair["values"]: pair["counts"] for pair in pc.value_counts(array).to_pylist()}
    return [counts.get(level, 0) for level in range(highest + 1)]
