"""FSST: known bytes, any texts, any damage, each value alone, and both implementations alike, byte for byte."""

from __future__ import annotations

import random
import struct
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.encodings import lists_of, values_of
from support.packed import flipped
from support.samples import examples
from support.twins import both, outcome
from support.varints import varint

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported

TEXT, FIXED = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
TABLE = bytes.fromhex("08 03 08 05 01") + b"https://.org/a"
ENDS = bytes.fromhex("8001 04 03 0a 00 04000000 08") + bytes(15)  # 5, 13, 13
CODES = bytes.fromhex("00 02 01 ff31 00 ff62 01 ff32 ff32")
PAGE = TABLE + ENDS + CODES
BEGIN = len(TABLE) + len(ENDS)  # of the codes
VALUES = [b"https://a.org/1", b"https://b.org/22", b""]


def texts(decoded) -> list[bytes]:
    offsets, joined = map(bytes, decoded)
    return [joined[start:end] for start, end in pairwise(struct.unpack(f"<{len(offsets) // 4}i", offsets))]


def encode(values: list[bytes]) -> bytes:
    return kernels.fsst.encode(values_of(TEXT, values), len(values), TEXT, 0)


def told(caught) -> tuple:
    return caught.value.code, caught.value.offset, caught.value.expected, caught.value.found


def failure(data: bytes, count: int = 3, type: int = TEXT, width: int = 0):
    with pytest.raises(ParquetextError) as caught:
        kernels.fsst.decode(data, count, type, width)
    return told(caught)


def changed(at: int, replacement: str) -> bytes:
    new = bytes.fromhex(replacement)
    return PAGE[:at] + new + PAGE[at + len(new) :]


def urls(count: int) -> list[bytes]:
    chance = random.Random(3)
    words = ["home", "search", "product", "item", "cart", "news", "video", "image", "static", "orders", "help", "blog"]
    hosts = "www.example.com", "shop.example.org", "news.site.co.uk", "en.wikipedia.org"
    made = []
    for _ in range(count):
        path = "/".join(chance.choice(words) for _ in range(chance.randint(1, 4)))
        made.append(f"https://{chance.choice(hosts)}/{path}/{chance.randrange(10**6)}".encode())
    return made


@pytest.mark.usefixtures("implementation")
class TestKnownBytes:
    def test_codes_are_symbols_and_single_bytes(self):
        assert texts(kernels.fsst.decode(PAGE, 3, TEXT, 0)) == VALUES

    def test_each_value_is_decoded_alone(self):
        assert [kernels.fsst.value(PAGE, i) for i in range(3)] == VALUES
        damaged = changed(BEGIN, "03")  # the first value's first code
        assert [kernels.fsst.value(damaged, i) for i in (1, 2)] == VALUES[1:]
        with pytest.raises(Malformed, match="code 3, there are 3 symbols"):
            kernels.fsst.value(damaged, 0)

    def test_values_of_a_fixed_width_are_consecutive(self):
        values = b"key-0001key-0002key-0003key-0001"
        page = kernels.fsst.encode(values, 4, FIXED, 8)
        assert bytes(kernels.fsst.decode(page, 4, FIXED, 8)) == values
        assert kernels.fsst.value(page, 2) == b"key-0003"

    def test_no_values_take_a_header_or_nothing(self):
        page = encode([])
        assert page == bytes.fromhex("08 00 8001 04 00 00")
        for data in (page, b""):
            assert texts(kernels.fsst.decode(data, 0, TEXT, 0)) == []
            assert bytes(kernels.fsst.decode(data, 0, FIXED, 4)) == b""

    def test_text_without_repetition_has_no_symbols(self):
        assert encode([b"abc"]) == bytes.fromhex("08 00 8001 04 01 0c ff61 ff62 ff63")

    def test_offsets_need_not_begin_at_zero(self):
        offsets = struct.pack("<3i", 2, 4, 7)
        assert kernels.fsst.encode((offsets, b"..abcde..."), 2, TEXT, 0) == encode([b"ab", b"cde"])

    def test_urls_take_less_than_half(self):
        values = urls(2000)
        page = encode(values)
        assert texts(kernels.fsst.decode(page, len(values), TEXT, 0)) == values
        assert len(page) <= 0.5 * sum(4 + len(value) for value in values)
        assert kernels.fsst.value(page, 1999) == values[1999]


@pytest.mark.usefixtures("implementation")
class TestDamage:
    @pytest.mark.parametrize(
        "data, expected",
        [
            (b"\x08", (wire.TRUNCATED, 0, 2, 1)),
            (changed(0, "10"), (wire.CODE_BITS, 0, 8, 16)),
            (PAGE[:4], (wire.TRUNCATED, 2, 3, 2)),
            (changed(3, "00"), (wire.SYMBOL_LENGTH, 3, 8, 0)),
            (changed(3, "09"), (wire.SYMBOL_LENGTH, 3, 8, 9)),
            (PAGE[:18], (wire.TRUNCATED, 5, 14, 13)),
            (PAGE[:22], (wire.TRUNCATED, 22, 1, 0)),
            (changed(22, "04"), (wire.DELTA_COUNT, 22, 3, 4)),
            (changed(23, "1c"), (wire.BYTE_ARRAY_LENGTH, BEGIN, 13, 14)),
            (changed(23, "09"), (wire.BYTE_ARRAY_LENGTH, BEGIN, 13, 0xFFFFFFFB)),
            (PAGE[:-1], (wire.BYTE_ARRAY_LENGTH, BEGIN + 5, 7, 8)),
            (changed(BEGIN + 1, "03"), (wire.SYMBOL_CODE, BEGIN + 1, 3, 3)),
            (changed(BEGIN + 11, "02ff"), (wire.TRUNCATED, BEGIN + 13, 1, 0)),
        ],
    )
    def test_damage_is_reported_with_its_offset(self, data, expected):
        assert failure(data) == expected

    def test_descending_ends_are_an_error(self):
        ends = bytes.fromhex("8001 04 02 0a") + b"\x03" + bytes(4)  # 5, 3
        assert failure(TABLE + ends + CODES, 2) == (wire.BYTE_ARRAY_LENGTH, len(TABLE + ends) + 5, 8, 0xFFFFFFFE)

    def test_a_value_of_another_width_is_an_error(self):
        assert failure(PAGE, 3, FIXED, 15) == (wire.VALUE_LENGTH, BEGIN + 5, 15, 16)

    def test_a_value_beyond_the_page_is_an_error(self):
        with pytest.raises(ParquetextError) as caught:
            kernels.fsst.value(PAGE, 3)
        assert told(caught) == (wire.BAD_ARGUMENT, 0, 3, 3)

    def test_other_types_are_refused(self):
        with pytest.raises(Unsupported, match="of values of type 1 is not read"):
            kernels.fsst.decode(PAGE, 3, wire.PHYSICAL_INT32, 0)
        with pytest.raises(Unsupported, match="of values of type 1 is not written"):
            kernels.fsst.encode(bytes(4), 1, wire.PHYSICAL_INT32, 0)
        for call in (kernels.fsst.encode, kernels.fsst.decode):
            with pytest.raises(ParquetextError, match="out of range: "):
                call(b"", 0, FIXED, 0)

    def test_offsets_beyond_the_bytes_are_an_error(self):
        with pytest.raises(Malformed) as caught:
            kernels.fsst.encode((struct.pack("<3i", 0, 2, 4), b"abc"), 2, TEXT, 0)
        assert told(caught) == (wire.VALUE_OFFSET, 8, 3, 4)

    def test_many_empty_values_in_a_few_bytes_are_decoded(self):
        count = 1 << 18
        ends = varint(count) + b"\x01" + varint(count) + b"\x00" + b"\x00" + b"\x00"
        offsets, joined = kernels.fsst.decode(b"\x08\x00" + ends, count, TEXT, 0)
        assert len(offsets) == 4 * (count + 1) and not any(offsets) and not joined


def sentences() -> st.SearchStrategy[list[bytes]]:
    """Texts of words that come again, so that there are symbols of every length."""
    word = st.sampled_from([b"the", b"parquet", b"format", b"://", b"\xff\xff", b"a", b"\0\0\0\0", b"0123456789"])
    parts = st.lists(st.one_of(word, st.binary(max_size=3)), max_size=12).map(b"".join)
    return st.lists(parts, max_size=60)


@settings(max_examples=examples(60))
@given(st.one_of(lists_of(TEXT, 0), sentences()))
def test_both_implementations_write_the_same_and_read_it_back(values):
    given, count = values_of(TEXT, values), len(values)
    native, pure = both("fsst")
    page = native.encode(given, count, TEXT, 0)
    assert page == pure.encode(given, count, TEXT, 0)
    for decoder in (native, pure):
        assert tuple(map(bytes, decoder.decode(page, count, TEXT, 0))) == given
        for i in range(0, count, 7):
            assert decoder.value(page, i) == values[i]


@pytest.mark.parametrize("size", [3, 700, 40_000])
def test_the_sample_of_many_bytes_is_the_same(size):
    """Windows are within values that are shorter, longer, and in all of one."""
    chance = random.Random(size)
    text = b" ".join(urls(900))[: 1 << 15]
    values = [text[at : at + size] for at in range(0, len(text), size)]
    chance.shuffle(values)
    native, pure = both("fsst")
    given = values_of(TEXT, values)
    assert native.encode(given, len(values), TEXT, 0) == pure.encode(given, len(values), TEXT, 0)
    fixed = text[: len(text) // size * size]
    assert native.encode(fixed, len(text) // size, FIXED, size) == pure.encode(fixed, len(text) // size, FIXED, size)


@settings(max_examples=examples(150))
@given(st.data())
def test_both_report_the_same_damage(data):
    values = data.draw(sentences())
    native, pure = both("fsst")
    whole = native.encode(values_of(TEXT, values), len(values), TEXT, 0)
    page, count = data.draw(flipped(whole)), len(values) + data.draw(st.sampled_from([0, 0, 0, 1]))
    one, other = (outcome(decoder.decode, page, count, TEXT, 0) for decoder in (native, pure))
    assert one[0] == other[0]
    assert (texts(one[1]) == texts(other[1])) if one[0] == "result" else one == other
    i = data.draw(st.integers(0, count))
    assert outcome(native.value, page, i) == outcome(pure.value, page, i)
