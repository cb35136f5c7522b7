"""ALP: known bytes, every vector size, any vectors, any damage, and both implementations alike."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.alp import KINDS, Vector, alp_page, values_of
from support.packed import flipped
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import ParquetextError, Unsupported

ALP = wire.ENCODING_ALP
DOUBLE, FLOAT = KINDS["double"], KINDS["float"]
NAN = bytes.fromhex("efbeadde0000f87f")  # with a payload
# Doubles 1500.0, NaN, 2500.0, 333.5: e = 4, f = 3, frame 3335, 15 bits.
WORKED = Vector([11665, 11665, 21665, 0], 3335, 15, 4, 3, [(1, NAN)])
WORKED_BYTES = bytes.fromhex(
    "00 00 0a 04000000 04000000 04 03 0100 070d000000000000 0f 91ad c856 2815 0000 0100 efbeadde0000f87f"
)


def decode(data: bytes, count: int, kind=DOUBLE, at: int = 0):
    return kernels.encoding.decode(ALP, kind.type, 0, data, count, at)


def failure(data: bytes, count: int, kind=DOUBLE, at: int = 0):
    with pytest.raises(ParquetextError) as caught:
        decode(data, count, kind, at)
    return caught.value.code, caught.value.offset, caught.value.expected, caught.value.found


def changed(data: bytes, at: int, *numbers: int) -> bytes:
    return data[:at] + bytes(numbers) + data[at + len(numbers) :]


@st.composite
def vectors_of(draw, kind) -> tuple[int, list[Vector]]:
    """(size as a power of two, vectors), of any numbers."""
    size_bits = draw(st.integers(3, 5))
    full, rest = draw(st.integers(0, 3)), draw(st.integers(0, (1 << size_bits) - 1))
    vectors = []
    for count in [1 << size_bits] * full + [rest] * bool(rest):
        width = draw(st.sampled_from([0, 1, 7, 8, 15, 31, 32, 33, 57, 58, 63, 64]).filter(lambda w: w <= kind.bits))
        exponent = draw(st.integers(0, kind.highest))
        positions = draw(st.lists(st.integers(0, count - 1), max_size=min(count, 5)))
        vectors.append(
            Vector(
                draw(st.lists(st.integers(0, (1 << width) - 1), min_size=count, max_size=count)),
                draw(st.integers(-1 << kind.bits - 1, (1 << kind.bits - 1) - 1)),
                width,
                exponent,
                draw(st.integers(0, exponent)),
                [(position, draw(st.binary(min_size=kind.bytes, max_size=kind.bytes))) for position in positions],
            )
        )
    return size_bits, vectors


@pytest.mark.usefixtures("implementation")
class TestKnownBytes:
    def test_a_vector_with_an_exception(self):
        assert alp_page([WORKED], DOUBLE) == WORKED_BYTES and len(WORKED_BYTES) == 42
        decoded = decode(b"ab" + WORKED_BYTES + b"behind", 4, at=2)
        assert bytes(decoded[0]) == struct.pack("<d", 1500) + NAN + struct.pack("<dd", 2500, 333.5)
        assert decoded[1] == 44

    def test_no_values_need_no_bytes(self):
        assert decode(b"", 0) == (b"", 0)
        assert decode(b"xy", 0, at=2) == (b"", 2)
        assert decode(bytes.fromhex("00000a00000000"), 0) == (b"", 7)

    @pytest.mark.parametrize("name", KINDS)
    def test_one_value(self, name):
        kind = KINDS[name]
        page = alp_page([Vector([0], 15, 0, 1, 0)], kind)
        assert bytes(decode(page, 1, kind)[0]) == np.array([1.5], kind.float).tobytes()

    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("size_bits", range(3, 16))
    def test_vectors_of_every_size(self, name, size_bits):
        kind, size = KINDS[name], 1 << size_bits
        step = [n * 7 % 1001 for n in range(size)]
        vectors = [
            Vector(step, -500, 10, 2, 0, [(size - 1, bytes(kind.bytes))]),
            Vector([0] * size, 25, 0, 1, 0),
            Vector(step[: size // 2 + 1], 3, 10, 3, 1),
        ]
        page = alp_page(vectors, kind, size_bits)
        decoded = decode(page, 2 * size + size // 2 + 1, kind)
        assert bytes(decoded[0]) == values_of(vectors, kind) and decoded[1] == len(page)

    @pytest.mark.parametrize("name", KINDS)
    def test_all_values_are_exceptions(self, name):
        kind = KINDS[name]
        special = [np.nan, np.inf, -np.inf, -0.0, np.finfo(kind.float).max, np.finfo(kind.float).smallest_subnormal]
        stored = np.array(special, kind.float).tobytes()
        parts = [stored[at : at + kind.bytes] for at in range(0, len(stored), kind.bytes)]
        vector = Vector([0] * len(parts), 0, 0, 0, 0, list(enumerate(parts)))
        assert bytes(decode(alp_page([vector], kind), len(parts), kind)[0]) == stored

    def test_exceptions_in_any_order_and_the_last_of_two(self):
        first, second, third = (struct.pack("<d", number) for number in (1.25, 2.25, 3.25))
        vector = Vector([0] * 3, 7, exceptions=[(2, first), (0, second), (2, third)])
        assert bytes(decode(alp_page([vector], DOUBLE), 3)[0]) == second + struct.pack("<d", 7) + third

    def test_integers_wrap(self):
        vector = Vector([0, 1, (1 << 64) - 1], (1 << 63) - 1, 64)
        found = memoryview(decode(alp_page([vector], DOUBLE), 3)[0]).cast("B").cast("d").tolist()
        assert found == [2.0**63, -(2.0**63), 2.0**63]
        vector = Vector([0, 1], (1 << 31) - 1, 1)
        found = memoryview(decode(alp_page([vector], FLOAT), 2, FLOAT)[0]).cast("B").cast("f").tolist()
        assert found == [2.0**31, -(2.0**31)]

    def test_integers_become_the_nearest_values(self):
        numbers = [sign * ((1 << bits) + off) for sign in (1, -1) for bits in range(50, 63) for off in range(-5, 6)]
        numbers += [
            sign * ((1 << bits) + (1 << bits - 53) * odd) for sign in (1, -1) for bits in (54, 58, 62) for odd in (1, 3)
        ]
        vector = Vector([number % (1 << 64) for number in numbers], 0, 64)
        found = memoryview(decode(alp_page([vector], DOUBLE), len(numbers))[0]).cast("B").cast("d").tolist()
        assert found == [float(number) for number in numbers]

    @pytest.mark.parametrize("name", KINDS)
    def test_powers_of_ten_are_the_nearest_ones(self, name):
        """An integer of 1 shows the products; the factors are the nearest to the powers themselves."""
        kind = KINDS[name]
        type_of = np.dtype(kind.float).type

        def nearest(power: Fraction):
            middle = type_of(float(power))
            near = [np.nextafter(middle, type_of(0)), middle, np.nextafter(middle, type_of(np.inf))]
            return min(near, key=lambda number: abs(Fraction(float(number)) - power))

        pairs = [(e, f) for e in range(kind.highest + 1) for f in range(e + 1)]
        vectors = [Vector([0] * 8, 1, 0, e, f) for e, f in pairs]
        found = np.frombuffer(decode(alp_page(vectors, kind, 3), 8 * len(pairs), kind)[0], kind.float)[::8]
        assert found.tolist() == [nearest(Fraction(10**f)) * nearest(Fraction(1, 10**e)) for e, f in pairs]


PAGE = alp_page([Vector([1] * 8, 0, 2, 4, 1, [(3, bytes(8))]), Vector([1] * 3, 0, 2)], DOUBLE, 3)
FIRST, SECOND = 15, 15 + 13 + 2 + 2 + 8  # the begins of the vectors


@pytest.mark.usefixtures("implementation")
class TestDamage:
    def test_the_page_is_sound(self):
        assert decode(PAGE, 11)[1] == len(PAGE) == SECOND + 14

    @pytest.mark.parametrize("at", range(2))
    def test_other_modes_and_integers_are_not_read(self, at):
        with pytest.raises(Unsupported):
            decode(changed(PAGE, at, 1), 11)
        assert failure(changed(PAGE, at, 7), 11) == (wire.ALP_MODE, at, 0, 7)

    @pytest.mark.parametrize(
        "at, numbers, expected",
        [
            (2, [2], (wire.ALP_NUMBER, 2, 3, 2)),
            (2, [16], (wire.ALP_NUMBER, 2, 15, 16)),
            (3, [12], (wire.ALP_COUNT, 3, 11, 12)),
            (3, [11, 0, 0, 0x80], (wire.ALP_COUNT, 3, 11, 0x8000000B)),
            (7, [9], (wire.ALP_OFFSET, 7, 8, 9)),
            (11, [0, 1], (wire.ALP_OFFSET, 11, SECOND - 7, 256)),
            (11, [255] * 4, (wire.ALP_OFFSET, 11, SECOND - 7, 0xFFFFFFFF)),
            (FIRST, [19], (wire.ALP_NUMBER, FIRST, 18, 19)),
            (FIRST + 1, [5], (wire.ALP_NUMBER, FIRST + 1, 4, 5)),
            (FIRST + 2, [9], (wire.ALP_NUMBER, FIRST + 2, 8, 9)),
            (FIRST + 12, [65], (wire.BIT_WIDTH, FIRST + 12, 64, 65)),
            (FIRST + 12, [64], (wire.TRUNCATED, FIRST + 13, 64 + 10, len(PAGE) - FIRST - 13)),
            (FIRST + 15, [8], (wire.ALP_NUMBER, FIRST + 15, 7, 8)),
            (SECOND + 2, [3], (wire.TRUNCATED, SECOND + 13, 31, 1)),
        ],
    )
    def test_impossible_numbers_are_refused(self, at, numbers, expected):
        assert failure(changed(PAGE, at, *numbers), 11) == expected

    def test_floats_have_narrower_limits(self):
        page = alp_page([Vector([1] * 8, 0, 2, 4, 1)], FLOAT)
        assert failure(changed(page, 11, 11), 8, FLOAT) == (wire.ALP_NUMBER, 11, 10, 11)
        assert failure(changed(page, 19, 33), 8, FLOAT) == (wire.BIT_WIDTH, 19, 32, 33)

    @pytest.mark.parametrize(
        "size, expected",
        [
            (0, (wire.TRUNCATED, 0, 7, 0)),
            (6, (wire.TRUNCATED, 0, 7, 6)),
            (14, (wire.TRUNCATED, 7, 8, 7)),
            (FIRST, (wire.TRUNCATED, FIRST, 13, 0)),
            (FIRST + 12, (wire.TRUNCATED, FIRST, 13, 12)),
            (SECOND - 1, (wire.TRUNCATED, FIRST + 13, 12, 11)),
            (len(PAGE) - 1, (wire.TRUNCATED, SECOND + 13, 1, 0)),
        ],
    )
    def test_pages_that_end_early(self, size, expected):
        assert failure(PAGE[:size], 11) == expected
        code, offset, *numbers = expected
        assert failure(b"abc" + PAGE[:size], 11, at=3) == (code, offset + 3, *numbers)

    def test_a_claim_of_many_vectors_reserves_nothing(self):
        page = struct.pack("<BBBI", 0, 0, 3, (1 << 31) - 1) + bytes(100)
        assert failure(page, (1 << 31) - 1) == (wire.TRUNCATED, 7, 1 << 30, 100)

    @pytest.mark.parametrize("type", [t for t in range(8) if t not in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE)])
    def test_other_types_are_refused(self, type):
        with pytest.raises(Unsupported) as caught:
            kernels.encoding.decode(ALP, type, 8, PAGE, 11)
        assert caught.value.code == wire.ENCODING


@settings(max_examples=examples(60))
@given(st.data())
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_any_vectors_are_decoded(kind, data):
    size_bits, vectors = data.draw(vectors_of(kind))
    page, expected = alp_page(vectors, kind, size_bits), values_of(vectors, kind)
    for kernel in both("encoding"):
        found, end = kernel.decode(ALP, kind.type, 0, page, len(expected) // kind.bytes)
        assert bytes(found) == expected and end == len(page)


@settings(max_examples=examples(150))
@given(st.data())
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_both_implementations_report_the_same_damage(kind, data):
    size_bits, vectors = data.draw(vectors_of(kind))
    page = data.draw(flipped(alp_page(vectors, kind, size_bits)))
    count = sum(len(vector.deltas) for vector in vectors) + data.draw(st.sampled_from([0, 0, 0, 1]))

    def told(kernel):
        result = outcome(kernel.decode, ALP, kind.type, 0, page, count)
        return (bytes(result[1][0]), result[1][1]) if result[0] == "result" else result

    native, pure = map(told, both("encoding"))
    assert native == pure
