"""The second stage of a read: select the row groups and slice the footer, without reading data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import pyarrow as pa

from ... import wire
from ...footer.bloom_filters import BloomFilters
from ...footer.model import FooterReader
from ...footer.names import as_path
from ...footer.typed_bounds import column_bounds
from ...pruning import Predicate, surviving_row_groups
from ...records import frozen
from ..request.read_request import ReadOptions, Request
from ..request.row_numbers import RowNumbers
from .part import Part, part_of
from .row_picks import PickedRows, pick_rows

Blooms = Callable[[FooterReader, Mapping[str, pa.DataType]], BloomFilters]


@frozen
class Plan:
    """The complete plan of a read.

    `part` is read. Then the request's predicate selects rows, and the last `extra` columns are dropped. If the
    predicate's columns cannot be read together with the others, `filter_part` reads them separately. If rows are
    requested by number, `rows` picks them from the row groups of `part`. `chunks` are those of the predicate's columns
    by name, with all row groups of the file, because slices of some forms lack statistics.
    """

    request: Request
    part: Part
    extra: int = 0
    filter_part: Part | None = None
    rows: PickedRows | None = None
    chunks: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def predicate(self) -> Predicate | None:
        return self.request.predicate

    @property
    def options(self) -> ReadOptions:
        return self.request.options

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self.part,) if self.filter_part is None else (self.part, self.filter_part)

    @property
    def is_sliced(self) -> bool:
        """True if no part is read by the file's own Thrift footer."""
        return self.part.footer is not None and (self.filter_part is None or self.filter_part.footer is not None)

    def encrypted_column(self) -> str | None:
        """Return the name of the first encrypted column, or None if no column is encrypted."""
        for part in self.parts:
            if part.footer:
                form = part.form
                for leaf in range(form.leaf_count):
                    if any(present & wire.PRESENT_CRYPTO for present in form.column(leaf).array("present")):
                        return ".".join(as_path(form.node(leaf).path))
        return None


def plan_read(form: FooterReader, request: Request, blooms: Blooms | None = None) -> Plan:
    """Skip the row groups that the predicate rules out, and slice the footer.

    `blooms` returns the Bloom filters of columns of these types, used if bounds leave row groups undecided.
    """
    if request.rows is not None:
        return _plan_rows(form, request, request.rows)
    if request.predicate is None:
        groups, nested = request.row_groups, request.is_nested
        return Plan(request, part_of(form, request.leaves, nested, groups, request.options.has_metadata))
    groups = surviving(form, request, blooms)
    if request.predicate_fields is None:
        part = part_of(form, request.leaves, request.is_nested, groups, request.options.has_metadata)
        return Plan(request, part, filter_part=part_of(form, list(range(form.leaf_count)), False, groups))
    fields = request.predicate_fields
    have = set(request.leaves)
    extra = {name: leaves for name, leaves in fields.items() if not have.intersection(leaves)}
    is_apart = any(not have.issuperset(leaves) for name, leaves in fields.items() if name not in extra)
    reading = request.leaves
    if extra and not is_apart:
        reading = [*reading, *(leaf for leaves in extra.values() for leaf in leaves)]
    part = part_of(form, reading, request.is_nested or is_apart, groups, request.options.has_metadata)
    if is_apart:
        filtering = sorted(leaf for leaves in fields.values() for leaf in leaves)
        return Plan(request, part, filter_part=part_of(form, filtering, False, groups))
    chunks = {name: form.column(*leaves) for name, leaves in fields.items() if len(leaves) == 1}
    return Plan(request, part, extra=len(extra), chunks=chunks)


def _plan_rows(form: FooterReader, request: Request, numbers: RowNumbers) -> Plan:
    """Slice the footer to the row groups that contain rows."""
    rows = pick_rows(numbers, form.row_groups("num_rows"))
    part = part_of(form, request.leaves, request.is_nested, rows.row_groups, request.options.has_metadata)
    return Plan(request, part, rows=rows)


def surviving(form: FooterReader, request: Request, blooms: Blooms | None) -> Sequence[int]:
    """Return the row groups that the statistics and Bloom filters of the predicate's columns do not rule out."""
    leaves = sorted(leaf for leaves in (request.predicate_fields or {}).values() for leaf in leaves)
    if request.predicate is None or not leaves:
        return request.row_groups
    types = {field.name: field.type for field in request.options.schema_of(form.slice(leaves, []))}
    return surviving_row_groups(
        request.predicate,
        lambda name: column_bounds(form, name, types[name]),
        form.row_group_count,
        request.row_groups,
        types,
        None if blooms is None else blooms(form, types).absent,
    )
