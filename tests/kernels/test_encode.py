"""The encoders: known bytes, both implementations byte for byte, and errors at their offsets."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.encodings import SERVED, lengths_and_lists, values_of
from support.samples import examples
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported

INT32, INT64, DOUBLE = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_DOUBLE
BOOLEAN, BYTE_ARRAY, FIXED = wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
PLAIN, RLE, DELTA = wire.ENCODING_PLAIN, wire.ENCODING_RLE, wire.ENCODING_DELTA_BINARY_PACKED
DELTA_LENGTH, DELTA_BYTES = wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, wire.ENCODING_DELTA_BYTE_ARRAY
SPLIT = wire.ENCODING_BYTE_STREAM_SPLIT


def encode(encoding: int, type: int, values: list, type_length: int = 0) -> bytes:
    return kernels.encode.encode(encoding, type, type_length, values_of(type, values), len(values))


def levels(values: list[int], max_level: int, encoding: int = RLE) -> bytes:
    return kernels.encode.levels(struct.pack(f"<{len(values)}H", *values), len(values), max_level, encoding)


def indices(values: list[int], dictionary_count: int) -> bytes:
    return kernels.encode.indices(struct.pack(f"<{len(values)}I", *values), len(values), dictionary_count)


@pytest.mark.usefixtures("implementation")
class TestKnownBytes:
    def test_plain(self):
        assert encode(PLAIN, INT32, [1, -1]) == b"\x01\0\0\0\xff\xff\xff\xff"
        assert encode(PLAIN, BOOLEAN, [True, False, True] * 3) == b"\x6d\x01"
        assert encode(PLAIN, BYTE_ARRAY, [b"ab", b"", b"c"]) == b"\x02\0\0\0ab\0\0\0\0\x01\0\0\0c"
        assert encode(PLAIN, FIXED, [b"abc", b"def"], 3) == b"abcdef"
        assert encode(PLAIN, wire.PHYSICAL_INT96, [bytes(range(12))]) == bytes(range(12))

    def test_runs_of_levels(self):
        assert levels([1] * 100, 1) == b"\xc8\x01\x01"
        assert levels([0, 1, 2, 3, 4, 5, 6, 7], 7) == b"\x03\x88\xc6\xfa"  # the example of Encodings.md
        assert levels([3] * 8 + [1] * 9, 3) == b"\x07\xff\xff\x55\x55\x01\x00"
        assert levels([5] * 8 + [300] * 9, 300) == b"\x10\x05\x00\x12\x2c\x01"
        assert levels([0, 0], 0) == b"" == levels([], 5)

    def test_bits_of_levels_most_significant_first(self):
        assert levels([0, 1, 2, 3, 4, 5, 6, 7], 7, wire.ENCODING_BIT_PACKED) == b"\x05\x39\x77"
        assert levels([1, 0, 1], 1, wire.ENCODING_BIT_PACKED) == b"\xa0"

    def test_indices_begin_with_their_width(self):
        assert indices([0, 1, 2, 3, 4, 5, 6, 7], 8) == b"\x03\x03\x88\xc6\xfa"
        assert indices([2] * 1000, 1 << 20) == b"\x14\xd0\x0f\x02\0\0"
        assert indices([0] * 32, 1) == b"\x01\x40\x00"
        assert indices([], 0) == b"\x00"

    def test_booleans_in_runs_have_a_length(self):
        assert encode(RLE, BOOLEAN, [True] * 80 + [False, True]) == b"\x05\0\0\0\xa0\x01\x01\x03\x02"
        assert encode(RLE, BOOLEAN, []) == bytes(4)

    def test_deltas(self):
        """The examples of Encodings.md."""
        header = b"\x80\x01\x04\x05"
        assert encode(DELTA, INT32, [1, 2, 3, 4, 5]) == header + b"\x02\x02\0\0\0\0"
        body = b"\xc0" + bytes(7)
        assert encode(DELTA, INT64, [7, 5, 3, 1, 2]) == header + b"\x0e\x03\x02\0\0\0" + body
        assert encode(DELTA, INT64, []) == b"\x80\x01\x04\0\0"
        assert encode(DELTA, INT32, [-(2**31)]) == b"\x80\x01\x04\x01\xff\xff\xff\xff\x0f"

    def test_differences_wrap(self):
        low, high = -(2**63), 2**63 - 1
        assert encode(DELTA, INT64, [low, high, low]) == (
            b"\x80\x01\x04\x03" + b"\xff" * 9 + b"\x01" + b"\x01\x02\0\0\0" + b"\x08" + bytes(7)
        )

    def test_lengths_as_deltas(self):
        """The example of Encodings.md."""
        values = [b"Hello", b"World", b"Foobar", b"ABCDEF"]
        lengths = encode(DELTA, INT32, [5, 5, 6, 6])
        assert encode(DELTA_LENGTH, BYTE_ARRAY, values) == lengths + b"HelloWorldFoobarABCDEF"

    def test_prefixes_as_deltas(self):
        """The example of Encodings.md."""
        values = [b"axis", b"axle", b"babble", b"babyhood"]
        lengths = encode(DELTA, INT32, [0, 2, 0, 3]) + encode(DELTA, INT32, [4, 2, 6, 5])
        assert encode(DELTA_BYTES, BYTE_ARRAY, values) == lengths + b"axislebabbleyhood"
        lengths = encode(DELTA, INT32, [0, 3, 0]) + encode(DELTA, INT32, [3, 0, 3])
        assert encode(DELTA_BYTES, FIXED, [b"abc", b"abc", b"xbc"], 3) == lengths + b"abcxbc"

    def test_split_streams(self):
        """The example of Encodings.md."""
        values = [b"\xaa\xbb\xcc\xdd", b"\x00\x11\x22\x33", b"\xa3\xb4\xc5\xd6"]
        expected = bytes.fromhex("aa00a3 bb11b4 cc22c5 dd33d6")
        assert encode(SPLIT, wire.PHYSICAL_FLOAT, values) == encode(SPLIT, FIXED, values, 4) == expected

    def test_bytes_after_the_values_are_ignored(self):
        made = kernels.encode
        assert made.encode(PLAIN, BOOLEAN, 0, b"\xff\xff", 3) == b"\x07"
        assert made.encode(RLE, BOOLEAN, 0, b"\xff\xff", 3) == b"\x02\0\0\0\x03\x07"
        assert made.encode(SPLIT, INT32, 0, bytes(range(8)), 1) == bytes(range(4))
        offsets = struct.pack("<4i", 2, 3, 5, 99)
        assert made.encode(PLAIN, BYTE_ARRAY, 0, (offsets, b"xxabcxx"), 2) == b"\x01\0\0\0a\x02\0\0\0bc"

    def test_numbers_may_be_unaligned(self):
        odd = memoryview(b"x" + struct.pack("<4i", 0, 1, 2, 3))[1:]
        assert kernels.encode.encode(DELTA_LENGTH, BYTE_ARRAY, 0, (odd, b"abc"), 3) == encode(
            DELTA_LENGTH, BYTE_ARRAY, [b"a", b"b", b"c"]
        )
        assert kernels.encode.indices(odd, 4, 4) == indices([0, 1, 2, 3], 4)


@pytest.mark.usefixtures("implementation")
class TestDictionaries:
    def of(self, type, values, most_values=1 << 20, most_bytes=1 << 20, type_length=0):
        given = values_of(type, values)
        found = kernels.encode.dictionary_of(type, type_length, given, len(values), most_values, most_bytes)
        return found and (found[0], found[1], memoryview(found[2]).cast("I").tolist())

    def test_dictionary_values_have_the_order_of_first_appearance(self):
        assert self.of(INT32, [7, -1, 7, 7, 0, -1]) == (values_of(INT32, [7, -1, 0]), 3, [0, 1, 0, 0, 2, 1])
        words = [b"b", b"", b"a", b"b", b""]
        assert self.of(BYTE_ARRAY, words) == (values_of(BYTE_ARRAY, [b"b", b"", b"a"]), 3, [0, 1, 2, 0, 1])
        assert self.of(FIXED, [b"xy", b"ab", b"xy"], type_length=2) == (b"xyab", 2, [0, 1, 0])
        assert self.of(INT64, []) == (b"", 0, [])
        assert self.of(BYTE_ARRAY, []) == ((bytes(4), b""), 0, [])

    def test_numbers_are_equal_if_their_bits_are(self):
        zero, minus, nan, other = (struct.pack("<Q", bits) for bits in (0, 1 << 63, 0x7FF8 << 48, 0x7FF8 << 48 | 1))
        values = [zero, minus, nan, other, nan, zero]
        assert self.of(DOUBLE, values)[1:] == (4, [0, 1, 2, 3, 2, 0])

    def test_a_dictionary_above_the_limit_is_not_made(self):
        assert self.of(INT32, [1, 2, 1, 3], most_values=2) is None
        assert self.of(INT32, [1, 2, 1, 3], most_values=3)[1] == 3
        assert self.of(INT32, [1, 2, 1, 3], most_bytes=11) is None
        assert self.of(INT32, [1, 2, 1, 3], most_bytes=12)[1] == 3
        assert self.of(BYTE_ARRAY, [b"a", b"bc", b"a"], most_bytes=10) is None
        assert self.of(BYTE_ARRAY, [b"a", b"bc", b"a"], most_bytes=11)[1] == 2
        assert self.of(BYTE_ARRAY, [b"a"], most_values=0) is None

    def test_many_different_values_are_distinguished(self):
        numbers = [n * 0x10001 % 5003 for n in range(20_000)]
        found, count, which = self.of(INT64, numbers)
        distinct = memoryview(found).cast("q").tolist()
        assert count == 5003 == len(set(distinct))
        assert [distinct[index] for index in which] == numbers


@settings(max_examples=examples(30))
@given(st.data())
@pytest.mark.parametrize("encoding, type", SERVED)
def test_both_implementations_give_equal_bytes(encoding, type, data):
    length, values = data.draw(lengths_and_lists(type))
    native, pure = (
        kernel.encode(encoding, type, length, values_of(type, values), len(values)) for kernel in both("encode")
    )
    assert native == pure


@settings(max_examples=examples(30))
@given(st.data())
@pytest.mark.parametrize("type", range(1, 8))
def test_both_implementations_give_equal_dictionaries(type, data):
    length, values = data.draw(lengths_and_lists(type, (1, 5, 16)))
    most = data.draw(st.sampled_from([0, 3, 20, 1 << 40])), data.draw(st.sampled_from([0, 50, 1 << 70]))
    native, pure = (
        kernel.dictionary_of(type, length, values_of(type, values), len(values), *most) for kernel in both("encode")
    )
    assert native == pure


runs_of_levels = st.tuples(st.sampled_from([0, 1, 2, 3, 4, 7, 8, 255, 256, 65535]), st.randoms(use_true_random=False))


@given(runs_of_levels, st.integers(0, 3000), st.sampled_from([RLE, wire.ENCODING_BIT_PACKED]))
def test_both_implementations_give_equal_levels(made, count, encoding):
    most, random = made
    values: list[int] = []
    while len(values) < count:
        values += [random.randint(0, most)] * random.choice([1, 1, 2, 5, 8, 9, 16, 40])
    native, pure = (
        kernel.levels(struct.pack(f"<{len(values)}H", *values), len(values), most, encoding)
        for kernel in both("encode")
    )
    assert native == pure


@pytest.mark.parametrize("width", range(33))
def test_both_implementations_give_equal_indices_of_every_width(width):
    count = max(1, (1 << width) - 1)
    values = [n * 2_654_435_761 % count for n in range(45)] + [count - 1] * 50 + [n % count for n in range(5000)]
    packed = struct.pack(f"<{len(values)}I", *values)
    native, pure = (kernel.indices(packed, len(values), count) for kernel in both("encode"))
    assert native == pure and native[0] == max(1, (count - 1).bit_length())


@pytest.mark.parametrize("bits, type", [(32, INT32), (64, INT64)])
def test_both_implementations_give_equal_deltas_of_every_width(bits, type):
    for width in range(bits + 1):
        reach = (1 << width) - 1
        values = [(n * 0x9E3779B97F4A7C15 & reach) * (n % 3) for n in range(300)]
        wrapped = [(value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) for value in values]
        native, pure = (
            kernel.encode(DELTA, type, 0, values_of(type, wrapped), len(values)) for kernel in both("encode")
        )
        assert native == pure


class TestErrors:
    def fails(self, function: str, *arguments, error=Malformed) -> tuple[int, int, int, int]:
        """(code, offset, expected, found), of both implementations."""
        results = [outcome(getattr(kernel, function), *arguments) for kernel in both("encode")]
        assert results[0] == results[1]
        assert results[0][0] == "error" and issubclass(results[0][1], error)
        return results[0][2:]

    def test_an_encoding_that_does_not_serve_the_type(self):
        for encoding in (*range(11), 255):
            for type in (*range(8), 8):
                if (encoding, type) not in SERVED:
                    values = (bytes(4), b"") if type == BYTE_ARRAY else b""
                    assert self.fails("encode", encoding, type, 1, values, 0, error=Unsupported) == (
                        wire.UNWRITTEN_ENCODING,
                        0,
                        type,
                        encoding,
                    )
        assert self.fails("levels", b"", 0, 1, PLAIN, error=Unsupported)[0] == wire.UNWRITTEN_ENCODING
        assert self.fails("dictionary_of", BOOLEAN, 0, b"", 0, 9, 9, error=Unsupported)[0] == wire.UNWRITTEN_ENCODING

    @pytest.mark.parametrize("count", [-1, 2**31])
    def test_more_values_than_a_page_can_have(self, count):
        for function, before, behind in (
            ("encode", (PLAIN, INT32, 0), ()),
            ("levels", (), (1,)),
            ("indices", (), (1,)),
            ("dictionary_of", (INT32, 0), (9, 9)),
        ):
            assert self.fails(function, *before, b"", count, *behind, error=Unsupported)[0] == wire.TOO_MANY

    @pytest.mark.parametrize("encoding, type", SERVED)
    def test_fewer_values_than_declared_are_an_error(self, encoding, type):
        needed = {BOOLEAN: 2, BYTE_ARRAY: 40, FIXED: 27}.get(type) or 9 * wire.WIDTH_IN_PAGES[type]
        for size in (0, needed - 1):
            values = (bytes(size), b"") if type == BYTE_ARRAY else bytes(size)
            expected = (wire.VALUES_SIZE, 0, needed, size)
            assert self.fails("encode", encoding, type, 3, values, 9) == expected
            if type != BOOLEAN:
                assert self.fails("dictionary_of", type, 3, values, 9, 9, 99) == expected
        assert self.fails("levels", bytes(3), 2, 1) == (wire.VALUES_SIZE, 0, 4, 3)
        assert self.fails("indices", bytes(3), 2, 1) == (wire.VALUES_SIZE, 0, 8, 3)

    @pytest.mark.parametrize(
        "offsets, at", [((-1, 0, 2), 0), ((0, 2, 1), 2), ((0, 1, 4), 2), ((9, 9, 9), 0), ((0, 5, 2), 1)]
    )
    def test_offsets_that_descend_or_leave_the_bytes(self, offsets, at):
        values = struct.pack("<3i", *offsets), b"abc"
        expected = (wire.VALUE_OFFSET, 4 * at, 3, offsets[at] & 2**64 - 1)
        for encoding in (PLAIN, DELTA_LENGTH, DELTA_BYTES):
            assert self.fails("encode", encoding, BYTE_ARRAY, 0, values, 2) == expected
        assert self.fails("dictionary_of", BYTE_ARRAY, 0, values, 2, 9, 9) == expected

    @pytest.mark.parametrize("length", [0, -5])
    def test_fixed_byte_arrays_without_a_length(self, length):
        assert self.fails("encode", PLAIN, FIXED, length, b"", 0, error=ParquetextError)[0] == wire.BAD_ARGUMENT
        assert self.fails("dictionary_of", FIXED, length, b"", 0, 9, 9, error=ParquetextError)[0] == wire.BAD_ARGUMENT

    def test_a_level_above_the_highest(self):
        values = struct.pack("<4H", 1, 0, 3, 9)
        for encoding in (RLE, wire.ENCODING_BIT_PACKED):
            assert self.fails("levels", values, 4, 2, encoding) == (wire.LEVEL, 4, 2, 3)
        assert self.fails("levels", values, 4, 65536, error=ParquetextError)[0] == wire.BAD_ARGUMENT

    def test_an_index_that_is_no_values(self):
        values = struct.pack("<3I", 1, 2, 2**32 - 1)
        assert self.fails("indices", values, 3, 2) == (wire.DICTIONARY_INDEX, 4, 2, 2)
        assert self.fails("indices", values, 1, 0) == (wire.DICTIONARY_INDEX, 0, 0, 1)
