"""Columns with copies under a flat footer that stands alone: read, checked, and given back as they were."""

from __future__ import annotations

import pytest
from support.copied_files import COPIED, TABLE, copied_file, copies
from support.layouts import bytes_of, check_tiling

import parquetext
from parquetext import edits
from parquetext.inspection.integrity import verify
from parquetext.inspection.integrity.inspection import inspect

FORMS = ["thrift", "index", "flat", "aside"]


@pytest.fixture(params=FORMS)
def path(request, tmp_path):
    """An encoded file with another one of the same bytes beside it, of any form."""
    path = copied_file(tmp_path / "x.parquet", codec="zstd", write_page_index=True)
    if request.param != "thrift":
        where = {"placement": "aside"} if request.param == "aside" else {}
        edits.upgrade(path, form="flat" if request.param == "aside" else request.param, **where)
    (tmp_path / "before.parquet").write_bytes(path.read_bytes())
    edits.finalize(path, confirm=True)
    return path


def test_copies_are_read_by_the_flat_footer_alone(implementation, path):
    with parquetext.open(path) as file, parquetext.open(path.with_name("before.parquet")) as before:
        assert file.form == "par3"
        for name in COPIED:
            column = "list.list.element" if name == "list" else name
            pages = file.pages(column, copies=True)
            assert pages.num_rows and pages.equals(before.pages(column, copies=True))
        assert file.read(engine="parquetext").equals(TABLE)
        assert not file.findings


def test_restore_and_strip_give_the_same_bytes_back(implementation, path, tmp_path):
    before = tmp_path / "before.parquet"
    edits.restore(path)
    assert path.read_bytes() == before.read_bytes()
    edits.strip(path)
    edits.strip(before)
    assert path.read_bytes() == before.read_bytes()
    assert not copies(path)


def test_every_byte_belongs_to_something(path, tmp_path):
    layout, before = parquetext.layout(path), parquetext.layout(tmp_path / "before.parquet")
    check_tiling(layout)
    assert layout.findings == []
    assert bytes_of(layout)["original-rest"] == bytes_of(before)["original-rest"] > 0
    assert "gap" not in bytes_of(layout)


def test_the_original_is_checked(path, tmp_path):
    report = verify(path, deep=True)
    assert (report.findings, report.gaps) == ([], [])
    assert inspect(path).original_bytes == inspect(tmp_path / "before.parquet").original_bytes > 0
    [rest] = [row for row in parquetext.layout(path).parts.to_pylist() if row["kind"] == "original-rest"]
    whole = bytearray(path.read_bytes())
    whole[rest["offset"] + 5] ^= 1
    path.write_bytes(whole)
    assert verify(path).ok
    assert {finding.kind for finding in verify(path, pages=True).findings} == {"original-lost"}
