"""Byte arrays: known bytes, any values, any damage, pages of other writers, and both implementations alike."""

from __future__ import annotations

import csv
import struct
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.deltas import delta_bytes, lengths_bytes, offsets_and_bytes, plain_bytes, prefixed_bytes, values_of
from support.packed import flipped, run_bytes, runs_of
from support.real_pages import value_pages
from support.twins import both, outcome

from parquetext import kernels, wire
from parquetext.errors import ParquetextError

BYTE_ARRAY, FIXED = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
PLAIN, LENGTHS, PREFIXED = (
    wire.ENCODING_PLAIN,
    wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY,
    wire.ENCODING_DELTA_BYTE_ARRAY,
)
WRITERS = {PLAIN: plain_bytes, LENGTHS: lengths_bytes, PREFIXED: prefixed_bytes}
encodings = pytest.mark.parametrize("encoding", WRITERS)

PAGES = st.lists(st.one_of(st.binary(max_size=5), st.text("ab", max_size=60).map(str.encode)), max_size=150)


def decode(encoding: int, data: bytes, count: int, at: int = 0, dictionary=None):
    return kernels.encoding.decode(encoding, BYTE_ARRAY, 0, data, count, at, dictionary)


def failure(encoding: int, data: bytes, count: int, at: int = 0, dictionary=None, type=BYTE_ARRAY, length=0):
    with pytest.raises(ParquetextError) as caught:
        kernels.encoding.decode(encoding, type, length, data, count, at, dictionary)
    return caught.value.code, caught.value.offset, caught.value.expected, caught.value.found


@pytest.mark.usefixtures("implementation")
class TestKnownBytes:
    def test_plain_values_follow_their_lengths(self):
        values, end = decode(PLAIN, bytes.fromhex("ff 02000000 6162 00000000 01000000 63 ff"), 3, 1)
        assert (values_of(values), end) == ([b"ab", b"", b"c"], 16)

    def test_lengths_come_before_all_bytes(self):
        """The example of parquet-format's Encodings.md."""
        data = bytes.fromhex("8001 04 04 0a 00 01000000 02000000") + b"HelloWorldFoobarABCDEF"
        values, end = decode(LENGTHS, data + b"!", 4)
        assert (values_of(values), end) == ([b"Hello", b"World", b"Foobar", b"ABCDEF"], len(data))

    def test_values_begin_like_the_one_before(self):
        """The example of parquet-format's Encodings.md: prefixes 0, 2, 0, 3, suffixes axis, le, babble, yhood."""
        data = delta_bytes([0, 2, 0, 3], 32) + delta_bytes([4, 2, 6, 5], 32) + b"axislebabbleyhood"
        values, end = decode(PREFIXED, data, 4)
        assert (values_of(values), end) == ([b"axis", b"axle", b"babble", b"babyhood"], len(data))

    def test_values_of_a_fixed_width_begin_like_the_one_before(self):
        words = [b"12:00", b"12:30", b"12:30", b"13:00"]
        data = prefixed_bytes(words)
        assert kernels.encoding.decode(PREFIXED, FIXED, 5, data, 4) == (b"".join(words), len(data))

    @pytest.mark.parametrize("encoding", [wire.ENCODING_PLAIN_DICTIONARY, wire.ENCODING_RLE_DICTIONARY])
    def test_indices_select_byte_arrays(self, encoding):
        dictionary = (offsets_and_bytes([b"one", b"", b"three"]), 3)
        values, end = decode(encoding, bytes([9, 2, 4, 2, 3, 0b100001, 0b10]), 6, 1, dictionary)
        assert (values_of(values), end) == ([b"three"] * 2 + [b"", b"one", b"three", b"one"], 7)

    @encodings
    def test_no_values(self, encoding):
        values, end = decode(encoding, WRITERS[encoding]([]), 0)
        assert values_of(values) == [] and end == len(WRITERS[encoding]([]))
        assert values_of(decode(encoding, b"", 0)[0]) == []

    def test_no_values_of_no_dictionary(self):
        assert values_of(decode(wire.ENCODING_RLE_DICTIONARY, b"", 0)[0]) == []

    @encodings
    def test_one_long_value(self, encoding):
        words = [b"x", b"y" * 300_000, b"y" * 200_000 + b"z", b""]
        assert values_of(decode(encoding, WRITERS[encoding](words), 4)[0]) == words


@pytest.mark.usefixtures("implementation")
class TestDamage:
    @pytest.mark.parametrize(
        ("encoding", "data", "count", "expected"),
        [
            (PLAIN, "", 1, (wire.TRUNCATED, 0, 4, 0)),
            (PLAIN, "01000000 7a 0200", 2, (wire.TRUNCATED, 5, 4, 2)),
            (PLAIN, "01000000 7a 02000000 79", 2, (wire.BYTE_ARRAY_LENGTH, 5, 1, 2)),
            (PLAIN, "ffffffff 7a", 1, (wire.BYTE_ARRAY_LENGTH, 0, 1, 2**32 - 1)),
            (LENGTHS, "8001 04 01", 1, (wire.TRUNCATED, 4, 1, 0)),
            (LENGTHS, "8001 04 01 04 7a", 1, (wire.BYTE_ARRAY_LENGTH, 5, 1, 2)),
            (LENGTHS, "8001 04 01 01 7a", 1, (wire.BYTE_ARRAY_LENGTH, 5, 1, 2**32 - 1)),
            (LENGTHS, "8001 04 02 02 00 00000000 7a", 2, (wire.BYTE_ARRAY_LENGTH, 11, 0, 1)),
            (PREFIXED, "8001 04 01 02 8001 04 01 02 7a", 1, (wire.PREFIX_LENGTH, 10, 0, 1)),
            (PREFIXED, "8001 04 01 01 8001 04 01 02 7a", 1, (wire.PREFIX_LENGTH, 10, 0, 2**32 - 1)),
            (PREFIXED, "8001 04 01 00 8001 04 01 04 7a", 1, (wire.BYTE_ARRAY_LENGTH, 10, 1, 2)),
            (PREFIXED, "8001 04 01 00 8001 04 01 01 7a", 1, (wire.BYTE_ARRAY_LENGTH, 10, 1, 2**32 - 1)),
            (PREFIXED, "8001 04 01 00 8001 04 02 01 7a", 1, (wire.DELTA_COUNT, 8, 1, 2)),
            (PREFIXED, "8001 04 01 00", 1, (wire.TRUNCATED, 5, 1, 0)),
        ],
    )
    def test_damage_is_reported_with_its_offset(self, encoding, data, count, expected):
        for before in (b"", b"\0\0\0"):
            code, offset, *rest = failure(encoding, before + bytes.fromhex(data), count, len(before))
            assert (code, offset - len(before), *rest) == expected

    def test_truncated_lengths_are_reported_before_any_value(self):
        data = lengths_bytes([b"a" * 1000, *[b"bc"] * 200])
        assert failure(LENGTHS, data[:12], 201)[0] == wire.TRUNCATED

    def test_a_value_of_another_width(self):
        data = prefixed_bytes([b"12:00", b"12:3"])
        at = len(data) - len(b"12:003")
        assert failure(PREFIXED, data, 2, type=FIXED, length=5) == (wire.VALUE_LENGTH, at + 5, 5, 4)

    def test_a_claimed_count_is_decoded_as_far_as_it_goes(self):
        """2³¹ + 1 lengths of 1 are claimed in a few bytes; three bytes follow."""
        form = bytes.fromhex("8080808008 01 8180808008 02 00 00") + b"abc"
        assert failure(LENGTHS, form, 2**31 + 1) == (wire.BYTE_ARRAY_LENGTH, len(form), 0, 1)

    def test_an_index_beyond_the_dictionary_is_an_error(self):
        dictionary = (offsets_and_bytes([b"a", b"b"]), 2)
        code = wire.ENCODING_RLE_DICTIONARY
        assert failure(code, bytes([2, 2, 1, 2, 2]), 2, 0, dictionary) == (wire.DICTIONARY_INDEX, 3, 2, 2)
        assert failure(code, bytes([2, 2, 1]), 1) == (wire.NO_DICTIONARY, 0, 0, 0)

    def test_a_dictionary_with_wrong_offsets_is_an_error(self):
        asked = (wire.ENCODING_RLE_DICTIONARY, bytes([1, 2, 1]), 1, 0)
        assert failure(*asked, ((bytes(11), b"ab"), 2)) == (wire.BAD_ARGUMENT, 0, 12, 11)
        assert failure(*asked, ((struct.pack("<3i", 0, 2, 1), b"ab"), 2)) == (wire.BAD_ARGUMENT, 0, 2, 1)
        assert failure(*asked, ((struct.pack("<3i", 0, 2, 3), b"ab"), 2)) == (wire.BAD_ARGUMENT, 0, 2, 3)

    def test_encodings_of_other_types(self):
        for encoding in (wire.ENCODING_RLE, wire.ENCODING_DELTA_BINARY_PACKED, wire.ENCODING_BYTE_STREAM_SPLIT, 99):
            assert failure(encoding, b"", 0) == (wire.ENCODING, 0, BYTE_ARRAY, encoding)
        assert failure(LENGTHS, b"", 0, type=FIXED, length=5) == (wire.ENCODING, 0, FIXED, LENGTHS)


@encodings
@given(words=PAGES, at=st.integers(0, 3), behind=st.binary(max_size=40))
def test_any_values_come_back(encoding, words, at, behind):
    form = WRITERS[encoding](words)
    for module in both("encoding"):
        values, end = module.decode(encoding, BYTE_ARRAY, 0, bytes(at) + form + behind, len(words), at)
        assert values_of(values) == words
        assert end == at + len(form)


@given(st.lists(st.text("ab", min_size=9, max_size=9).map(str.encode), max_size=150))
def test_any_values_of_a_fixed_width_come_back(words):
    form = prefixed_bytes(words)
    for module in both("encoding"):
        assert module.decode(PREFIXED, FIXED, 9, form, len(words)) == (b"".join(words), len(form))


@given(PAGES.filter(len), st.data())
def test_any_values_of_a_dictionary_come_back(words, data):
    width = (len(words) - 1).bit_length()
    runs = data.draw(runs_of(width, len(words) - 1)) if width else [(False, [0] * 5)]
    indices = [index for _, values in runs for index in values]
    asked = (8, BYTE_ARRAY, 0, bytes([width]) + run_bytes(runs, width), len(indices), 0)
    for module in both("encoding"):
        values, _ = module.decode(*asked, (offsets_and_bytes(words), len(words)))
        assert values_of(values) == [words[index] for index in indices]


@encodings
@given(data=st.data(), words=PAGES, more=st.integers(-1, 1))
def test_both_refuse_damaged_pages_equally(encoding, data, words, more):
    native, pure = both("encoding")
    form, count = data.draw(flipped(WRITERS[encoding](words))), max(len(words) + more, 0)
    for type in (BYTE_ARRAY, FIXED):
        asked = (encoding, type, 5, form, count)
        assert outcome(native.decode, *asked) == outcome(pure.decode, *asked)


@given(st.sampled_from([2, 8]), st.binary(max_size=20), st.binary(max_size=24), st.integers(0, 5), st.integers(0, 12))
def test_both_read_any_dictionary_equally(encoding, data, offsets, entries, count):
    native, pure = both("encoding")
    asked = (encoding, BYTE_ARRAY, 0, data, count, 0, ((offsets, b"abcdefgh"), entries))
    assert outcome(native.decode, *asked) == outcome(pure.decode, *asked)


def decoded_column(data: bytes, column: int) -> list[bytes]:
    """All values of a leaf of byte arrays, in the live implementation."""
    found, dictionary = [], None
    for page in value_pages(data, column):
        encoding = PLAIN if page.is_dictionary else page.encoding
        values, end = decode(encoding, page.body, page.count, page.at, dictionary)
        if page.is_dictionary:
            dictionary = (values, page.count)
            continue
        found += values_of(values)
        assert end <= len(page.body)
    return found


WORDS = [None if i % 11 == 3 else f"user/{i // 40:03}/{i * 7919 % 1000}" * (i % 5) for i in range(4000)]


@pytest.mark.usefixtures("implementation")
class TestPagesOfOthers:
    @pytest.mark.parametrize("version", ["1.0", "2.0"])
    @pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY"])
    def test_pages_of_pyarrow(self, encoding, version):
        options = {"compression": "none", "data_page_version": version, "data_page_size": 4000, "write_batch_size": 500}
        if encoding != "RLE_DICTIONARY":
            options |= {"use_dictionary": False, "column_encoding": {"x": encoding}}
        file = BytesIO()
        pq.write_table(pa.table({"x": WORDS}), file, **options)
        words = [word.encode() for word in WORDS if word is not None]
        assert decoded_column(file.getvalue(), 0) == words

    def test_fixed_widths_of_pyarrow(self):
        words = [f"{i // 10:06}{i % 3:03}".encode() for i in range(3000)]
        file = BytesIO()
        options = {"use_dictionary": False, "column_encoding": {"x": "DELTA_BYTE_ARRAY"}, "data_page_size": 2000}
        pq.write_table(pa.table({"x": pa.array(words, pa.binary(9))}), file, compression="none", **options)
        pages = value_pages(file.getvalue(), 0)
        found = [kernels.encoding.decode(PREFIXED, FIXED, 9, page.body, page.count, page.at)[0] for page in pages]
        assert b"".join(found) == b"".join(words)

    @pytest.mark.parametrize(
        "name", ["delta_byte_array", "delta_encoding_required_column", "delta_encoding_optional_column"]
    )
    def test_prefixes_of_parquet_java(self, corpus, name):
        folder = corpus / "parquet-testing/data"
        data = (folder / f"{name}.parquet").read_bytes()
        with open(folder / f"{name}_expect.csv", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        schema = pq.ParquetFile(BytesIO(data)).metadata.schema
        for column, title in enumerate(header):
            if schema.column(column).physical_type == "BYTE_ARRAY":
                words = [row[column].encode() for row in rows if row[column]]
                assert [word for word in decoded_column(data, column) if word] == words, title

    def test_lengths_of_another_writer(self, corpus):
        """As its description says: "apple_banana_mango" and the square of the row's number."""
        data = (corpus / "parquet-testing/data/delta_length_byte_array.parquet").read_bytes()
        assert decoded_column(data, 0) == [b"apple_banana_mango%d" % i**2 for i in range(1000)]

    def test_dictionaries_of_impala(self, corpus):
        data = (corpus / "parquet-testing/data/alltypes_dictionary.parquet").read_bytes()
        assert decoded_column(data, 8) == [b"01/01/09", b"01/01/09"]
        assert decoded_column(data, 9) == [b"0", b"1"]
