"""The owners of the bytes of columns' copies in other encodings, and of the file from before."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from support.copied_files import TABLE, change_blocks, copied_file, copies
from support.layouts import bytes_of, check_tiling

import parquetext
from parquetext import edits
from parquetext.inspection.layout.html import as_html

FORMS = ["thrift", "flat", "index", "aside"]


@pytest.fixture
def path(tmp_path):
    return copied_file(tmp_path / "x.parquet", codec="zstd")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_every_byte_of_an_encoded_file_belongs_to_something(implementation, tmp_path, form, codec):
    path = copied_file(tmp_path / "x.parquet", codec=codec, write_page_index=True, bloom_filter_options={"id": True})
    edits.encode(path, {"price": "plain"})
    if form != "thrift":
        where = {"placement": "aside"} if form == "aside" else {}
        edits.upgrade(path, form="flat" if form == "aside" else form, **where)
    layout = parquetext.layout(path)
    check_tiling(layout)
    assert layout.findings == []
    found = bytes_of(layout)
    assert not {"gap", "dead-pages", "padding", "dead-footer", "dead-block", "block"} & found.keys()
    message = copies(path)
    kinds = ("copy-header", "copy-levels", "copy-values")
    assert sum(found[kind] for kind in kinds) == sum(copy.length for copy in message)
    assert found["original-rest"] > 0 < found["original-block"]


def test_the_parts_of_a_copy_are_named_after_its_column_and_encoding(path):
    layout, [price, *_] = parquetext.layout(path), copies(path)
    parts = [row for row in layout.parts.to_pylist() if price.offset <= row["offset"] < price.end]
    assert {row["name"] for row in parts} == {"copy of column price, byte_stream_split"}
    assert {(row["row_group"], row["column"], row["page"]) for row in parts} == {(0, 1, 0)}
    assert [row["kind"] for row in parts] == ["copy-header", "copy-levels", "copy-values"]
    assert sum(row["length"] for row in parts) == price.length
    names = {row["name"] for row in layout.parts.to_pylist() if (row["kind"] or "").startswith("copy-")} - {None}
    assert names == {
        "copy of column price, byte_stream_split",
        "copy of column text, delta_byte_array",
        "copy of column list.list.element, delta_binary_packed",
    }


def test_blocks_that_refer_to_copies_are_separate_parts(path):
    layout, data = parquetext.layout(path), path.read_bytes()
    blocks = [row for row in layout.parts.to_pylist() if row["kind"] == "column-extension"]
    assert [(row["row_group"], row["column"]) for row in blocks] == [(g, c) for g in range(2) for c in (1, 2, 3)]
    for row in blocks:
        assert data[row["offset"] :].startswith(b"\x08\xff\xff\x01")


def test_copies_have_a_table_and_columns_the_bytes_of_theirs(path):
    layout, message = parquetext.layout(path), copies(path)
    rows = layout.copies.to_pylist()
    assert [(row["offset"], row["bytes"], row["chunk_bytes"]) for row in rows] == [
        (copy.offset, copy.length, copy.chunk_length) for copy in message
    ]
    assert {(row["column"], row["encoding"], row["codec"]) for row in rows} == {
        (1, "byte_stream_split", "ZSTD"),
        (2, "delta_byte_array", "ZSTD"),
        (3, "delta_binary_packed", "ZSTD"),
    }
    assert layout.as_dict()["copies"]["rows_per_page"] == [copy.rows_per_page for copy in message]
    of_columns = layout.columns["copies"].to_pylist()
    assert of_columns[0] == 0 and of_columns[1] == sum(copy.length for copy in message[::3])


@pytest.mark.parametrize("form", FORMS)
def test_pages_of_copies_are_listed_after_those_of_chunks(path, form):
    if form != "thrift":
        where = {"placement": "aside"} if form == "aside" else {}
        edits.upgrade(path, form="flat" if form == "aside" else form, **where)
    layout = parquetext.layout(path)
    rows, copied = layout.pages.to_pylist(), layout.copies.to_pylist()
    own = sum(layout.chunks["pages"].to_pylist())
    assert {row["copy"] for row in rows[:own]} == {None}
    assert len(rows) - own == sum(copy["pages"] for copy in copied) > 0
    for number, copy in enumerate(copied):
        pages = [row for row in rows if row["copy"] == number]
        assert [(page["row_group"], page["column"]) for page in pages] == [(copy["row_group"], copy["column"])] * len(
            pages
        )
        assert pages[0]["offset"] == copy["offset"]
        assert sum(page["header_size"] + page["compressed_size"] for page in pages) == copy["bytes"]
        assert sum(page["num_values"] for page in pages) == copy["num_values"]
        assert {page["encoding"].lower() for page in pages} == {copy["encoding"]}
    assert json.loads(json.dumps(layout.as_dict()))["pages"]["copy"] == layout.pages["copy"].to_pylist()


def test_a_file_without_copies_has_none(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path)
    layout = parquetext.layout(path)
    assert layout.copies.num_rows == 0 == sum(layout.columns["copies"].to_pylist())


def test_copies_of_other_chunks_are_not_claimed(path):
    change_blocks(path, lambda copy: replace(copy, chunk_length=copy.chunk_length + 1))
    layout = parquetext.layout(path)
    check_tiling(layout)
    assert "copy-outdated" in {finding.kind for finding in layout.findings}
    assert not {"copy-values", "unread-copy"} & bytes_of(layout).keys()


def test_unreadable_parts_of_a_copy_are_claimed_and_reported(path):
    one = copies(path)[0]
    whole = bytearray(path.read_bytes())
    whole[one.offset : one.offset + 8] = b"\xff" * 8
    path.write_bytes(whole)
    layout = parquetext.layout(path)
    check_tiling(layout)
    assert bytes_of(layout)["unread-copy"] == one.length
    assert not layout.ok


@pytest.mark.parametrize("position", ["chunk", "beyond", "magic"])
def test_copies_at_wrong_positions_are_reported(path, position):
    size = path.stat().st_size
    change_blocks(
        path, lambda copy: replace(copy, offset={"chunk": copy.chunk_offset, "beyond": size, "magic": 4}[position])
    )
    layout = parquetext.layout(path)
    check_tiling(layout)
    kind = {"chunk": "claimed-twice", "beyond": "copy-range", "magic": "claimed-twice"}[position]
    assert kind in {finding.kind for finding in layout.findings} and not layout.ok


def test_the_page_and_the_picture_show_copies(path):
    layout = parquetext.layout(path)
    assert "copies" in layout.strip(78)
    page = as_html(layout)
    assert "copy of column price, byte_stream_split" in page
    assert '"name":"copies","title":"copies in other encodings"' in page
    assert page.count("--copies:") == 2


def test_every_group_has_its_colour():
    from parquetext.cli.layout_command import LETTERS, STYLES
    from parquetext.inspection.layout.part_kinds import GROUPS

    assert list(STYLES) == list(LETTERS) == list(GROUPS)
    assert len(set(LETTERS.values())) == len(GROUPS)
