"""Values of every physical type, for encoders and decoders: made by Hypothesis, and in the form that kernels take."""

from __future__ import annotations

import struct
from itertools import accumulate

from hypothesis import strategies as st

from parquetext import wire

__all__ = ["SERVED", "lengths_and_lists", "lists_of", "values_of"]

SERVED = [
    *((wire.ENCODING_PLAIN, type) for type in range(8)),
    (wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN),
    (wire.ENCODING_DELTA_BINARY_PACKED, wire.PHYSICAL_INT32),
    (wire.ENCODING_DELTA_BINARY_PACKED, wire.PHYSICAL_INT64),
    (wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY),
    (wire.ENCODING_DELTA_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY),
    (wire.ENCODING_DELTA_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY),
    (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_FLOAT),
    (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_DOUBLE),
    (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_INT32),
    (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_INT64),
    (wire.ENCODING_BYTE_STREAM_SPLIT, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY),
    (wire.ENCODING_ALP, wire.PHYSICAL_FLOAT),
    (wire.ENCODING_ALP, wire.PHYSICAL_DOUBLE),
]


STRETCHES = 1, 1, 1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 64, 127, 128, 129, 300


def repeated(item: st.SearchStrategy, stretches: tuple[int, ...] = STRETCHES) -> st.SearchStrategy[list]:
    """Lists in which values come in stretches of any length, the lengths around groups and blocks among them."""
    lengths = st.sampled_from(stretches)
    return st.lists(st.tuples(item, lengths), max_size=30).map(
        lambda runs: [value for value, length in runs for _ in range(length)]
    )


def integers(bits: int) -> st.SearchStrategy[int]:
    low, high = -1 << bits - 1, (1 << bits - 1) - 1
    return st.one_of(
        st.sampled_from([low, high, 0, -1]), st.integers(-9, 9), st.integers(0, bits - 2).map(lambda n: 1 << n)
    )


def lengths_and_lists(type: int, lengths: tuple[int, ...] = (1, 2, 4, 5, 8, 16)) -> st.SearchStrategy[tuple[int, list]]:
    """The length of a type and values of it; the length is 0 except for FIXED_LEN_BYTE_ARRAY."""
    some = st.sampled_from(lengths) if type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else st.just(0)
    return some.flatmap(lambda length: st.tuples(st.just(length), lists_of(type, length)))


def lists_of(type: int, type_length: int) -> st.SearchStrategy[list]:
    """Values as Python has them; floats are bytes, so that none is changed."""
    if type == wire.PHYSICAL_BOOLEAN:
        return repeated(st.booleans())
    if type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        bits = 8 * wire.WIDTH_IN_PAGES[type]
        steady = st.builds(lambda start, step: [start + step * n for n in range(200)], *[st.integers(-9, 9)] * 2)
        return st.one_of(repeated(integers(bits)), st.lists(integers(bits), max_size=300), steady)
    if type == wire.PHYSICAL_BYTE_ARRAY:
        word = st.builds(
            lambda stem, rest: stem * 5 + rest, st.sampled_from([b"", b"ab", b"abc"]), st.binary(max_size=40)
        )
        return repeated(word, (1, 1, 1, 2, 8, 40))
    width = wire.WIDTH_IN_PAGES.get(type, type_length)
    fixed = st.one_of(
        st.binary(min_size=width, max_size=width), st.integers(0, 255).map(lambda n: bytes(width - 1) + bytes([n]))
    )
    return repeated(fixed, (1, 1, 1, 2, 8, 33, 64))


def values_of(type: int, values: list):
    """In the form that encoders take and decoders give."""
    if type == wire.PHYSICAL_BOOLEAN:
        number = sum(value << at for at, value in enumerate(values))
        return number.to_bytes((len(values) + 7) // 8, "little")
    if type == wire.PHYSICAL_INT32:
        return struct.pack(f"<{len(values)}i", *values)
    if type == wire.PHYSICAL_INT64:
        return struct.pack(f"<{len(values)}q", *values)
    if type == wire.PHYSICAL_BYTE_ARRAY:
        ends = accumulate(map(len, values), initial=0)
        return struct.pack(f"<{len(values) + 1}i", *ends), b"".join(values)
    return b"".join(values)
