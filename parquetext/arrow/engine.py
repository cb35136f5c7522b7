"""Choose the decoder for a read: pyarrow, ours, or ours as a fallback."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import pyarrow as pa

from ..errors import LimitExceeded, Malformed, ParquetextError, Unsupported
from ..findings import Finding
from ..footer.copied_chunks import CopyTable
from ..pruning import Predicate
from .decoding.alike import are_alike, is_large, is_sooner
from .decoding.copy_reading import Copies
from .decoding.decoder import Decoder
from .decoding.kept_rows import kept_rows
from .decoding.page_rows import rows_left
from .pyarrow_reading import read_steps
from .read_plan import Projection, Step

__all__ = [
    "AUTO",
    "FINAL",
    "OURS",
    "PYARROW",
    "check_engine",
    "decode_batches",
    "decode_projection",
    "decode_sooner",
    "or_ours",
    "or_theirs",
]

PYARROW, OURS, AUTO = ENGINES = "pyarrow", "parquetext", "auto"
T = TypeVar("T")
FINAL = MemoryError, LimitExceeded  # no reason to try the other decoder, which needs as much memory


def check_engine(engine: str | None) -> str | None:
    """Return the engine; raise ParquetextError if the name is unknown. None is the default."""
    if engine is not None and engine not in ENGINES:
        known = ", ".join(map(repr, ENGINES))
        raise ParquetextError(f"no engine is called {engine!r} (known: {known})")
    return engine


def or_ours(theirs: Callable[[], T], ours: Callable[[], T]) -> T:
    """Read with pyarrow; if pyarrow cannot read the data, read with our decoder.

    If the operating system reports an error (such as a missing file or denied access), do not try again.
    """
    try:
        return theirs()
    except FINAL:
        raise
    except (pa.ArrowException, Malformed, OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        refused = error
    try:
        return ours()
    except (pa.ArrowException, ParquetextError) as error:
        raise error from refused


def or_theirs(ours: Callable[[], T], theirs: Callable[[], T]) -> T:
    """Read with our decoder; if it cannot read the data, read with pyarrow."""
    try:
        return ours()
    except FINAL:
        raise
    except (pa.ArrowException, ParquetextError) as error:
        refused = error
    try:
        return theirs()
    except (pa.ArrowException, ParquetextError) as error:
        raise error from refused


def decode_projection(
    projection: Projection,
    source,
    *,
    table: CopyTable | None = None,
    findings: list[Finding],
    use_threads: bool = True,
    limit: int | None = None,
    **options,
) -> pa.Table:
    """Read a projection with our decoder; if there is a filter, read only pages that may contain matching rows.

    Parameters
    ----------
    source
        The file's bytes: `size` and `read(offset, length)`.
    table : CopyTable, optional
        The table of a flat footer that refers to copies of column chunks.
    findings : list of Finding
        Receives the reasons for which copies of column chunks are not read.
    limit : int, optional
        Limit of values that are out of proportion to their bytes, as in `footer.expansion.limit_of`.
    options
        As in `pyarrow_reading.read_projection`.
    """

    def decoder_of(step: Step) -> Decoder:
        return _decoder(step, source, table, findings, options, limit)

    def whole(step: Step) -> pa.Table:
        return decoder_of(step).table(use_threads=use_threads) if step.has_columns else step.without_columns()

    if projection.predicate is None or projection.finder is not None or not projection.step.has_columns:
        return read_steps(projection, whole)
    return _filtered(decoder_of(projection.step), projection, source, use_threads)


def decode_sooner(
    projection: Projection, source, *, use_threads: bool = True, limit: int | None = None
) -> pa.Table | None:
    """Read a projection with our decoder if that is faster than pyarrow and gives the same result, else return None.

    None is also returned if the two decoders may return different values, or if our decoder refuses the data. Then
    pyarrow reads the data or reports the error.
    """
    step = projection.step
    if projection.finder is not None or not step.footer or not is_large(step):
        return None
    try:
        decoder = Decoder(step.footer, step.indices, step.row_groups, source, {}, is_strict=True, limit=limit)
        columns = decoder.form, decoder.columns
        if sum(decoder.row_counts) != step.rows or not is_sooner(*columns) or not are_alike(*columns):
            return None
        if projection.predicate is None:
            return decoder.table(use_threads=use_threads)
        return _filtered(decoder, projection, source, use_threads)
    except FINAL:
        raise
    except (pa.ArrowException, ParquetextError):
        return None


def _filtered(decoder: Decoder, projection: Projection, source, use_threads: bool) -> pa.Table:
    """Return the rows that match a projection's predicate."""
    try:
        return _matching_rows(decoder, projection, source, use_threads)
    except UnicodeDecodeError as error:  # raised by pyarrow when a name is accessed
        raise Malformed(f"the name of a column is not UTF-8: {error.object!r}") from None


def _matching_rows(decoder: Decoder, projection: Projection, source, use_threads: bool) -> pa.Table:
    names = _looked_at(decoder.schema, projection.predicate)
    if names is None:
        return read_steps(projection, lambda _: decoder.table(use_threads=use_threads))
    predicate, types = projection.predicate, {name: decoder.schema.field(name).type for name in names}
    row_groups = range(len(decoder.row_counts))
    chunks = (projection.chunks, projection.step.row_groups)
    rows = rows_left(decoder.form, source, predicate, types, row_groups, decoder.places, chunks)
    kept = kept_rows(decoder, predicate, names, rows, use_threads=use_threads)
    return kept.select(range(kept.num_columns - projection.extra)) if projection.extra else kept


def decode_batches(
    projection: Projection,
    source,
    batch_size: int,
    *,
    row_groups: Sequence[int] | None = None,
    table: CopyTable | None = None,
    findings: list[Finding],
    **options,
) -> Iterator[pa.RecordBatch]:
    """Read a projection of columns without a predicate batch by batch, from all or from these of its row groups.

    Other parameters as in `decode_projection`.
    """
    yield from _decoder(projection.step, source, table, findings, options).batches(batch_size, row_groups)


def _decoder(
    step: Step,
    source,
    table: CopyTable | None,
    findings: list[Finding],
    options: dict,
    limit: int | None = None,
) -> Decoder:
    if step.footer is None:
        raise Unsupported("the footer cannot be sliced: its row groups do not match its schema")
    step.check_here()
    copies = Copies(table, step.leaves, step.row_groups, findings)
    return Decoder(step.footer, step.indices, step.row_groups, source, options, copies, limit=limit)


def _looked_at(schema: pa.Schema, predicate: Predicate) -> list[str] | None:
    """Return the columns that a predicate refers to, or None if they are unknown."""

    def type_of(name: str) -> pa.DataType | None:
        return schema.field(name).type if schema.names.count(name) == 1 else None

    names = predicate.columns(type_of)
    return names if names and all(type_of(name) is not None for name in names) else None
