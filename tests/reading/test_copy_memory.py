"""Copies of a few bytes that represent very many values: their memory is bounded, also by the encodings of pages that
are decoded as a whole."""

from __future__ import annotations

import struct
from array import array
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.copied_column import file_of_copy
from support.pages import data_page, dictionary_page
from support.peaks import peaks
from support.varints import varint

from parquetext import kernels, wire
from parquetext.encoding.codecs import compress
from parquetext.encoding.experimental import FSST, PFOR
from parquetext.encoding.registry import Encoding
from parquetext.thrift import values

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are measured on Linux alone")

ROOM = 64 << 20
INTEGERS, TEXTS, TEXT = 1 << 24, 1 << 22, b"a" * 24  # 128 MiB each, and more
FEW = 2000  # bytes of a file


@cache
def body(encoding: Encoding) -> bytes:
    """A page's values, not compressed: integers that are all 0, texts that are all the same."""
    if encoding is PFOR:
        return kernels.pfor.encode(bytes(8 * INTEGERS), INTEGERS, wire.PHYSICAL_INT64, 0, vector_size=1 << 15)
    offsets = array("i", range(0, len(TEXT) * (TEXTS + 1), len(TEXT)))
    return encoding.encode((offsets, TEXT * TEXTS), TEXTS, wire.PHYSICAL_BYTE_ARRAY, 0)


def file_of(encoding: Encoding, *, is_sound: bool) -> bytes:
    """A column of one row group, and its copy, each a page of a few bytes; or both of one value less."""
    kind = min(encoding.types) if encoding is FSST else wire.PHYSICAL_INT64
    count, value = (INTEGERS, bytes(8)) if encoding is PFOR else (TEXTS, struct.pack("<I", len(TEXT)) + TEXT)
    message = count + (not is_sound)
    plain = body(encoding)
    packed = compress(wire.CODEC_ZSTD, plain)
    header = {
        "type": wire.PAGE_DATA_PAGE_V2,
        "uncompressed_page_size": len(plain),
        "compressed_page_size": len(packed),
        "data_page_header_v2": {
            "num_values": message, "num_nulls": 0, "num_rows": message, "encoding": encoding.id,
            "definition_levels_byte_length": 0, "repetition_levels_byte_length": 0,
        },
    }  # fmt: skip
    copy = values.write("PageHeader", header) + packed
    run = bytes([1]) + varint(count << 1) + b"\0"
    chunk = dictionary_page(value, 1).to_bytes() + data_page(run, message, wire.ENCODING_RLE_DICTIONARY).to_bytes()
    return file_of_copy(encoding, copy, chunk, message, kind=kind, uncompressed=len(plain), codec=wire.CODEC_ZSTD)


@pytest.mark.slow
@pytest.mark.parametrize("pure", [False, True], ids=["native", "pure"])
def test_pages_that_are_decoded_as_a_whole_take_little_memory(tmp_path, pure):
    good = tmp_path / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"]}), good)
    files = {tmp_path / f"{one.name}-{is_sound}": (one, is_sound) for one in (PFOR, FSST) for is_sound in (True, False)}
    for path, (encoding, is_sound) in files.items():
        path.write_bytes(file_of(encoding, is_sound=is_sound))
        assert path.stat().st_size < FEW
    found = list(peaks(good, files, pure=pure))
    assert [peak for peak in found if peak.taken >= ROOM and (peak.verb, peak.outcome) != ("table", "read")] == []
    if not pure:
        read = {peak.path for peak in found if (peak.verb, peak.outcome) == ("table", "read")}
        assert read == {str(path) for path, (_, is_sound) in files.items() if is_sound}


def test_a_page_that_is_refused_is_not_decompressed(tmp_path):
    good, path = tmp_path / "good.parquet", tmp_path / "texts.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"]}), good)
    path.write_bytes(file_of(FSST, is_sound=True))
    assert len(body(FSST)) > 12 << 20
    found = {peak.verb: peak.taken for peak in peaks(good, [path], ["batches", "verify"])}
    assert found["batches"] < 30 << 20 and found["verify"] < 45 << 20, found
