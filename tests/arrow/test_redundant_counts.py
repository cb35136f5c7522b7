"""Counts that contradict the pages are ignored if the values can be determined, by every way of reading."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pytest
from support.deltas import delta_bytes, lengths_bytes, prefixed_bytes
from support.hostile_pages import nulls
from support.list_pages import list_column, list_file, list_page
from support.pages import Column, Page, compress, data_page, data_page_v2, file_of_row_groups, levels, parquet_file
from support.parquet_bytes import footer_of, with_footer
from support.varints import varint

import parquetext
from parquetext import wire
from parquetext.errors import LimitExceeded
from parquetext.thrift import read, write

ENGINES = [None, "pyarrow", "auto", "parquetext"]


def page(*values: int) -> Page:
    return data_page(struct.pack(f"<{len(values)}i", *values), len(values), wire.ENCODING_PLAIN)


def flat(*pages: Page, **metadata) -> Column:
    return Column("x", wire.PHYSICAL_INT32, pages, metadata=metadata)


def with_rows_of_file(rows: int) -> bytes:
    data = parquet_file([flat(page(1, 2, 3))], 3)
    return with_footer(data, write("FileMetaData", read("FileMetaData", footer_of(data)) | {"num_rows": rows}))


def deltas(total: int) -> bytes:
    stored = delta_bytes([1, 2, 5], 32)
    claimed = stored[:3] + varint(total) + stored[4:]
    return parquet_file([flat(data_page(claimed, 3, wire.ENCODING_DELTA_BINARY_PACKED))], 3)


FLAT, LISTS = [1, 2, 3], [[1, 2], [3]]
FILES = {
    "more values than rows": (lambda: parquet_file([flat(page(1, 2, 3), num_values=5)], 3), FLAT),
    "fewer values than rows": (lambda: parquet_file([flat(page(1, 2, 3), num_values=2)], 3), FLAT),
    "fewer values than the first page": (lambda: parquet_file([flat(page(1, 2), page(3), num_values=1)], 3), FLAT),
    "no values": (lambda: parquet_file([flat(page(1, 2, 3), num_values=0)], 3), FLAT),
    "less than no values": (lambda: parquet_file([flat(page(1, 2, 3), num_values=-1)], 3), FLAT),
    "more rows in a page": (lambda: parquet_file([flat(page(1, 2, 3, 4))], 3), FLAT),
    "more rows in pages": (lambda: parquet_file([flat(page(1, 2), page(3, 4), page(5))], 3), FLAT),
    "more rows in pages than values": (lambda: parquet_file([flat(page(1, 2, 3, 4), num_values=3)], 3), FLAT),
    "more rows in a row group": (lambda: file_of_row_groups([([flat(page(1, 2, 9))], 2), ([flat(page(3))], 1)]), FLAT),
    "rows of another row group": (
        lambda: file_of_row_groups([([flat(page(1), page(2), num_values=1)], 2), ([flat(page(3), page(9))], 1)]),
        FLAT,
    ),
    "more rows in the file": (lambda: with_rows_of_file(5), FLAT),
    "fewer rows in the file": (lambda: with_rows_of_file(2), FLAT),
    "more values than a list has": (lambda: list_file([(list_column([list_page(LISTS)], num_values=9), 2)]), LISTS),
    "fewer values than a list has": (lambda: list_file([(list_column([list_page(LISTS)], num_values=1), 2)]), LISTS),
    "fewer values than rows of lists": (lambda: list_file([(list_column([list_page(LISTS)], num_values=0), 2)]), LISTS),
    "more lists": (lambda: list_file([(list_column([list_page([*LISTS, [4]]), list_page([[5]])]), 2)]), LISTS),
    "more lists in a row group": (
        lambda: list_file([(list_column([list_page([[1, 2], [9]])]), 1), (list_column([list_page([[3]])]), 1)]),
        LISTS,
    ),
    "more deltas": (lambda: deltas(4), [1, 2, 5]),
    "many more deltas": (lambda: deltas(5000), [1, 2, 5]),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FILES)
def test_the_values_are_those_of_the_pages(implementation, tmp_path, name, engine):
    made, expected = FILES[name]
    path = tmp_path / "x.parquet"
    path.write_bytes(made())
    assert parquetext.read_table(path, engine=engine)["x"].to_pylist() == expected
    with parquetext.open(path) as file:
        for size in (1, 2, 100):
            batches = file.iter_batches(batch_size=size, engine=engine)
            assert [row["x"] for batch in batches for row in batch.to_pylist()] == expected
    lake = parquetext.dataset(path, engine=engine)
    assert lake.to_table()["x"].to_pylist() == expected
    assert lake.count_rows() == len(expected)
    assert parquetext.scan_polars(path, engine=engine).collect()["x"].to_list() == expected


KINDS = {"chunk-values", "page-values", "row-count", "page-rows", "page-deltas"}


@pytest.mark.parametrize("name", FILES)
def test_verify_reports_the_counts(implementation, tmp_path, name):
    path = tmp_path / "x.parquet"
    path.write_bytes(FILES[name][0]())
    kinds = {finding.kind for finding in parquetext.verify(path, pages=True).findings if not finding.is_note}
    assert kinds and kinds <= KINDS
    assert kinds <= {finding.kind for finding in parquetext.verify(path, deep=True).findings if not finding.is_note}


@pytest.mark.parametrize("name", [name for name in FILES if "deltas" not in name])
def test_layout_reports_the_counts(tmp_path, name):
    path = tmp_path / "x.parquet"
    path.write_bytes(FILES[name][0]())
    kinds = {finding.kind for finding in parquetext.layout(path).findings if not finding.is_note}
    assert kinds and kinds <= KINDS


def zstd(page: Page, *, has_checksum: bool) -> Page:
    """Return a V1 page whose body is compressed."""
    body = compress(wire.CODEC_ZSTD, page.body)
    fields = {name: value for name, value in page.header.items() if name != "crc"}
    checksum = {"crc": struct.unpack("<i", struct.pack("<I", crc32(body)))[0]} if has_checksum else {}
    return Page(fields | {"compressed_page_size": len(body)} | checksum, body)


def claims(stored: bytes, total: int, at: int = 0) -> bytes:
    """Return deltas with another number of values in the header at this offset."""
    return stored[: at + 3] + varint(total) + stored[at + 4 :]


TEXTS = [b"aab", b"aac", b"b"]
PREFIXES = len(delta_bytes([0, 2, 0], 32))
DELTA_PAGES = {
    "prefixes": (wire.ENCODING_DELTA_BYTE_ARRAY, claims(prefixed_bytes(TEXTS), 4), "4 values, the page has 3"),
    "suffixes": (
        wire.ENCODING_DELTA_BYTE_ARRAY,
        claims(prefixed_bytes(TEXTS), 5, PREFIXES),
        "5 values, the page has 3",
    ),
    "lengths": (wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, claims(lengths_bytes(TEXTS), 2), "2 values, the page has 3"),
    "sound": (wire.ENCODING_DELTA_BYTE_ARRAY, prefixed_bytes(TEXTS), None),
}


@pytest.mark.parametrize("name", DELTA_PAGES)
@pytest.mark.parametrize("version", [1, 2])
def test_verify_compares_each_stream_of_deltas_with_the_values_that_are_not_null(
    implementation, tmp_path, name, version
):
    encoding, stored, message = DELTA_PAGES[name]
    defined = levels([1, 0, 1, 1], 1)
    made = (
        data_page(stored, 4, encoding, definition=defined)
        if version == 1
        else data_page_v2(stored, 4, encoding, nulls=1, definition=defined)
    )
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_file([Column("x", wire.PHYSICAL_BYTE_ARRAY, [made], repetition=1)], 4))
    found = parquetext.verify(path, pages=True).findings
    assert [(finding.kind, finding.offset) for finding in found] == ([("page-deltas", 4)] if message else [])
    assert all(finding.message == f"its deltas are of {message}" for finding in found)


@pytest.mark.parametrize("has_checksum", [False, True])
@pytest.mark.parametrize("rows", [2, 3])
def test_rows_and_deltas_of_compressed_pages_are_counted_if_the_tier_decompresses_them(tmp_path, has_checksum, rows):
    tier = {"deep" if has_checksum else "pages": True}
    pages = [zstd(page, has_checksum=has_checksum) for page in (list_page([[1], [2, 3]]), list_page([[4]]))]
    path = tmp_path / "x.parquet"
    path.write_bytes(list_file([(replace(list_column(pages), codec=wire.CODEC_ZSTD), rows)]))
    expected = [] if rows == 3 else [("page-rows", "the data pages have 3 rows, the row group 2")]
    findings = [finding for finding in parquetext.verify(path, **tier).findings if not finding.is_note]
    assert [(finding.kind, finding.message) for finding in findings] == expected
    stored = claims(delta_bytes([1, 2, 5], 32), rows + 1)
    made = zstd(data_page(stored, 3, wire.ENCODING_DELTA_BINARY_PACKED), has_checksum=has_checksum)
    path.write_bytes(parquet_file([replace(flat(made), codec=wire.CODEC_ZSTD)], 3))
    kinds = [finding.kind for finding in parquetext.verify(path, **tier).findings if not finding.is_note]
    assert kinds == ([] if rows == 2 else ["page-deltas"])
    assert parquetext.verify(path, pages=True).ok == (has_checksum or rows == 2)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_are_combined_at_the_same_rows(tmp_path, engine):
    def column(name: str, *pages: Page, **metadata) -> Column:
        return Column(name, wire.PHYSICAL_INT32, pages, metadata=metadata)

    path = Path(tmp_path / "x.parquet")
    groups = [
        ([column("a", page(1, 2, 3)), column("b", page(10, 20))], 2),
        ([column("a", page(4, 5, 6)), column("b", page(40, 50, 60))], 3),
    ]
    path.write_bytes(file_of_row_groups(groups))
    expected = [{"a": a, "b": 10 * a} for a in (1, 2, 4, 5, 6)]
    assert parquetext.read_table(path, engine=engine).to_pylist() == expected
    with parquetext.open(path) as file:
        for size in (1, 4, 100):
            assert [row for b in file.iter_batches(batch_size=size, engine=engine) for row in b.to_pylist()] == expected
    assert parquetext.dataset(path, engine=engine).to_table().to_pylist() == expected


def test_missing_rows_are_refused(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_file([flat(page(1, 2, 3))], 4))
    for engine in ENGINES:
        with pytest.raises(pa.ArrowInvalid, match=r"pyarrow gives 3 of 4 rows|the pages end 1 rows too early"):
            parquetext.read_table(path, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("claimed", [3, -1])
def test_a_low_number_of_values_does_not_bypass_the_limit(tmp_path, engine, claimed):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_file([replace(nulls("x", 1000), metadata={"num_values": claimed})], 1000))
    with pytest.raises(LimitExceeded, match="1000 values take 4000 bytes"):
        parquetext.read_table(path, engine=engine, decoded_size_limit=3999)
