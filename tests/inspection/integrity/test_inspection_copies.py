"""Output of inspect and the command line about columns' copies in other encodings."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from support.copied_files import TABLE, copied_file, copies
from support.typer_runner import CliRunner

from parquetext import edits, kernels
from parquetext.cli.app import app
from parquetext.inspection.integrity.inspection import inspect


@pytest.fixture
def path(tmp_path):
    path = copied_file(tmp_path / "x.parquet", {"price": "alp"})
    edits.encode(path, {"text": "fsst", "price": "byte_stream_split"}, codec="zstd")
    return path


@pytest.mark.parametrize("form", [None, "flat", "index", "par3"])
def test_columns_with_copies_are_listed_with_encoding_codec_and_sizes(implementation, path, form):
    message = copies(path)
    if form == "par3":
        edits.finalize(path, confirm=True)
    elif form is not None:
        edits.upgrade(path, form=form)
    found = [(copy.column, copy.encoding, copy.codec, copy.row_groups) for copy in inspect(path).copies]
    assert found == [
        ("price", "alp", "uncompressed", 2),
        ("price", "byte_stream_split", "zstd", 2),
        ("text", "fsst", "zstd", 2),
    ]
    by_bytes = sum(copy.bytes for copy in inspect(path).copies), sum(copy.chunk_bytes for copy in inspect(path).copies)
    assert by_bytes == (sum(copy.length for copy in message), sum(copy.chunk_length for copy in message))


@pytest.mark.parametrize("form", ["flat", "index", "aside", "par3"])
def test_the_footer_of_a_file_without_copies_is_not_scanned_for_them(implementation, tmp_path, monkeypatch, form):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path)
    where = {"placement": "aside" if form == "aside" else "in-struct"}
    edits.upgrade(path, form="index" if form == "index" else "flat", **where)
    if form == "par3":
        edits.finalize(path, confirm=True)

    def scan(*_, **__):
        raise AssertionError("the Thrift footer is scanned")

    for name in ("scan", "to_thrift"):
        module = kernels.scan if name == "scan" else kernels.flat
        monkeypatch.setattr(module, name, scan)
    found = inspect(path)
    assert (found.form, found.copies, found.findings) == ("flat" if form == "aside" else form, [], [])


@pytest.mark.parametrize("form", ["thrift", "flat", "par3"])
def test_the_size_of_the_original_is_shown(path, form):
    if form != "thrift":
        edits.upgrade(path, form="flat")
    if form == "par3":
        edits.finalize(path, confirm=True)
    size = inspect(path).original_bytes
    if form == "par3":
        edits.restore(path)
    edits.strip(path)
    assert path.stat().st_size == size
    edits.strip(path)
    assert (inspect(path).original_bytes, inspect(path).copies) == (None, [])


def test_the_commands_show_copies(path):
    shown = CliRunner().invoke(app, ["inspect", str(path)], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert "price: byte_stream_split, zstd" in shown.stdout and "which strip gives back" in shown.stdout
    [document] = [json.loads(CliRunner().invoke(app, ["inspect", "--json", str(path)]).stdout)]
    assert [copy["column"] for copy in document["copies"]] == ["price", "price", "text"]
    pages = CliRunner().invoke(app, ["pages", "--column", "text", "--copies", "--json", str(path)]).stdout
    assert {json.loads(line)["encoding"] for line in pages.splitlines()} <= {"FSST", str(copies(path)[-1].encoding)}
    assert pages.count('"DATA_PAGE_V2"') == 2


def test_inspection_does_not_report_damaged_references_to_copies(path):
    whole = bytearray(path.read_bytes())
    at = whole.rindex(b"BkMyMl9BGq1VfVsu42Z6")
    whole[at - 60] ^= 1
    path.write_bytes(whole)
    assert len(inspect(path).copies) < 3 or sum(copy.row_groups for copy in inspect(path).copies) < 6
