"""Page bodies are decompressed by codec number, in memory proportional to the actual bytes."""

from __future__ import annotations

import gzip
import struct
import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.twins import both, outcome

from parquetext import wire
from parquetext.encoding.codecs import decompress
from parquetext.errors import Malformed, Unsupported

NAMES = {
    wire.CODEC_SNAPPY: "snappy",
    wire.CODEC_GZIP: "gzip",
    wire.CODEC_BROTLI: "brotli",
    wire.CODEC_ZSTD: "zstd",
    wire.CODEC_LZ4_RAW: "lz4_raw",
}
CODECS = pytest.mark.parametrize("codec", NAMES, ids=NAMES.get)
TEXT = b"what is written here is written here again, and again; " * 90


def compressed(codec: int, data: bytes) -> bytes:
    return pa.Codec(NAMES[codec]).compress(data, asbytes=True)


def framed(*blocks: tuple[int, bytes]) -> bytes:
    """Blocks as Hadoop frames them, each with its decompressed length."""
    return b"".join(struct.pack(">II", length, len(block)) + block for length, block in blocks)


@CODECS
@pytest.mark.parametrize("data", [b"", b"x", TEXT, bytes(1 << 20)], ids=["nothing", "a byte", "text", "zeros"])
def test_decompressing_returns_the_original_bytes(implementation, codec, data):
    assert bytes(decompress(codec, compressed(codec, data), len(data))) == data


@CODECS
@pytest.mark.parametrize("wrong", [-1, 1, 500])
def test_a_size_that_differs_from_the_header_is_an_error(implementation, codec, wrong):
    with pytest.raises(Malformed, match="its header says") as caught:
        decompress(codec, compressed(codec, TEXT), len(TEXT) + wrong)
    assert caught.value.expected == len(TEXT) + wrong


@CODECS
def test_bytes_that_are_cut_are_an_error(implementation, codec):
    data = compressed(codec, TEXT)
    for length in (0, 1, len(data) // 2, len(data) - 1):
        with pytest.raises(Malformed):
            decompress(codec, data[:length], len(TEXT))


@CODECS
def test_a_claim_of_2_gib_from_few_bytes_reserves_little(codec):
    data = compressed(codec, TEXT)
    refused = Unsupported if codec == wire.CODEC_BROTLI else Malformed
    resource = pytest.importorskip("resource")
    unit = 1 if sys.platform == "darwin" else 1 << 10
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(refused):
        decompress(codec, data[:100], (1 << 31) - 1)
    with pytest.raises(refused):
        decompress(codec, data, (1 << 31) - 1)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit < 1 << 25


@pytest.mark.parametrize("codec", [wire.CODEC_GZIP, wire.CODEC_ZSTD, wire.CODEC_BROTLI], ids=NAMES.get)
def test_pages_that_expand_a_thousandfold_are_read_in_parts(codec):
    data = bytes(1 << 23)
    small = compressed(codec, data)
    assert len(small) < len(data) // 900
    assert bytes(decompress(codec, small, len(data))) == data


def test_brotli_is_limited_to_the_expansion_of_zstd():
    data = compressed(wire.CODEC_BROTLI, bytes(1 << 24))
    with pytest.raises(Unsupported, match="bytes of brotli that decompress to 16777216, more than 32768 times as many"):
        decompress(wire.CODEC_BROTLI, data, 1 << 24)


def test_gzip_may_have_several_members():
    data = gzip.compress(TEXT) + gzip.compress(b"") + gzip.compress(b"tail")
    assert bytes(decompress(wire.CODEC_GZIP, data, len(TEXT) + 4)) == TEXT + b"tail"


def test_lz4_is_framed_as_hadoop_does_or_bare(implementation):
    block, tail = compressed(wire.CODEC_LZ4_RAW, TEXT), compressed(wire.CODEC_LZ4_RAW, b"tail")
    for data, expected in (
        (block, TEXT),
        (framed((len(TEXT), block)), TEXT),
        (framed((len(TEXT), block), (4, tail)), TEXT + b"tail"),
        (
            struct.pack(">II", len(TEXT) + 4, len(block)) + block + struct.pack(">I", len(tail)) + tail,
            TEXT + b"tail",
        ),
        (framed((0, compressed(wire.CODEC_LZ4_RAW, b"")), (4, tail)), b"tail"),
    ):
        assert bytes(decompress(wire.CODEC_LZ4, data, len(expected))) == expected
    for data in (framed((len(TEXT), block))[:-1], framed((len(TEXT) + 1, block)), b"\0\0\0\x05abcdefg"):
        with pytest.raises(Malformed):
            decompress(wire.CODEC_LZ4, data, len(TEXT))


def test_uncompressed_bytes_are_returned_unchanged():
    data = memoryview(TEXT)
    assert decompress(wire.CODEC_UNCOMPRESSED, data, len(TEXT)) is data
    with pytest.raises(Malformed) as caught:
        decompress(wire.CODEC_UNCOMPRESSED, data, 7)
    assert (caught.value.expected, caught.value.found) == (7, len(TEXT))


def test_codecs_that_are_not_read_are_refused_by_name_or_number():
    with pytest.raises(Unsupported, match="codec LZO is not read"):
        decompress(wire.CODEC_LZO, b"", 0)
    with pytest.raises(Unsupported, match="codec 5000 is not read") as caught:
        decompress(5000, b"", 0)
    assert caught.value.found == 5000


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, 99))
def test_both_implementations_measure_an_lz4_block(data, cut):
    native, pure = both("page")
    block = compressed(wire.CODEC_LZ4_RAW, data)
    assert native.lz4_size(block) == pure.lz4_size(block) == len(data)
    for some in (data, block[: max(len(block) - cut, 0)]):
        assert outcome(native.lz4_size, some) == outcome(pure.lz4_size, some)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=4), max_size=40), st.integers(1, 400))
def test_an_lz4_block_of_repetitions_is_measured(words, times):
    native, pure = both("page")
    data = b"".join(words) * times
    block = compressed(wire.CODEC_LZ4_RAW, data)
    assert native.lz4_size(block) == pure.lz4_size(block) == len(data)
