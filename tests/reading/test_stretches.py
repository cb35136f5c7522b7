"""Which pages hold the rows of ranges: those with one of them, and no other."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from parquetext.footer.page_index import PagePlaces
from parquetext.reading.execute.stretches import stretches_of


@given(
    pages=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 1)), min_size=1, max_size=8),
    rows=st.sets(st.integers(0, 47), max_size=20),
)
def test_stretches_are_the_pages_with_rows_of_the_ranges(pages, rows):
    num_rows = sum(count for count, _ in pages)
    offsets, first_rows, at = [], [], 100
    for number, (_, gap) in enumerate(pages):
        offsets.append(at + gap)
        first_rows.append(sum(count for count, _ in pages[:number]))
        at += 10 + gap
    positions = PagePlaces(offsets, [10] * len(pages), first_rows, num_rows)
    ranges = ranges_of(sorted(row for row in rows if row < num_rows))
    holding = [
        page
        for page, (first, (count, _)) in enumerate(zip(first_rows, pages, strict=True))
        if any(begin < first + count and end > first for begin, end in ranges)
    ]
    chunk = SimpleNamespace(begin=offsets[0], end=at, num_rows=num_rows)
    stretches = list(stretches_of(chunk, positions, ranges))
    assert [offset for one in stretches for offset in range(one.begin, one.end, 10)] == [
        offsets[page] for page in holding
    ]
    assert [count for one in stretches for count in one.row_counts] == [pages[page][0] for page in holding]
    assert [one.first_row for one in stretches] == [first_rows[offsets.index(one.begin)] for one in stretches]
    together = [one.end for one in stretches[:-1] if one.end in [other.begin for other in stretches]]
    assert not together, "neighbours in the file are read as one"


def ranges_of(rows: list[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for row in rows:
        if ranges and ranges[-1][1] == row:
            ranges[-1] = ranges[-1][0], row + 1
        else:
            ranges.append((row, row + 1))
    return ranges
