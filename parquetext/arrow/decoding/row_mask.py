"""Evaluate a predicate on the rows of a table."""

from __future__ import annotations

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from ...pruning import Comparison, Predicate, is_plain
from ..pyarrow_reading import SMALL_ROWS

__all__ = ["mask_of"]

COMPARE = {
    "=": pc.equal,
    "==": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


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


def _is_plain(schema: pa.Schema, predicate: Predicate) -> bool:
    """Return True if columns are compared with literals of their types only, so that no cast is needed."""
    return predicate.alternatives is not None and all(
        is_plain(schema.field(one.column).type, one) for group in predicate.alternatives for one in group
    )


def _compared(table: pa.Table, comparison: Comparison) -> pa.ChunkedArray:
    column = table.column(comparison.column)
    return COMPARE[comparison.operator](column, pa.scalar(comparison.value, column.type))
