"""Which bytes of a file move together."""

from __future__ import annotations

import pytest

from parquetext.errors import Malformed
from parquetext.rewrite.segments import CHUNK, COPY, KEPT, OFFSET_INDEX, Claim, divided


def chunk(begin: int, end: int, row_group: int, leaf: int) -> Claim:
    return Claim(begin, end, CHUNK, row_group, leaf)


def test_chunks_are_moved_with_the_bytes_between_them():
    claims = [chunk(4, 10, 0, 0), Claim(12, 20, KEPT, 0, 0), chunk(21, 30, 0, 1), chunk(30, 40, 1, 0)]
    found = divided(claims, 2, 40)
    assert found.front == [(0, 4)]
    assert found.row_groups[0].chunks == {0: [(4, 10), (10, 12), (12, 20), (20, 21)], 1: [(21, 30)]}
    assert found.row_groups[1].chunks == {0: [(30, 40)]}


def test_bytes_after_a_row_group_stay_after_it():
    found = divided([chunk(4, 10, 0, 0), Claim(10, 20, KEPT, 0, 0), chunk(30, 40, 1, 0)], 2, 50)
    assert found.row_groups[0].chunks == {0: [(4, 10)]}
    assert found.row_groups[0].rest == [(10, 20), (20, 30)]
    assert found.row_groups[1].chunks == {0: [(30, 40), (40, 50)]}, "a header that was not counted may be there"


def test_a_hundred_bytes_that_nothing_claims_go_with_the_chunk_before_them():
    found = divided([chunk(4, 10, 0, 0), chunk(500, 510, 1, 0)], 2, 510)
    assert found.row_groups[0].chunks == {0: [(4, 10), (10, 110)]}
    assert found.row_groups[0].rest == [(110, 500)]


def test_offset_indexes_do_not_move():
    found = divided([chunk(4, 10, 0, 0), Claim(10, 20, OFFSET_INDEX, 0, 0), Claim(20, 25, KEPT, 0, 0)], 1, 30)
    assert found.row_groups[0].chunks == {0: [(4, 10)]}
    assert found.row_groups[0].rest == [(20, 25), (25, 30)]


def test_copies_are_known_by_their_row_group():
    found = divided([Claim(4, 9, COPY, 0, 1), chunk(9, 20, 0, 0), chunk(20, 30, 0, 1)], 1, 30)
    assert found.row_groups[0].copies == [(4, 9)]
    assert found.row_groups[0].chunks == {0: [(9, 20)], 1: [(20, 30)]}


def test_chunks_may_share_a_filter():
    shared = [Claim(10, 20, KEPT, 0, leaf) for leaf in range(2)]
    assert divided([chunk(4, 8, 0, 0), chunk(8, 10, 0, 1), *shared], 1, 20).row_groups[0].rest == [(10, 20)]


def test_chunks_without_bytes_claim_nothing():
    assert divided([chunk(0, 0, 0, 0), chunk(4, 4, 0, 1)], 1, 10).front == [(0, 10)]


@pytest.mark.parametrize(
    ("claims", "offset"),
    [
        ([chunk(4, 10, 0, 0), chunk(9, 20, 0, 1)], 9),
        ([chunk(4, 20, 0, 0), Claim(5, 6, KEPT, 0, 0)], 5),
        ([chunk(4, 31, 0, 0)], 4),
        ([chunk(-4, 10, 0, 0)], -4),
    ],
)
def test_shared_bytes_and_bytes_outside_of_the_data_are_refused(claims, offset):
    with pytest.raises(Malformed) as error:
        divided(claims, 1, 30)
    assert error.value.offset == offset
