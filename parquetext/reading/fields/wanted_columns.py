"""The fields to read, each with its plan, Arrow field and leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import pyarrow as pa

from ...records import frozen
from .assemble_plan import LeafPlan, ListPlan, Plan, StructPlan, narrowed


@frozen
class Column:
    """A field to read.

    It has a plan, an Arrow field, and leaves; `telling` are the leaves whose definition levels are kept.
    `has_dictionaries` is True if a part of the field is read as an Arrow dictionary.
    """

    plan: Plan
    field: pa.Field
    leaves: tuple[LeafPlan, ...]
    telling: frozenset[int]
    has_dictionaries: bool


def columns_of(plans: list[Plan], schema: pa.Schema, wanted: Sequence[int]) -> Iterator[Column]:
    """Yield the fields that contain wanted leaves, in the order of their first wanted leaves."""
    fields = {leaf.leaf: number for number, plan in enumerate(plans) for leaf in plan.leaves}
    chosen = set(wanted)
    for number in dict.fromkeys(fields[leaf] for leaf in wanted):
        plan, field = plans[number], schema.field(number)
        leaves = tuple(leaf for leaf in plan.leaves if leaf.leaf in chosen)
        telling = frozenset(_telling(plan, chosen))
        type = narrowed(plan, field.type, chosen)
        yield Column(plan, field.with_type(type), leaves, telling, _has_dictionaries(type))


def _has_dictionaries(type: pa.DataType) -> bool:
    if isinstance(type, pa.BaseExtensionType):
        return _has_dictionaries(type.storage_type)
    inner = (type.field(number).type for number in range(type.num_fields))
    return pa.types.is_dictionary(type) or any(map(_has_dictionaries, inner))


def _telling(plan: Plan, wanted: Set[int]) -> Iterator[int]:
    """Yield the first wanted leaf of each struct, whose definition levels determine the nulls of the struct."""
    if isinstance(plan, ListPlan):
        yield from _telling(plan.child, wanted)
    elif isinstance(plan, StructPlan):
        yield next(leaf.leaf for leaf in plan.leaves if leaf.leaf in wanted)
        for child in plan.children:
            if any(leaf.leaf in wanted for leaf in child.leaves):
                yield from _telling(child, wanted)
