"""Commits on an object store: whole objects, and only in the place of what was read."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace

import fsspec
import pyarrow.fs as pafs
import pytest
from support.objects import BUCKET, get, names, put, s3_server

from parquetext.errors import Conflict, Malformed, Refused
from parquetext.storage import RemoteTarget, TailEdit, change, create, open_source, recover, remote

PATH = f"{BUCKET}/folder/x.bin"
OLD = bytes(range(256)) * 5000 + b"the old tail"
EDIT = TailEdit(1_280_000, b"a new tail")
NEW = OLD[:EDIT.keep] + EDIT.tail


@pytest.fixture(scope="module")
def server():
    with s3_server() as filesystem:
        yield filesystem


@pytest.fixture(autouse=True)
def without_boto3(monkeypatch):
    """As for stores that boto3 does not speak to."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def s3(server):
    put(server, PATH, OLD)
    yield server
    server.delete_dir_contents(BUCKET)


def test_an_object_is_read_in_ranges(s3):
    with open_source((s3, PATH)) as source:
        assert source.size == len(OLD)
        assert source.read(250, 10) == OLD[250:260]
        assert source.read_tail(8) == (len(OLD) - 8, OLD[-8:])
        assert (source.requests, source.bytes_read) == (2, 18)
        assert source.version.identity[0], "the server tells an ETag"
        assert source.version.modified == s3.get_file_info(PATH).mtime_ns // 10**9 * 10**9
        with pytest.raises(Malformed):
            source.read(len(OLD), 1)


def test_what_is_not_there_cannot_be_opened(s3):
    with pytest.raises(FileNotFoundError):
        open_source((s3, f"{BUCKET}/absent"))


def test_a_commit_puts_the_new_object_under_the_same_name(s3):
    with change((s3, PATH)) as changing:
        changing.commit(EDIT)
    assert get(s3, PATH) == NEW
    assert names(s3, BUCKET) == ["folder/x.bin"]


def test_what_only_files_can_is_refused(s3):
    for option in ("in_place", "keep_mtime"):
        with pytest.raises(Refused, match="objects cannot be"), change((s3, PATH), **{option: True}):
            pass
    assert recover((s3, PATH)) is None


@pytest.mark.parametrize("theirs", [OLD + b"more", OLD[:-1] + b"?", None], ids=["other size", "same size", "removed"])
def test_an_object_that_changed_after_it_was_read_is_left_alone(s3, theirs):
    with change((s3, PATH)) as changing:
        if theirs is None:
            s3.delete_file(PATH)
        else:
            put(s3, PATH, theirs)
        with pytest.raises((Conflict, OSError)):
            changing.commit(EDIT)
    assert names(s3, BUCKET) == ([] if theirs is None else ["folder/x.bin"])
    assert theirs is None or get(s3, PATH) == theirs


def test_a_race_lost_during_the_upload_leaves_the_winners_object(s3, monkeypatch):
    upload = remote._upload

    def overtaken(*arguments):
        upload(*arguments)
        put(s3, PATH, b"the winner's")

    monkeypatch.setattr(remote, "_upload", overtaken)
    with change((s3, PATH)) as changing, pytest.raises(Conflict, match="changed by somebody else"):
        changing.commit(EDIT)
    assert get(s3, PATH) == b"the winner's"
    assert names(s3, BUCKET) == ["folder/x.bin"]


def test_an_upload_that_fails_half_way_leaves_the_old_object(s3, monkeypatch):
    monkeypatch.setattr(remote, "_PIECE_BYTES", 100_000)
    with change((s3, PATH)) as changing:
        read = changing.source._read

        def failing(offset, length):
            if offset > 500_000:
                raise OSError("the network is gone")
            return read(offset, length)

        monkeypatch.setattr(type(changing.source), "_read", lambda source, *range: failing(*range))
        with pytest.raises(OSError, match="network is gone"):
            changing.commit(EDIT)
    monkeypatch.undo()
    assert get(s3, PATH) == OLD
    assert names(s3, BUCKET) == ["folder/x.bin"]


class _Copyless(pafs.FSSpecHandler):
    """As pyarrow's HDFS: files are moved, never copied, and never onto one another."""

    def copy_file(self, src, dest):
        raise NotImplementedError("copy")

    def move(self, src, dest):
        if self.fs.exists(dest):
            raise OSError(f"{dest} exists")
        super().move(src, dest)


@pytest.fixture
def copyless():
    memory = fsspec.filesystem("memory", skip_instance_cache=True)
    memory.store.clear()
    yield pafs.PyFileSystem(_Copyless(memory))
    memory.store.clear()


@pytest.mark.parametrize("exists", [False, True])
def test_where_the_store_cannot_copy_a_new_file_is_moved_to_its_name(copyless, exists):
    if exists:
        put(copyless, "/x", b"old")
    new = create(RemoteTarget(copyless, "/x"))
    new.sink.write(b"new")
    new.commit()
    assert get(copyless, "/x") == b"new"
    assert names(copyless, "/") == ["x"]


def test_where_the_store_cannot_copy_no_change_is_made(copyless):
    put(copyless, "/x", OLD)
    with change(RemoteTarget(copyless, "/x")) as changing, pytest.raises(Refused, match="cannot put a file"):
        changing.commit(EDIT)
    assert get(copyless, "/x") == OLD
    assert names(copyless, "/") == ["x"]


def test_libhdfs_is_refused_before_anything_is_uploaded():
    target = RemoteTarget(SimpleNamespace(type_name="hdfs"), "/x")
    with pytest.raises(Refused, match="hdfs-native can"), change(target):
        pass
