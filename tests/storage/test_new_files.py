"""New files: named when complete, flushed, with the attributes of the old file; power cuts included."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest
from support.powercut import Recording, states
from support.systems import needs

from parquetext import systems
from parquetext.errors import Conflict, Malformed, ParquetextError
from parquetext.storage import TailEdit, create
from parquetext.storage.new_file import NewFile

WRITTEN = bytes(range(256)) * 40 + b"the end"
EDITS = {"as it is": None, "longer": TailEdit(10_240, b"another end" * 900), "shorter": TailEdit(10_000, b".")}


class RecordingSink(Recording):
    """Also records, before the next operation on a file, the bytes that its sink wrote directly."""

    def _catch_up(self, file: int) -> None:
        inode, content = self._of(file), systems.pread(file, 1 << 20, 0)
        written = any(entry.what == "write" and entry.inode == inode for entry in self.entries)
        if content and not written:
            self._written(file, content, 0)

    def write(self, file, data, offset):
        self._catch_up(file)
        super().write(file, data, offset)

    def fsync(self, file):
        self._catch_up(file)
        super().fsync(file)


def write(path: Path, edit: TailEdit | None, operations=None) -> None:
    new = NewFile(str(path), **({"operations": operations} if operations else {}))
    new.sink.write(WRITTEN)
    new.hold()
    with new.written() as source:
        assert source.size == len(WRITTEN) and source.read_tail(7)[1] == b"the end"
    new.commit(edit)


def content(edit: TailEdit | None) -> bytes:
    return WRITTEN if edit is None else WRITTEN[: edit.keep] + edit.tail


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("old", [None, b"old"], ids=["new", "existing"])
def test_a_power_cut_at_any_moment_leaves_the_old_or_the_whole_file(tmp_path, edit, old):
    if old:
        (tmp_path / "x").write_bytes(old)
    recording = RecordingSink(tmp_path)
    write(tmp_path / "x", edit, recording)
    assert {dict(state).get("x") for state in states(recording)} == {old, content(edit)}
    assert {dict(state).get("x") for state in states(recording, flushes=False)} > {old, content(edit)}
    assert os.listdir(tmp_path) == ["x"]


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_stream_gets_the_same_bytes(edit):
    sink = io.BytesIO()
    new = create(sink)
    new.sink.write(WRITTEN[:10_000])
    new.hold()
    new.sink.write(WRITTEN[10_000:])
    with new.written() as source:
        assert source.size == len(WRITTEN) and source.read_tail(7)[1] == b"the end"
        with pytest.raises(Malformed):
            source.read(9_999, 2)
    assert sink.getvalue() == WRITTEN[:10_000]
    new.commit(edit)
    assert sink.getvalue() == content(edit)


def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "x", None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


@needs("fchmod")
def test_a_replaced_file_keeps_its_mode_and_links(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o604)
    link.symlink_to(path)
    with path.open("rb") as reader:
        write(link, None)
        assert reader.read() == b"old"
    assert link.is_symlink() and path.read_bytes() == WRITTEN
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_the_error_names_an_impossible_path(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"'{tmp_path}/absent/x'"):
        create(tmp_path / "absent" / "x")
    with pytest.raises(IsADirectoryError):
        create(tmp_path)
    with pytest.raises(ParquetextError, match="not a regular file"):
        create("/dev/null")


@pytest.mark.skipif(systems.user() == 0, reason="root may write anything")
def test_a_file_that_may_not_be_written_is_left_alone(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(0o444)
    with pytest.raises(PermissionError):
        create(tmp_path / "x")


def test_one_writer_at_a_time(tmp_path):
    first = create(tmp_path / "x")
    with pytest.raises(Conflict):
        create(tmp_path / "x")
    first.abort()
    first.abort()
    assert os.listdir(tmp_path) == []
    write(tmp_path / "x", None)


def test_a_removed_new_file_is_an_error(tmp_path):
    new = create(tmp_path / "x")
    new.sink.write(WRITTEN)
    [hidden] = tmp_path.iterdir()
    hidden.unlink()
    hidden.write_bytes(b"theirs")
    with pytest.raises(Conflict, match="removed"):
        new.commit()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"theirs"]


def test_a_commit_that_fails_leaves_nothing(tmp_path, monkeypatch):
    new = create(tmp_path / "x")
    new.sink.write(WRITTEN)

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(new._operations, "fsync", full, raising=False)
    with pytest.raises(OSError, match="no space left"):
        new.commit()
    assert os.listdir(tmp_path) == []
