"""Every byte of a file belongs to exactly one part."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.flat_files import as_par3
from support.layouts import bytes_of, check_tiling
from support.samples import some
from support.varints import varint

import parquetext
from parquetext.inspection.layout import part_kinds
from parquetext.inspection.layout.part_kinds import GROUPS, KINDS

OTHER = "00010203-0405-0607-0809-0a0b0c0d0e0f"
TABLE = pa.table(
    {
        "number": pa.array([None if n % 7 == 0 else n for n in range(4000)], pa.int64()),
        "text": [f"value {n % 50}" for n in range(4000)],
        "list": [[n] * (n % 3) for n in range(4000)],
    }
)


FOUND_IN_READABLE = {
    "alltypes_empty_pages.parquet": {"offset-index"},  # entries for pages that are not there
    "datapage_v1-snappy-compressed-checksum.parquet": {"column-index"},  # null pages of required columns
    "datapage_v1-uncompressed-checksum.parquet": {"column-index"},
    "zero_rows_one_row_group.parquet": {"row-count"},
    "repeated_no_annotation.parquet": {"row-count"},
}


def write(path: Path, **options) -> Path:
    defaults = {"row_group_size": 1500, "data_page_size": 2000, "compression": "none"}
    pq.write_table(TABLE, path, **defaults | options)
    return path


def test_every_byte_of_every_readable_file_belongs_to_something(corpus, expected):
    """Without --long each second file, and those with findings."""
    paths = readable(corpus, expected)
    with_findings = [path for path in paths if path.name in FOUND_IN_READABLE]
    for path in {*some(paths, 2), *with_findings}:
        layout = parquetext.layout(path)
        check_tiling(layout)
        assert layout.unclaimed == 0, path
        wrong = {finding.kind for finding in layout.findings if not finding.is_note}
        assert wrong == FOUND_IN_READABLE.get(path.name, set()), (path, layout.findings)


def test_every_byte_of_broken_files_has_one_owner_too(corpus, expected):
    for entry in expected:
        if entry["class"] != "readable":
            check_tiling(parquetext.layout(corpus / entry["file"]))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_levels_of_pages_are_separated_from_values(implementation, tmp_path, version):
    path = write(tmp_path / "t.parquet", data_page_version=version, use_dictionary=["text"])
    layout = parquetext.layout(path)
    found = bytes_of(layout)
    values = [row for row in layout.parts.to_pylist() if row["kind"] == "values" and row["column"] == 0]
    stored = 8 * len(TABLE["number"].drop_null())
    assert sum(row["length"] for row in values) == stored
    assert {"page-header", "dictionary", "repetition-levels", "definition-levels"} <= found.keys()
    assert "levels-and-values" not in found
    columns = {row["path"]: row for row in layout.columns.to_pylist()}
    assert columns["number"]["dictionary"] == 0 < columns["text"]["dictionary"]
    assert columns["number"]["values"] == stored


def test_compressed_levels_of_version_1_are_one_part_with_the_values(tmp_path):
    layout = parquetext.layout(write(tmp_path / "t.parquet", compression="zstd"))
    assert bytes_of(layout)["levels-and-values"] > 0
    pages = layout.pages.to_pylist()
    assert {page["definition_size"] for page in pages if page["type"] == "DATA_PAGE"} == {None}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
def test_decompressed_pages_are_equal_for_every_codec(tmp_path, version, codec):
    options = {"data_page_version": version, "use_dictionary": ["text"]}
    plain = parquetext.layout(write(tmp_path / "plain.parquet", **options))
    path = write(tmp_path / "t.parquet", compression=codec, **options)
    layout = parquetext.layout(path, decompress=True)
    names = ["path", "plain_dictionary", "plain_levels", "plain_values"]
    assert layout.columns.select(names).to_pylist() == plain.columns.select(names).to_pylist()
    levels = plain.columns["levels"].to_pylist()
    assert plain.columns["plain_levels"].to_pylist() == levels
    assert layout.ok


def test_levels_that_were_not_looked_at_are_null(tmp_path):
    layout = parquetext.layout(write(tmp_path / "t.parquet", compression="zstd"))
    assert layout.columns["plain_levels"].to_pylist() == [None] * 3


def test_a_page_that_cannot_be_decompressed_is_a_finding(tmp_path):
    path = write(tmp_path / "t.parquet", compression="zstd")
    page = parquetext.layout(path).pages.to_pylist()[1]
    data = bytearray(path.read_bytes())
    begin = page["offset"] + page["header_size"]
    data[begin : begin + 20] = bytes(20)
    path.write_bytes(data)
    layout = parquetext.layout(path, decompress=True)
    check_tiling(layout)
    assert [finding.kind for finding in layout.findings] == ["page-body"]


def test_levels_of_compressed_version_2_pages_are_separate_parts(tmp_path):
    found = bytes_of(parquetext.layout(write(tmp_path / "t.parquet", compression="zstd", data_page_version="2.0")))
    assert found["definition-levels"] > 0
    assert "levels-and-values" not in found


@pytest.mark.parametrize("placement", ["aside", "in-struct", "after-stop"])
@pytest.mark.parametrize("form", ["flat", "index"])
def test_blocks_and_their_cells_are_parts_in_every_placement(implementation, tmp_path, form, placement):
    path = write(tmp_path / "t.parquet")
    parquetext.upgrade(path, form=form, placement=placement)
    layout = parquetext.layout(path)
    check_tiling(layout)
    found = bytes_of(layout)
    kind = {"flat": "flat-footer", "index": "footer-index"}[form]
    assert found[kind] > 0
    assert layout.unclaimed == 0
    assert layout.findings == []
    assert ("reference" in found) == (placement == "aside")
    names = {row["name"] for row in layout.parts.to_pylist() if row["kind"] == kind}
    assert {"tail block", "columns", "nodes", "row groups"} <= names


@pytest.mark.parametrize("placement", ["in-struct", "after-stop"])
def test_the_arrow_dialect_next_to_our_block_is_a_part(tmp_path, placement):
    path = write(tmp_path / "t.parquet")
    parquetext.upgrade(path, form="flat")
    parquetext.upgrade(path, form="arrow", placement=placement)
    layout = parquetext.layout(path)
    check_tiling(layout)
    found = bytes_of(layout)
    assert found["arrow-dialect"] > 0 < found["block-trailer"]
    assert layout.findings == []


def test_foreign_blocks_and_free_form_bytes_are_parts(tmp_path):
    data = write(tmp_path / "t.parquet").read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    footer = parquetext.extension.append(data[-8 - length : -8], b"free form")
    path = _written(tmp_path, data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    found = bytes_of(parquetext.layout(path))
    assert found["free-form"] == 9
    assert found["extension-header"] == 5
    block = parquetext.extension.append_block(data[-8 - length : -8], OTHER, b"payload")
    path = _written(tmp_path, data[: -8 - length] + block + len(block).to_bytes(4, "little") + b"PAR1")
    found = bytes_of(parquetext.layout(path))
    assert (found["block"], found["block-trailer"]) == (7, 28)


def test_a_flat_footer_alone_is_read_and_claimed(tmp_path):
    path = write(tmp_path / "t.parquet")
    before = bytes_of(parquetext.layout(path))
    path.write_bytes(as_par3(path.read_bytes()))
    layout = parquetext.layout(path)
    check_tiling(layout)
    found = bytes_of(layout)
    assert layout.form == "par3"
    assert found["values"] == before["values"]
    assert found["footer-length"] == 12
    assert layout.findings == []


def test_key_values_are_parts_under_their_names(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE.replace_schema_metadata({"owner": "x" * 500}), path)
    alone = _written(tmp_path, as_par3(path.read_bytes()))
    for form, file in (("thrift", path), ("par3", alone)):
        layout = parquetext.layout(file)
        check_tiling(layout)
        named = {row["name"]: row["length"] for row in layout.parts.to_pylist() if row["kind"] == "key-value"}
        assert layout.form == form and named.keys() - {None} == {"owner", "ARROW:schema"}
        assert named["owner"] > 500


def test_bloom_filters_and_page_indexes_are_parts_of_their_columns(tmp_path):
    path = write(tmp_path / "t.parquet", write_page_index=True, bloom_filter_options={"number": True})
    layout = parquetext.layout(path)
    blooms = [row for row in layout.parts.to_pylist() if row["kind"].startswith("bloom")]
    assert {row["column"] for row in blooms} == {0}
    assert bytes_of(layout)["column-index"] > 0
    columns = {row["path"]: row for row in layout.columns.to_pylist()}
    assert columns["number"]["bloom"] > 0 == columns["text"]["bloom"]


def test_zeros_between_chunks_are_padding_and_other_bytes_are_unclaimed(tmp_path):
    path = write(tmp_path / "t.parquet")
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little") + 8
    path.write_bytes(data[:-length] + bytes(100) + b"\xee" * 50 + data[-length:])
    layout = parquetext.layout(path)
    check_tiling(layout)
    found = bytes_of(layout)
    assert found["padding"] == 100
    assert layout.unclaimed == found["gap"] == 50
    assert [finding.kind for finding in layout.findings] == ["unclaimed"]


def test_leftovers_of_an_earlier_footer_are_reported(tmp_path):
    path = write(tmp_path / "t.parquet")
    before = path.read_bytes()
    length = int.from_bytes(before[-8:-4], "little") + 8
    path.write_bytes(before + before[-length:])
    layout = parquetext.layout(path)
    assert bytes_of(layout)["dead-footer"] == length


def test_blocks_unreferenced_after_a_footer_rewrite_are_reported(tmp_path):
    path = write(tmp_path / "t.parquet")
    bare = path.read_bytes()
    length = int.from_bytes(bare[-8:-4], "little") + 8
    parquetext.upgrade(path, form="flat", placement="aside")
    data = path.read_bytes()
    own = int.from_bytes(data[-8:-4], "little") + 8
    path.write_bytes(data[:-own] + bare[-length:])
    layout = parquetext.layout(path)
    assert bytes_of(layout)["dead-block"] > 1000
    assert layout.unclaimed == 0


def test_unreferenced_pages_are_reported(tmp_path):
    path = write(tmp_path / "t.parquet", use_dictionary=False, column_encoding={"number": "PLAIN"})
    data = path.read_bytes()
    whole = parquetext.layout(path)
    first = whole.chunks.to_pylist()[0]
    stray = data[first["offset"] : first["offset"] + first["bytes"]]
    length = int.from_bytes(data[-8:-4], "little") + 8
    path.write_bytes(data[:-length] + stray + data[-length:])
    assert bytes_of(parquetext.layout(path))["dead-pages"] == len(stray)


def test_chunks_that_share_bytes_are_a_finding_and_the_first_keeps_them(tmp_path):
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [1] * 99, "b": [1] * 99}), sink, compression="none", use_dictionary=False)
    layout_of = parquetext.layout(_written(tmp_path, sink.getvalue()))
    a, b = layout_of.chunks["offset"].to_pylist()
    data = bytearray(sink.getvalue())
    zigzag = varint(2 * b)
    at = data.rindex(b"\x26" + zigzag)
    data[at + 1 : at + 1 + len(zigzag)] = _padded(2 * a, len(zigzag))
    layout = parquetext.layout(_written(tmp_path, bytes(data)))
    check_tiling(layout)
    assert "chunk-overlap" in {finding.kind for finding in layout.findings}
    assert not layout.ok


@pytest.mark.parametrize("cut", [1, 9, 300, 5000])
def test_of_a_truncated_file_nothing_is_claimed_but_its_magic(tmp_path, cut):
    data = write(tmp_path / "t.parquet").read_bytes()
    layout = parquetext.layout(_written(tmp_path, data[:-cut]))
    check_tiling(layout)
    assert not layout.ok
    assert bytes_of(layout)["magic"] == 4


def test_an_empty_file_has_no_parts(tmp_path):
    layout = parquetext.layout(_written(tmp_path, b""))
    assert layout.parts.num_rows == 0
    assert not layout.ok


def test_every_kind_belongs_to_one_group():
    names = [line.partition(" = ")[0].strip() for line in part_kinds._TEXT.splitlines() if " = " in line]
    assert len(set(names)) == len(names) and set(names) <= set(KINDS)
    assert list(dict.fromkeys(kind.group for kind in KINDS.values())) == list(GROUPS)


def test_the_account_as_json_has_every_part(tmp_path):
    layout = parquetext.layout(write(tmp_path / "t.parquet"))
    message = json.loads(json.dumps(layout.as_dict()))
    assert sum(message["parts"]["length"]) == message["size"] == layout.size
    assert len(message["pages"]["offset"]) == layout.pages.num_rows


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "written.parquet"
    path.write_bytes(data)
    return path


def _padded(number: int, size: int) -> bytes:
    """A varint in just so many bytes."""
    return varint(number, padding=size - len(varint(number)))
