"""Upgrade and strip: bytes that they add, bytes that they leave, and that they undo each other."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.journals import leave_journal
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer

from parquetext import edits, extension, sidecar, wire
from parquetext.errors import Malformed, ParquetextError
from parquetext.storage import TailEdit, operations

FOREIGN = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")
ORIGINAL = parquet_bytes()

pytestmark = pytest.mark.usefixtures("implementation")


def kinds(path: Path) -> list[UUID]:
    return [block.uuid for block in extension.blocks(footer_of(path))]


@pytest.mark.parametrize("in_place", [False, True], ids=["replace", "in-place"])
@pytest.mark.parametrize("placement", extension.PLACEMENTS)
@pytest.mark.parametrize("marker", extension.MARKERS)
def test_upgrade_adds_a_block_that_pyarrow_skips_and_strip_gives_the_original_back(path, marker, placement, in_place):
    done = edits.upgrade(path, marker=marker, placement=placement, in_place=in_place, form="flat")
    upgraded = path.read_bytes()
    assert done.outcome == "upgraded"
    assert (done.form_before, done.form_after) == ("thrift", "flat")
    assert (done.bytes_before, done.bytes_after) == (len(ORIGINAL), len(upgraded))
    assert kinds(path) == [wire.UUID_FLAT_FOOTER]
    assert pq.read_table(path).equals(TABLE)
    common = len(ORIGINAL) - 9
    assert upgraded[:common] == ORIGINAL[:common]
    header = common + (placement == "after-stop")
    assert upgraded[header : header + 4] == extension.MARKERS[marker]

    undone = edits.strip(path, in_place=in_place)
    assert undone.outcome == "stripped"
    assert (undone.form_before, undone.form_after) == ("flat", "thrift")
    assert path.read_bytes() == ORIGINAL


def test_the_second_time_nothing_changes(path):
    edits.upgrade(path, form="flat")
    before, content = path.stat(), path.read_bytes()
    again = edits.upgrade(path, form="flat")
    assert (again.outcome, again.form_before, again.form_after) == ("unchanged", "flat", "flat")
    assert again.bytes_written == 0
    assert path.read_bytes() == content
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    edits.strip(path)
    assert edits.strip(path).outcome == "unchanged"


def test_only_the_footer_is_read_and_only_the_tail_written_in_place(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_bytes(TABLE.take(list(range(300)) * 40), row_group_size=6000))
    footer, size = len(footer_of(path)), path.stat().st_size
    done = edits.upgrade(path, dry_run=True, form="flat")
    assert done.bytes_read <= footer + 4096 < size
    done = edits.upgrade(path, in_place=True, form="flat", placement="in-struct")
    assert done.bytes_written == path.stat().st_size - size + 2 * 9


@pytest.mark.parametrize(("before", "after"), [("flat", "packed"), ("packed", "flat"), ("packed", "index")])
def test_forms_are_replaced_by_one_change_of_the_tail(tmp_path, before, after):
    path = tmp_path / "x.parquet"
    data = pa.array([os.urandom(1 << 20)])
    pq.write_table(pa.table({"data": data, "n": [1]}), path, write_statistics=["n"], compression="none")
    original = path.read_bytes()
    edits.upgrade(path, form=before)
    done = edits.upgrade(path, in_place=True, form=after)
    data_bytes = len(original) - len(footer_of(path)) - 8
    tails = done.bytes_before + done.bytes_after - 2 * data_bytes
    assert 0 < done.bytes_written <= tails and done.bytes_read < data_bytes // 5
    assert path.read_bytes()[:data_bytes] == original[:data_bytes]
    edits.strip(path)
    assert path.read_bytes() == original


def test_a_dry_run_reports_the_changes(path):
    done = edits.upgrade(path, dry_run=True, form="flat")
    assert (done.outcome, done.bytes_written, path.read_bytes()) == ("would-upgrade", 0, ORIGINAL)
    size = done.bytes_after
    edits.upgrade(path, form="flat")
    upgraded = path.read_bytes()
    assert len(upgraded) == size
    assert edits.upgrade(path, dry_run=True, form="flat").outcome == "unchanged"
    assert edits.strip(path, dry_run=True).outcome == "would-strip"
    assert path.read_bytes() == upgraded


@pytest.mark.parametrize("payload", [b"", b"an older layout" * 100])
def test_an_outdated_block_of_ours_is_replaced(path, payload):
    edits.upgrade(path, form="flat")
    upgraded = path.read_bytes()
    old = extension.append_block(footer_of(ORIGINAL), wire.UUID_FLAT_FOOTER, payload)
    path.write_bytes(with_footer(ORIGINAL, old))
    assert edits.upgrade(path, form="flat").outcome == "upgraded"
    assert path.read_bytes() == upgraded


@pytest.mark.parametrize("from_end", [9 + 28 + 40, 9 + 28], ids=["payload", "checksum"])
def test_a_damaged_block_of_ours_is_replaced_and_stripped(path, from_end):
    edits.upgrade(path, form="flat", placement="in-struct")
    upgraded = path.read_bytes()
    damaged = bytearray(upgraded)
    damaged[-from_end] ^= 1
    path.write_bytes(damaged)
    assert edits.upgrade(path, form="flat", placement="in-struct").outcome == "upgraded"
    assert path.read_bytes() == upgraded
    path.write_bytes(damaged)
    assert edits.strip(path).outcome == "stripped"
    assert path.read_bytes() == ORIGINAL


def test_foreign_blocks_stay(path):
    theirs = with_footer(ORIGINAL, extension.append_block(footer_of(ORIGINAL), FOREIGN, b"theirs", marker="thrift"))
    path.write_bytes(theirs)
    edits.upgrade(path, placement="after-stop", form="flat")
    assert kinds(path) == [FOREIGN, wire.UUID_FLAT_FOOTER]
    assert pq.read_table(path).equals(TABLE)

    upgraded = path.read_bytes()
    on_top = with_footer(upgraded, extension.append_block(footer_of(upgraded), FOREIGN, b"more of theirs"))
    path.write_bytes(on_top)
    assert edits.upgrade(path, form="flat", placement="in-struct").outcome == "unchanged"
    edits.strip(path)
    assert kinds(path) == [FOREIGN, FOREIGN]
    path.write_bytes(upgraded)
    edits.strip(path)
    assert path.read_bytes() == theirs


def test_an_extension_keeps_its_marker(path):
    edits.upgrade(path, placement="after-stop", marker="thrift", form="flat")
    before = path.read_bytes()
    assert edits.upgrade(path, placement="after-stop", form="flat").outcome == "unchanged"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"form": "par3"},
        {"marker": "none"},
        {"placement": "before"},
        {"ignore": "everything"},
    ],
)
def test_a_wrong_argument_is_an_error_before_anything_is_opened(tmp_path, wrong):
    with pytest.raises(ParquetextError):
        edits.upgrade(tmp_path / "absent.parquet", **wrong)


def test_an_interrupted_change_is_undone_first(path):
    leave_journal(path, TailEdit(len(ORIGINAL) - 9, b"new" * 5000))
    path.write_bytes(ORIGINAL + bytes(700))
    assert edits.recover(path).message == "put the old tail back"
    assert path.read_bytes() == ORIGINAL
    assert edits.recover(path).outcome == "unchanged"


def test_an_error_of_the_system_names_the_file(path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(operations.Operations, "fsync", full)
    with pytest.raises(OSError, match="No space left") as raised:
        edits.upgrade(path, form="flat")
    assert raised.value.filename == str(path) and path.read_bytes() == ORIGINAL


@pytest.mark.parametrize(
    "verb",
    [
        lambda path: edits.upgrade(path, "flat"),
        lambda path: edits.upgrade(path, "index"),
        lambda path: edits.upgrade(path),
        lambda path: edits.upgrade(path, form="arrow"),
        lambda path: edits.finalize(path, confirm=True),
        lambda path: edits.encode(path, {"aa": "plain"}),
        sidecar.build,
    ],
    ids=["flat", "index", "auto", "arrow", "finalize", "encode", "sidecar"],
)
def test_a_schema_whose_elements_are_no_tree_is_refused_by_every_verb(tmp_path, verb):
    sink = io.BytesIO()
    pq.write_table(pa.table({"aa": range(3), "bb": range(3)}), sink, store_schema=False)
    data = bytearray(sink.getvalue())
    at = data.index(b"schema\x15\x04", len(data) - 8 - int.from_bytes(data[-8:-4], "little"))
    data[at + 7] = 2  # the root has one child, and two elements follow
    path = tmp_path / "x.parquet"
    path.write_bytes(data)
    with pytest.raises(Malformed, match=r"schema tree does not add up: 3 elements, expected 2 \(at offset \d+\)"):
        verb(path)
    assert path.read_bytes() == data and [each.name for each in tmp_path.iterdir()] == ["x.parquet"]
