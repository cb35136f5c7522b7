"""Decimals and timestamps of 96 bits: equal results of both implementations, and values that do not fit."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.twins import both, outcome

from parquetext import kernels
from parquetext.errors import Malformed


def offsets_of(values: list[bytes]) -> bytes:
    ends = [0]
    for value in values:
        ends.append(ends[-1] + len(value))
    return struct.pack(f"<{len(ends)}i", *ends)


@pytest.mark.parametrize(("stored", "width"), [(1, 16), (5, 16), (16, 16), (17, 16), (20, 32), (4, 4), (9, 8)])
def test_big_endian_integers_are_widened_with_their_sign(implementation, stored, width):
    most = 1 << 8 * min(stored, width) - 1
    numbers = [0, 1, -1, most - 1, -most]
    data = b"".join(number.to_bytes(stored, "big", signed=True) for number in numbers)
    made = kernels.wide.integers(data, len(numbers), stored, width)
    assert made == b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)


def test_integers_of_any_length_are_taken_by_their_offsets(implementation):
    values = [b"\x01", b"", b"\xff\xff\xff", b"\x80"]
    made = kernels.wide.integers(b"".join(values), 4, 0, 16, offsets=offsets_of(values), valid=b"\x0d")
    assert [int.from_bytes(made[at : at + 16], "little", signed=True) for at in range(0, 64, 16)] == [1, 0, -1, -128]


def test_an_integer_that_does_not_fit_is_malformed(implementation):
    with pytest.raises(Malformed, match="a number of 3 bytes does not fit in 2") as caught:
        kernels.wide.integers(b"\x00\x00\x01\x01\x00\x00", 2, 3, 2)
    assert caught.value.offset == 1


def test_timestamps_of_12_bytes_are_shortened(implementation):
    numbers = [0, 1, -1, 2**63 - 1, -(2**63)]
    data = b"".join(number.to_bytes(12, "little", signed=True) for number in numbers)
    assert struct.unpack("<5q", kernels.wide.timestamps(data, 5)) == tuple(numbers)
    for number in (2**63, -(2**63) - 1, 2**95 - 1):
        with pytest.raises(Malformed, match="a number of 12 bytes does not fit in 8") as caught:
            kernels.wide.timestamps(data + number.to_bytes(12, "little", signed=True), 6)
        assert caught.value.offset == 5
    with pytest.raises(Malformed, match="ends"):
        kernels.wide.timestamps(data, 6)


def test_a_null_is_not_looked_at(implementation):
    assert kernels.wide.integers(b"\x7f\xff\xff", 1, 3, 2, valid=b"\x00") == b"\x00\x00"


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000])
def test_int96_is_a_count_since_1970(implementation, unit):
    stored = struct.pack("<QI", 3_000_000_000, 2_440_588 + 2) + struct.pack("<QI", 0, 2_440_587)
    made = struct.unpack("<2q", kernels.wide.instants(stored, 2, unit))
    assert made == ((2 * 86_400_000_000_000 + 3_000_000_000) // unit, -86_400_000_000_000 // unit)


@pytest.mark.parametrize("unit", [1, 1000, 1_000_000])
def test_julian_day_0_is_0_as_for_pyarrow(implementation, unit):
    stored = struct.pack("<QI", 3_000_000_000, 0) + struct.pack("<QI", 0, 0)
    assert kernels.wide.instants(stored, 2, unit) == bytes(16)


@given(
    st.lists(st.binary(max_size=20), max_size=12),
    st.integers(0, 34),
    st.integers(0, 34),
    st.one_of(st.none(), st.binary(max_size=3)),
    st.booleans(),
)
def test_both_implementations_agree(values, stored, width, valid, with_offsets):
    native, pure = both("wide")
    options = {"offsets": offsets_of(values) if with_offsets else None, "valid": valid}
    arguments = b"".join(values), len(values), stored, width
    assert outcome(native.integers, *arguments, **options) == outcome(pure.integers, *arguments, **options)
    arguments = b"".join(values), len(values)
    assert outcome(native.timestamps, *arguments) == outcome(pure.timestamps, *arguments)
    arguments = b"".join(values), len(values), width
    assert outcome(native.instants, *arguments) == outcome(pure.instants, *arguments)
