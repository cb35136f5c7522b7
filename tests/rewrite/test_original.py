"""The positions of an original's bytes in an encoded file: recorded, read back, and damaged."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.spoiled import assert_cuts_are_damaged

from parquetext import kernels, wire
from parquetext.encoding.codecs import compress
from parquetext.errors import Damaged, ParquetextError, Unsupported
from parquetext.rewrite.original import Original, OriginalSource, Range, Rest, digest_of, read_steps
from parquetext.storage.source import Source, Version

BEFORE = bytes(range(200)) * 3
RANGES = Range(0, 100, 30), Range(100, 50, None), Range(150, 300, 130), Range(450, 150, None)
REST = compress(wire.CODEC_ZSTD, BEFORE[100:150] + BEFORE[450:])
NOW = bytes(30) + BEFORE[:100] + BEFORE[150:450] + REST
ORIGINAL = Original(
    600, bytes(32), RANGES, Rest(430, len(REST), wire.CODEC_ZSTD, kernels.checksum.crc32(REST)), 700, 0x04030201
)


class Memory(Source):
    def __init__(self, data: bytes):
        super().__init__("memory", Version((), len(data), None))
        self._data = data

    def _read(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]


@given(st.integers(0, 600), st.integers(0, 600))
def test_every_part_of_the_original_is_read(one, other):
    begin, end = sorted((one, other))
    assert OriginalSource(ORIGINAL, Memory(NOW)).read(begin, end - begin) == BEFORE[begin:end]


def test_reads_outside_of_the_original_are_errors():
    for offset, length in [(0, 601), (600, 1), (-1, 2), (5, -1)]:
        with pytest.raises(ParquetextError):
            OriginalSource(ORIGINAL, Memory(NOW)).read(offset, length)


def test_a_rest_of_other_bytes_is_damage():
    damaged = NOW[:-1] + bytes([NOW[-1] ^ 1])
    with pytest.raises(Damaged, match="checksum") as error:
        OriginalSource(ORIGINAL, Memory(damaged))
    assert (error.value.offset, error.value.file) == (430, "memory")


@pytest.mark.parametrize("codec", [wire.CODEC_BROTLI, wire.CODEC_ZSTD])
def test_a_rest_out_of_proportion_is_refused_before_it_is_decompressed(codec):
    file, size = compress(codec, bytes(2 << 20)), 2 << 20
    rest = Rest(0, len(file), codec, kernels.checksum.crc32(file))
    with pytest.raises(Damaged, match="rest of the original") as error:
        OriginalSource(replace(ORIGINAL, length=size, ranges=(Range(0, size, None),), rest=rest), Memory(file))
    assert error.value.found == size


def test_rests_of_earlier_originals_count_together():
    size = 600 << 10
    file = compress(wire.CODEC_ZSTD, bytes(size))
    rest = Rest(0, len(file), wire.CODEC_ZSTD, kernels.checksum.crc32(file))
    original = replace(ORIGINAL, length=size + len(file), ranges=(Range(0, len(file), 0), Range(len(file), size, None)))
    outer = OriginalSource(replace(original, rest=rest), Memory(file))
    with pytest.raises(Damaged, match="rest of the original"):
        OriginalSource(replace(original, rest=rest), outer)


def test_ranges_of_the_same_bytes_do_not_multiply_them():
    many = tuple(Range(500 * position, 500, 0) for position in range(1000))
    with pytest.raises(Damaged, match="ranges of the original"):
        OriginalSource(replace(ORIGINAL, length=500_000, ranges=many), Memory(NOW))


def test_a_digest_is_that_of_the_whole_file():
    import hashlib

    data = bytes(20 << 20)
    assert digest_of(Memory(data)) == hashlib.sha256(data).digest()
    assert io.BytesIO(b"".join(read_steps(Memory(data), 3, 17 << 20))).getbuffer() == data[: 17 << 20]


@pytest.mark.usefixtures("implementation")
class TestPayload:
    def test_written_records_are_read(self):
        assert Original.from_payload(ORIGINAL.to_payload()) == ORIGINAL
        assert Original.from_payload(ORIGINAL.to_payload() + b"added later") == ORIGINAL
        assert (len(ORIGINAL.to_payload()) + wire.BLOCK_TRAILER_BYTES) % 3 == 0

    @pytest.mark.parametrize("at", [0, 2])
    def test_another_version_is_not_guessed_at(self, at):
        payload = bytearray(ORIGINAL.to_payload())
        payload[at] ^= 2
        with pytest.raises(Unsupported):
            Original.from_payload(payload)

    def test_a_payload_that_is_cut_is_damaged(self):
        assert_cuts_are_damaged(Original.from_payload, ORIGINAL.to_payload())

    @pytest.mark.parametrize(
        "changes",
        [
            {"length": 601},
            {"length": 599},
            {"length": 1 << 63},
            {"ranges": (*RANGES, Range(600, 0, None))},
            {"ranges": (Range(0, 600, -1),)},
        ],
    )
    def test_ranges_that_are_not_all_of_the_original_are_damage(self, changes):
        with pytest.raises(Damaged):
            Original.from_payload(replace(ORIGINAL, **changes).to_payload())

    @given(st.binary(max_size=200))
    def test_any_bytes_are_read_or_refused(self, data):
        with suppress(Damaged, Unsupported):
            assert sum(part.length for part in Original.from_payload(ORIGINAL.to_payload()[:60] + data).ranges) == 600
