"""DELTA_BINARY_PACKED: known bytes, any values, any damage, pages of other writers, and both implementations alike."""

from __future__ import annotations

import csv
from io import BytesIO
from itertools import accumulate
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.deltas import delta_bytes
from support.packed import flipped
from support.real_pages import value_pages
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError

TYPES = {32: wire.PHYSICAL_INT32, 64: wire.PHYSICAL_INT64}
FORMATS = {wire.PHYSICAL_INT32: "i", wire.PHYSICAL_INT64: "q"}
SHAPES = [(128, 4), (128, 1), (256, 8), (1024, 4)]


def decode(data: bytes, count: int, bits: int = 64, at: int = 0):
    return kernels.encoding.decode(wire.ENCODING_DELTA_BINARY_PACKED, TYPES[bits], 0, data, count, at)


def integers(decoded, bits: int = 64) -> list[int]:
    return memoryview(decoded[0]).cast("B").cast("i" if bits == 32 else "q").tolist()


def failure(data: bytes, count: int, bits: int = 64, at: int = 0):
    with pytest.raises(ParquetextError) as caught:
        decode(data, count, bits, at)
    assert isinstance(caught.value, Malformed)
    return caught.value.code, caught.value.offset, caught.value.expected, caught.value.found


@st.composite
def pages(draw) -> tuple[int, list[int], bytes]:
    """(bits, values, the page that says them): values of any size, near each other, or equal."""
    bits = draw(st.sampled_from([32, 64]))
    highest = (1 << draw(st.integers(0, bits - 1))) - 1
    block, miniblocks = draw(st.sampled_from(SHAPES))
    values = draw(st.lists(st.integers(-highest - 1, highest), max_size=draw(st.sampled_from([5, 40, 300]))))
    form = delta_bytes(
        values, bits, block, miniblocks, draw(st.sampled_from([0, 0, 3, 40])), draw(st.sampled_from([0, 255]))
    )
    return bits, values, form


@pytest.mark.usefixtures("implementation")
class TestKnownBytes:
    def test_values_of_equal_distance_take_no_bits(self):
        """The first example of parquet-format's Encodings.md, in a block of a size that is allowed."""
        decoded = decode(bytes.fromhex("8001 04 05 02 02 00000000"), 5)
        assert (integers(decoded), decoded[1]) == ([1, 2, 3, 4, 5], 10)

    def test_values_of_two_bits(self):
        """The second one: 7, 5, 3, 1, 2, 3, 4, 5."""
        decoded = decode(bytes.fromhex("ffff 8001 04 08 0e 03 02eeeeee c03f000000000000"), 8, 32, 2)
        assert (integers(decoded, 32), decoded[1]) == ([7, 5, 3, 1, 2, 3, 4, 5], 20)

    def test_one_value_has_no_block(self):
        assert integers(decode(bytes.fromhex("8001 04 01 03 ff"), 1)) == [-2]

    def test_no_values_take_a_header_or_nothing(self):
        assert decode(bytes.fromhex("8001 04 00 00 ff"), 0) == (b"", 5)
        assert decode(b"xy", 0, at=2) == (b"", 2)

    @pytest.mark.parametrize("bits", [32, 64])
    def test_arithmetic_wraps(self, bits):
        lowest, highest = -(1 << bits - 1), (1 << bits - 1) - 1
        values = [highest, lowest, highest, 0, lowest, -1, highest]
        assert integers(decode(delta_bytes(values, bits), 7, bits), bits) == values

    def test_integers_of_32_bits_with_differences_of_64(self):
        """As some writers take them: from the highest one to the lowest one, 33 bits."""
        form = bytes.fromhex("8001 01 02 feffffff0f fdffffff1f 00")
        assert integers(decode(form, 2, 32), 32) == [2**31 - 1, -(2**31)]

    def test_the_last_padding_may_be_missing(self):
        form = delta_bytes([3, 9, 1000], 64)
        assert len(form) == 8 + 2 + 40
        decoded = decode(form[:13], 3)
        assert (integers(decoded), decoded[1]) == ([3, 9, 1000], 13)


@pytest.mark.usefixtures("implementation")
class TestDamage:
    @pytest.mark.parametrize(
        ("data", "count", "expected"),
        [
            ("", 1, (wire.TRUNCATED, 0, 1, 0)),
            ("8001", 1, (wire.TRUNCATED, 2, 1, 0)),
            ("80010401", 1, (wire.TRUNCATED, 4, 1, 0)),
            ("8080808010 01 02 00", 2, (wire.VARINT_OVERFLOW, 0, 32, 16)),
            ("00 04 01 00", 1, (wire.DELTA_HEADER, 0, 128, 0)),
            ("8101 01 01 00", 1, (wire.DELTA_HEADER, 0, 128, 129)),
            ("8001 00 01 00", 1, (wire.DELTA_HEADER, 2, 128, 0)),
            ("8001 08 01 00", 1, (wire.DELTA_HEADER, 2, 128, 8)),
            ("8001 03 01 00", 1, (wire.DELTA_HEADER, 2, 128, 3)),
            ("8001 04 02 00", 3, (wire.DELTA_COUNT, 3, 3, 2)),
            ("8001 04 00 00", 1, (wire.DELTA_COUNT, 3, 1, 0)),
            ("8001 04 02 00 00 0101", 2, (wire.TRUNCATED, 6, 4, 2)),
            ("8001 04 02 00 00 41000000", 2, (wire.BIT_WIDTH, 6, 64, 65)),
            ("8001 04 04 00 00 08000000 0102", 4, (wire.TRUNCATED, 10, 3, 2)),
            ("8001 04 04 00 ffffffffffffffffffff01", 4, (wire.VARINT_TOO_LONG, 5, 10, 0)),
        ],
    )
    def test_damage_is_reported_with_its_offset(self, data, count, expected):
        for before in (b"", b"\0\0\0"):
            code, offset, *rest = failure(before + bytes.fromhex(data), count, 64, len(before))
            assert (code, offset - len(before), *rest) == expected

    @pytest.mark.parametrize("total", [4, 33, 100])
    def test_values_in_excess_are_ignored(self, total):
        form = delta_bytes([1, 2, 5], 64)
        claimed = form[:3] + bytes([total]) + form[4:]
        assert integers(decode(claimed, 3))[0] == 1
        assert decode(claimed, 3) == decode(form, 3)

    @pytest.mark.parametrize("total", [4, 33])
    def test_lengths_in_excess_are_ignored_if_they_end_with_the_others(self, total):
        lengths, texts = delta_bytes([1, 2, 3], 32), b"abbccc"
        claimed = lengths[:3] + bytes([total]) + lengths[4:]
        decoded = [wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY, 0]
        expected = kernels.encoding.decode(*decoded, lengths + texts, 3)
        assert kernels.encoding.decode(*decoded, claimed + texts, 3) == expected
        apart = lengths[:3] + bytes([34]) + lengths[4:6] + b"\0\1\0\0"  # the last one is in the second miniblock
        with pytest.raises(Malformed) as caught:
            kernels.encoding.decode(*decoded, apart + texts, 3)
        error = caught.value
        assert (error.code, error.offset, error.expected, error.found) == (wire.DELTA_COUNT, 3, 3, 34)

    def test_a_claimed_block_needs_no_more_than_its_values(self):
        """2³¹ values in a miniblock of 64 bits, of which two are there."""
        form = bytes.fromhex("8080808008 01 03 00 00 40") + bytes(range(16))
        assert integers(decode(form, 3))[0] == 0
        assert failure(form[:-1], 3) == (wire.TRUNCATED, 10, 16, 15)

    def test_a_claimed_number_of_miniblocks_needs_its_widths(self):
        form = bytes.fromhex("8080808008 80808020 02 00 00 00")
        assert failure(form, 2) == (wire.TRUNCATED, 12, 2**26, 1)

    def test_a_claimed_count_is_decoded_as_far_as_it_goes(self):
        """2³² - 1 values are claimed, 65 are there."""
        form = bytes.fromhex("8001 02 ffffffff0f 00 00 0001") + bytes(8)
        assert failure(form, 2**32 - 1) == (wire.TRUNCATED, 20, 1, 0)

    def test_other_types_have_no_deltas(self):
        for type in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_BOOLEAN, wire.PHYSICAL_INT96):
            with pytest.raises(ParquetextError) as caught:
                kernels.encoding.decode(wire.ENCODING_DELTA_BINARY_PACKED, type, 0, b"", 0)
            assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.ENCODING, type, 5)


@given(pages(), st.integers(0, 3), st.binary(max_size=3))
def test_any_values_come_back(page, at, behind):
    bits, values, form = page
    for module in both("encoding"):
        decoded = module.decode(5, TYPES[bits], 0, bytes(at) + form + behind, len(values), at)
        assert integers(decoded, bits) == values
        assert decoded[1] == at + len(form)


@given(st.data(), pages(), st.integers(-1, 1))
def test_both_refuse_damaged_pages_equally(data, page, more):
    bits, values, form = page
    native, pure = both("encoding")
    asked = (5, TYPES[bits], 0, data.draw(flipped(form)), max(len(values) + more, 0))
    assert outcome(native.decode, *asked) == outcome(pure.decode, *asked)


@pytest.mark.usefixtures("implementation")
class TestPagesOfOthers:
    @pytest.mark.parametrize("version", ["1.0", "2.0"])
    @pytest.mark.parametrize("type", [wire.PHYSICAL_INT32, wire.PHYSICAL_INT64])
    def test_pages_of_pyarrow(self, type, version):
        random, most = Random(1), 1 << (31 if type == wire.PHYSICAL_INT32 else 63)
        values = [
            *range(3000),
            *(random.randrange(-100, 100) for _ in range(2000)),
            *(total % (1 << 31) for total in accumulate(random.randrange(1 << 20) for _ in range(1500))),
            *(random.randrange(-most, most) for _ in range(1000)),
        ]
        kind = pa.int32() if type == wire.PHYSICAL_INT32 else pa.int64()
        table = pa.table({"x": pa.array([None if random.random() < 0.1 else value for value in values], kind)})
        file = BytesIO()
        encoding = {"x": "DELTA_BINARY_PACKED"}
        options = {"compression": "none", "data_page_version": version, "data_page_size": 4000, "write_batch_size": 500}
        pq.write_table(table, file, use_dictionary=False, column_encoding=encoding, **options)
        found = []
        for page in value_pages(file.getvalue(), 0):
            decoded, end = kernels.encoding.decode(page.encoding, type, 0, page.body, page.count, page.at)
            assert page.encoding == wire.ENCODING_DELTA_BINARY_PACKED and end == len(page.body)
            found += memoryview(decoded).cast("B").cast(FORMATS[type]).tolist()
        assert found == table.column("x").drop_null().to_pylist()

    def test_every_width_of_parquet_java(self, corpus):
        data = (corpus / "parquet-testing/data/delta_binary_packed.parquet").read_bytes()
        with open(corpus / "parquet-testing/data/delta_binary_packed_expect.csv") as file:
            _, *rows = csv.reader(file)
        for column in range(66):
            type = wire.PHYSICAL_INT32 if column == 65 else wire.PHYSICAL_INT64
            (page,) = value_pages(data, column)
            decoded, end = kernels.encoding.decode(page.encoding, type, 0, page.body, page.count, page.at)
            assert memoryview(decoded).cast("B").cast(FORMATS[type]).tolist() == [int(row[column]) for row in rows]
            assert end == len(page.body)
