"""PFOR: known bytes, any integers, any damage, and both implementations alike, byte for byte."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.encodings import lists_of, values_of
from support.packed import flipped
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported

INT32, INT64 = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64
# 100, 101, 103, 100, 102, 101, 100, 1000000 (an exception); 104, 100.
PAGE = bytes.fromhex("00 03 04 0a000000 08000000 17000000 64000000 02 0100 3406 0700 40420f00 64000000 03 0000 04")
FIRST = 15  # the begin of its first vector
VALUES = [100, 101, 103, 100, 102, 101, 100, 1_000_000, 104, 100]


def integers(decoded, type: int) -> list[int]:
    return memoryview(decoded).cast("B").cast("i" if type == INT32 else "q").tolist()


def encode(values: list[int], type: int = INT64, **options) -> bytes:
    return kernels.pfor.encode(values_of(type, values), len(values), type, **options)


def failure(data: bytes, count: int = 10, type: int = INT32):
    with pytest.raises(ParquetextError) as caught:
        kernels.pfor.decode(data, count, type)
    return caught.value.code, caught.value.offset, caught.value.expected, caught.value.found


def changed(at: int, replacement: str) -> bytes:
    new = bytes.fromhex(replacement)
    return PAGE[:at] + new + PAGE[at + len(new) :]


def keys_with_outliers(type: int, count: int) -> list[int]:
    """Keys below a million, every hundredth anything."""
    chance, highest = random.Random(11), 1 << (8 * wire.WIDTH_IN_PAGES[type] - 1)
    return [chance.randrange(highest if chance.random() < 0.01 else 1_000_000) for _ in range(count)]


@pytest.mark.usefixtures("implementation")
class TestKnownBytes:
    def test_an_outlier_is_an_exception(self):
        assert integers(kernels.pfor.decode(PAGE, 10, INT32), INT32) == VALUES
        assert encode(VALUES, INT32, vector_size=8) == PAGE

    def test_bytes_after_the_page_are_ignored(self):
        assert integers(kernels.pfor.decode(PAGE + b"more", 10, INT32), INT32) == VALUES

    def test_equal_values_take_no_bits(self):
        page = encode([-5] * 3000)
        assert page[:19] == bytes.fromhex("00 0a 08 b80b0000 0c000000 17000000 22000000") and len(page) == 19 + 3 * 11
        assert page[19:30] == struct.pack("<qBH", -5, 0, 0)
        assert integers(kernels.pfor.decode(page, 3000, INT64), INT64) == [-5] * 3000

    def test_outliers_on_both_sides_are_exceptions(self):
        values = [7, 8, -(1 << 60), 9, 1 << 40, 10] * 20
        page = encode([*values, *[8] * 800])
        assert page[11:22] == struct.pack("<qBH", 7, 2, 40)

    def test_the_whole_range_wraps(self):
        for type, bits in ((INT32, 32), (INT64, 64)):
            low, high = -(1 << bits - 1), (1 << bits - 1) - 1
            values = [low, high, 0, -1, *(low + (i * 0x9E3779B97F4A7C15 & 2 * high + 1) for i in range(40))]
            page = encode(values, type)
            assert integers(kernels.pfor.decode(page, 44, type), type) == values
            assert page[11 + bits // 8] == bits

    def test_no_values_take_a_header_or_nothing(self):
        assert encode([]) == bytes.fromhex("00 0a 08 00000000")
        assert bytes(kernels.pfor.decode(encode([]), 0, INT64)) == bytes(kernels.pfor.decode(b"", 0, INT64)) == b""

    def test_of_two_exceptions_for_a_position_the_last_one_counts(self):
        page = bytes.fromhex("00 03 04 02000000 04000000 64000000 00 0200 0100 0100 05000000 06000000")
        assert integers(kernels.pfor.decode(page, 2, INT32), INT32) == [100, 6]

    @pytest.mark.parametrize("type", [INT32, INT64])
    def test_keys_with_outliers_are_much_smaller_than_deltas(self, type):
        values = keys_with_outliers(type, 20_000)
        deltas = kernels.encode.encode(wire.ENCODING_DELTA_BINARY_PACKED, type, 0, values_of(type, values), len(values))
        assert len(encode(values, type)) <= 0.8 * len(deltas)


@pytest.mark.usefixtures("implementation")
class TestDamage:
    @pytest.mark.parametrize(
        "data, expected",
        [
            (PAGE[:6], (wire.TRUNCATED, 0, 7, 6)),
            (b"", (wire.TRUNCATED, 0, 7, 0)),
            (changed(0, "01"), (wire.VECTOR_PACKING, 0, 0, 1)),
            (changed(1, "02"), (wire.VECTOR_SIZE, 1, 15, 2)),
            (changed(1, "10"), (wire.VECTOR_SIZE, 1, 15, 16)),
            (changed(2, "08"), (wire.VALUE_LENGTH, 2, 4, 8)),
            (changed(3, "0b"), (wire.VECTOR_COUNT, 3, 10, 11)),
            (PAGE[:14], (wire.TRUNCATED, 7, 8, 7)),
            (changed(7, "09"), (wire.VECTOR_OFFSET, 7, 8, 9)),
            (changed(11, "18"), (wire.VECTOR_OFFSET, 11, 23, 24)),
            (PAGE[: FIRST + 6], (wire.TRUNCATED, FIRST, 7, 6)),
            (changed(FIRST + 4, "21"), (wire.BIT_WIDTH, FIRST + 4, 32, 33)),
            (changed(FIRST + 5, "0900"), (wire.EXCEPTION_COUNT, FIRST + 5, 8, 9)),
            (PAGE[: FIRST + 14], (wire.TRUNCATED, FIRST + 7, 8, 7)),
            (changed(FIRST + 9, "0800"), (wire.EXCEPTION_POSITION, FIRST + 9, 8, 8)),
        ],
    )
    def test_damage_is_reported_with_its_offset(self, data, expected):
        assert failure(data) == expected

    def test_a_claim_of_values_that_are_not_there_takes_no_memory(self):
        count = 0xFFFFFFFF
        header = bytes.fromhex("00 0f 08 ffffffff")
        assert failure(header + bytes(64), count, INT64) == (wire.TRUNCATED, 7, 4 << 17, 64)

    def test_other_types_are_refused(self):
        with pytest.raises(Unsupported, match="encoding 11 of values of type 5 is not read"):
            kernels.pfor.decode(PAGE, 10, wire.PHYSICAL_DOUBLE)
        with pytest.raises(Unsupported, match="encoding 11 of values of type 6 is not written"):
            kernels.pfor.encode((bytes(4), b""), 0, wire.PHYSICAL_BYTE_ARRAY)

    @pytest.mark.parametrize("size", [0, 4, 9, 1 << 16, -8])
    def test_vectors_have_a_power_of_two_of_values(self, size):
        with pytest.raises(ParquetextError, match="limit 32768"):
            encode([1, 2], vector_size=size)

    def test_missing_values_are_an_error(self):
        with pytest.raises(Malformed, match="values of 8 bytes, 12 are needed"):
            kernels.pfor.encode(bytes(8), 3, INT32)


@settings(max_examples=examples(60))
@given(st.data())
@pytest.mark.parametrize("type", [INT32, INT64])
def test_both_implementations_write_the_same_and_read_it_back(type, data):
    values, size = data.draw(lists_of(type, 0)), 1 << data.draw(st.integers(3, 15))
    given = values_of(type, values)
    native, pure = both("pfor")
    page = native.encode(given, len(values), type, vector_size=size)
    assert page == pure.encode(given, len(values), type, vector_size=size)
    assert bytes(native.decode(page, len(values), type)) == pure.decode(page, len(values), type) == given


@settings(max_examples=examples(150))
@given(st.data())
@pytest.mark.parametrize("type", [INT32, INT64])
def test_both_report_the_same_damage(type, data):
    values = data.draw(lists_of(type, 0))
    native, pure = both("pfor")
    whole = native.encode(values_of(type, values), len(values), type, vector_size=8)
    page, count = data.draw(flipped(whole)), len(values) + data.draw(st.sampled_from([0, 0, 0, 1]))
    one, other = (outcome(decoder.decode, page, count, type) for decoder in (native, pure))
    assert (one[0], bytes(one[1]) if one[0] == "result" else one[1:]) == (
        other[0],
        other[1] if other[0] == "result" else other[1:],
    )
