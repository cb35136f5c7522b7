"""The fourth stage of a read: fetch, decode, filter and assemble the values of a plan with the chosen decoders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from ...errors import LimitExceeded, ParquetextError
from ...footer.row_counts import RowsMissing
from ..choose.choice import FASTER, NATIVE, PYARROW, REFUSED, SHORT_CHUNKS, Choice
from ..open_file import OpenFile
from ..plan.part import Part
from ..plan.read_plan import Plan
from ..plan.row_picks import PickedRows
from ..request.read_request import AUTO
from ..request.taking import take_rows
from .batches import read_batches
from .decoder import Decoder
from .matching import matching_rows
from .native_reading import filter_table, native_batches, open_decoder, picked_rows
from .pyarrow_reading import read_part
from .short_chunks import ShortChunks

FINAL = MemoryError, LimitExceeded  # no reason to try the other decoder, which needs as much memory
POSITION = "__parquetext_position__"


def execute(plan: Plan, choices: Sequence[Choice], file: OpenFile) -> pa.Table:
    """Read the values of a plan; if a decoder refuses the data, read them with the fallback.

    Raises
    ------
    LimitExceeded
        If the values take more memory than the limit.
    RowsMissing
        If pyarrow returns fewer rows than the row groups have, and our decoder refuses the data.
    pyarrow.ArrowException, OSError, ParquetextError
        If no decoder can read the data.
    """
    limit = plan.options.limit
    are_short = [file._check_expansion(part, limit, pages=False) for part in plan.parts]
    checks_pages = not all(are_short)
    choice = choices[0]
    try:
        return Execution(plan, choices, file, checks_pages).table()
    except choice.retried as error:
        _check_retried(error, choice)
        refused = error
    if choice is FASTER:
        return execute(plan, [REFUSED] * len(choices), file)
    try:
        return Execution(plan, [_fallback(choice)] * len(choices), file, checks_pages).table()
    except (pa.ArrowException, ParquetextError) as error:
        if not isinstance(refused, RowsMissing) or plan.options.engine == AUTO:
            raise error from refused
        if isinstance(error, FINAL):
            raise
        # Raise pyarrow's error, if there is one.
        Execution(plan, [Choice(PYARROW, "")] * len(choices), file, checks_pages, counts_rows=False).table()
        raise refused from error


def execute_batches(plan: Plan, choice: Choice, file: OpenFile, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Read a plan without a predicate batch by batch. With engine ``"auto"``, the first batch selects the decoder."""
    if plan.options.engine != AUTO:
        return _batches(plan, choice, file, batch_size)
    try:
        return _begun(_batches(plan, choice, file, batch_size))
    except choice.retried as error:
        _check_retried(error, choice)
        refused = error
    try:
        return _begun(_batches(plan, _fallback(choice), file, batch_size))
    except (pa.ArrowException, ParquetextError) as error:
        raise error from refused


class Execution:
    """One attempt to read a plan with one decoder for each part.

    Parameters
    ----------
    checks_pages : bool
        If True, check the memory that pages take before pyarrow reads them.
    counts_rows : bool
        If True, compare the number of rows that pyarrow returns with those of the row groups.
    """

    __slots__ = ("_checks_pages", "_choices", "_counts_rows", "_file", "_plan")

    def __init__(
        self,
        plan: Plan,
        choices: Sequence[Choice],
        file: OpenFile,
        checks_pages: bool,
        *,
        counts_rows: bool = True,
    ):
        self._plan, self._choices, self._file = plan, choices, file
        self._checks_pages, self._counts_rows = checks_pages, counts_rows

    def table(self) -> pa.Table:
        choice, plan = self._choices[0], self._plan
        if choice is FASTER:
            return self._natively()
        if choice.decoder in (PYARROW, SHORT_CHUNKS):
            with self._file._locating(plan):
                return self._assembled()
        with self._file._naming():
            return self._natively()

    def _natively(self) -> pa.Table:
        plan = self._plan
        if plan.rows is not None and plan.part.has_columns:
            return picked_rows(plan, plan.rows, self._file)
        if plan.predicate is None or plan.filter_part is not None or not plan.part.has_columns:
            return self._assembled()
        is_strict = self._choices[0] is FASTER
        decoder = open_decoder(plan.part, plan.options, self._file, is_strict=is_strict)
        found = matching_rows(decoder, plan)
        return self._assembled(decoder) if found is None else found

    def _assembled(self, decoder: Decoder | None = None) -> pa.Table:
        """Read each part, filter the rows, and drop the extra columns."""
        plan = self._plan
        if plan.rows is not None:
            return self._of_rows(plan.rows)
        if plan.predicate is None:
            return self._read(plan.part, self._choices[0])
        expression = plan.predicate.expression
        if plan.filter_part is None:
            whole = self._read(plan.part, self._choices[0]) if decoder is None else self._whole(decoder)
            table = filter_table(whole, expression)
            return table.select(range(table.num_columns - plan.extra)) if plan.extra else table
        found = self._read(plan.filter_part, self._choices[1])
        rows = pa.array(range(found.num_rows), pa.int64())
        kept = found.append_column(POSITION, rows).filter(expression).column(POSITION)
        return take_rows(self._read(plan.part, self._choices[0]), kept)

    def _of_rows(self, rows: PickedRows) -> pa.Table:
        """Read all rows of the row groups with pyarrow, and return those that are picked."""
        part = self._plan.part
        if not part.has_columns:
            return pa.table({"": pa.nulls(len(rows.numbers))}, metadata=part.key_values).select([])
        return rows.of_whole(self._read(part, self._choices[0]))

    def _read(self, part: Part, choice: Choice) -> pa.Table:
        """Read all rows of a part."""
        if not part.has_columns:
            return part.without_columns()
        if choice.decoder == SHORT_CHUNKS:
            found = self._with_short_chunks(part, choice.arrays)
            return self._with_pyarrow(part) if found is None else found
        if choice.decoder == PYARROW:
            return self._with_pyarrow(part)
        return self._whole(open_decoder(part, self._plan.options, self._file, is_strict=choice is FASTER))

    def _whole(self, decoder: Decoder) -> pa.Table:
        return decoder.table(use_threads=self._plan.options.use_threads)

    def _with_pyarrow(self, part: Part) -> pa.Table:
        if self._checks_pages:
            self._file._check_expansion(part, self._plan.options.limit)
        return read_part(part, self._plan.options, self._file, counts_rows=self._counts_rows)

    def _with_short_chunks(self, part: Part, arrays: Any) -> pa.Table | None:
        """Convert short chunks, and read the other columns with pyarrow; return None if pyarrow must read all."""
        short = ShortChunks.read(part, arrays, self._file._source, use_threads=self._plan.options.use_threads)
        if short is None or short.rest is None:
            return None if short is None else short.table(None)
        try:
            rest = self._with_pyarrow(short.rest)
        except MemoryError:
            raise
        except (pa.ArrowException, OSError):
            return None  # pyarrow numbers columns in errors and reports the first bad one, so it must read all columns
        return short.table(rest)


def _batches(plan: Plan, choice: Choice, file: OpenFile, batch_size: int) -> Iterator[pa.RecordBatch]:
    if choice.decoder != PYARROW:
        yield from native_batches(plan, file, batch_size)
    else:
        with file._locating(plan):
            yield from read_batches(plan, file, batch_size)


def _begun(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return batches of which the first has been read."""
    first = next(batches, None)
    return batches if first is None else chain([first], batches)


def _fallback(choice: Choice) -> Choice:
    return Choice(choice.fallback or NATIVE, "the first decoder refused the data")


def _check_retried(error: Exception, choice: Choice) -> None:
    """Raise an error again if it is final for the choice, or if another decoder would fail, too.

    The latter are too little memory, and errors of the system.
    """
    if isinstance(error, (*FINAL, *choice.final)) or (isinstance(error, OSError) and error.errno is not None):
        raise error
