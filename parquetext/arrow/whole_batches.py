"""Batches of lists by pyarrow of which no row is missing, cut where pyarrow cuts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from .. import kernels
from ..errors import ParquetextError
from ..footer.arrow_errors import ArrowMalformed

__all__ = ["RowsMissing", "has_lists", "runs", "tells_of_missing_rows", "whole_batches"]

# What pyarrow says where one column or part of a column has fewer rows than another one.
SYMPTOMS = (
    " expected length ",
    "columns do not have the same size",
    "has length smaller than expected for struct array",
    "levels exceeded upper bound",
)
Read = Callable[[Sequence[int]], Iterator[pa.RecordBatch]]


class RowsMissing(ArrowMalformed):
    """pyarrow gives fewer rows than there are: of a list it takes a page without values for the end of the chunk."""


def tells_of_missing_rows(error: Exception) -> bool:
    """Whether an error of pyarrow's may come of rows that it has lost."""
    told = str(error)
    return any(symptom in told for symptom in SYMPTOMS)


def has_lists(footer: bytes) -> bool:
    """Whether a leaf of a footer is in a list: only of such pyarrow's writer makes pages without values."""
    return any(kernels.scan.scan(footer, strict=False).elements("max_repetition"))


def whole_batches(
    footer: bytes, theirs: Read, ours: Read, batch_size: int, *, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The batches of a footer's row groups; where pyarrow loses rows, our decoder reads its row groups from there on.

    Parameters
    ----------
    theirs, ours : callable
        Give the batches of row groups by pyarrow, and by our decoder.
    schema : pyarrow.Schema
        Of pyarrow's batches.

    Notes
    -----
    Behind a page without values pyarrow goes on with the next row group, while other columns are still in this one.
    So row groups are read each by itself: what is given before a row is missing is right. Small ones are read
    together, and held until their rows are counted.
    """
    counts = kernels.scan.scan(footer, strict=False).row_groups("num_rows")
    by_group = any(map(_has_dictionary, schema.types))  # of which a batch has no more than one
    cut = _Cut(batch_size)
    for run in runs(range(len(counts)), counts, 0 if by_group else batch_size):
        rest = yield from _begun(run, sum(counts[number] for number in run), theirs, cut)
        if rest is not None:
            yield from cut.left()
            yield from _behind(rest.given, ours(run), rest.refused)
        elif by_group:
            yield from cut.left()
    yield from cut.left()


def runs(row_groups: Sequence[int], counts: Sequence[int], size: int) -> Iterator[list[int]]:
    """Successive row groups that have at most `size` rows together, or one that has more."""
    run, rows = [], 0
    for number in row_groups:
        if run and rows + counts[number] > size:
            yield run
            run, rows = [], 0
        run.append(number)
        rows += counts[number]
    if run:
        yield run


class _Rest:
    """What pyarrow leaves of row groups: rows that it has given, and what it said."""

    def __init__(self, given: int, refused: Exception):
        self.given, self.refused = given, refused


def _begun(run: Sequence[int], rows: int, theirs: Read, cut: _Cut) -> Iterator[pa.RecordBatch]:
    """pyarrow's batches of row groups; returns the rest where rows are missing."""
    held, given = [], 0
    try:
        for batch in theirs(run):
            given += batch.num_rows
            if len(run) == 1:
                yield from cut.parts(batch)
            else:
                held.append(batch)
    except (pa.ArrowInvalid, OSError) as error:
        if given == rows or not tells_of_missing_rows(error):
            raise
        refused: Exception = error
    else:
        refused = RowsMissing(f"pyarrow gives {given} of {rows} rows", expected=rows, found=given)
    if given < rows:
        return _Rest(given if len(run) == 1 else 0, refused)
    for batch in held:
        yield from cut.parts(batch)
    return None


def _behind(given: int, batches: Iterator[pa.RecordBatch], refused: Exception) -> Iterator[pa.RecordBatch]:
    """Batches without the first rows."""
    try:
        for batch in batches:
            if given < batch.num_rows:
                yield batch.slice(given)
            given = max(given - batch.num_rows, 0)
    except (pa.ArrowException, ParquetextError) as error:
        raise refused from error


class _Cut:
    """Cuts and joins batches, so that each has as many rows as it may."""

    def __init__(self, size: int):
        self._size, self._rows = size, 0
        self._held: list[pa.RecordBatch] = []

    def parts(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        while batch.num_rows:
            part = batch.slice(0, self._size - self._rows)
            batch = batch.slice(part.num_rows)
            self._held.append(part)
            self._rows += part.num_rows
            if self._rows == self._size:
                yield from self.left()
                self._rows = 0

    def left(self) -> Iterator[pa.RecordBatch]:
        """What is held; the next batch has so many rows fewer."""
        if self._held:
            held, self._held = self._held, []
            yield held[0] if len(held) == 1 else pa.concat_batches(held)


def _has_dictionary(type: pa.DataType) -> bool:
    if pa.types.is_dictionary(type):
        return True
    return any(_has_dictionary(type.field(number).type) for number in range(type.num_fields))
