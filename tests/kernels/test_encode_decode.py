"""Each implementation decodes the pages that either implementation encoded."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.encodings import SERVED, lengths_and_lists, values_of
from support.samples import examples
from support.twins import both

from parquetext import wire

FIXED = wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY


def plain_bytes(values) -> object:
    """A kernel's values, comparable."""
    return tuple(map(bytes, values)) if isinstance(values, tuple) else bytes(values)


@settings(max_examples=examples(20))
@given(st.data())
@pytest.mark.parametrize("encoding, type", SERVED)
def test_values_come_back(encoding, type, data):
    length, values = data.draw(lengths_and_lists(type))
    expected = values_of(type, values)
    for encoder in both("encode"):
        page = encoder.encode(encoding, type, length, expected, len(values))
        for decoder in both("encoding"):
            found, end = decoder.decode(encoding, type, length, b"xyz" + page, len(values), 3)
            assert plain_bytes(found) == plain_bytes(expected)
            assert end == 3 + len(page) or encoding == wire.ENCODING_RLE  # the end of the last run


@settings(max_examples=examples(20))
@given(st.data())
@pytest.mark.parametrize("type", range(1, 8))
def test_values_come_back_through_a_dictionary(type, data):
    length, values = data.draw(lengths_and_lists(type, (1, 5, 16)))
    for encoder in both("encode"):
        expected = values_of(type, values)
        distinct, count, indices = encoder.dictionary_of(type, length, expected, len(values), 1 << 20, 1 << 30)
        page = encoder.indices(indices, len(values), count)
        for decoder in both("encoding"):
            found, _ = decoder.decode_indices(page, len(values), count)
            assert bytes(found) == indices
            found, _ = decoder.decode(
                wire.ENCODING_RLE_DICTIONARY, type, length, page, len(values), 0, (distinct, count)
            )
            assert plain_bytes(found) == plain_bytes(expected)


@settings(max_examples=examples(40))
@given(
    st.sampled_from([1, 2, 3, 4, 7, 255, 65535]),
    st.lists(st.tuples(st.integers(0, 65535), st.sampled_from([1, 1, 2, 7, 8, 9, 33, 200])), max_size=40),
    st.sampled_from([wire.ENCODING_RLE, wire.ENCODING_BIT_PACKED]),
)
def test_levels_come_back(most, runs, encoding):
    levels = [level % (most + 1) for level, length in runs for _ in range(length)]
    packed = struct.pack(f"<{len(levels)}H", *levels)
    for encoder in both("encode"):
        page = encoder.levels(packed, len(levels), most, encoding)
        for decoder in both("encoding"):
            found, end = decoder.decode_levels(encoding, most, page, len(levels))
            assert bytes(found) == packed and end == len(page)
