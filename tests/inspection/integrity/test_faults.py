"""Files with one fault each: the tier that documents it finds it, and layout says the same of structure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.indexed_file import Parts, bloom_bitset, double, indexed_file, int32
from support.pages import Page, compress, data_page
from support.parquet_bytes import footer_of, with_footer

import parquetext
from parquetext import wire
from parquetext.inspection.content.schema_text import schema_text
from parquetext.inspection.integrity import verify
from parquetext.inspection.integrity.inspection import inspect

pytestmark = pytest.mark.usefixtures("implementation")
COLUMN = dict[str, Parts]


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "x.parquet"


@dataclass(frozen=True)
class Fault:
    """A change of the parts, the finding's kind, and a piece of its message."""

    kind: str
    message: str
    change: object


def index(name: str, column: str = "n", **fields):
    return lambda parts: getattr(parts[column], name).update(fields)


def place(column: str, page: int, **fields):
    return lambda parts: parts[column].places.update({page: fields})


CODECS = {
    "snappy": wire.CODEC_SNAPPY,
    "gzip": wire.CODEC_GZIP,
    "brotli": wire.CODEC_BROTLI,
    "lz4": wire.CODEC_LZ4,
    "lz4_raw": wire.CODEC_LZ4_RAW,
    "zstd": wire.CODEC_ZSTD,
}


def without_checksum(codec: int, spoil=lambda stored: stored, **header):
    """Let the text column be one compressed page that has no checksum."""

    def change(parts: COLUMN) -> None:
        body = b"".join(len(value).to_bytes(4, "little") + value for value in [b"some text and more"] * 12)
        page = data_page(body, 12, wire.ENCODING_PLAIN, codec=codec)
        fields = {name: value for name, value in page.header.items() if name != "crc"} | header
        stored = spoil(compress(codec, body))
        column = parts["t"]
        column.pages = [Page(fields | {"compressed_page_size": len(stored)}, stored)]
        column.first_rows, column.statistics, column.sizes = [0], {}, None
        column.metadata = {"codec": codec}
        column.chunk = dict.fromkeys(
            f"{name}_{part}" for name in ("offset_index", "column_index") for part in ("offset", "length")
        )

    return change


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_pages_without_a_checksum_are_decompressed(path, codec):
    path.write_bytes(indexed_file(without_checksum(codec)))
    report = verify(path, pages=True)
    assert report.ok and report.decompressed_pages == 1 and verify(path).decompressed_pages == 0
    path.write_bytes(indexed_file(without_checksum(codec, lambda stored: bytes(byte ^ 0xFF for byte in stored))))
    damaged = verify(path, pages=True)
    path.write_bytes(indexed_file(without_checksum(codec, lambda stored: stored[:-5])))
    cut = verify(path, pages=True)
    path.write_bytes(indexed_file(without_checksum(codec, uncompressed_page_size=265)))
    wrong_size = verify(path, pages=True)
    for report in (damaged, cut, wrong_size):
        [finding] = report.findings
        assert finding.kind == "page-body" and finding.place == "row group 0, column t"


def test_pages_that_claim_very_much_are_not_decompressed_by_the_second_tier(path):
    path.write_bytes(indexed_file(without_checksum(wire.CODEC_ZSTD, uncompressed_page_size=1 << 30)))
    [finding] = verify(path, pages=True).findings
    assert finding.kind == "page-undecoded" and finding.is_note


STRUCTURE = [
    Fault("offset-index", "page 1 is said to begin at row 5, it begins at row 4", place("n", 1, first_row_index=5)),
    Fault("offset-index", "page 0 is said to begin at row 1, it begins at row 0", place("n", 0, first_row_index=1)),
    Fault("offset-index", "page 1 is said to begin at row 0 of 12", place("r", 1, first_row_index=0)),
    Fault("offset-index", "page 1 is said to begin at row 50 of 12", place("r", 1, first_row_index=50)),
    Fault("offset-index", "bytes at 5, it takes", place("n", 0, offset=5)),
    Fault("offset-index", "is said to take 9 bytes", place("n", 2, compressed_page_size=9)),
    Fault("offset-index", "0 pages, the chunk has 3 data pages", index("offset_index", page_locations=[])),
    Fault("offset-index", "leave the data", lambda parts: parts["n"].chunk.update(offset_index_offset=1 << 40)),
    Fault("column-index", "leave the data", lambda parts: parts["n"].chunk.update(column_index_length=1 << 20)),
    Fault("column-index", "2 null_pages, 3 min_values", index("column_index", null_pages=[False, False])),
    Fault("column-index", "3 max_values, 1 null_counts", index("column_index", null_counts=[1])),
    Fault("column-index", "boundary_order 7", index("column_index", boundary_order=7)),
    Fault("column-index", "definition_level_histograms", index("column_index", definition_level_histograms=[1])),
    Fault(
        "column-index",
        "page 1 of a required column has nulls",
        index("column_index", "t", null_pages=[False, True]),
    ),
    Fault("column-index", "page 0 of a required column has nulls", index("column_index", "t", null_counts=[3, 0])),
    Fault("column-index", "counts 9 nulls in page 0, which has 4 values", index("column_index", null_counts=[9, 0, 4])),
    Fault("column-index", "page 2 is a null page and counts 3 nulls", index("column_index", null_counts=[1, 0, 3])),
    Fault("column-index", "that are not descending", index("column_index", boundary_order=2)),
    Fault(
        "column-index", "counts 6 nulls, the chunk's statistics count 5", index("column_index", null_counts=[2, 0, 4])
    ),
    Fault(
        "column-index", "a minimum above the maximum for page 1", index("column_index", min_values=[*int32(1, 9), b""])
    ),
    Fault("bloom-filter", "says 64 bytes, and 48 by the footer", index("bloom_header", numBytes=64)),
    Fault("bloom-filter", "size of 0 bytes", index("bloom_header", numBytes=0)),
    Fault("bloom-filter", "leave the data", lambda parts: parts["n"].metadata.update(bloom_filter_offset=1 << 40)),
    Fault("chunk-range", "leave the data", lambda parts: parts["t"].metadata.update(data_page_offset=1 << 40)),
    Fault(
        "chunk-range",
        "data pages at -9, in front of all pages",
        lambda parts: parts["n"].metadata.update(dictionary_page_offset=4, data_page_offset=-9),
    ),
    Fault("chunk-overlap", "column n ends", lambda parts: parts["t"].metadata.update(data_page_offset=20)),
    Fault("page-values", "hold 12 values, the footer says 13", lambda parts: parts["x"].metadata.update(num_values=13)),
    Fault("chunk-empty", "no bytes for 12 values", lambda parts: parts["x"].metadata.update(total_compressed_size=0)),
    Fault("chunk-size", "the footer says", lambda parts: parts["x"].metadata.update(total_compressed_size=100)),
    Fault("chunk-codec", "codec 77 does not exist", lambda parts: parts["x"].metadata.update(codec=77)),
    Fault("chunk-type", "values of FLOAT, the schema says DOUBLE", lambda parts: parts["x"].metadata.update(type=4)),
]


@pytest.mark.parametrize("fault", STRUCTURE, ids=lambda fault: f"{fault.kind}: {fault.message}")
def test_verify_with_pages_and_layout_find_the_same_structural_faults_in_the_same_words(path, fault):
    path.write_bytes(indexed_file(fault.change))
    found = [str(finding) for finding in verify(path, pages=True).findings if finding.kind == fault.kind]
    assert any(fault.message in text for text in found), verify(path, pages=True).findings
    assert [str(finding) for finding in parquetext.layout(path).findings if finding.kind == fault.kind] == found
    assert not verify(path, pages=True).ok and not parquetext.layout(path).ok


FOOTERS = {
    "row-count": {"num_rows": 13},
    "chunk-values": {"rows": 11},
    "irregular": {"schema": [{"name": "schema", "num_children": 1}, {"type": 1, "repetition_type": 0, "name": "n"}]},
}


@pytest.mark.parametrize("kind", FOOTERS)
def test_verify_and_layout_report_the_same_counts(path, kind):
    path.write_bytes(indexed_file(**FOOTERS[kind]))
    found = {str(finding) for finding in verify(path, pages=True).findings if finding.kind == kind}
    assert found and found == {str(finding) for finding in parquetext.layout(path).findings if finding.kind == kind}


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [("magic", lambda data: b"NONE" + data[4:]), ("stray-bytes", lambda data: with_stray_bytes(data))],
)
def test_verify_and_layout_report_the_same_about_the_ends_of_a_file(path, kind, spoil):
    path.write_bytes(spoil(indexed_file()))
    found = [str(finding) for finding in verify(path, pages=True).findings]
    assert len(found) == 1 and found[0].startswith(kind)
    assert [str(finding) for finding in parquetext.layout(path).findings if finding.kind == kind] == found


def with_stray_bytes(data: bytes) -> bytes:
    footer = footer_of(data)
    return with_footer(data, footer + b"\1\2\3")


VALUES = [
    Fault("statistics", "min_value is 2, the smallest value is 1", index("statistics", min_value=int32(2)[0])),
    Fault("statistics", "max_value is 7, the greatest value is 8", index("statistics", max_value=int32(7)[0])),
    Fault("statistics", "has 2 bytes, a value has 4", index("statistics", min_value=b"\0\0")),
    Fault("statistics", "min is 2, the smallest value is 1", index("statistics", min=int32(2)[0])),
    Fault("statistics", "null_count is 3, there are 2 nulls", index("statistics", "r", null_count=3)),
    Fault("statistics", "distinct_count is 6, there are 7 values", index("statistics", distinct_count=6)),
    Fault("statistics", "nan_count is 0, there are 1 NaN", index("statistics", "x", nan_count=0)),
    Fault("statistics", "max_value is b'k', the greatest value is b'l'", index("statistics", "t", max_value=b"k")),
    Fault("size-statistics", "is 13, the byte arrays have 12", index("sizes", "t", unencoded_byte_array_data_bytes=13)),
    Fault("column-index", "page 1: min_value is 6", index("column_index", min_values=[*int32(1, 6), b""])),
    Fault("column-index", "page 0: max_value is 3", index("column_index", max_values=[*int32(3, 8), b""])),
    Fault("size-statistics", "there are 5", index("sizes", definition_level_histogram=[4, 8])),
    Fault(
        "column-index",
        "page 0 is said to have 0 nulls, it has 1",
        index("column_index", null_counts=[0, 1, 4]),
    ),
    Fault("column-index", "is said to have 0 NaN, it has 1", index("column_index", "x", nan_counts=[0, 0])),
    Fault(
        "column-index",
        "page 0: definition_level_histograms has 2 entries of level 0, there are 1",
        index("column_index", definition_level_histograms=[2, 2, 0, 4, 4, 0]),
    ),
    Fault(
        "column-index",
        "said to have nulls alone, it has 6 values",
        index("column_index", "r", null_pages=[True, False]),
    ),
    Fault("offset-index", "said to begin at row 5, it begins at row 6", place("r", 1, first_row_index=5)),
    Fault(
        "offset-index",
        "7 bytes of byte arrays, it has 6",
        index("offset_index", "t", unencoded_byte_array_data_bytes=[7, 6]),
    ),
    Fault(
        "bloom-filter", "does not have the value", lambda parts: setattr(parts["n"], "bloom", bloom_bitset(int32(1)))
    ),
]


@pytest.mark.parametrize("fault", VALUES, ids=lambda fault: f"{fault.kind}: {fault.message}")
def test_only_the_deep_tier_finds_contradictions_with_values(path, fault):
    path.write_bytes(indexed_file(fault.change))
    assert verify(path, pages=True).ok and parquetext.layout(path).ok
    [finding] = [finding for finding in verify(path, deep=True).findings if not finding.is_note]
    assert finding.kind == fault.kind and fault.message in finding.message


NUMBERS_AND_INDEX = [
    Fault("statistics", "said to be exact, the smallest value is 1", index("statistics", min_value=int32(0)[0])),
    Fault("statistics", "min_value is 1.0", index("statistics", "x", min_value=double(1.0)[0])),
    Fault("column-index", "page 0: min_value is 2", index("column_index", min_values=[*int32(2, 5), b""])),
    Fault("column-index", "page 1: max_value is 7", index("column_index", max_values=[*int32(4, 7), b""])),
]


@pytest.mark.parametrize("fault", NUMBERS_AND_INDEX, ids=lambda fault: f"{fault.kind}: {fault.message}")
def test_page_bounds_that_contradict_the_chunks_are_found_without_values(path, fault):
    path.write_bytes(indexed_file(fault.change))
    [finding] = [finding for finding in verify(path, pages=True).findings if not finding.is_note]
    assert finding.kind == "column-index" and "the chunk's" in finding.message
    assert [str(found) for found in parquetext.layout(path).findings] == [str(finding)]
    kinds = {found.kind for found in verify(path, deep=True).findings if fault.message in found.message}
    assert kinds == ({"statistics"} if fault.kind == "statistics" else set()), "an index with a fault is not compared"


SOUND = {
    "as it is": lambda parts: None,
    "a bound that is looser, and not said to be exact": index(
        "statistics", min_value=int32(-9)[0], is_min_value_exact=False
    ),
    "a bound of text that is cut": index("statistics", "t", max_value=b"m", min_value=b""),
    "a minimum of +0 although a value is -0": index("statistics", "x", min_value=double(0.0)[0]),
    "a bound that is NaN, which readers pass over": index("statistics", "x", max_value=double(float("nan"))[0]),
    "an order that is not declared": index("column_index", boundary_order=0),
    "nulls of lists that are counted without empty lists": index("statistics", "r", null_count=0),
    "a Bloom filter that holds more": lambda parts: setattr(parts["n"], "bloom", b"\xff" * 32),
}


@pytest.mark.parametrize("change", SOUND.values(), ids=SOUND)
def test_nothing_is_found_in_a_sound_file(path, change):
    path.write_bytes(indexed_file(change))
    assert verify(path, deep=True).findings == [] and parquetext.layout(path).findings == []


def test_bounds_without_a_column_order_have_no_meaning(path):
    path.write_bytes(indexed_file(index("statistics", min_value=int32(5)[0]), column_orders=None))
    assert verify(path, deep=True).findings == []


def test_reports_list_the_depths_that_did_not_run(path):
    path.write_bytes(indexed_file())
    assert verify(path).as_dict()["not_run"] == ["pages", "deep"]
    assert verify(path, pages=True).not_run == ["deep"]
    assert verify(path, deep=True).not_run == []


def test_chunks_in_other_files_are_no_finding(tmp_path):
    table, collected = pa.table({"x": range(10), "s": list("abcdefghij")}), []
    pq.write_table(table, tmp_path / "p.parquet", metadata_collector=collected)
    collected[0].set_file_path("p.parquet")
    summary = tmp_path / "_metadata"
    pq.write_metadata(table.schema, summary, metadata_collector=collected)
    for form in ("thrift", "flat", "index"):
        if form != "thrift":
            parquetext.upgrade(summary, form=form)
        for deep in (False, True):
            report = verify(summary, pages=True, deep=deep)
            assert report.findings == [] and report.chunks_elsewhere == 2
        assert parquetext.layout(summary).findings == []


@pytest.mark.parametrize("form", ["thrift", "flat", "index", "par3"])
def test_a_repeated_leaf_without_a_group_around_it_is_sound_in_every_form(path, form):
    path.write_bytes(indexed_file())
    if form in ("flat", "index"):
        parquetext.upgrade(path, form=form)
    elif form == "par3":
        parquetext.finalize(path, confirm=True)
    rows = [[1, 2], [3], [], [4], [5], [6]] * 2
    assert parquetext.read_table(path, columns=["r"], engine="parquetext")["r"].to_pylist() == rows
    assert parquetext.layout(path).ok and verify(path, deep=True).ok
    with parquetext.open(path) as file:
        assert file.pages("r")["num_values"].to_pylist() == [7, 7]
        assert "repeated int32 r" in schema_text(file, "parquet")
    assert inspect(path).row_groups == 1
