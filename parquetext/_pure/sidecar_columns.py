"""Derive a sidecar's columns from the schema of a scanned footer."""

from __future__ import annotations

from collections.abc import Callable

from .. import wire
from ..errors import wire_error
from .scan import Scan
from .sidecar_read import Column

__all__ = ["describe"]

REPETITION_SHIFT = 2
NO_FIELD_ID = -1 << 31
LIST_FIELD = 0x3C  # the first byte of a LogicalType LIST: field 3, a struct
LONG_LIST_FIELD = b"\x0c\x06"  # the same with a separate byte for the id
GROUP_FACTS = ("parent", "num_children", "repetition", "converted_type", "logical_type_offset", "logical_type_length")


def describe(scan: Scan, infer: Callable[[bytes, int, int, bool, int], int]) -> list[Column]:
    """Return the columns of a scanned footer: its leaves, with name, id and repetition of their top-level field.

    Parameters
    ----------
    scan : kernels.scan.Scan
    infer : callable
        A function that returns a leaf's type code. Its arguments are the leaf's Thrift bytes, its physical type, its
        width (0 except for FIXED_LEN_BYTE_ARRAY), True if the leaf is below other fields or repeated, and the number of
        lists around the leaf (0 if it has siblings in one of them, or if it is inside anything else).

    Raises
    ------
    Unsupported
        If a leaf has an unknown physical type.
    """
    data, fact = memoryview(scan.data), scan.elements
    parents, repetitions, physicals, widths = fact("parent"), fact("repetition"), fact("type"), fact("type_length")
    name_at, name_size, field_ids = fact("name_offset"), fact("name_length"), fact("field_id")
    at, size = fact("bytes_offset"), fact("bytes_length")
    definitions, repeated = fact("max_definition"), fact("max_repetition")
    facts = [fact(name) for name in GROUP_FACTS]
    columns, top, seen = [], 0, 0
    for element in scan.leaves:
        while seen <= element:  # elements are in preorder
            top = seen if parents[seen] <= 0 else top
            seen += 1
        physical = physicals[element]
        if not 0 <= physical <= wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
            raise wire_error(
                wire.UNSUPPORTED_VALUE, at[element], wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, physical & 0xFFFFFFFF
            )
        width = max(0, widths[element]) if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else 0
        repetition = repetitions[top] if 0 <= repetitions[top] <= wire.REPETITION_REPEATED else wire.REPETITION_OPTIONAL
        identity = -1 if field_ids[top] == NO_FIELD_ID else field_ids[top]
        code = infer(
            bytes(data[at[element] : at[element] + size[element]]),
            physical,
            width,
            top != element or repeated[element] > 0,
            lists_around(scan, facts, element),
        )
        columns.append(
            Column(
                bytes(data[name_at[top] : name_at[top] + name_size[top]]),
                identity,
                code,
                repetition << REPETITION_SHIFT,
                width,
                physical,
                repeated[element],
                definitions[element],
            )
        )
    return columns


def lists_around(scan: Scan, facts: list, element: int) -> int:
    """Return the number of lists around an element; 0 if it has siblings in one, or is inside anything else."""
    parents, children, repetitions, converted, at, size = facts
    data = memoryview(scan.data)

    def is_list(group: int) -> bool:
        annotation = bytes(data[at[group] : at[group] + min(2, size[group])])
        if not annotation:
            return converted[group] == wire.CONVERTED_LIST
        return annotation[0] == LIST_FIELD or annotation == LONG_LIST_FIELD

    lists, is_inside, group = 0, False, parents[element]  # True inside of a list's repeated group
    while group > 0:
        fits = is_list(group) if is_inside else repetitions[group] == wire.REPETITION_REPEATED and not is_list(group)
        if not fits or children[group] != 1:
            return 0
        lists, is_inside, group = lists + (not is_inside), not is_inside, parents[group]
    return 0 if is_inside else lists
