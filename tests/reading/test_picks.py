"""Picked rows: a mask becomes page ranges and runs of rows to skip and to read, and selects the masked rows."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from parquetext.reading.plan.mask_picks import picks_of
from parquetext.reading.plan.picks import Picks, every_row, kept

ROWS = 5000
SHARES = [0.0, 0.0003, 0.01, 0.2, 0.9, 1.0]


def rows_of(picks: Picks, first: int, count: int) -> list[int]:
    """The rows that the turns read, and that a mask then keeps."""
    at, found = first, []
    turns = list(picks.turns(first, count))
    for skipped, read in zip(turns[::2], turns[1::2], strict=True):
        at += skipped
        found += range(at, at + read)
        at += read
    assert at <= first + count
    return found


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("seed", range(4))
def test_the_rows_of_a_mask_are_picked(seed, share):
    chance = random.Random(seed)
    counts = [ROWS, 0, 17, ROWS]
    rows = [[(0, ROWS)], [], [(3, 9), (12, 17)], [(100, 1500), (1500 + chance.randrange(900), 4999)]]
    near = 0 if seed % 2 else 300  # rows that are kept lie together, or alone
    draws = [chance.random() for _ in range(ROWS)]
    keeps = [draws[row // near if near else row] < share for row in range(ROWS)]
    wanted = [[row for row in within(ranges) if keeps[row]] for ranges in rows]
    masks = [pa.array([keeps[row] or None for row in within(ranges)], pa.bool_()) for ranges in rows]
    picked = picks_of(rows, counts, pa.chunked_array(masks, pa.bool_()))
    for picks, some, count in zip(picked, wanted, counts, strict=True):
        found = rows_of(picks, 0, count) if picks.ranges else []
        assert len(found) == picks.count
        [left] = kept([pa.array(found, pa.int64())], picks.mask)
        assert left.to_pylist() == some
        assert set(some) <= set(within(picks.ranges))
        halves = [rows_of(picks, 0, count // 2), rows_of(picks, count // 2, count - count // 2)]
        assert [row for half in halves for row in half if picks.ranges] == found


def within(ranges) -> list[int]:
    return [row for begin, end in ranges for row in range(begin, end)]


def test_few_scattered_rows_are_read_alone_and_many_are_filtered():
    few = pa.array([row % 500 == 0 for row in range(ROWS)])
    many = pa.array([row % 3 == 0 for row in range(ROWS)])
    alone, filtered = picks_of([[(0, ROWS)]] * 2, [ROWS] * 2, pa.chunked_array([few, many]))
    assert (alone.mask, alone.count) == (None, 10)
    assert filtered.count == ROWS and filtered.mask.true_count == many.true_count


def test_every_row_is_one_turn():
    assert list(every_row(9).turns(0, 9)) == [0, 9]
    assert every_row(0).ranges == []


def test_arrays_in_parts_are_kept_by_their_parts_of_the_mask():
    parts = [pa.array([1, 2]), pa.array([3]), pa.array([4, 5])]
    assert [part.to_pylist() for part in kept(parts, pa.array([True, False, True, False, True]))] == [[1], [3], [5]]
    assert kept(parts, None) == parts
