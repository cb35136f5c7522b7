"""Commits on a local disk: preserved attributes, refusals, and concurrent commits."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from support.systems import needs

from parquetext import systems
from parquetext.errors import Conflict, ParquetextError, Refused
from parquetext.storage import TailEdit, change, recover
from parquetext.storage.folder import JOURNAL, NEW, beside
from parquetext.storage.operations import Operations

OLD = b"head" * 1000 + b"the old tail"
EDIT = TailEdit(4000, b"a new and longer tail")
NEW_CONTENT = OLD[:4000] + EDIT.tail


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "x.bin"
    file.write_bytes(OLD)
    return file


def commit(path, edit: TailEdit = EDIT, **options) -> None:
    with change(path, **options) as changing:
        changing.commit(edit)


@pytest.fixture(params=[False, True], ids=["replace", "in-place"])
def in_place(request) -> bool:
    return request.param


@pytest.mark.parametrize(
    "edit",
    [
        EDIT,
        TailEdit(4000, b""),
        TailEdit(0, b"all new"),
        TailEdit(len(OLD), b"more"),
        TailEdit(3, b"x" * 9999),
    ],
)
def test_a_commit_keeps_the_head_and_replaces_the_tail(path, edit, in_place):
    commit(path, edit, in_place=in_place)
    assert path.read_bytes() == OLD[: edit.keep] + edit.tail
    assert os.listdir(path.parent) == ["x.bin"]


def test_only_a_change_in_place_keeps_the_inode(path, in_place):
    before = path.stat().st_ino
    commit(path, in_place=in_place)
    assert (path.stat().st_ino == before) is in_place


def test_more_than_there_is_cannot_be_kept(path, in_place):
    with pytest.raises(ParquetextError, match="cannot keep"):
        commit(path, TailEdit(len(OLD) + 1, b""), in_place=in_place)


@needs("setxattr")
def test_mode_owner_and_attributes_are_kept(path, in_place):
    os.chmod(path, 0o640)
    os.setxattr(path, "user.origin", b"a\0b")
    if systems.user() == 0:
        os.chown(path, 1234, 4321)
    before = path.stat()
    commit(path, in_place=in_place)
    after = path.stat()
    assert stat.S_IMODE(after.st_mode) == 0o640
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert os.getxattr(path, "user.origin") == b"a\0b"


@needs("setxattr")
def test_an_access_control_list_is_kept_and_none_is_inherited(path):
    acl = bytes.fromhex("02000000 01000600ffffffff 02000400e8030000 04000400ffffffff 10000400ffffffff 20000000ffffffff")
    try:
        os.setxattr(path, "system.posix_acl_access", acl)
    except OSError:
        pytest.skip("this filesystem has no access control lists")
    plain = path.parent / "plain.bin"
    plain.write_bytes(OLD)
    os.setxattr(path.parent, "system.posix_acl_default", acl)
    commit(path)
    commit(plain)
    assert os.getxattr(path, "system.posix_acl_access") == acl
    assert "system.posix_acl_access" not in os.listxattr(plain)


def test_times_are_kept_on_request(path, in_place):
    os.utime(path, ns=(10**18, 10**18 + 123456789))
    commit(path, in_place=in_place, keep_mtime=True)
    assert path.stat().st_mtime_ns == 10**18 + 123456789
    commit(path, TailEdit(4000, b"again"), in_place=in_place)
    assert path.stat().st_mtime_ns > 10**18 + 123456789


class Forbidding(Operations):
    """Fails to change owners and to set attributes."""

    def chown(self, file, user, group):
        raise PermissionError(1, "not the owner")

    def set_attribute(self, file, name, value):
        raise PermissionError(1, "no attributes")


@needs("setxattr")
@pytest.mark.skipif(systems.user() != 0, reason="only root can give a file away")
def test_attributes_that_cannot_be_kept_are_refused_unless_forced(path):
    os.chown(path, 1234, 4321)
    os.setxattr(path, "user.origin", b"a")
    with pytest.raises(Refused, match=r"owner 1234:4321, user\.origin.*ignore 'attributes'"):
        commit(path, operations=Forbidding())
    assert path.read_bytes() == OLD and os.listdir(path.parent) == ["x.bin"]
    commit(path, operations=Forbidding(), ignore="attributes")
    assert path.read_bytes() == NEW_CONTENT


def test_a_symbolic_link_is_followed_to_the_file(path, in_place):
    folder = path.parent / "links"
    folder.mkdir()
    link = folder / "link.bin"
    link.symlink_to("../x.bin")
    commit(link, in_place=in_place)
    assert link.is_symlink() and path.read_bytes() == NEW_CONTENT
    assert os.listdir(folder) == ["link.bin"]


def test_several_hard_links_are_refused_unless_forced(path, in_place):
    other = path.parent / "other.bin"
    os.link(path, other)
    with pytest.raises(Refused, match="2 hard links"):
        commit(path, in_place=in_place)
    assert path.read_bytes() == OLD
    commit(path, in_place=in_place, ignore=["hard-links"])
    assert path.read_bytes() == NEW_CONTENT
    assert other.read_bytes() == (NEW_CONTENT if in_place else OLD)


def test_an_unknown_waiver_is_an_error(path):
    with pytest.raises(ParquetextError, match="no such refusal"):
        commit(path, ignore={"everything"})


@pytest.mark.parametrize(
    "meddle",
    [
        lambda path: path.write_bytes(OLD + b"more"),
        lambda path: (path.with_suffix(".other").write_bytes(OLD), path.with_suffix(".other").rename(path)),
        lambda path: os.utime(path, ns=(1, 1)),
        lambda path: path.unlink(),
    ],
    ids=["written", "replaced", "touched", "removed"],
)
def test_a_concurrently_changed_file_is_not_overwritten(path, in_place, meddle):
    with change(path, in_place=in_place) as changing:
        meddle(path)
        theirs = path.read_bytes() if path.exists() else None
        with pytest.raises(Conflict, match="in the meantime"):
            changing.commit(EDIT)
    assert (path.read_bytes() if path.exists() else None) == theirs
    assert [name for name in os.listdir(path.parent) if name.startswith(".")] == []


def test_the_second_writer_gets_a_conflict_at_once_or_waits(path, in_place):
    with change(path, in_place=in_place) as first:
        with pytest.raises(Conflict, match="another process is changing it"):
            commit(path)
        with pytest.raises(Conflict):
            recover(path)
        waiting = threading.Thread(target=commit, args=(path, TailEdit(4000, b"second")), kwargs={"timeout": 60})
        waiting.start()
        first.commit(EDIT)
        assert path.read_bytes() == NEW_CONTENT
    waiting.join()
    assert path.read_bytes() == OLD[:4000] + b"second"


class Failing(Operations):
    """Fails once, at the n-th operation."""

    def __init__(self, at: int):
        self.left = at

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name.startswith("_") or name == "left":
            return found
        if self.left == 0:
            self.left = -1
            raise OSError(28, f"no space: {name}")
        self.left -= 1
        return found


def test_a_failure_at_any_operation_leaves_the_old_file_or_the_new_one_and_no_litter(path, in_place):
    outcomes = set()
    for at in range(100):
        path.write_bytes(OLD)
        failing = Failing(at)
        try:
            commit(path, operations=failing, in_place=in_place)
        except OSError as error:
            assert error.errno == 28
        else:
            break
        recover(path)
        outcomes.add(path.read_bytes())
        assert os.listdir(path.parent) == ["x.bin"]
    assert at > 5
    assert OLD in outcomes and outcomes <= {OLD, NEW_CONTENT}


def test_leftovers_of_a_killed_process_are_removed_by_the_next_change(path, in_place):
    stale = Path(beside(str(path), NEW))
    stale.write_bytes(b"half a file")
    commit(path, in_place=in_place)
    assert not stale.exists() and path.read_bytes() == NEW_CONTENT


def test_a_name_too_long_for_a_companion_gets_one_by_its_hash(tmp_path, in_place):
    path = tmp_path / ("x" * 250)
    path.write_bytes(OLD)
    commit(path, in_place=in_place)
    assert path.read_bytes() == NEW_CONTENT
    assert len(os.path.basename(beside(str(path), JOURNAL))) < 255


@needs("copy_file_range")
def test_a_kernel_without_copies_is_served_by_reading_and_writing(path, monkeypatch):
    def unable(*arguments):
        raise OSError(18, "cross-device link")

    monkeypatch.setattr(os, "copy_file_range", unable)
    commit(path)
    assert path.read_bytes() == NEW_CONTENT
