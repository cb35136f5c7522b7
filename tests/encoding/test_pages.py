"""Pages of column chunks: headers read in windows, decompressed bodies, checksums, and pages from real files."""

from __future__ import annotations

import io
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import pages as made

from parquetext import kernels, wire
from parquetext.encoding import chunk_reader
from parquetext.encoding.pages import OVERRUN, in_front_of_pages, read_headers, read_pages
from parquetext.errors import Damaged, Malformed, ParquetextError, Unsupported
from parquetext.inspection.structure import chunk


def test_one_rule_says_which_data_pages_are_in_front_of_all_pages():
    assert chunk_reader.in_front_of_pages is chunk.in_front_of_pages is in_front_of_pages
    assert [in_front_of_pages(offset, 1) for offset in (-9, 3)] == [
        f"data pages at {offset}, in front of all pages" for offset in (-9, 3)
    ]
    assert in_front_of_pages(4, 1) is in_front_of_pages(0, 0) is None


class Bytes:
    """A source over bytes that counts the bytes read."""

    def __init__(self, data: bytes):
        self.data, self.size, self.reads, self.bytes_read = data, len(data), 0, 0

    def read(self, offset: int, length: int) -> bytes:
        assert offset >= 0 and 0 < length <= self.size - offset
        self.reads += 1
        self.bytes_read += length
        return self.data[offset : offset + length]


def written(table: pa.Table, **options) -> tuple[Bytes, int, int, int]:
    """Return a file's source, the begin and end of its first chunk, and its codec."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    column = pq.read_metadata(sink).row_group(0).column(0)
    start = column.dictionary_page_offset or column.data_page_offset
    codec = getattr(wire, f"CODEC_{column.compression}")
    return Bytes(sink.getvalue()), start, start + column.total_compressed_size, codec


NUMBERS = pa.table({"n": pa.array([None if n % 9 == 0 else n for n in range(30_000)], pa.int64())})


@pytest.mark.parametrize("size", [600, 6_000, 60_000])
@pytest.mark.parametrize("window", [40, 4096, 1 << 20])
def test_headers_are_found_in_windows_of_any_size(implementation, size, window):
    source, start, end, _ = written(NUMBERS, use_dictionary=False, data_page_size=size, write_batch_size=50)
    headers = read_headers(source, start, end, window=window, bounds=True)
    assert (headers.end, headers.problem) == (end, None)
    whole = kernels.page.walk(source.data, start, end)
    for name in ("offset", "header_size", "type", "num_values", "compressed_size"):
        assert headers.array(name).tolist() == whole.array(name).tolist()
    assert [headers.header(i) for i in (0, len(whole) - 1)] == [whole.header(0), whole.header(len(whole) - 1)]
    minima = headers.bounds("min_value").to_pylist()
    assert minima == [
        source.data[offset + start :][:length]
        for offset, start, length in zip(
            *map(whole.array, ("offset", "min_value_offset", "min_value_length")), strict=True
        )
    ]


def test_bodies_between_headers_are_not_read():
    source, start, end, _ = written(NUMBERS, use_dictionary=False, compression="none", data_page_size=60_000)
    headers = read_headers(source, start, end)
    assert len(headers) >= 4 and source.bytes_read <= len(headers) * 4096 < (end - start) / 4


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
def test_bodies_are_decompressed(implementation, version, compression):
    plain, *position = written(NUMBERS, compression="none", data_page_version=version, use_dictionary=False)
    expected = [bytes(page.levels) + bytes(page.values) for page in read_pages(plain, *position)]
    source, start, end, codec = written(
        NUMBERS,
        compression=compression,
        data_page_version=version,
        use_dictionary=False,
        write_page_checksum=True,
    )
    pages = list(read_pages(source, start, end, wire.CODEC_LZ4_RAW if compression == "lz4" else codec, check_crc=True))
    assert [bytes(page.levels) + bytes(page.values) for page in pages] == expected
    assert all(bool(page.levels) == (version == "2.0") for page in pages)
    assert pages[0].header.offset == start


def test_a_chunk_larger_than_one_read_is_read_on(implementation, monkeypatch):
    source, start, end, codec = written(NUMBERS, data_page_size=3000, write_batch_size=100)
    whole = [(page.header, bytes(page.values)) for page in read_pages(source, start, end, codec)]
    for length in (50, 5_000, 40_000):
        monkeypatch.setattr("parquetext.encoding.pages.BODIES_AT_ONCE", length)
        source.reads = 0
        assert [(page.header, bytes(page.values)) for page in read_pages(source, start, end, codec)] == whole
        assert source.reads > 1


def test_a_checksum_is_checked_on_request(implementation):
    source, start, end, codec = written(NUMBERS, write_page_checksum=True, compression="none", use_dictionary=False)
    data = bytearray(source.data)
    data[end - 1] ^= 1
    source = Bytes(bytes(data))
    offset = kernels.page.walk(data, start, end).array("offset")[-1]
    assert list(read_pages(source, start, end, codec))
    with pytest.raises(Damaged) as caught:
        list(read_pages(source, start, end, codec, check_crc=True))
    assert caught.value.offset == offset


def test_errors_name_the_page_and_its_offset(implementation):
    source, start, end, codec = written(NUMBERS, compression="snappy", use_dictionary=False, data_page_size=20_000)
    offsets = kernels.page.walk(source.data, start, end).array("offset")
    data = bytearray(source.data)
    body = offsets[2] + kernels.page.header(source.data, offsets[2]).header_size
    data[body : body + 30] = b"\xff" * 30
    pages = read_pages(Bytes(bytes(data)), start, end, codec)
    assert [next(pages).header.offset for _ in range(2)] == offsets[:2].tolist()
    with pytest.raises(Malformed) as caught:
        next(pages)
    assert caught.value.offset == offsets[2]
    cut = read_headers(Bytes(source.data), start, end - OVERRUN - 1)
    assert (cut.problem.code, cut.problem.offset, cut.end) == (wire.PAGE_SIZE, offsets[-1], offsets[-1])
    with pytest.raises(Malformed) as caught:
        list(read_pages(Bytes(source.data), start, end - OVERRUN - 1, codec))
    assert caught.value.offset == offsets[-1]
    with pytest.raises(Unsupported) as caught:
        list(read_pages(source, start, end, wire.CODEC_LZO))
    assert caught.value.offset == start


@pytest.mark.parametrize("over", [1, 13, OVERRUN])
def test_the_last_page_may_exceed_the_chunk_by_the_bytes_that_old_writers_omitted(implementation, over):
    source, start, end, codec = written(NUMBERS, data_page_size=20_000)
    strict, lenient = read_headers(source, start, end - over), read_headers(source, start, end - over, slack=OVERRUN)
    assert strict.problem is not None and len(strict) == len(lenient) - 1
    assert (lenient.end, lenient.problem) == (end, None)
    assert len(list(read_pages(source, start, end - over, codec))) == len(lenient)


def test_a_chunk_without_bytes_has_no_pages():
    source = Bytes(b"PAR1")
    assert len(read_headers(source, 0, 0)) == 0 and list(read_pages(source, 0, 0, wire.CODEC_SNAPPY)) == []


def test_a_chunk_may_have_more_than_32767_pages(implementation):
    page = made.data_page(b"\7\0\0\0", count=1, encoding=wire.ENCODING_PLAIN).to_bytes()
    source = Bytes(b"PAR1" + page * 40_000 + b"PAR1")
    end = 4 + len(page) * 40_000
    headers = read_headers(source, 4, end)
    assert (len(headers), headers.end, headers.problem) == (40_000, end, None)
    assert headers.array("offset")[-1] == end - len(page)
    if implementation == "native":
        assert sum(page.header.num_values for page in read_pages(source, 4, end, 0)) == 40_000


def test_pages_of_other_types_are_skipped(implementation):
    page = made.data_page(b"\7\0\0\0", count=1, encoding=wire.ENCODING_PLAIN).to_bytes()
    index = made.Page({"type": 1, "uncompressed_page_size": 3, "compressed_page_size": 3}, b"abc").to_bytes()
    data = page + index + page
    pages = list(read_pages(Bytes(data), 0, len(data), wire.CODEC_UNCOMPRESSED))
    assert [page.header.offset for page in pages] == [0, len(page + index)]


def test_pages_of_the_corpus_are_those_that_are_known(corpus, expected, implementation):
    """Types and encodings by count; every body decompresses to the size that its header says."""
    most, least = (1 << 16, 250) if implementation == "native" else (1 << 11, 20)
    checked = 0
    for known in expected:
        if not known.get("page_walk_ok") or known["size"] > most:
            continue
        if any(word in known["file"] for word in ("fuzz", "bad_data", "large_string_map")):  # the last one: 2 GiB
            continue
        source = Bytes((corpus / known["file"]).read_bytes())
        types, encodings, with_crc = _walk(source)
        assert (known["file"], dict(types)) == (known["file"], known["page_types"])
        assert (known["file"], dict(encodings)) == (known["file"], known["page_encodings"])
        assert (known["file"], with_crc) == (known["file"], known.get("crc", {"present": 0})["present"])
        checked += 1
    assert checked > least


def _walk(source: Bytes) -> tuple[Counter, Counter, int]:
    length = int.from_bytes(source.data[-8:-4], "little")
    scan = kernels.scan.scan(source.data[-8 - length : -8])
    types, encodings, with_crc = Counter(), Counter(), 0
    fields = (scan.chunk_begins(), *map(scan.chunks, ("total_compressed_size", "codec", "present")))
    for start, size, codec, present in zip(*fields, strict=True):
        if present & (wire.PRESENT_CRYPTO | wire.PRESENT_FILE_PATH) or size <= 0:
            continue
        headers = read_headers(source, start, start + size, slack=OVERRUN)
        assert headers.problem is None
        named = [wire.NAMES_OF_PAGE_TYPE[type] for type in headers.array("type")]
        types.update(named)
        encodings.update(
            f"{type}:{wire.NAMES_OF_ENCODING.get(encoding, encoding)}"
            for type, encoding in zip(named, headers.array("encoding"), strict=True)
        )
        with_crc += sum(headers.array("has_crc"))
        try:
            list(read_pages(source, start, start + size, codec))
        except Unsupported as error:
            assert codec not in wire.NAMES_OF_COMPRESSION_CODEC, error
    return types, encodings, with_crc


@pytest.mark.parametrize("name", ["hadoop_lz4_compressed", "hadoop_lz4_compressed_larger", "non_hadoop_lz4_compressed"])
def test_lz4_of_the_corpus_is_read_in_both_habits(corpus, name):
    source = Bytes((corpus / f"parquet-testing/data/{name}.parquet").read_bytes())
    types, _, _ = _walk(source)
    assert types["DATA_PAGE"]


def test_pages_that_are_wrongly_marked_uncompressed_are_decompressed(corpus):
    source = Bytes((corpus / "arrow-testing/data/parquet/ARROW-17100.parquet").read_bytes())
    types, _, _ = _walk(source)
    assert types == {"DATA_PAGE_V2": 4, "DICTIONARY_PAGE": 1}


def test_a_wrong_checksum_of_the_corpus_is_found(corpus):
    source = Bytes((corpus / "parquet-testing/data/datapage_v1-corrupt-checksum.parquet").read_bytes())
    length = int.from_bytes(source.data[-8:-4], "little")
    scan = kernels.scan.scan(source.data[-8 - length : -8])
    start, size, codec = scan.chunk_begins()[0], scan.chunks("total_compressed_size")[0], scan.chunks("codec")[0]
    with pytest.raises(ParquetextError, match="checksum"):
        list(read_pages(source, start, start + size, codec, check_crc=True))
