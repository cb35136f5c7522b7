"""Who decodes: pyarrow, our own decoder, or ours for what pyarrow cannot read."""

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
FINAL = MemoryError, LimitExceeded  # no reason to try the other decoder, which takes as much


def check_engine(engine: str | None) -> str | None:
    """Raise ParquetextError for a name that is no engine's; None is the default."""
    if engine is not None and engine not in ENGINES:
        known = ", ".join(map(repr, ENGINES))
        raise ParquetextError(f"no engine is called {engine!r} (known: {known})")
    return engine


def or_ours(theirs: Callable[[], T], ours: Callable[[], T]) -> T:
    """What pyarrow gives; what our decoder gives where pyarrow cannot read it.

    What the system says of a file (it is gone, it may not be read) is no reason to try again.
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
    """What our decoder gives; what pyarrow gives where ours cannot read it."""
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
    """Read a projection by our own decoder; of a filter's row groups only pages that may hold rows which meet it.

    Parameters
    ----------
    source
        The file's bytes: `size` and `read(offset, length)`.
    table : CopyTable, optional
        Of a flat footer that leads to copies of column chunks.
    findings : list of Finding
        Takes why copies of column chunks are not read.
    limit : int, optional
        Of values out of proportion to their bytes, as `footer.expansion.limit_of` takes it.
    options
        As `reading.read_projection` takes them.
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
    """What pyarrow gives for a projection, by our decoder where it is sooner; else None.

    None is also what there is for columns of which the two might give different values, and for what our decoder
    refuses: pyarrow says what is wrong with it, or reads it.
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
    """The rows that meet a projection's predicate."""
    try:
        return _matching_rows(decoder, projection, source, use_threads)
    except UnicodeDecodeError as error:  # of pyarrow, when a name is asked for
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
    """Read a projection of columns without a predicate batch by batch, or of its row groups these.

    The others as `decode_projection` takes them.
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
    """The columns that a predicate looks at; None where that cannot be told."""

    def type_of(name: str) -> pa.DataType | None:
        return schema.field(name).type if schema.names.count(name) == 1 else None

    names = predicate.columns(type_of)
    return names if names and all(type_of(name) is not None for name in names) else None
