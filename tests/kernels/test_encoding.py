"""Levels, indices and values of a fixed width: known bytes, any runs, any damage, and both implementations alike."""

from __future__ import annotations

import struct
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.packed import flipped, pack, run_bytes, runs_of
from support.pages import levels_msb_first
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported

FIXED = wire.WIDTH_IN_PAGES | {wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY: 7}
SPLIT = FIXED.keys() - {wire.PHYSICAL_INT96}
DICTIONARIES = (wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY)


def integers(decoded, format: str) -> list[int]:
    return memoryview(decoded[0]).cast("B").cast(format).tolist()


def failure(function, *arguments, **options):
    with pytest.raises(ParquetextError) as caught:
        function(*arguments, **options)
    error = caught.value
    return error.code, error.offset, error.expected, error.found


def highest_index(width: int) -> int:
    return min((1 << width) - 1, 2**32 - 2)


def flat(runs) -> list[int]:
    return [value for _, values in runs for value in values]


@pytest.mark.usefixtures("implementation")
class TestLevels:
    def test_levels_of_a_real_page(self):
        """parquet-testing's rle_boolean_encoding.parquet: bit 0 of a run's header means bit-packed."""
        data = bytes.fromhex("07fb7f7f1c0109fefbbf3f")
        decoded = kernels.encoding.decode_levels(wire.ENCODING_RLE, 1, data, 68)
        assert [i for i, level in enumerate(integers(decoded, "H")) if not level] == [2, 15, 23, 38, 48, 60]
        assert decoded[1] == len(data)

    def test_bit_packed_levels_have_their_most_significant_bit_first(self):
        """The example of parquet-format's Encodings.md."""
        decoded = kernels.encoding.decode_levels(wire.ENCODING_BIT_PACKED, 7, bytes.fromhex("053977"), 8)
        assert integers(decoded, "H") == [*range(8)]
        assert decoded[1] == 3

    def test_levels_of_no_bits_take_no_bytes(self):
        for encoding in (wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED):
            assert integers(decoded := kernels.encoding.decode_levels(encoding, 0, b"xy", 100, 1), "H") == [0] * 100
            assert decoded[1] == 1

    def test_levels_end_at_their_declared_end(self):
        data = bytes([2, 1, 4, 0, 9])
        assert kernels.encoding.decode_levels(wire.ENCODING_RLE, 1, data, 1, 0, 2)[1] == 2
        fails = failure(kernels.encoding.decode_levels, wire.ENCODING_RLE, 1, data, 3, 0, 3)
        assert fails == (wire.TRUNCATED, 3, 1, 0)
        fails = failure(kernels.encoding.decode_levels, wire.ENCODING_RLE, 1, data, 3, 0, 6)
        assert fails == (wire.BAD_ARGUMENT, 0, 5, 6)

    @pytest.mark.parametrize(
        ("data", "max_level", "count", "expected"),
        [
            ("0201", 1, 2, (wire.TRUNCATED, 2, 1, 0)),
            ("02", 1, 1, (wire.TRUNCATED, 1, 1, 0)),
            ("020180", 1, 2, (wire.TRUNCATED, 2, 2, 1)),
            ("808080808001", 1, 1, (wire.VARINT_TOO_LONG, 0, 5, 0)),
            ("8080808010", 1, 1, (wire.VARINT_OVERFLOW, 0, 32, 16)),
            ("0001", 1, 1, (wire.RUN_LENGTH, 0, 2**31 - 1, 0)),
            ("0101", 1, 1, (wire.RUN_LENGTH, 0, 2**31 - 1, 0)),
            ("8180808002", 1, 1, (wire.RUN_LENGTH, 0, 2**31 - 1, 2**31)),
            ("02010403", 2, 2, (wire.LEVEL, 2, 2, 3)),
            ("020103da", 2, 9, (wire.LEVEL, 2, 2, 3)),
            ("0201031a", 2, 6, (wire.TRUNCATED, 4, 1, 0)),
            ("030000", 31, 4, (wire.TRUNCATED, 2, 2, 1)),
        ],
    )
    def test_damaged_levels_are_reported_with_their_offset(self, data, max_level, count, expected):
        for before in (b"", b"\0\0\0"):
            code, offset, *rest = failure(
                kernels.encoding.decode_levels,
                wire.ENCODING_RLE,
                max_level,
                before + bytes.fromhex(data),
                count,
                len(before),
            )
            assert (code, offset - len(before), *rest) == expected

    def test_levels_in_no_encoding_of_levels(self):
        with pytest.raises(Unsupported, match="levels in encoding 9"):
            kernels.encoding.decode_levels(wire.ENCODING_BYTE_STREAM_SPLIT, 1, b"", 0)
        assert failure(kernels.encoding.decode_levels, wire.ENCODING_RLE, 1, b"", 0, 1) == (wire.TRUNCATED, 1, 1, 0)
        fails = failure(kernels.encoding.decode_levels, wire.ENCODING_RLE, 1 << 16, b"", 0)
        assert fails == (wire.BAD_ARGUMENT, 0, 65535, 65536)


@pytest.mark.usefixtures("implementation")
class TestIndices:
    def test_indices_follow_their_width(self):
        decoded = kernels.encoding.decode_indices(bytes([9, 2, 6, 2, 3, 0xE4, 0x1B]), 11, 4, 1)
        assert (integers(decoded, "I"), decoded[1]) == ([2, 2, 2, 0, 1, 2, 3, 3, 2, 1, 0], 7)

    def test_indices_of_no_bits_are_zero(self):
        decoded = kernels.encoding.decode_indices(b"\0", 5, 1)
        assert (integers(decoded, "I"), decoded[1]) == ([0] * 5, 1)

    def test_indices_of_32_bits(self):
        data = bytes([32, 3]) + pack([0, 2**32 - 2, 5, 6, 7, 8, 9, 10], 32)
        assert integers(kernels.encoding.decode_indices(data, 8, 2**32 - 1), "I")[:2] == [0, 2**32 - 2]

    def test_no_indices_need_no_bytes(self):
        assert kernels.encoding.decode_indices(b"", 0, 0) == (b"", 0)

    @pytest.mark.parametrize(
        ("data", "count", "entries", "expected"),
        [
            (b"", 1, 1, (wire.TRUNCATED, 0, 1, 0)),
            (b"\x21", 1, 1, (wire.BIT_WIDTH, 0, 32, 33)),
            (b"\0", 1, 0, (wire.DICTIONARY_INDEX, 1, 0, 0)),
            (bytes([2, 2, 3]), 1, 3, (wire.DICTIONARY_INDEX, 1, 3, 3)),
            (bytes([2, 2, 1, 3, 0xE4]), 9, 3, (wire.DICTIONARY_INDEX, 3, 3, 3)),
            (bytes([9, 2, 1]), 1, 3, (wire.TRUNCATED, 2, 2, 1)),
        ],
    )
    def test_damaged_indices_are_reported_with_their_offset(self, data, count, entries, expected):
        assert failure(kernels.encoding.decode_indices, data, count, entries) == expected


@pytest.mark.usefixtures("implementation")
class TestValues:
    @pytest.mark.parametrize("type", FIXED)
    def test_plain_values_are_returned_unchanged(self, type):
        values = bytes(i * 7 % 256 for i in range(100 * FIXED[type]))
        data = b"ab" + values + b"c"
        assert kernels.encoding.decode(wire.ENCODING_PLAIN, type, 7, data, 100, 2) == (values, len(data) - 1)
        cut = failure(kernels.encoding.decode, wire.ENCODING_PLAIN, type, 7, data, 101, 2)
        assert cut == (wire.TRUNCATED, len(data) - 1, FIXED[type], 1)

    @pytest.mark.parametrize("type", SPLIT)
    @pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 33, 1000])
    def test_split_streams_are_put_together(self, type, count):
        width = FIXED[type]
        values = bytes(i * i % 251 for i in range(count * width))
        data = b"x" + b"".join(values[k::width] for k in range(width))
        encoding = wire.ENCODING_BYTE_STREAM_SPLIT
        assert kernels.encoding.decode(encoding, type, 7, data, count, 1) == (values, len(data))
        if count:
            few = kernels.encoding.decode(encoding, type, 7, data, count - 1, 1)
            assert few == (values[: (count - 1) * width], len(data))
        fails = failure(kernels.encoding.decode, encoding, type, 7, data, count + 1, 1)
        assert fails == (wire.TRUNCATED, len(data), width, 0)
        fails = failure(kernels.encoding.decode, encoding, type, 7, data + b"y", count, 1)
        assert fails == (wire.STREAM_SIZE, 1, width, count * width + 1)

    @pytest.mark.parametrize("type", FIXED)
    @pytest.mark.parametrize("encoding", DICTIONARIES)
    def test_values_of_a_dictionary(self, type, encoding):
        width = FIXED[type]
        entries = bytes(range(4 * width))
        data = bytes([2, 6, 2, 3, 0xE4, 0x1B])
        values, end = kernels.encoding.decode(encoding, type, 7, data, 11, dictionary=(entries, 4))
        expected = [2, 2, 2, 0, 1, 2, 3, 3, 2, 1, 0]
        assert (values, end) == (b"".join(entries[i * width : (i + 1) * width] for i in expected), 6)
        few = failure(kernels.encoding.decode, encoding, type, 7, data, 11, dictionary=(entries, 5))
        assert few == (wire.BAD_ARGUMENT, 0, 5 * width, 4 * width)

    def test_plain_booleans_are_a_bitmap(self):
        decoded = kernels.encoding.decode(wire.ENCODING_PLAIN, wire.PHYSICAL_BOOLEAN, 0, b"\xff\xff\xff", 11, 1)
        assert decoded == (b"\xff\x07", 3)
        fails = failure(kernels.encoding.decode, wire.ENCODING_PLAIN, wire.PHYSICAL_BOOLEAN, 0, b"\xff\xff", 17)
        assert fails == (wire.TRUNCATED, 2, 1, 0)

    def test_boolean_runs_follow_their_length(self):
        data = bytes([7, 5, 0, 0, 0, 6, 1, 3, 0x35, 9, 9])
        decoded = kernels.encoding.decode(wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN, 0, data, 11, 1)
        assert decoded == (bytes([0xAF, 0x01]), 10)

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"", (wire.TRUNCATED, 0, 4, 0)),
            (bytes([1, 0, 0]), (wire.TRUNCATED, 0, 4, 3)),
            (bytes([2, 0, 0, 0, 2]), (wire.TRUNCATED, 0, 2, 1)),
            (bytes([1, 0, 0, 0, 2, 1]), (wire.TRUNCATED, 5, 1, 0)),
            (bytes([2, 0, 0, 0, 2, 2]), (wire.BOOLEAN, 4, 1, 2)),
        ],
    )
    def test_damaged_boolean_runs_are_reported_with_their_offset(self, data, expected):
        fails = failure(kernels.encoding.decode, wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN, 0, data, 1)
        assert fails == expected

    def test_no_values_need_no_bytes(self):
        for encoding, type in (
            (wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN),
            (wire.ENCODING_RLE_DICTIONARY, wire.PHYSICAL_INT64),
            (wire.ENCODING_PLAIN, wire.PHYSICAL_BOOLEAN),
            (wire.ENCODING_PLAIN, wire.PHYSICAL_FLOAT),
        ):
            assert kernels.encoding.decode(encoding, type, 0, b"", 0) == (b"", 0)

    def test_indices_without_a_dictionary(self):
        with pytest.raises(Malformed, match="without a dictionary page"):
            kernels.encoding.decode(wire.ENCODING_RLE_DICTIONARY, wire.PHYSICAL_INT32, 0, b"\1\2\0", 1)

    @pytest.mark.parametrize(
        ("encoding", "type"),
        [
            (wire.ENCODING_RLE, wire.PHYSICAL_INT32),
            (wire.ENCODING_RLE_DICTIONARY, wire.PHYSICAL_BOOLEAN),
            (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_INT96),
            (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_BOOLEAN),
            (wire.ENCODING_BIT_PACKED, wire.PHYSICAL_INT32),
            (77, wire.PHYSICAL_INT32),
            (wire.ENCODING_PLAIN, 9),
        ],
    )
    def test_an_encoding_that_does_not_serve_the_type(self, encoding, type):
        assert failure(kernels.encoding.decode, encoding, type, 0, b"abc", 1, 1) == (wire.ENCODING, 1, type, encoding)

    def test_few_bytes_do_not_reserve_much(self):
        """A claim of 2**40 values fails as soon as the bytes end."""
        for data in (b"\x02\x06\x01", b"\x02" + b"\xfe\xff\x03\x01"):
            indices = failure(kernels.encoding.decode_indices, data, 2**40, 4)
            assert indices == (wire.TRUNCATED, len(data), 1, 0)
            values = failure(
                kernels.encoding.decode,
                wire.ENCODING_RLE_DICTIONARY,
                wire.PHYSICAL_INT64,
                0,
                data,
                2**40,
                dictionary=(bytes(32), 4),
            )
            assert values == (wire.TRUNCATED, len(data), 1, 0)

    def test_more_values_than_their_bytes_promise(self):
        """Runs may be long: memory grows while they are decoded."""
        data = bytes([1]) + run_bytes([(False, [1] * 200_003), (False, [0] * 300_000)], 1)
        values, _ = kernels.encoding.decode(
            wire.ENCODING_RLE_DICTIONARY, wire.PHYSICAL_INT32, 0, data, 500_003, dictionary=(b"aaaabbbb", 2)
        )
        assert values == b"bbbb" * 200_003 + b"aaaa" * 300_000
        body = data[1:]
        bits, _ = kernels.encoding.decode(
            wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN, 0, struct.pack("<I", len(body)) + body, 500_003
        )
        assert int.from_bytes(bits, "little") == (1 << 200_003) - 1 and len(bits) == 62_501


@given(st.integers(1, 16).flatmap(lambda width: st.tuples(st.just(width), runs_of(width))))
def test_any_runs_give_their_levels(drawn):
    width, runs = drawn
    values, data = flat(runs), run_bytes(runs, width)
    for module in both("encoding"):
        decoded = module.decode_levels(wire.ENCODING_RLE, (1 << width) - 1, data, len(values))
        assert (integers(decoded, "H"), decoded[1]) == (values, len(data))


@given(
    st.integers(0, 32).flatmap(
        lambda width: st.tuples(st.just(width), runs_of(width, min((1 << width) - 1, 2**32 - 2)))
    )
)
def test_any_runs_give_their_indices(drawn):
    width, runs = drawn
    values, data = flat(runs), bytes([width]) + (run_bytes(runs, width) if width else b"")
    for module in both("encoding"):
        decoded = module.decode_indices(data, len(values), highest_index(width) + 1)
        assert (integers(decoded, "I"), decoded[1]) == (values, len(data))


@given(st.integers(1, 300).flatmap(lambda high: st.tuples(st.just(high), st.lists(st.integers(0, high)))))
def test_any_levels_most_significant_bit_first(drawn):
    max_level, values = drawn
    data = levels_msb_first(values, max_level)
    for module in both("encoding"):
        decoded = module.decode_levels(wire.ENCODING_BIT_PACKED, max_level, data, len(values))
        assert (integers(decoded, "H"), decoded[1]) == (values, len(data))


@given(runs_of(1), st.integers(0, 9))
def test_any_runs_give_their_booleans(runs, fewer):
    values, body = flat(runs), run_bytes(runs, 1)
    values = values[: max(len(values) - fewer, 0)]
    for module in both("encoding"):
        data = struct.pack("<I", len(body)) + body
        decoded = module.decode(wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN, 0, data, len(values))
        assert decoded == (pack(values, 1), len(data) if values else 0)


@given(
    st.integers(0, 6).flatmap(lambda width: st.tuples(st.just(width), runs_of(width))),
    st.integers(0, 3),
    st.integers(0, 100),
    st.data(),
)
def test_both_report_the_same_damage_of_runs(drawn, fewer, more, data):
    width, runs = drawn
    damaged = data.draw(flipped(run_bytes(runs, width)))
    count, highest = len(flat(runs)) + more, max((1 << width) - 1 - fewer, 0)
    native, pure = both("encoding")
    for encoding in (wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED):
        assert outcome(native.decode_levels, encoding, highest, damaged, count) == outcome(
            pure.decode_levels, encoding, highest, damaged, count
        )
    indices = bytes([width]) + damaged
    assert outcome(native.decode_indices, indices, count, highest) == outcome(
        pure.decode_indices, indices, count, highest
    )
    booleans = struct.pack("<I", len(damaged)) + damaged
    asked = (wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN, 0, booleans, count)
    assert outcome(native.decode, *asked) == outcome(pure.decode, *asked)


@given(
    st.sampled_from([0, 2, 3, 4, 8, 9, 10, 11, -1]),
    st.integers(-1, 8),
    st.integers(-1, 5),
    st.binary(max_size=80),
    st.integers(0, 40),
    st.integers(0, 12),
    st.one_of(st.none(), st.integers(0, 5)),
)
def test_both_decode_any_bytes_equally(encoding, type, type_length, data, count, at, entries):
    values = array("B", range(60)).tobytes()
    if type == wire.PHYSICAL_BYTE_ARRAY:
        values = (array("I", range(0, 60, 10)).tobytes(), values)
    dictionary = None if entries is None else (values, entries)
    native, pure = both("encoding")
    asked = (encoding, type, type_length, data, count, at, dictionary)
    assert outcome(native.decode, *asked) == outcome(pure.decode, *asked)
