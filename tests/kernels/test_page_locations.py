"""Page positions in an OffsetIndex, on both implementations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed
from parquetext.thrift import write

LONG, INT = st.integers(-(2**63), 2**63 - 1), st.integers(-(2**31), 2**31 - 1)
LOCATION = st.fixed_dictionaries({}, optional={"offset": LONG, "compressed_page_size": INT, "first_row_index": LONG})


NATIVE, PURE = both("page")


def found(page, data: bytes) -> list[tuple[int, int, int]]:
    return list(zip(*(part.tolist() for part in page.locations(data)), strict=True))


@given(st.lists(LOCATION, max_size=40))
def test_locations_are_returned_and_absent_values_are_minus_one(locations):
    data = write("OffsetIndex", {"page_locations": locations, "unencoded_byte_array_data_bytes": [1] * len(locations)})
    names = ("offset", "compressed_page_size", "first_row_index")
    expected = [tuple(location.get(name, -1) for name in names) for location in locations]
    assert found(NATIVE, data) == found(PURE, data) == expected


@given(
    offset=st.integers(-(2**63), 2**62),
    size=st.integers(-(2**31), 2**31 - 1),
    step=st.sampled_from([1, 60, 8000, 1 << 20, 1 << 28]),
    others=st.dictionaries(st.integers(0, 60), LOCATION, max_size=3),
)
def test_long_runs_of_locations_of_one_form_are_read_alike(offset, size, step, others):
    locations = [
        {"offset": offset + number * 1000, "compressed_page_size": size, "first_row_index": number * step}
        for number in range(60)
    ]
    locations = [others.get(number, location) for number, location in enumerate(locations)]
    data = write("OffsetIndex", {"page_locations": locations})
    assert found(NATIVE, data) == found(PURE, data)


@given(st.data())
def test_both_report_the_same_damage(data):
    whole = write(
        "OffsetIndex",
        {
            "page_locations": [
                {"offset": 4000 + n, "compressed_page_size": 300, "first_row_index": 5000 + n} for n in range(20)
            ]
        },
    )
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 3))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    assert outcome(found, NATIVE, bytes(damaged)) == outcome(found, PURE, bytes(damaged))


def test_locations_that_are_no_structs_are_refused(implementation):
    with pytest.raises(Malformed, match="Thrift type 6, expected 12"):
        kernels.page.locations(bytes([0x19, 0x16, 2, 0]))


def test_a_count_beyond_the_bytes_is_refused(implementation):
    with pytest.raises(Malformed) as error:
        kernels.page.locations(bytes([0x19, 0xFC, 0xFF, 0xFF, 0xFF, 0x7F, 0]))
    assert error.value.code == wire.COUNT_TOO_LARGE
