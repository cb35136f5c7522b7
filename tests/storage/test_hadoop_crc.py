"""Hadoop's checksum file follows every change of its file, and damage that it reveals stays visible."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from support.hadoop import checksummed, crc_of, reads, write_checksummed
from support.killing import Killed, Killing
from support.powercut import Recording, put, states
from support.systems import needs

from parquetext.errors import Conflict, Refused
from parquetext.storage import LocalSource, TailEdit, change, recover
from parquetext.storage.hadoop_crc import Checksums
from parquetext.storage.new_file import NewFile
from parquetext.storage.operations import Operations

NOBODY = 65534
HEAD = random.Random(1).randbytes(5000)
OLD = HEAD + b"old" * 700
EDITS = {
    "longer": TailEdit(len(HEAD), b"longer" * 500),
    "shorter": TailEdit(len(HEAD), b"short"),
    "as long": TailEdit(len(HEAD), b"new" * 700),
    "whole chunks": TailEdit(9 * 512, b"x" * 1024),
    "from the start": TailEdit(0, b"all of it"),
    "appended": TailEdit(len(OLD), b"appended"),
    "cut": TailEdit(512, b""),
}
WAYS = pytest.mark.parametrize("in_place", [False, True], ids=["replaced", "in place"])


def new_content(edit: TailEdit) -> bytes:
    return OLD[: edit.keep] + edit.tail


@pytest.fixture(params=EDITS)
def edit(request) -> TailEdit:
    return EDITS[request.param]


@pytest.fixture
def path(tmp_path) -> Path:
    return write_checksummed(tmp_path / "x.bin", OLD)


def commit(path: Path, edit: TailEdit, **options) -> str:
    with change(path, **options) as changing:
        changing.commit(edit)
    return changing.note


def names(path: Path) -> list[str]:
    return sorted(os.listdir(path.parent))


@WAYS
@pytest.mark.parametrize("chunk", [512, 1, 4096, 1 << 21])
def test_the_checksums_are_those_of_the_changed_file(path, edit, in_place, chunk):
    crc_of(path).write_bytes(checksummed(OLD, chunk))
    assert commit(path, edit, in_place=in_place) == ""
    assert path.read_bytes() == new_content(edit)
    assert crc_of(path).read_bytes() == checksummed(new_content(edit), chunk)
    assert names(path) == [".x.bin.crc", "x.bin"]


@WAYS
def test_a_file_without_checksums_gets_none(path, in_place):
    crc_of(path).unlink()
    commit(path, EDITS["longer"], in_place=in_place)
    assert names(path) == ["x.bin"]


@WAYS
@pytest.mark.parametrize("at", [100, 4000])
def test_damage_in_front_of_the_change_stays_visible(path, in_place, at):
    damaged = bytearray(OLD)
    damaged[at] ^= 1
    path.write_bytes(damaged)
    assert commit(path, EDITS["longer"], in_place=in_place) == ""
    before, now = checksummed(OLD), crc_of(path).read_bytes()
    assert now[: 8 + 4 * (len(HEAD) // 512)] == before[: 8 + 4 * (len(HEAD) // 512)]
    assert not reads(path)
    repaired = bytearray(path.read_bytes())
    repaired[at] ^= 1
    path.write_bytes(repaired)
    assert reads(path)


MISFITS = {
    "too few": lambda data: checksummed(data)[:-4],
    "no checksum file": lambda data: b"something else",
    "empty": lambda data: b"",
    "no chunk size": lambda data: b"crc\0\0\0\0\0" + checksummed(data)[8:],
    "another magic": lambda data: b"CRC\0" + checksummed(data)[4:],
    "chunk of the change": lambda data: checksummed(data[:4999] + b"?" + data[5000:]),
    "tail": lambda data: checksummed(data[:-1] + b"?"),
    "no sums": lambda data: checksummed(b""),
}


@WAYS
@pytest.mark.parametrize("misfit", MISFITS)
def test_a_mismatching_checksum_file_is_kept_and_reported(path, in_place, misfit):
    wrong = MISFITS[misfit](OLD)
    crc_of(path).write_bytes(wrong)
    assert ".x.bin.crc does not fit" in commit(path, EDITS["longer"], in_place=in_place)
    assert path.read_bytes() == new_content(EDITS["longer"])
    assert crc_of(path).read_bytes() == wrong


@WAYS
@pytest.mark.parametrize("more", [b"?", b"more", b"more than that"], ids=len)
def test_checksums_of_more_than_the_file_are_renewed_for_hadoop_reads_past_them(path, in_place, more):
    crc_of(path).write_bytes(checksummed(OLD) + more)
    assert commit(path, EDITS["longer"], in_place=in_place) == ""
    assert crc_of(path).read_bytes() == checksummed(new_content(EDITS["longer"]))


def test_nothing_in_front_of_the_change_is_read(path, monkeypatch):
    path.write_bytes(HEAD * 100 + b"old")
    crc_of(path).write_bytes(checksummed(path.read_bytes()))
    edit = TailEdit(len(HEAD) * 100, b"new")
    read = LocalSource._read
    asked = []
    monkeypatch.setattr(
        LocalSource,
        "_read",
        lambda self, offset, length: (self.name.endswith("x.bin") and asked.append(offset), read(self, offset, length))[
            1
        ],
    )
    commit(path, edit)
    assert asked and min(asked) >= edit.keep // 512 * 512
    assert reads(path)


@needs("fchmod")
@WAYS
def test_mode_owner_and_attributes_of_the_checksum_file_stay(path, in_place):
    crc_of(path).chmod(0o640)
    commit(path, EDITS["longer"], in_place=in_place)
    assert crc_of(path).stat().st_mode & 0o777 == 0o640


class Failing(Operations):
    """Fails like a system call for one operation on one name."""

    def __init__(self, call: str, end: str, error: type[OSError] = PermissionError):
        self.call, self.end, self.error = call, end, error

    def _fail(self, call: str, path: str) -> None:
        if call == self.call and path.endswith(self.end):
            raise self.error(1, "may not", path)

    def create(self, path, mode=0o600, folder=None):
        self._fail("create", path)
        return super().create(path, mode, folder)

    def rename(self, old, new, folder=None):
        self._fail("rename", old)
        super().rename(old, new, folder)


@WAYS
@pytest.mark.parametrize("call", [("create", "checksums-new"), ("rename", ".x.bin.crc")], ids=" ".join)
def test_one_that_cannot_be_renewed_refuses_the_change_before_anything_is_done(path, in_place, call):
    with pytest.raises(Refused, match=r"\.x\.bin\.crc cannot be renewed .*Hadoop would not read"):
        commit(path, EDITS["longer"], in_place=in_place, operations=Failing(*call))
    assert path.read_bytes() == OLD and reads(path)
    assert names(path) == [".x.bin.crc", "x.bin"]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda crc: crc.symlink_to("elsewhere"), id="link", marks=needs("O_NOFOLLOW")),
        pytest.param(os.mkdir, id="folder"),
        pytest.param(lambda crc: os.mkfifo(crc), id="pipe", marks=needs("mkfifo")),
    ],
)
def test_one_that_is_no_file_refuses_the_change(path, make):
    crc_of(path).rename(path.with_name("elsewhere"))
    make(crc_of(path))
    with pytest.raises(Refused, match="which Hadoop checks the file by, is not a regular file"):
        commit(path, EDITS["longer"])
    assert path.read_bytes() == OLD


@pytest.fixture
def as_nobody():
    """A folder that any user may write to, and a function that runs a block as an unprivileged user."""
    if not hasattr(os, "chown") or os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)

    @contextlib.contextmanager
    def running():
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(0)

    yield folder, running
    shutil.rmtree(folder)


@WAYS
@pytest.mark.parametrize("mode", [0o644, 0o600], ids=["readable", "unreadable"])
def test_a_foreign_checksum_file_in_a_sticky_folder_refuses_the_change(as_nobody, in_place, mode):
    folder, running = as_nobody
    path = folder / "x.bin"
    path.write_bytes(OLD)
    os.chown(path, NOBODY, NOBODY)
    crc_of(path).write_bytes(checksummed(OLD))
    crc_of(path).chmod(mode)
    with running(), pytest.raises(Refused, match=r"\.x\.bin\.crc"):
        commit(path, EDITS["longer"], in_place=in_place)
    assert path.read_bytes() == OLD and reads(path)
    assert names(path) == [".x.bin.crc", "x.bin"]
    os.chown(crc_of(path), NOBODY, NOBODY)
    with running():
        commit(path, EDITS["longer"], in_place=in_place)
    assert path.read_bytes() == new_content(EDITS["longer"]) and reads(path)


@WAYS
def test_a_change_that_fails_leaves_file_and_checksums(path, in_place):
    class Full(Operations):
        def write(self, file, data, offset):
            if bytes(data).endswith(b"longer"):
                raise OSError(28, "no space left")
            super().write(file, data, offset)

    with pytest.raises(OSError, match="no space left"):
        commit(path, EDITS["longer"], in_place=in_place, operations=Full())
    assert path.read_bytes() == OLD and crc_of(path).read_bytes() == checksummed(OLD)
    assert names(path) == [".x.bin.crc", "x.bin"]


def test_a_conflict_keeps_the_other_writers_file(path):
    theirs = OLD + b"theirs"
    with change(path) as changing:
        path.write_bytes(theirs)
        crc_of(path).write_bytes(checksummed(theirs))
        with pytest.raises(Conflict):
            changing.commit(EDITS["longer"])
    assert path.read_bytes() == theirs and reads(path)


def killed_at(folder: Path, count: int, edit: TailEdit, in_place: bool) -> tuple[Path, bool]:
    """Return a copy of the file whose change was killed at an operation, and whether it was killed."""
    folder.mkdir()
    path = folder / "x.bin"
    path.write_bytes(OLD)
    crc_of(path).write_bytes(checksummed(OLD))
    try:
        commit(path, edit, in_place=in_place, operations=Killing(count))
    except Killed:
        return path, True
    return path, False


@WAYS
def test_a_kill_anywhere_leaves_a_readable_file_and_recover_restores_checksums(tmp_path, edit, in_place):
    outcomes, states_seen = set(), set()
    for count in itertools.count():
        path, died = killed_at(tmp_path / str(count), count, edit, in_place)
        now = path.read_bytes()
        if now in (OLD, new_content(edit)):
            assert reads(path), f"killed at operation {count}: {names(path)}"
            states_seen.add(crc_of(path).exists())
        else:
            assert in_place and not crc_of(path).exists()
        recover(path)
        outcomes.add(path.read_bytes())
        assert names(path) == [".x.bin.crc", "x.bin"], f"killed at operation {count}"
        assert crc_of(path).read_bytes() == checksummed(path.read_bytes())
        if not died:
            break
    assert count > 10 and outcomes == {OLD, new_content(edit)} and states_seen == {True, False}


@WAYS
def test_the_next_change_after_a_kill_settles_too(tmp_path, in_place):
    for count in itertools.count():
        path, died = killed_at(tmp_path / str(count), count, EDITS["longer"], in_place)
        with change(path) as changing:
            if changing.source.size == len(OLD):
                changing.commit(EDITS["longer"])
        assert path.read_bytes() == new_content(EDITS["longer"]) and reads(path)
        assert names(path) == [".x.bin.crc", "x.bin"]
        if not died:
            break


@WAYS
@pytest.mark.parametrize("name", ["longer", "as long", "shorter"])
def test_a_power_cut_at_any_moment_leaves_a_readable_file(path, in_place, name):
    edit, recording = EDITS[name], Recording(path.parent)
    commit(path, edit, in_place=in_place, operations=recording)
    for state in states(recording, after=True):
        put(state, path.parent)
        assert reads(path) or path.read_bytes() not in (OLD, new_content(edit))
        recover(path)
        assert path.read_bytes() in (OLD, new_content(edit))
        assert reads(path) and set(names(path)) <= {".x.bin.crc", "x.bin"}


def test_checksums_left_next_to_a_rewritten_file_are_removed(path):
    killed, _ = killed_at(path.parent / "k", 7, EDITS["longer"], in_place=False)
    assert len(names(killed)) > 2
    killed.write_bytes(b"anew")
    crc_of(killed).unlink(missing_ok=True)
    recover(killed)
    assert names(killed) == ["x.bin"]


def test_checksums_left_next_to_a_deleted_file_are_removed(path):
    killed, _ = killed_at(path.parent / "k", 7, EDITS["longer"], in_place=False)
    killed.unlink()
    crc_of(killed).unlink(missing_ok=True)
    recover(killed)
    assert names(killed) == []


def test_foreign_files_under_our_names_are_not_used(path):
    forged = checksummed(OLD[:600] + b"?" + OLD[601:])
    path.with_name("theirs").write_bytes(forged)
    os.link(path.with_name("theirs"), path.with_name(".x.bin.parquetext-checksums-new"))
    crc_of(path).unlink()
    assert recover(path) is None
    assert not crc_of(path).exists()


class TestWriting:
    def write(self, path: Path, content: bytes) -> None:
        new = NewFile(str(path))
        new.sink.write(content)
        new.commit()

    def test_an_overwritten_file_gets_new_checksums(self, path):
        for content in (b"anew" * 1000, b""):
            self.write(path, content)
            assert path.read_bytes() == content
            assert crc_of(path).read_bytes() == checksummed(content)
            assert names(path) == [".x.bin.crc", "x.bin"]

    def test_a_stale_checksum_file_without_a_file_is_renewed(self, path):
        path.unlink()
        self.write(path, b"anew")
        assert crc_of(path).read_bytes() == checksummed(b"anew")

    def test_a_new_file_gets_none(self, path):
        self.write(path.with_name("y.bin"), b"anew")
        assert names(path) == [".x.bin.crc", "x.bin", "y.bin"]

    def test_remains_of_a_kill_are_no_obstacle(self, path):
        path.with_name(".x.bin.parquetext-checksums-new").write_bytes(b"half")
        self.write(path, b"anew")
        assert names(path) == [".x.bin.crc", "x.bin"] and reads(path)


def test_a_name_that_is_too_long_for_checksums_is_changed(tmp_path):
    path = tmp_path / ("n" * 252)
    path.write_bytes(OLD)
    commit(path, EDITS["longer"])
    assert path.read_bytes() == new_content(EDITS["longer"])


def test_sums_are_taken_over_without_a_look(path):
    with LocalSource(str(path)) as source:
        sums = Checksums.read(LocalSource(str(crc_of(path))))
        sums.sums[3] ^= 1
        after = sums.after(source, EDITS["longer"])
    assert after.sums[3] == sums.sums[3]
