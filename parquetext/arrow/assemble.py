"""Levels and values of leaves as Arrow arrays of any depth: lists, maps and structs around what was decoded."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from .. import kernels
from ..errors import Malformed, Unsupported
from .assemble_chunks import Dictionary
from .assemble_leaves import as_type, leaf_array
from .assemble_plan import LeafPlan, ListPlan, Plan, StructPlan

__all__ = ["assemble"]


def assemble(
    plan: Plan, wanted: pa.DataType, decoded: Mapping[int, object], dictionaries: Mapping[int, Dictionary | None]
) -> pa.Array:
    """One field of the same rows of all its leaves.

    Parameters
    ----------
    plan : Plan
        How the field is nested; leaves of it that are not in `decoded` are left out.
    wanted : pyarrow.DataType
        What to make of it; a type of the same nesting.
    decoded : mapping of int to Decoded
        What `kernels.column.Column.take` gave for each leaf.
    dictionaries : mapping of int to Dictionary or None
        The dictionary page of each leaf, for what is read as an Arrow dictionary.

    Raises
    ------
    Malformed
        The leaves' levels contradict each other, or a value does not fit its type.
    Unsupported
        There is no way from what is stored to that type.
    """
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, assemble(plan, wanted.storage_type, decoded, dictionaries))
    if isinstance(plan, LeafPlan):
        return leaf_array(decoded[plan.leaf], plan.kind, wanted, dictionaries.get(plan.leaf))
    if isinstance(plan, ListPlan):
        return _list(plan, wanted, decoded, dictionaries)
    return _struct(plan, wanted, decoded, dictionaries)


def _levels_of(plan: Plan, decoded: Mapping[int, object]):
    """What was decoded of one leaf below: all of them say the same of the nodes above them."""
    return next(decoded[leaf.leaf] for leaf in plan.leaves if leaf.leaf in decoded)


def _list(plan: ListPlan, wanted: pa.DataType, decoded: Mapping[int, object], dictionaries) -> pa.Array:
    item = wanted.field(0)
    child = assemble(plan.child, item.type, decoded, dictionaries)
    levels, leaf = plan.levels, _levels_of(plan, decoded)
    offsets, valid, nulls, count = kernels.levels.offsets(
        leaf.definition,
        leaf.repetition,
        leaf.entries,
        ancestor_definition=levels.ancestor,
        definition_level=levels.definition,
        repetition_level=levels.repetition,
    )
    buffers = [None if valid is None else pa.py_buffer(valid), pa.py_buffer(offsets)]
    items = int.from_bytes(memoryview(offsets).cast("B")[4 * count : 4 * count + 4], "little")
    if items != len(child):
        raise Malformed(f"the lists of {plan.name!r} hold {items} items by one leaf and {len(child)} by another")
    stored = wanted if pa.types.is_map(wanted) or pa.types.is_large_list(wanted) else pa.list_(item)
    if pa.types.is_large_list(wanted):
        buffers[1] = pa.Array.from_buffers(pa.int32(), count + 1, [None, buffers[1]]).cast(pa.int64()).buffers()[1]
    return as_type(pa.Array.from_buffers(stored, count, buffers, nulls, children=[child]), wanted)


def _struct(plan: StructPlan, wanted: pa.DataType, decoded: Mapping[int, object], dictionaries) -> pa.Array:
    if not pa.types.is_struct(wanted):
        raise Unsupported(f"the group {plan.name!r} is not read as {wanted}")
    there = [child for child in plan.children if any(leaf.leaf in decoded for leaf in child.leaves)]
    children = [assemble(child, field.type, decoded, dictionaries) for child, field in zip(there, wanted, strict=True)]
    count = len(children[0])
    if any(len(child) != count for child in children):
        lengths = sorted({len(child) for child in children})
        raise Malformed(f"the fields of {plan.name!r} have {lengths[0]} values and {lengths[-1]}")
    valid, nulls = None, 0
    if plan.nullable:
        levels, leaf = plan.levels, _levels_of(plan, decoded)
        valid, nulls, rows = kernels.levels.validity(
            leaf.definition,
            leaf.repetition,
            leaf.entries,
            ancestor_definition=levels.ancestor,
            ancestor_repetition=levels.repetition,
            level=levels.definition,
        )
        if rows != count:
            raise Malformed(f"the group {plan.name!r} has {rows} values and its fields {count}")
    buffers = [None if valid is None else pa.py_buffer(valid)]
    return pa.Array.from_buffers(wanted, count, buffers, nulls, children=children)
