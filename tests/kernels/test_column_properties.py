"""Columns of any shape, pages of any size, read in any steps, sound and damaged: both implementations, and pyarrow."""

from __future__ import annotations

from array import array
from contextlib import contextmanager
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.columns import array_of, decode, stored_columns, write
from support.samples import examples
from support.twins import both

from parquetext import kernels
from parquetext.errors import ParquetextError

VALUES = {
    pa.bool_(): st.booleans(),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.string(): st.text(max_size=6),
    pa.binary(3): st.binary(min_size=3, max_size=3),
}
ENCODINGS = {
    pa.bool_(): ["PLAIN", "RLE"],
    pa.int32(): ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    pa.int64(): ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    pa.float64(): ["PLAIN", "BYTE_STREAM_SPLIT"],
    pa.string(): ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
    pa.binary(3): ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"],
}


def types(depth: int = 3) -> st.SearchStrategy[pa.DataType]:
    leaf = st.sampled_from(list(VALUES))
    if not depth:
        return leaf
    inner = types(depth - 1)
    fields = st.lists(st.tuples(inner, st.booleans()), min_size=1, max_size=2)
    return st.one_of(
        leaf,
        st.builds(lambda kind, nullable: pa.list_(pa.field("element", kind, nullable)), inner, st.booleans()),
        st.builds(lambda item: pa.map_(pa.string(), item), inner),
        fields.map(lambda of: pa.struct([pa.field(f"f{i}", kind, null) for i, (kind, null) in enumerate(of)])),
    )


def values_of(field: pa.Field) -> st.SearchStrategy:
    kind = field.type
    if pa.types.is_struct(kind):
        made = st.fixed_dictionaries({child.name: values_of(child) for child in kind})
    elif pa.types.is_map(kind):
        made = st.lists(st.tuples(values_of(kind.key_field), values_of(kind.item_field)), max_size=3)
    elif pa.types.is_list(kind):
        made = st.lists(values_of(kind.value_field), max_size=4)
    else:
        made = VALUES[kind]
    return st.one_of(st.none(), made) if field.nullable else made


@st.composite
def files(draw, depth: int = 3):
    """Return a file of one short column, repeated many times, and the written values."""
    field = pa.field("c", draw(types(depth)), draw(st.booleans()))
    few = draw(st.lists(values_of(field), min_size=1, max_size=12))
    rows = (few * draw(st.integers(1, 30)))[: draw(st.integers(1, 200))]
    table = pa.table([pa.array(rows, field.type)], schema=pa.schema([field]))
    options = {
        "use_dictionary": draw(st.booleans()),
        "data_page_version": draw(st.sampled_from(["1.0", "2.0"])),
        "data_page_size": draw(st.sampled_from([1, 64, 1 << 20])),
        "write_batch_size": draw(st.sampled_from([1, 7, 1024])),
    }
    if not options["use_dictionary"] and field.type in ENCODINGS:
        options["column_encoding"] = {"c": draw(st.sampled_from(ENCODINGS[field.type]))}
    return write(table, **options), table


def plain(decoded) -> tuple:
    """Return a `Decoded` as comparable values."""
    numbers = len([member for member in decoded if isinstance(member, int)])
    buffers = (None if member is None else memoryview(member).tobytes() for member in decoded[numbers:])
    return (*decoded[:numbers], *buffers)


def in_steps(module, stored, steps, *, given_together: bool = True, **options):
    """Return the result or error of reading (positive) and skipping (negative) these row counts, and then the rest."""
    leaf = stored.leaf
    column = module.Column(
        leaf.type, leaf.type_length, leaf.max_definition, leaf.max_repetition, leaf.repeated_definition, **options
    )
    column.chunk(stored.num_values, stored.num_rows)
    taken = []
    try:
        pages = list(stored.bodies())
        if given_together:
            column.pages(stored.headers, stored.data)
            pages = []
        for step in [*steps, stored.num_rows]:
            left = abs(step)
            while left or column.is_open:
                begun = column.read(left) if step > 0 else column.skip(left)
                left -= begun
                if column.is_full:
                    taken.append(plain(column.take()))
                elif pages and (left or column.is_open):
                    give(column, *pages.pop(0))
                elif not begun:
                    break
            taken.append(plain(column.take()))
    except ParquetextError as error:
        positioned = getattr(error, "page", None), getattr(error, "part", None)
        return taken, (type(error), error.code, error.offset, error.expected, error.found, *positioned)
    return taken, None


def in_turns(module, stored, turns, *, given_together: bool = True, **options):
    """The same by one call: turns of rows to skip and to read."""
    leaf = stored.leaf
    column = module.Column(
        leaf.type, leaf.type_length, leaf.max_definition, leaf.max_repetition, leaf.repeated_definition, **options
    )
    column.chunk(stored.num_values, stored.num_rows)
    pages, at, done = list(stored.bodies()), 0, 0
    if given_together:
        column.pages(stored.headers, stored.data)
        pages = []
    while True:
        at, done = column.turn(turns, at, done)
        if at == len(turns) or not pages:
            return at, done, plain(column.take())
        give(column, *pages.pop(0))


def give(column, header, body: bytes) -> None:
    if header.type == 2:
        column.dictionary(body, header.num_values)
    elif header.type == 3:
        levels = header.repetition_size + header.definition_size
        column.page(header, body[:levels], body[levels:])
    else:
        column.page(header, None, body)


@contextmanager
def using(package: str):
    before = kernels.implementation()
    kernels.use(package)
    try:
        yield
    finally:
        kernels.use(before)


@pytest.mark.parametrize("package", ["native", "pure"])
@settings(max_examples=examples(40))
@given(made=files())
def test_arrays_are_those_that_were_written(package, made):
    both("column")
    file, table = made
    with using(package):
        decoded = iter([decode(column) for column in stored_columns(file, table.schema)])
        array, _ = array_of(table.schema[0], decoded)
    array.validate(full=True)
    assert array.to_pylist() == table["c"].to_pylist()


@settings(max_examples=examples(40))
@given(
    made=files(),
    steps=st.lists(st.integers(-40, 60), max_size=5),
    together=st.booleans(),
    levels=st.booleans(),
    most_bytes=st.sampled_from([0, 5, 40, 2**31 - 1]),
)
def test_both_read_the_same_in_the_same_steps(made, steps, together, levels, most_bytes):
    native, pure = both("column")
    for stored in stored_columns(made[0], made[1].schema):
        options = {"given_together": together, "levels": levels, "most_bytes": most_bytes}
        assert in_steps(native, stored, steps, **options) == in_steps(pure, stored, steps, **options)


@settings(max_examples=examples(40))
@given(made=files(), steps=st.lists(st.integers(1, 60), max_size=5), together=st.booleans())
def test_several_steps_give_the_result_of_one_step(made, steps, together):
    native, _ = both("column")
    for stored in stored_columns(made[0], made[1].schema):
        whole, error = in_steps(native, stored, [])
        parts, no_error = in_steps(native, stored, steps, given_together=together)
        assert error is None and no_error is None
        for member, joined in ((0, sum), (1, sum), (2, sum), (3, sum), (8, _join)):
            assert joined(part[member] for part in parts) == joined(part[member] for part in whole)
        if stored.leaf.type not in (0, 6):
            assert b"".join(part[5] for part in parts) == b"".join(part[5] for part in whole)


def _join(parts) -> bytes:
    return b"".join(part or b"" for part in parts)


@settings(max_examples=examples(80))
@given(made=files(depth=2), where=st.floats(0, 1, exclude_max=True), value=st.integers(1, 255), cut=st.booleans())
def test_both_report_the_same_damage(made, where, value, cut):
    """A page whose body has a wrong byte, or ends early; read at once, so that errors come alone."""
    native, pure = both("column")
    for stored in stored_columns(made[0], made[1].schema):
        pages = list(stored.bodies())
        body = bytearray(b"".join(body for _, body in pages))
        assume(body)
        at = int(where * len(body))
        number = next(i for i in range(len(pages)) if sum(len(body) for _, body in pages[: i + 1]) > at)
        header, old = pages[number]
        at -= sum(len(body) for _, body in pages[:number])
        new = old[:at] if cut else old[:at] + bytes([old[at] ^ value]) + old[at + 1 :]
        pages[number] = header, new
        damaged = replace_bodies(stored, pages)
        got, expected = (in_steps(module, damaged, [], given_together=False) for module in (native, pure))
        assert got[1] == expected[1]
        if not got[1]:
            assert got == expected
        for module in (native, pure):
            kept, error = in_steps(module, damaged, [], given_together=False, forgets=True)
            assert error == expected[1] and not any(part[0] for part in kept)


def replace_bodies(stored, pages):
    return SimpleNamespace(
        leaf=stored.leaf, num_values=stored.num_values, num_rows=stored.num_rows, bodies=lambda: iter(pages)
    )


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("skipped", [1, 8, 9])
def test_nulls_are_skipped_with_and_without_kept_levels(levels, skipped):
    rows = [None if row % 3 else bool(row % 2) for row in range(40)]
    table = pa.table([pa.array(rows)], schema=pa.schema([pa.field("c", pa.bool_())]))
    for module in both("column"):
        for stored in stored_columns(write(table, use_dictionary=False), table.schema):
            taken, error = in_steps(module, stored, [8, -skipped], levels=levels)
            assert error is None
            valid, values = taken[-1][4:6]
            bits = [valid[at // 8] >> at % 8 & 1 and (values[at // 8] >> at % 8 & 1) + 1 for at in range(32 - skipped)]
            assert [None if bit == 0 else bool(bit - 1) for bit in bits] == rows[8 + skipped :]


@settings(max_examples=examples(40))
@given(files(), st.data())
def test_turns_are_steps_in_one_call(file, data):
    path, table = file
    rows, counts = table.num_rows, []
    while sum(counts) < rows:
        counts.append(data.draw(st.integers(0 if counts and counts[-1] else 1, rows - sum(counts))))
    together = data.draw(st.booleans())
    turns = array("q", counts)
    steps = [count if number % 2 else -count for number, count in enumerate(counts) if count]
    for stored in stored_columns(path, table.schema):
        results = [in_turns(module, stored, turns, given_together=together) for module in both("column")]
        assert results[0] == results[1]
        taken, error = in_steps(both("column")[0], stored, steps, given_together=together)
        assert error is None
        numbers = [part[:4] for part in taken]
        assert results[0][:2] == (len(counts), 0)
        assert results[0][2][:4] == tuple(map(sum, zip(*numbers, strict=True)))


def test_a_step_beyond_the_pages_returns_its_rows_so_far():
    table = pa.table({"c": pa.array(range(10), pa.int64())})
    [stored] = stored_columns(write(table, use_dictionary=False), table.schema)
    for module in both("column"):
        assert in_turns(module, stored, array("q", [2, 3, 1]))[:2] == (3, 0)
        assert in_turns(module, stored, array("q", [2, 30, 1]))[:2] == (1, 8)
        with pytest.raises(ParquetextError, match="-1"):
            in_turns(module, stored, array("q", [2, -1]))
