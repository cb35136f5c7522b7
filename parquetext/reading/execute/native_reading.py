"""Read with our decoder: whole parts, batches, or only the rows that match a predicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import pyarrow as pa

from ... import compute as pc
from ...errors import Malformed, Unsupported
from ...pruning import Comparison, Predicate, is_plain
from ...pruning.comparing import FUNCTIONS
from ..open_file import OpenFile
from ..plan.page_rows import candidate_rows
from ..plan.part import SMALL_ROWS, Part
from ..plan.picks import Picks, picks_of
from ..plan.read_plan import Plan
from ..request.read_request import ReadOptions
from .copy_reading import Copies
from .decoder import Decoder


def open_decoder(part: Part, options: ReadOptions, file: OpenFile, *, is_strict: bool = False) -> Decoder:
    """Return our decoder of a part; a strict one reads no copies, and refuses unusual chunks."""
    if is_strict:
        return Decoder(part, file._source, {}, is_strict=True, limit=options.limit)
    if part.footer is None:
        raise Unsupported("the footer cannot be sliced: its row groups do not match its schema")
    part.check_here()
    copies = Copies(file._table_of_copies(), part.leaves, part.row_groups, file.findings)
    return Decoder(part, file._source, options.reader, copies, limit=options.limit)


def native_batches(
    plan: Plan, file: OpenFile, batch_size: int, row_groups: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Read all row groups of a plan, or these, batch by batch."""
    with file._naming():
        yield from open_decoder(plan.part, plan.options, file).batches(batch_size, row_groups)


def matching_rows(decoder: Decoder, plan: Plan) -> pa.Table | None:
    """Return the rows that match a plan's predicate; return None if the predicate's columns are unknown.

    The columns of the predicate are decoded first, only from pages that may contain matching rows. The others are
    decoded only for rows that match.
    """
    try:
        return _matching_rows(decoder, plan)
    except UnicodeDecodeError as error:  # raised by pyarrow when a name is accessed
        raise Malformed(f"the name of a column is not UTF-8: {error.object!r}") from None


def _matching_rows(decoder: Decoder, plan: Plan) -> pa.Table | None:
    schema, predicate, use_threads = decoder.schema, plan.predicate, plan.options.use_threads
    rows = candidate_rows(decoder.form, schema, plan, decoder.indexes)
    if rows is None:
        return None
    fields = [schema.get_field_index(name) for name in rows.columns]
    others = [field for field in range(len(schema)) if field not in fields]
    found = decoder.table([Picks(ranges) for ranges in rows.ranges], fields, use_threads=use_threads)
    mask = mask_of(found, predicate)
    columns = dict(zip(fields, found.filter(mask).columns, strict=True))
    if others:
        picks = picks_of(rows.ranges, decoder.row_counts, mask)
        columns |= zip(others, decoder.table(picks, others, use_threads=use_threads).columns, strict=True)
    kept = pa.Table.from_arrays([columns[field] for field in range(len(schema))], schema=schema)
    return kept.select(range(kept.num_columns - plan.extra)) if plan.extra else kept


def mask_of(table: pa.Table, predicate: Predicate) -> pa.ChunkedArray:
    """Return True for each row that matches a predicate, False for the others, and null if the result is unknown.

    Few rows are compared directly, because creating Arrow's plans and threads takes longer.
    """
    if table.num_rows < SMALL_ROWS and _is_plain(table.schema, predicate):
        ands = [reduce(pc.and_kleene, (_compared(table, one) for one in group)) for group in predicate.alternatives]
        return reduce(pc.or_kleene, ands)
    from pyarrow import acero  # slow to import, and only filters need it

    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("project", acero.ProjectNodeOptions([predicate.expression], ["kept"])),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=table.num_rows >= SMALL_ROWS).column(0)


def filter_table(table: pa.Table, expression: pc.Expression) -> pa.Table:
    """Return the rows that match an expression; few rows are filtered without threads, which is faster."""
    if table.num_rows >= SMALL_ROWS:
        return table.filter(expression)
    from pyarrow import acero  # slow to import, and only filters need it

    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("filter", acero.FilterNodeOptions(expression)),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=False)


def _is_plain(schema: pa.Schema, predicate: Predicate) -> bool:
    """Return True if columns are compared with literals of their types only, so that no cast is needed."""
    return predicate.alternatives is not None and all(
        is_plain(schema.field(one.column).type, one) for group in predicate.alternatives for one in group
    )


def _compared(table: pa.Table, comparison: Comparison) -> pa.ChunkedArray:
    column = table.column(comparison.column)
    return pc.call_function(FUNCTIONS[comparison.operator], [column, pa.scalar(comparison.value, column.type)])
