"""Assemble Arrow arrays of any depth (lists, maps and structs) from the decoded levels and values of leaves."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import pyarrow as pa

from ... import compute as pc
from ... import kernels
from ...encoding.chunk_reader import Dictionary
from ...errors import Malformed, Unsupported
from ..fields.assemble_plan import LeafPlan, ListPlan, Plan, StructPlan
from ..request.taking import TAKEN_AS
from .assemble_leaves import always_fits as value_always_fits
from .assemble_leaves import as_type, leaf_array

FEW_SLOTS = 1 << 20
SLOTS_PER_ENTRY = 64


def assemble(
    plan: Plan, wanted: pa.DataType, decoded: Mapping[int, Any], dictionaries: Mapping[int, Dictionary | None]
) -> pa.Array:
    """Assemble one field from the same rows of all its leaves.

    Parameters
    ----------
    plan : Plan
        The nesting of the field. Leaves that are not in `decoded` are left out.
    wanted : pyarrow.DataType
        The type of the result, with the same nesting.
    decoded : mapping of int to Decoded
        The result of `kernels.column.Column.take` for each leaf.
    dictionaries : mapping of int to Dictionary or None
        The dictionary page of each leaf that is read as an Arrow dictionary.

    Raises
    ------
    Malformed
        If the leaves' levels contradict each other, or if a value does not fit its type.
    Unsupported
        If the stored values cannot be converted to that type.
    """
    if isinstance(wanted, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(wanted, assemble(plan, wanted.storage_type, decoded, dictionaries))
    if isinstance(plan, LeafPlan):
        return leaf_array(decoded[plan.leaf], plan.kind, wanted, dictionaries.get(plan.leaf))
    if isinstance(plan, ListPlan):
        return _list(plan, wanted, decoded, dictionaries)
    return _struct(plan, wanted, decoded, dictionaries)


def always_fits(plan: Plan, wanted: pa.DataType, leaves: Set[int]) -> bool:
    """Return True if the type can represent every value of these leaves and lists of every length."""
    if isinstance(wanted, pa.BaseExtensionType):
        return always_fits(plan, wanted.storage_type, leaves)
    if isinstance(plan, LeafPlan):
        return value_always_fits(plan.kind, wanted)
    if isinstance(plan, ListPlan):
        return not pa.types.is_fixed_size_list(wanted) and always_fits(plan.child, wanted.field(0).type, leaves)
    there = [child for child in plan.children if any(leaf.leaf in leaves for leaf in child.leaves)]
    return pa.types.is_struct(wanted) and all(
        always_fits(child, field.type, leaves) for child, field in zip(there, wanted, strict=True)
    )


def _levels_of(plan: Plan, decoded: Mapping[int, Any]) -> tuple[Any, Any, int]:
    """Return the levels of one leaf below this node, and their number; all of them have the same for nodes above."""
    leaf = next(decoded[leaf.leaf] for leaf in plan.leaves if leaf.leaf in decoded)
    return leaf.definition, leaf.repetition, leaf.entries


def _list(plan: ListPlan, wanted: pa.DataType, decoded: Mapping[int, Any], dictionaries) -> pa.Array:
    item = wanted.field(0)
    child = assemble(plan.child, item.type, decoded, dictionaries)
    levels = plan.levels
    offsets, valid, nulls, count = kernels.levels.offsets(
        *_levels_of(plan, decoded),
        ancestor_definition=levels.ancestor,
        definition_level=levels.definition,
        repetition_level=levels.repetition,
    )
    buffers = [None if valid is None else pa.py_buffer(valid), pa.py_buffer(offsets)]
    items = int.from_bytes(memoryview(offsets).cast("B")[4 * count : 4 * count + 4], "little")
    if items != len(child):
        raise Malformed(f"the lists of {plan.name!r} hold {items} items by one leaf and {len(child)} by another")
    if pa.types.is_fixed_size_list(wanted):
        return _fixed(plan, wanted, pa.Array.from_buffers(pa.int32(), count + 1, [None, buffers[1]]), buffers[0], child)
    if pa.types.is_list_view(wanted) or pa.types.is_large_list_view(wanted):
        return _view(wanted, pa.Array.from_buffers(pa.int32(), count + 1, [None, buffers[1]]), nulls, buffers[0], child)
    stored = wanted if pa.types.is_map(wanted) or pa.types.is_large_list(wanted) else pa.list_(item)
    if pa.types.is_large_list(wanted):
        buffers[1] = pa.Array.from_buffers(pa.int32(), count + 1, [None, buffers[1]]).cast(pa.int64()).buffers()[1]
    return as_type(pa.Array.from_buffers(stored, count, buffers, nulls, children=[child]), wanted)


def _view(wanted: pa.DataType, offsets: pa.Array, nulls: int, valid: pa.Buffer | None, child: pa.Array) -> pa.Array:
    """Build list views (a begin and a length per list). Arrow has no cast to them."""
    if pa.types.is_large_list_view(wanted):
        offsets = offsets.cast(pa.int64())
    begins, sizes = offsets.buffers()[1], pc.subtract(offsets[1:], offsets[:-1]).buffers()[1]
    return pa.Array.from_buffers(wanted, len(offsets) - 1, [valid, begins, sizes], nulls, children=[child])


def _fixed(
    plan: ListPlan, wanted: pa.DataType, offsets: pa.Array, valid: pa.Buffer | None, child: pa.Array
) -> pa.Array:
    """Build fixed-size lists.

    A null list takes slots as well; Arrow's cast leaves their memory uninitialized.
    """
    count, size = len(offsets) - 1, wanted.list_size
    there = pa.repeat(True, count) if valid is None else pa.Array.from_buffers(pa.bool_(), count, [None, valid])
    lengths = pc.subtract(offsets[1:], offsets[:-1])
    wrong = pc.filter(lengths, pc.and_(there, pc.not_equal(lengths, size)))
    if len(wrong):
        raise Malformed(
            f"a list of {wrong[0]} items in {plan.name!r}, whose lists have {size}",
            expected=size,
            found=wrong[0].as_py(),
        )
    if count * size != len(child):
        if count * size > max(FEW_SLOTS, SLOTS_PER_ENTRY * (count + len(child))):
            raise Unsupported(f"null lists of {plan.name!r} would take {count * size - len(child)} slots")
        child = _taken(child, _slots(offsets, there, size))
    return pa.Array.from_buffers(wanted, count, [valid], count - there.true_count, children=[child])


def _slots(offsets: pa.Array, there: pa.BooleanArray, size: int) -> pa.Array:
    """Return the item index of each slot of fixed-size lists; it is null in null lists."""
    slots = pa.array(range(len(there) * size), pa.int64())
    lists = pc.divide(slots, size)
    items = pc.add(offsets.take(lists).cast(pa.int64()), pc.subtract(slots, pc.multiply(lists, size)))
    return pc.if_else(there.take(lists), items, None)


def _taken(values: pa.Array, positions: pa.Array) -> pa.Array:
    taken_as = TAKEN_AS.get(values.type, values.type)
    try:
        return as_type(as_type(values, taken_as).take(positions), values.type)
    except pa.ArrowNotImplementedError:
        raise Unsupported(f"null lists of one length are not read where they hold {values.type}") from None


def _struct(plan: StructPlan, wanted: pa.DataType, decoded: Mapping[int, Any], dictionaries) -> pa.Array:
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
        levels = plan.levels
        valid, nulls, rows = kernels.levels.validity(
            *_levels_of(plan, decoded),
            ancestor_definition=levels.ancestor,
            ancestor_repetition=levels.repetition,
            level=levels.definition,
        )
        if rows != count:
            raise Malformed(f"the group {plan.name!r} has {rows} values and its fields {count}")
    buffers = [None if valid is None else pa.py_buffer(valid)]
    return pa.Array.from_buffers(wanted, count, buffers, nulls, children=children)
