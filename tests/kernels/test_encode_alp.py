"""The ALP encoder: values that come back, size, equal bytes from both implementations, and refused input."""

from __future__ import annotations

import struct
from array import array
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.alp import KINDS
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported

ALP = wire.ENCODING_ALP
SIZES = [1 << bits for bits in range(3, 16)]
HEADER, OFFSET, NUMBERS = 7, 4, {"float": 9, "double": 13}
CODES = {"float": "f", "double": "d"}
MOST_BYTES = {"float": 3.5, "double": 2}  # of a price: many floats do not come back by products of floats
SPECIAL = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 5e-324, 1.7e308, -1e300, 2.0**63, -(2.0**63), 1e18]


def bytes_of(values: list[float], name: str) -> bytes:
    """Cast to the type's precision; values that are too large become infinite."""
    return array(CODES[name], values).tobytes()


def encode(values: list[float], name: str = "double", **options) -> bytes:
    return kernels.encode.encode(ALP, KINDS[name].type, 0, bytes_of(values, name), len(values), **options)


def decode(page: bytes, count: int, name: str = "double") -> bytes:
    values, end = kernels.encoding.decode(ALP, KINDS[name].type, 0, page, count)
    assert end == len(page)
    return bytes(values)


def decimals(count: int, places: int, seed: int = 1) -> list[float]:
    """Prices that walk about."""
    random, price, out = Random(seed), 10**5, []
    for _ in range(count):
        price += random.randrange(-50, 51)
        out.append(price / 10**places)
    return out


@pytest.mark.usefixtures("implementation")
class TestPages:
    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("places", [0, 1, 2, 4])
    def test_decimals_take_few_bytes(self, name, places):
        values = decimals(3000, places)
        page = encode(values, name)
        assert decode(page, 3000, name) == bytes_of(values, name)
        assert len(page) < 3000 * MOST_BYTES[name]

    @pytest.mark.parametrize("name", KINDS)
    def test_equal_values_take_no_bits(self, name):
        page = encode([12.5] * 5000, name)
        assert len(page) == HEADER + 5 * (OFFSET + NUMBERS[name])
        assert decode(page, 5000, name) == bytes_of([12.5] * 5000, name)

    @pytest.mark.parametrize("name", KINDS)
    def test_random_bits_take_no_more_than_themselves_and_their_positions(self, name):
        width = KINDS[name].bytes
        data = Random(3).randbytes(2048 * width)
        page = kernels.encode.encode(ALP, KINDS[name].type, 0, data, 2048)
        assert decode(page, 2048, name) == data
        assert len(page) <= HEADER + 2 * (OFFSET + NUMBERS[name]) + 2048 * (width + 2)

    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("size", SIZES)
    def test_vectors_of_every_size(self, name, size):
        count = 2 * size + 5
        values = [0.25 * n for n in range(count)]
        values[size] = float("nan")
        page = encode(values, name, vector_size=size)
        assert page[2] == size.bit_length() - 1
        assert decode(page, count, name) == bytes_of(values, name)

    @pytest.mark.parametrize("name", KINDS)
    def test_numbers_that_are_not_decimal_are_exceptions(self, name):
        width = KINDS[name].bytes
        nans = bytes.fromhex("0100000000000004000000f8ff")[: width + 4]
        values = bytes_of([*SPECIAL, *decimals(500, 2)], name) + nans[-width:] * 3
        count = len(values) // width
        page = kernels.encode.encode(ALP, KINDS[name].type, 0, values, count)
        assert decode(page, count, name) == values

    @pytest.mark.parametrize("name", KINDS)
    def test_one_value_and_none(self, name):
        assert encode([], name) == bytes.fromhex("00000a00000000")
        assert decode(encode([], name), 0, name) == b""
        for value in [3.75, *SPECIAL]:
            assert decode(encode([value], name), 1, name) == bytes_of([value], name)

    def test_exceptions_only_have_no_integers(self):
        page = encode([float("nan")] * 9)
        assert len(page) == HEADER + OFFSET + 13 + 9 * 10

    def test_large_integers_stay_integers(self):
        values = [float((1 << 60) + 1024 * n) for n in range(1000)]
        page = encode(values)
        assert len(page) < 3000
        assert decode(page, 1000) == bytes_of(values, "double")

    def test_each_vector_has_separate_powers(self):
        """A stretch of two places, one of four, in each of the sampled vectors."""
        values = decimals(4096, 2) + decimals(4096, 4)
        page = encode(values)
        at = HEADER + 4 * 8
        offsets = struct.unpack_from("<8I", page, HEADER)
        scales = [page[HEADER + offset] - page[HEADER + offset + 1] for offset in offsets]
        assert offsets[0] == at - HEADER and scales == [2] * 4 + [4] * 4

    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("size", [1024, 4096])
    def test_a_few_outliers_do_not_widen_all_others(self, name, size):
        values = [float(n % 16) for n in range(size)]
        for at in (0, 7, size - 1):
            values[at] = 1e6
        page = encode(values, name, vector_size=size)
        assert len(page) < 1.25 * size  # by 20 bits each they would take twice as much
        assert decode(page, size, name) == bytes_of(values, name)

    def test_numbers_may_be_unaligned(self):
        data = b"x" + bytes_of(decimals(100, 2), "double")
        page = kernels.encode.encode(ALP, wire.PHYSICAL_DOUBLE, 0, memoryview(data)[1:], 100)
        assert decode(page, 100) == data[1:]


@pytest.mark.usefixtures("implementation")
class TestRefusals:
    @pytest.mark.parametrize("size", [0, -8, 4, 100, 1 << 16, 1 << 40])
    def test_vectors_of_other_sizes(self, size):
        with pytest.raises(ParquetextError) as caught:
            encode([1.0], vector_size=size)
        assert (caught.value.code, caught.value.expected) == (wire.BAD_ARGUMENT, 1 << 15)

    def test_more_values_than_offsets_can_address_are_refused(self):
        with pytest.raises(Unsupported) as caught:
            kernels.encode.encode(ALP, wire.PHYSICAL_FLOAT, 0, b"", (1 << 28) + 1)
        assert (caught.value.code, caught.value.expected) == (wire.TOO_MANY, 1 << 28)

    def test_fewer_values_than_declared_are_an_error(self):
        with pytest.raises(Malformed) as caught:
            kernels.encode.encode(ALP, wire.PHYSICAL_DOUBLE, 0, bytes(15), 2)
        assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.VALUES_SIZE, 16, 15)

    @pytest.mark.parametrize("type", [wire.PHYSICAL_INT64, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_BOOLEAN])
    def test_other_types(self, type):
        with pytest.raises(Unsupported) as caught:
            kernels.encode.encode(ALP, type, 0, b"", 0)
        assert caught.value.code == wire.UNWRITTEN_ENCODING


@settings(max_examples=examples(40))
@given(st.data())
@pytest.mark.parametrize("name", KINDS)
def test_both_implementations_give_equal_bytes(name, data):
    width = KINDS[name].bits
    plain = st.builds(lambda number, places: number / 10**places, st.integers(-(10**7), 10**7), st.integers(0, 6))
    value = st.one_of(plain, plain, st.floats(width=width), st.sampled_from(SPECIAL))
    values = bytes_of(data.draw(st.lists(value, max_size=40)) * data.draw(st.sampled_from([1, 3])), name)
    size = data.draw(st.sampled_from([8, 16, 1024]))
    count = len(values) // KINDS[name].bytes
    native, pure = (
        outcome(kernel.encode, ALP, KINDS[name].type, 0, values, count, vector_size=size) for kernel in both("encode")
    )
    assert native == pure
    for kernel in both("encoding"):
        found, end = kernel.decode(ALP, KINDS[name].type, 0, native[1], count)
        assert bytes(found) == values and end == len(native[1])
