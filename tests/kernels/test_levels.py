"""Lists and structs of levels: their offsets and nulls by a plain definition, and levels that contradict themselves."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError

MOST_LEVEL = 4


def packed(levels: list[int] | None) -> bytes | None:
    return None if levels is None else array("H", levels).tobytes()


def bits_of(valid, count: int) -> list[bool]:
    """The bits of a bitmap of exactly `count` bits; spare ones are 0."""
    found = bytes(valid)
    assert len(found) == (count + 7) // 8
    assert not count % 8 or found[-1] >> count % 8 == 0
    return [bool(found[i // 8] >> i % 8 & 1) for i in range(count)]


def numbers(offsets, count: int) -> list[int]:
    return list(memoryview(offsets).cast("B").cast("i"))[: count + 1]


# ---- structs ----


def plain_structs(definition, repetition, entries, *, ancestor_definition, ancestor_repetition, level):
    """Whether each struct is there: those that begin with an entry of the repeated field around them."""
    return [
        defined >= level
        for defined, repeated in zip(definition or [0xFFFF] * entries, repetition or [0] * entries, strict=True)
        if repeated <= ancestor_repetition and defined >= ancestor_definition
    ]


@st.composite
def level_lists(draw, highest: int = MOST_LEVEL, most: int = 200):
    """Return definition and repetition levels of so many entries; None means the highest ones, or none."""
    entries = draw(st.integers(0, most))
    levels = st.lists(st.integers(0, highest), min_size=entries, max_size=entries)
    return draw(levels | st.none()), draw(levels | st.none()), entries


small = st.integers(0, MOST_LEVEL + 1)


@given(
    level_lists() | level_lists(0xFFFF),
    st.fixed_dictionaries(
        {name: small | st.just(0xFFFF) for name in ("ancestor_definition", "ancestor_repetition", "level")}
    ),
)
def test_structs_are_those_of_the_plain_definition(levels, node):
    definition, repetition, entries = levels
    expected = plain_structs(definition, repetition, entries, **node)
    for kernel in both("levels"):
        valid, nulls, count = kernel.validity(packed(definition), packed(repetition), entries, **node)
        assert (nulls, count) == (expected.count(False), len(expected))
        assert (valid is None) == (nulls == 0)
        assert valid is None or bits_of(valid, count) == expected


@pytest.mark.parametrize("entries", [63, 64, 65, 127, 128, 129, 4096, 4097])
def test_bitmaps_end_anywhere_in_a_word(implementation, entries):
    definition = [entry % 3 for entry in range(entries)]
    valid, nulls, count = kernels.levels.validity(
        packed(definition), None, entries, ancestor_definition=0, ancestor_repetition=0, level=1
    )
    assert (nulls, count) == (definition.count(0), entries)
    assert bits_of(valid, count) == [level > 0 for level in definition]


def test_structs_below_an_empty_list_are_absent(implementation):
    definition, repetition = [0, 2, 1, 3], [0, 0, 1, 0]
    valid, nulls, count = kernels.levels.validity(
        packed(definition), packed(repetition), 4, ancestor_definition=1, ancestor_repetition=1, level=2
    )
    assert (bits_of(valid, count), nulls) == ([True, False, True], 1)


# ---- lists ----


def plain_lists(definition, repetition, entries, *, ancestor_definition, definition_level, repetition_level):
    """The items of each list, or None: an entry begins a list, or goes on with the last one."""
    lists: list[int | None] = []
    items, before = 0, definition_level
    for entry, (defined, repeated) in enumerate(zip(definition or [0xFFFF] * entries, repetition, strict=True)):
        if repeated >= repetition_level:
            if min(defined, before) < definition_level:
                return wire.LEVELS_CONTRADICT, entry
            if not entry:
                return wire.ROW_START, entry
        elif defined >= ancestor_definition:
            lists.append(None if defined + 1 < definition_level else 0)
        if repeated <= repetition_level and defined >= definition_level:
            items += 1
            if lists and lists[-1] is not None:
                lists[-1] += 1
        before = defined
    return lists, items


@st.composite
def list_nodes(draw):
    """A list, and levels of its entries that mostly say nothing that contradicts itself."""
    ancestor = draw(st.integers(0, 2))
    definition_level = draw(st.integers(ancestor + 1, ancestor + 2))
    repetition_level = draw(st.integers(1, 3))
    begins = st.tuples(st.integers(0, definition_level + 1), st.integers(0, repetition_level - 1))
    goes_on = st.tuples(st.integers(definition_level, definition_level + 1), st.integers(repetition_level, 3))
    any_levels = st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
    some = st.lists(begins | goes_on | (any_levels if draw(st.integers(0, 7)) == 0 else begins), max_size=200)
    entries = draw(some)
    node = {
        "ancestor_definition": ancestor,
        "definition_level": definition_level,
        "repetition_level": repetition_level,
    }
    return [defined for defined, _ in entries], [repeated for _, repeated in entries], node


@given(list_nodes(), st.booleans())
def test_lists_are_those_of_the_plain_definition(levels, all_highest):
    definition, repetition, node = levels
    entries = len(repetition)
    definition = None if all_highest else definition
    expected, position = plain_lists(definition, repetition, entries, **node)
    for kernel in both("levels"):
        if isinstance(expected, int):
            with pytest.raises(Malformed) as caught:
                kernel.offsets(packed(definition), packed(repetition), entries, **node)
            assert (caught.value.code, caught.value.offset) == (expected, position)
            continue
        offsets, valid, nulls, count = kernel.offsets(packed(definition), packed(repetition), entries, **node)
        assert (nulls, count) == (expected.count(None), len(expected))
        assert (valid is None) == (nulls == 0)
        assert valid is None or bits_of(valid, count) == [items is not None for items in expected]
        positions = numbers(offsets, count)
        assert positions[0] == 0 and positions[-1] == position


def test_lists_end_at_the_begin_of_the_next_one(implementation):
    definition, repetition = [2, 3, 0, 1, 2], [0, 1, 0, 0, 0]
    offsets, valid, nulls, count = kernels.levels.offsets(
        packed(definition), packed(repetition), 5, ancestor_definition=0, definition_level=2, repetition_level=1
    )
    assert (numbers(offsets, count), nulls) == ([0, 2, 2, 2, 3], 1)
    assert bits_of(valid, count) == [True, False, True, True]


@pytest.mark.parametrize(
    ("definition", "repetition", "expected"),
    [
        ([2, 2, 1], [0, 1, 1], (wire.LEVELS_CONTRADICT, 2, 2, 1)),
        ([2, 1, 2], [0, 0, 1], (wire.LEVELS_CONTRADICT, 2, 2, 1)),
        ([2], [1], (wire.ROW_START, 0, 0, 1)),
    ],
    ids=["no item", "after a list without items", "first entry"],
)
def test_an_entry_that_continues_a_list_wrongly_is_refused(implementation, definition, repetition, expected):
    node = {"ancestor_definition": 0, "definition_level": 2, "repetition_level": 1}
    with pytest.raises(Malformed) as caught:
        kernels.levels.offsets(packed(definition), packed(repetition), len(definition), **node)
    error = caught.value
    assert (error.code, error.offset, error.expected, error.found) == expected


# ---- any levels ----

any_levels = st.lists(st.integers(0, 0xFFFF) | small, max_size=150)
any_level = st.integers(0, 0xFFFF) | small


def comparable(found):
    """Return a kernel's result as numbers and bytes."""
    if found[0] == "error":
        return found
    return [bytes(memoryview(part)) if part is not None and not isinstance(part, int) else part for part in found[1]]


@given(any_levels | st.none(), any_levels, any_level, any_level, any_level, st.integers(0, 2))
def test_both_implementations_agree_on_any_levels(definition, repetition, first, second, third, missing):
    """As many entries as there are levels, or more than there are."""
    entries = min(len(repetition), len(repetition if definition is None else definition)) + (missing == 2)
    arguments = packed(definition), packed(repetition), entries
    native, pure = both("levels")
    lists = {
        "ancestor_definition": min(first, second, 0xFFFE),
        "definition_level": max(first, second, min(first, second, 0xFFFE) + 1),
        "repetition_level": max(third, 1),
    }
    structs = {"ancestor_definition": first, "ancestor_repetition": second, "level": third}
    assert comparable(outcome(native.offsets, *arguments, **lists)) == comparable(
        outcome(pure.offsets, *arguments, **lists)
    )
    assert comparable(outcome(native.validity, *arguments, **structs)) == comparable(
        outcome(pure.validity, *arguments, **structs)
    )


def test_levels_that_end_before_the_entries_do_are_refused(implementation):
    node = {"ancestor_definition": 0, "ancestor_repetition": 0, "level": 1}
    with pytest.raises(ParquetextError) as caught:
        kernels.levels.validity(packed([1, 1]), None, 3, **node)
    assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.BAD_ARGUMENT, 2, 3)


def test_only_leaves_of_lists_leave_out_slots(implementation):
    with pytest.raises(ParquetextError) as caught:
        kernels.column.Column(wire.PHYSICAL_INT32, 0, 2, 0, 1)
    assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.BAD_ARGUMENT, 0, 1)
