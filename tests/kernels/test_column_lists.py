"""Levels compared with each other when their page is opened, and the items of every list counted."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest
from support.pages import levels

from parquetext import kernels, wire
from parquetext.errors import Malformed

pytestmark = pytest.mark.usefixtures("implementation")

LISTS = (1, 3)  # a list of optional lists, whose items are required


def header(entries: int, repetition: bytes, definition: bytes) -> SimpleNamespace:
    return SimpleNamespace(
        type=wire.PAGE_DATA_PAGE,
        num_values=entries,
        num_nulls=-1,
        num_rows=-1,
        encoding=wire.ENCODING_PLAIN,
        definition_encoding=wire.ENCODING_RLE,
        repetition_encoding=wire.ENCODING_RLE,
        definition_size=len(definition),
        repetition_size=len(repetition),
    )


def column_of(pages: list[list[tuple[int, int]]]):
    """A column that was given pages of (repetition, definition) levels."""
    column = kernels.column.Column(wire.PHYSICAL_INT32, 0, 3, 2, 3, forgets=True, lists=LISTS)
    column.chunk(sum(map(len, pages)), sum(not repeated for page in pages for repeated, _ in page))
    for page in pages:
        repetition, definition = (levels([entry[kind] for entry in page], 2 + kind) for kind in range(2))
        parts = [len(part).to_bytes(4, "little") + part for part in (repetition, definition)]
        values = bytes(4 * sum(defined == 3 for _, defined in page))
        column.page(header(len(page), repetition, definition), None, b"".join([*parts, values]))
    return column


def items_of(entries: list[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(
        sum(repeated <= number + 1 and defined >= level for repeated, defined in entries)
        for number, level in enumerate(LISTS)
    )


def first_contradiction(entries: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the smallest valid and the found level at the first entry that continues a list but is not in it."""
    for (_, before), (repeated, defined) in zip([(0, 3), *entries], entries, strict=False):
        if repeated and min(before, defined) < LISTS[repeated - 1]:
            return LISTS[repeated - 1], min(before, defined)
    return None


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_levels_of_any_three_entries_are_counted_or_refused(cut):
    for rest in product(product(range(3), range(4)), repeat=2):
        for first in range(4):
            entries = [(0, first), *rest]
            pages = [page for page in (entries[:cut], entries[cut:]) if page]
            column, rows = column_of(pages), sum(not repeated for repeated, _ in entries)
            expected = first_contradiction(entries)
            if expected is None:
                assert column.read(rows) == rows
                assert column.list_items == items_of(entries)
            else:
                with pytest.raises(Malformed) as caught:
                    column.read(rows)
                error = caught.value
                assert (error.code, error.expected, error.found) == (wire.LEVELS_CONTRADICT, *expected)
                assert error.part == "page"


def test_items_are_counted_over_all_chunks():
    column = column_of([[(0, 3), (2, 3), (1, 2)]])
    column.read(1)
    column.chunk(1, 1)
    column.page(header(1, b"\2\0", b"\2\0"), None, b"\2\0\0\0\2\0" + b"\2\0\0\0\2\0")
    column.read(1)
    assert column.list_items == (2, 2)


def test_there_is_a_level_for_each_list():
    with pytest.raises(ValueError):
        kernels.column.Column(wire.PHYSICAL_INT32, 0, 3, 2, 3, lists=(1,))
    assert kernels.column.Column(wire.PHYSICAL_INT32, 0, 3, 2, 3).list_items == ()


def test_a_row_whose_texts_no_longer_fit_is_returned_by_the_next_take():
    """The second row continues in the second page, and only with this page the texts exceed the limit."""
    column = kernels.column.Column(wire.PHYSICAL_BYTE_ARRAY, 0, 2, 1, 1, levels=True, most_bytes=24)
    column.chunk(11, 4)
    texts = [*[b"aaaa"] * 3, b"bbbb", None, *[b"bbbb"] * 4, b"", b"cc"]
    repeated = [0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0]
    pages = []
    for first, end in ((0, 5), (5, 11)):
        parts = [levels(repeated[first:end], 1), levels([1 if each is None else 2 for each in texts[first:end]], 2)]
        stored = b"".join(len(each).to_bytes(4, "little") + each for each in texts[first:end] if each is not None)
        body = b"".join(len(part).to_bytes(4, "little") + part for part in parts) + stored
        pages.append((header(end - first, *parts), None, body))
    taken, left = [], 4
    while left or column.is_open:
        begun = column.read(left)
        left -= begun
        if column.is_full:
            taken.append(column.take())
        elif pages:
            column.page(*pages.pop(0))
        elif not begun:
            break
    taken.append(column.take())
    assert [tuple(part[:4]) for part in taken] == [(3, 1, 3, 0), (8, 3, 8, 1)]
    assert [bytes(part[5]) for part in taken] == [b"aaaa" * 3, b"bbbb" * 5 + b"cc"]
    assert [memoryview(part[8]).cast("B").tobytes()[::2] for part in taken] == [
        bytes(repeated[:3]),
        bytes(repeated[3:]),
    ]
