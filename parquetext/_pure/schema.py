"""The schema of a scanned footer: sort orders, and the tree of the elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .. import wire
from . import thrift
from .bounds import FLOAT16, LITTLE_ENDIAN, SIGNED, UNDEFINED, UNSIGNED
from .records import Records

DEEPEST = 255  # the highest level that a record can store
IS_SIGNED = 2  # field of the logical type INTEGER


class Annotation(NamedTuple):
    """The physical types of an annotation, its order, and the length of its fixed-length bytes (0: any)."""

    types: tuple[int, ...]
    order: int
    length: int = 0


INT32, INT64 = (wire.PHYSICAL_INT32,), (wire.PHYSICAL_INT64,)
BYTES, FIXED = (wire.PHYSICAL_BYTE_ARRAY,), (wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,)
TEXT, DECIMAL = Annotation(BYTES, UNSIGNED), Annotation(INT32 + INT64 + BYTES + FIXED, SIGNED)

LOGICAL_ORDERS = {
    **dict.fromkeys((wire.LOGICAL_STRING, wire.LOGICAL_ENUM, wire.LOGICAL_JSON, wire.LOGICAL_BSON), TEXT),
    wire.LOGICAL_UUID: Annotation(FIXED, UNSIGNED, 16),
    wire.LOGICAL_DECIMAL: DECIMAL,
    wire.LOGICAL_DATE: Annotation(INT32, SIGNED),
    wire.LOGICAL_TIME: Annotation(INT32 + INT64, SIGNED),
    wire.LOGICAL_TIMESTAMP: Annotation(INT64 + FIXED, SIGNED, 12),
    wire.LOGICAL_FLOAT16: Annotation(FIXED, FLOAT16, 2),
}
CONVERTED_ORDERS = {
    **dict.fromkeys((wire.CONVERTED_UTF8, wire.CONVERTED_ENUM, wire.CONVERTED_JSON, wire.CONVERTED_BSON), TEXT),
    wire.CONVERTED_DECIMAL: DECIMAL,
    **dict.fromkeys(
        (wire.CONVERTED_UINT_8, wire.CONVERTED_UINT_16, wire.CONVERTED_UINT_32), Annotation(INT32, UNSIGNED)
    ),
    wire.CONVERTED_UINT_64: Annotation(INT64, UNSIGNED),
    **dict.fromkeys(
        (
            wire.CONVERTED_DATE,
            wire.CONVERTED_TIME_MILLIS,
            wire.CONVERTED_INT_8,
            wire.CONVERTED_INT_16,
            wire.CONVERTED_INT_32,
        ),
        Annotation(INT32, SIGNED),
    ),
    **dict.fromkeys(
        (
            wire.CONVERTED_TIME_MICROS,
            wire.CONVERTED_TIMESTAMP_MILLIS,
            wire.CONVERTED_TIMESTAMP_MICROS,
            wire.CONVERTED_INT_64,
        ),
        Annotation(INT64, SIGNED),
    ),
}
PHYSICAL_ORDERS = {
    **dict.fromkeys(
        (wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE),
        SIGNED,
    ),
    **dict.fromkeys((wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY), UNSIGNED),
}


def build_tree(
    data: memoryview, elements: Records, column_orders: tuple[int, int], schema_offset: int, note: Callable[..., None]
) -> list[int]:
    """Fill in parents, levels, leaves and orders of elements in preorder; return the element of each leaf.

    Errors in the tree are passed to `note` as (code, offset, expected, found). Elements after the tree's end get no
    parent, and a group may have fewer children than it claims.
    """
    columns, count = elements.columns, len(elements)
    leaves: list[int] = []
    awaited = 1
    open_groups: list[list[int]] = []  # groups: [element, number of its children to come]
    for i in range(count):
        inside = awaited > 0
        if not inside:
            note(wire.SCHEMA, columns["bytes_offset"][i], i, count)
        add_element(columns, i, open_groups if inside else [], len(leaves))
        if not inside:
            continue
        awaited -= 1
        children = max(columns["num_children"][i], 0)
        if i > 0 and children == 0 and columns["type"][i] != -1:
            leaves.append(i)
            columns["leaf_count"][i] = 1
            columns["sort_order"][i] = sort_order(data, columns, i)
        else:
            awaited += children
            open_groups.append([i, children])
        while open_groups and open_groups[-1][1] == 0:
            close_group(columns, open_groups.pop()[0], len(leaves))
    for group, _ in open_groups:
        close_group(columns, group, len(leaves))
    if awaited:
        note(wire.SCHEMA, schema_offset, count + awaited, count)
    for leaf, order in zip(leaves, read_column_orders(data, column_orders), strict=False):
        columns["column_order"][leaf] = order
    return leaves


def add_element(columns: dict, i: int, open_groups: list, leaves_before: int) -> None:
    columns["parent"][i], columns["first_leaf"][i], columns["leaf_count"][i] = -1, leaves_before, 0
    if not open_groups:
        return
    parent, repetition = open_groups[-1][0], columns["repetition"][i]
    open_groups[-1][1] -= 1
    columns["parent"][i] = parent
    for levels, deepening in (
        ("max_definition", (wire.REPETITION_OPTIONAL, wire.REPETITION_REPEATED)),
        ("max_repetition", (wire.REPETITION_REPEATED,)),
    ):
        columns[levels][i] = min(columns[levels][parent] + (repetition in deepening), DEEPEST)


def close_group(columns: dict, group: int, leaves: int) -> None:
    columns["leaf_count"][group] = leaves - columns["first_leaf"][group]


def sort_order(data: memoryview, columns: dict, i: int) -> int:
    """Return the order of a leaf's type and annotations; the logical type takes precedence over the converted one."""
    physical = columns["type"][i]
    if physical == wire.PHYSICAL_INT96:
        return UNDEFINED
    if columns["logical_type_length"][i]:
        known = logical_annotation(data, columns["logical_type_offset"][i])
    elif columns["converted_type"][i] != -1:
        known = CONVERTED_ORDERS.get(columns["converted_type"][i])
    else:
        return PHYSICAL_ORDERS.get(physical, UNDEFINED)
    # Statistics under an annotation that does not fit its physical type have no defined order.
    if known is None or physical not in known.types:
        return UNDEFINED
    if physical != wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return known.order
    if known.length and columns["type_length"][i] != known.length:
        return UNDEFINED
    # Values of 12 bytes are always timestamps, little-endian.
    return LITTLE_ENDIAN if known.length == 12 else known.order


def logical_annotation(data: memoryview, at: int) -> Annotation | None:
    """Return the annotation of the union; its first field decides."""
    members = thrift.fields(data, at)
    if not members:
        return None
    id, type, _, value, _ = members[0]
    if id != wire.LOGICAL_INTEGER:
        return LOGICAL_ORDERS.get(id)
    is_signed = thrift.find(data, IS_SIGNED, value) if type == wire.TYPE_STRUCT else None
    return Annotation(INT32 + INT64, SIGNED if is_signed and is_signed[1] == wire.TYPE_TRUE else UNSIGNED)


def read_column_orders(data: memoryview, position: tuple[int, int]) -> list[int]:
    """Return the field of each ColumnOrder union: 0 for an empty one, 255 for a number outside 1 to 254."""
    if position[1] == 0:
        return []
    walk = thrift.Walk(data, position[0], wire.MAX_DEPTH)
    _, count, at = walk.list_header(position[0])
    orders = []
    for _ in range(count):
        id, type, _ = walk.field_header(at, 0)
        orders.append(0 if type == 0 else id if 0 < id < 255 else 255)
        at = walk.skip(at, wire.TYPE_STRUCT, 0)
    return orders
