"""Which rows of a table meet a predicate, and where they are."""

from __future__ import annotations

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from ..pruning import Comparison, Predicate, is_plain
from .reading import SMALL_ROWS

__all__ = ["mask_of", "set_blocks"]

WORD = 64
FEW = 64  # places that Python takes sooner than Arrow is called
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
    """Whether each row meets a predicate; null where that is not known.

    A few rows are compared at once, without Arrow's plans and threads, which take longer to make and to wake.
    """
    if table.num_rows < SMALL_ROWS and _is_plain(table.schema, predicate):
        ands = [reduce(pc.and_kleene, (_compared(table, one) for one in group)) for group in predicate.alternatives]
        return reduce(pc.or_kleene, ands)
    from pyarrow import acero  # takes long to import, and only filters need it

    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("project", acero.ProjectNodeOptions([predicate.expression], ["kept"])),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=table.num_rows >= SMALL_ROWS).column(0)


def _is_plain(schema: pa.Schema, predicate: Predicate) -> bool:
    """Whether it compares columns with literals of their own types: there an expression casts nothing."""
    return predicate.alternatives is not None and all(
        is_plain(schema.field(one.column).type, one) for group in predicate.alternatives for one in group
    )


def _compared(table: pa.Table, comparison: Comparison) -> pa.ChunkedArray:
    column = table.column(comparison.column)
    return COMPARE[comparison.operator](column, pa.scalar(comparison.value, column.type))


def set_blocks(mask: pa.ChunkedArray, rows: int) -> list[int]:
    """The blocks of so many rows, a multiple of 64, in which one is set; ascending."""
    found, begin = set(), 0
    for chunk in mask.chunks:
        bits = chunk.fill_null(False) if chunk.null_count else chunk
        words = 0 if bits.offset else len(bits) // WORD
        if begin % WORD == 0 and words:
            stored = pa.Array.from_buffers(pa.int64(), words, [None, bits.buffers()[1]])
            set_words = pc.indices_nonzero(stored)
            found |= _blocks(set_words, begin // WORD, rows // WORD)
        else:
            words = 0
        rest = bits[words * WORD :]
        found |= _blocks(pc.indices_nonzero(rest), begin + words * WORD, rows)
        begin += len(chunk)
    return sorted(found)


def _blocks(places: pa.UInt64Array, begin: int, size: int) -> set[int]:
    """Which blocks the places are in, that count from `begin`."""
    if len(places) <= FEW:
        return {(begin + place) // size for place in places.to_pylist()}
    return set(pc.unique(pc.divide(pc.add(places, begin), size)).to_pylist())
