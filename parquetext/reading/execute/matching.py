"""Read the rows that match a predicate: find them by its columns first, then read only these rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

import pyarrow as pa

from ... import compute as pc
from ... import kernels
from ...pruning import Comparison, Predicate, is_plain
from ...pruning.accepted_values import Accepted, Joined, accepted_values, domain_of
from ...pruning.comparing import FUNCTIONS, is_text
from ..fields.assemble_plan import LeafPlan
from ..fields.wanted_columns import Column
from ..plan.mask_picks import picks_of
from ..plan.page_rows import CandidateRows, candidate_rows
from ..plan.part import SMALL_ROWS
from ..plan.picks import Picks
from ..plan.read_plan import Plan
from ..request.taking import checked_names
from .decoder import Decoder

MOST_SHARE = 0.25  # of the bytes of all columns: columns up to this share may be decoded a second time


def matching_rows(decoder: Decoder, plan: Plan) -> pa.Table | None:
    """Return the rows that match a plan's predicate; return None if the predicate's columns are unknown.

    The columns of the predicate are decoded first, only from pages that may contain matching rows. The others are
    decoded only for rows that match.
    """
    with checked_names():
        return None if plan.predicate is None else _matching_rows(decoder, plan, plan.predicate)


def _matching_rows(decoder: Decoder, plan: Plan, predicate: Predicate) -> pa.Table | None:
    schema, use_threads = decoder.schema, plan.options.use_threads
    rows = candidate_rows(decoder.form, schema, plan, predicate, decoder.indexes)
    if rows is None:
        return None
    fields = [schema.get_field_index(name) for name in rows.columns]
    picks = _found_by_ranges(decoder, plan, predicate, fields, rows)
    if picks is not None:
        return decoder.table(picks, range(len(schema) - plan.extra), use_threads=use_threads)
    others = [field for field in range(len(schema)) if field not in fields]
    found = decoder.table([Picks(ranges) for ranges in rows.ranges], fields, use_threads=use_threads)
    mask = mask_of(found, predicate)
    columns = dict(zip(fields, found.filter(mask).columns, strict=True))
    if others:
        picks = picks_of(rows.ranges, decoder.row_counts, mask)
        columns |= zip(others, decoder.table(picks, others, use_threads=use_threads).columns, strict=True)
    kept = pa.Table.from_arrays([columns[field] for field in range(len(schema))], schema=schema)
    return kept.select(range(kept.num_columns - plan.extra)) if plan.extra else kept


def _found_by_ranges(
    decoder: Decoder, plan: Plan, predicate: Predicate, fields: Sequence[int], rows: CandidateRows
) -> list[Picks] | None:
    """Pick the rows that match by comparing values while they are decoded, so that none of them is kept.

    Return None if the stored values cannot be compared, or if columns of the result that would be decoded twice are a
    large part of it.
    """
    columns = {name: decoder.columns[field] for name, field in zip(rows.columns, fields, strict=True)}
    if kernels.implementation() != "native" or not _is_worth_comparing(decoder, plan, fields):
        return None
    accepted = _accepted(predicate, columns)
    if accepted is None:
        return None
    sets = list(_sets_of(accepted))
    if len(sets) > len(columns):
        return None  # a column would be decoded twice
    ranges = {fields[rows.columns.index(one.column)]: one.for_kernels for one in sets}
    candidates = [Picks(each) for each in rows.ranges]
    found = decoder.found(candidates, ranges, use_threads=plan.options.use_threads)
    if found is None:
        return None
    masks = {one.column: mask for one, mask in zip(sets, found.values(), strict=True)}
    return picks_of(rows.ranges, decoder.row_counts, _mask_by_sets(accepted, masks))


def _is_worth_comparing(decoder: Decoder, plan: Plan, fields: Sequence[int]) -> bool:
    shown = decoder.columns[: len(decoder.columns) - plan.extra]
    twice = [decoder.columns[field] for field in fields if field < len(shown)]
    return bool(shown) and _stored_bytes(decoder, twice) <= MOST_SHARE * _stored_bytes(decoder, shown)


def _stored_bytes(decoder: Decoder, columns: Sequence[Column]) -> int:
    leaves = [leaf.leaf for column in columns for leaf in column.leaves]
    return sum(sum(decoder.form.column(leaf).array("total_compressed_size")) for leaf in leaves)


def _accepted(predicate: Predicate, columns: Mapping[str, Column]) -> Accepted | Joined | None:
    """Return the stored values that a predicate accepts; None if they have another type than the column."""
    domains = {}
    for name, column in columns.items():
        leaf, kind = column.plan, column.field.type
        if not isinstance(leaf, LeafPlan) or leaf.levels.repetition or not _is_stored_as(leaf.type, kind):
            return None
        domain = domain_of(kind, leaf.kind.physical)
        if domain is None:
            return None
        domains[name] = kind, domain
    return accepted_values(predicate, domains)


def _is_stored_as(stored: pa.DataType, kind: pa.DataType) -> bool:
    if pa.types.is_timestamp(kind):
        return pa.types.is_timestamp(stored) and stored.unit == kind.unit
    return stored == kind or (is_text(stored) and is_text(kind))


def _sets_of(node: Accepted | Joined) -> Iterator[Accepted]:
    if isinstance(node, Accepted):
        yield node
    else:
        for part in node.parts:
            yield from _sets_of(part)


def _mask_by_sets(node: Accepted | Joined, masks: Mapping[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return True for each row that matches; all nulls are decided, which needs no negation after that."""
    if isinstance(node, Accepted):
        return masks[node.column].fill_null(node.null is True)
    parts = [_mask_by_sets(part, masks) for part in node.parts]
    return reduce(pc.and_ if node.is_all else pc.or_, parts)


def mask_of(table: pa.Table, predicate: Predicate) -> pa.ChunkedArray:
    """Return True for each row that matches a predicate, False for the others, and null if the result is unknown.

    Few rows are compared directly, because creating Arrow's plans and threads takes longer.
    """
    alternatives = predicate.alternatives
    if alternatives is not None and table.num_rows < SMALL_ROWS and _is_plain(table.schema, alternatives):
        ands = [reduce(pc.and_kleene, (_compared(table, one) for one in group)) for group in alternatives]
        return reduce(pc.or_kleene, ands)
    from pyarrow import acero  # slow to import, and only filters need it

    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("project", acero.ProjectNodeOptions([predicate.expression], ["kept"])),
    ]
    return acero.Declaration.from_sequence(steps).to_table(use_threads=table.num_rows >= SMALL_ROWS).column(0)


def _is_plain(schema: pa.Schema, alternatives: Sequence[Sequence[Comparison]]) -> bool:
    """Return True if columns are compared with literals of their types only, so that no cast is needed."""
    return all(is_plain(schema.field(one.column).type, one) for group in alternatives for one in group)


def _compared(table: pa.Table, comparison: Comparison) -> pa.ChunkedArray:
    column = table.column(comparison.column)
    return pc.call_function(FUNCTIONS[comparison.operator], [column, pa.scalar(comparison.value, column.type)])
