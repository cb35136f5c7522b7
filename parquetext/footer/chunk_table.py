"""Build the chunk table: one row of an Arrow table for each column chunk of a file."""

from __future__ import annotations

import array
from collections.abc import Iterator

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..encoding.number_arrays import has_bit, known, named, wrapped
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
    leaf = wrapped(numbers * groups)
    row_group = memoryview(bytearray(4 * leaves * groups)).cast("i")
    for number in range(groups):
        row_group[number * leaves : (number + 1) * leaves] = memoryview(array.array("i", [number]) * leaves)
    yield "row_group", wrapped(row_group)
    yield "leaf", leaf
    check_form(form)
    paths = [form.node(leaf).path.replace(b"\0", b".").decode("utf-8", "replace") for leaf in range(leaves)]
    yield "column", pa.DictionaryArray.from_arrays(leaf, pa.array(paths, pa.string()))
    yield "physical_type", named(wrapped(fields["type"]), PHYSICAL_TYPES)
    yield "codec", named(wrapped(fields["codec"]), CODECS)
    for name in (*LONG_FACTS, *INDEX_LENGTHS):
        yield name, known(wrapped(fields[name]))
    yield "encodings", wrapped(fields["encodings"])
    present = wrapped(fields["present"])
    for end, bit, has_exactness, exact in (
        ("min", 1, wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
        ("max", 2, wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
    ):
        values = pa.array(bounds[bit], pa.binary())
        yield end, values
        said = pc.and_(values.is_valid(), has_bit(present, has_exactness))
        yield f"{end}_is_exact", pc.if_else(said, has_bit(present, exact), None)
