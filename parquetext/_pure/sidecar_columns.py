"""A sidecar's columns as a scanned footer's schema has them."""

from __future__ import annotations

from collections.abc import Callable

from .. import wire
from ..errors import wire_error
from .scan import Scan
from .sidecar_read import Column

__all__ = ["describe"]

FIXED_LEN_BYTE_ARRAY = 7
OPTIONAL, LAST_REPETITION = 1, 2
REPETITION_SHIFT = 2
NO_FIELD_ID = -1 << 31


def describe(scan: Scan, infer: Callable[[bytes, int, int, bool], int]) -> list[Column]:
    """The columns of a scanned footer, by its schema: leaves under name, id and repetition of their top-level field.

    Parameters
    ----------
    scan : kernels.scan.Scan
    infer : callable
        From a leaf's Thrift bytes, its physical type, its width (0 but for FIXED_LEN_BYTE_ARRAY), and whether it stands
        below other fields or is repeated, to its type code.

    Raises
    ------
    Unsupported
        A leaf of a physical type that is none.
    """
    data, fact = memoryview(scan.data), scan.elements
    parents, repetitions, physicals, widths = fact("parent"), fact("repetition"), fact("type"), fact("type_length")
    name_at, name_size, field_ids = fact("name_offset"), fact("name_length"), fact("field_id")
    at, size = fact("bytes_offset"), fact("bytes_length")
    definitions, repeated = fact("max_definition"), fact("max_repetition")
    columns, top, seen = [], 0, 0
    for element in scan.leaves:
        while seen <= element:  # elements stand in preorder
            top = seen if parents[seen] <= 0 else top
            seen += 1
        physical = physicals[element]
        if not 0 <= physical <= FIXED_LEN_BYTE_ARRAY:
            raise wire_error(wire.UNSUPPORTED_VALUE, at[element], FIXED_LEN_BYTE_ARRAY, physical & 0xFFFFFFFF)
        width = max(0, widths[element]) if physical == FIXED_LEN_BYTE_ARRAY else 0
        repetition = repetitions[top] if 0 <= repetitions[top] <= LAST_REPETITION else OPTIONAL
        identity = -1 if field_ids[top] == NO_FIELD_ID else field_ids[top]
        code = infer(bytes(data[at[element]:at[element] + size[element]]), physical, width,
                     top != element or repeated[element] > 0)
        columns.append(Column(bytes(data[name_at[top]:name_at[top] + name_size[top]]), identity, code,
                              repetition << REPETITION_SHIFT, width, physical, repeated[element], definitions[element]))
    return columns
