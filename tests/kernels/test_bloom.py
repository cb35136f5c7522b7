"""Split-block Bloom filters: known bitsets, equal results of both implementations, and refused bitsets."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.twins import both, outcome

from parquetext import kernels
from parquetext.errors import ParquetextError

# One block each, made by Spark 3.2.1.
NUMBERS = bytes(
    [
        24,
        130,
        24,
        8,
        134,
        8,
        68,
        6,
        2,
        101,
        128,
        10,
        64,
        2,
        38,
        78,
        114,
        1,
        64,
        38,
        1,
        192,
        194,
        152,
        64,
        70,
        0,
        36,
        56,
        121,
        64,
        0,
    ]
)
TEXTS = bytes(
    [
        200,
        1,
        80,
        20,
        64,
        68,
        8,
        109,
        6,
        37,
        4,
        67,
        144,
        80,
        96,
        32,
        8,
        132,
        43,
        33,
        0,
        5,
        99,
        65,
        2,
        0,
        224,
        44,
        64,
        78,
        96,
        4,
    ]
)


def hashes(values) -> list[int]:
    return [kernels.checksum.xxh64(value) for value in values]


@pytest.mark.usefixtures("implementation")
class TestKnownFilters:
    def test_numbers_that_another_writer_put_in_are_found(self):
        wanted = hashes(number.to_bytes(8, "little") for number in range(11))
        assert kernels.bloom.might_contain(NUMBERS, wanted) == bytes([1] * 10 + [0])

    def test_texts_that_another_writer_put_in_are_found(self):
        assert kernels.bloom.might_contain(TEXTS, hashes(b"a%d" % number for number in range(10))) == bytes([1] * 10)

    def test_a_filter_of_zeros_holds_nothing_and_one_of_ones_everything(self):
        some = [0, 1, 2**64 - 1, 2**63]
        assert kernels.bloom.might_contain(bytes(64), some) == bytes(4)
        assert kernels.bloom.might_contain(b"\xff" * 64, iter(some)) == bytes([1] * 4)
        assert kernels.bloom.might_contain(bytes(64), []) == b""

    @pytest.mark.parametrize("size", [0, 1, 31, 33, 63])
    def test_bytes_that_are_not_a_bitset_are_an_error(self, size):
        with pytest.raises(ParquetextError) as caught:
            kernels.bloom.might_contain(bytes(size), [1])
        assert (caught.value.expected, caught.value.found) == (32, size)

    def test_a_hash_has_64_bits(self):
        for wrong in (-1, 2**64):
            with pytest.raises(OverflowError):
                kernels.bloom.might_contain(bytes(32), [wrong])


@given(st.binary(max_size=200), st.integers(0, 2**32), st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_both_implementations_give_the_same_answers(bitset, seed, some):
    filled = bytes(random.Random(seed).randbytes(len(bitset) // 32 * 32))
    native, pure = both("bloom")
    for bits in (bitset, filled, memoryview(b"x" + filled)[1:]):
        assert outcome(native.might_contain, bits, some) == outcome(pure.might_contain, bits, some)
