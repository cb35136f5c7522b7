"""Build the chunk table: one row of an Arrow table for each column chunk of a file."""

from __future__ import annotations

import array
from collections.abc import Iterator

import pyarrow as pa

from .. import compute as pc
from .. import wire
from .leaf_types import CODECS, PHYSICAL_TYPES
from .model import COUNTS, INDEX_LENGTHS, INDEX_OFFSETS, FooterReader
from .path_sizes import check_form

LONG_FACTS = COUNTS + INDEX_OFFSETS
WORD_FACTS = ("present", "encodings")


def chunk_table(form: FooterReader) -> pa.Table:
    """Return one row per chunk, row group by row group, the leaves in order.

    Columns: `row_group`, `leaf` (int32); `column` (dotted path), `physical_type`, `codec` (dictionaries); counts,
    sizes, offsets (int64 and int32, null if absent); `encodings` (uint32, bit e for encoding e); `min`, `max` (binary,
    as stored; null if unusable), `min_is_exact`, `max_is_exact`.

    Raises
    ------
    Unsupported
        If a row group does not have one chunk per leaf.
    """
    leaves, groups = form.leaf_count, form.row_group_count
    count = leaves * groups
    fields = {name: memoryview(bytearray(8 * count)).cast("q") for name in LONG_FACTS}
    fields |= {name: memoryview(bytearray(4 * count)).cast("i") for name in (*INDEX_LENGTHS, "codec", "type")}
    fields |= {name: memoryview(bytearray(4 * count)).cast("I") for name in WORD_FACTS}
    bounds: dict[int, list] = {1: [None] * count, 2: [None] * count}
    for leaf in range(leaves):
        chunks = form.column(leaf)
        for name, fact in fields.items():
            fact[leaf::leaves] = chunks.array(name)
        for bit, values in bounds.items():
            values[leaf::leaves] = chunks.bound_values(bit)
    return pa.table(dict(_columns(form, fields, bounds)))


def _columns(
    form: FooterReader, fields: dict[str, memoryview], bounds: dict[int, list]
) -> Iterator[tuple[str, pa.Array]]:
    leaves, groups = form.leaf_count, form.row_group_count
    numbers = array.array("i", range(leaves))
    leaf = _numbers(memoryview(numbers * groups), pa.int32())
    row_group = memoryview(bytearray(4 * leaves * groups)).cast("i")
    for number in range(groups):
        row_group[number * leaves : (number + 1) * leaves] = memoryview(array.array("i", [number]) * leaves)
    yield "row_group", _numbers(row_group, pa.int32())
    yield "leaf", leaf
    check_form(form)
    paths = [form.node(leaf).path.replace(b"\0", b".").decode("utf-8", "replace") for leaf in range(leaves)]
    yield "column", pa.DictionaryArray.from_arrays(leaf, pa.array(paths, pa.string()))
    yield "physical_type", _named(fields["type"], PHYSICAL_TYPES)
    yield "codec", _named(fields["codec"], CODECS)
    for name in LONG_FACTS:
        yield name, _absent(_numbers(fields[name], pa.int64()))
    for name in INDEX_LENGTHS:
        yield name, _absent(_numbers(fields[name], pa.int32()))
    yield "encodings", _numbers(fields["encodings"], pa.uint32())
    present = _numbers(fields["present"], pa.uint32())
    for end, bit, known, exact in (
        ("min", 1, wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
        ("max", 2, wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
    ):
        values = pa.array(bounds[bit], pa.binary())
        yield end, values
        said = pc.and_(values.is_valid(), _has(present, known))
        yield f"{end}_is_exact", pc.if_else(said, _has(present, exact), None)


def _named(numbers: memoryview, names: tuple[str, ...]) -> pa.DictionaryArray:
    """Return the names of numbers; null for numbers without a name."""
    known = _absent(_numbers(numbers, pa.int32()))
    return pa.DictionaryArray.from_arrays(pc.if_else(pc.less(known, len(names)), known, None), pa.array(names))


def _numbers(values: memoryview, kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _absent(values: pa.Array) -> pa.Array:
    return pc.if_else(pc.less(values, 0), None, values)


def _has(present: pa.Array, bit: int) -> pa.Array:
    return pc.not_equal(pc.bit_wise_and(present, pa.scalar(bit, pa.uint32())), pa.scalar(0, pa.uint32()))
