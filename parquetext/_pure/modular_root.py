"""The root of a modular footer: its counts, and where its modules are (docs/formats.md, 16.1)."""

from __future__ import annotations

from .. import wire
from ..errors import wire_error
from .bits import WRAP
from .modular_arrays import integer_at, required, struct_fields
from .thrift import Walk

VERSION, ROW_GROUPS, COLUMNS, ROWS, MODULES = 1, 2, 3, 4, 5  # fields of ModularFooter
KIND, LOCATION = 1, 2  # of an entry of the list of modules
OFFSET, LENGTH = 1, 2  # of a location
KINDS = 7  # those above are passed over
MOST_COUNT = (1 << 31) - 1
TYPES = {
    VERSION: wire.TYPE_I32,
    ROW_GROUPS: wire.TYPE_I32,
    COLUMNS: wire.TYPE_I32,
    ROWS: wire.TYPE_I64,
    MODULES: wire.TYPE_LIST,
}


def read_root(data) -> tuple[int, int, int, int, dict[int, tuple[int, int]]]:
    """Read the root struct at the begin of `data`.

    Returns
    -------
    (int, int, int, int, dict of int to (int, int))
        The version, the numbers of row groups, of columns and of rows, and the offset and length of each module by
        its kind, as they are stored.

    Raises
    ------
    Malformed
        If the struct is malformed, lacks a field, or if its list has no structs, as in older generations.
    Damaged
        If a number is negative, or if a module is listed twice.
    """
    data = memoryview(data).cast("B")
    found = struct_fields(data, 0, TYPES)
    numbers = [integer_at(data, required(found, id, 0)[2]) for id in (VERSION, ROW_GROUPS, COLUMNS, ROWS)]
    for id, number in zip((ROW_GROUPS, COLUMNS, ROWS), numbers[1:], strict=True):
        if number < 0:
            raise wire_error(wire.BAD_VALUE, found[id][1], MOST_COUNT, number % WRAP)
    _, _, at, _ = required(found, MODULES, 0)
    walk = Walk(data, at, wire.MAX_DEPTH)
    type, count, item = walk.list_header(at)
    if count and type != wire.TYPE_STRUCT:
        raise wire_error(wire.FIELD_TYPE, at, wire.TYPE_STRUCT, type)
    modules: dict[int, tuple[int, int]] = {}
    for _ in range(count):
        kind, location = read_module(data, item)
        if 0 <= kind < KINDS:
            if kind in modules:
                raise wire_error(wire.BAD_VALUE, item, 1, 2)
            modules[kind] = location
        item = walk.skip(item, wire.TYPE_STRUCT, 0)
    version, row_groups, columns, rows = numbers
    return version, row_groups, columns, rows, modules


def read_module(data, at: int) -> tuple[int, tuple[int, int]]:
    """Return the kind of a module, and its offset and length."""
    found = struct_fields(data, at, {KIND: wire.TYPE_I32, LOCATION: wire.TYPE_STRUCT})
    kind = integer_at(data, required(found, KIND, at)[2])
    location = required(found, LOCATION, at)[2]
    inside = struct_fields(data, location, {OFFSET: wire.TYPE_I64, LENGTH: wire.TYPE_I64})
    offset, length = (integer_at(data, required(inside, id, location)[2]) for id in (OFFSET, LENGTH))
    if offset < 0 or length < 0:
        raise wire_error(wire.BAD_VALUE, location, 0, min(offset, length) % WRAP)
    return kind, (offset, length)
