"""Commits on an object store: whole objects, and only if the object is the one that was read."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime
from types import SimpleNamespace

import fsspec
import pyarrow.fs as pafs
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from support.objects import BUCKET, get, names, put, stored

from parquetext.errors import Conflict, Malformed, Refused
from parquetext.storage import TailEdit, Target, change, create, objects, open_source, recover, resolve
from parquetext.storage.backends.fsspec import modified_of

PATH = f"{BUCKET}/folder/x.bin"
OLD = bytes(range(256)) * 5000 + b"the old tail"
EDIT = TailEdit(1_280_000, b"a new tail")
NEW = OLD[: EDIT.keep] + EDIT.tail


@pytest.fixture(autouse=True)
def without_boto3(monkeypatch):
    """Hide boto3, as for stores that it does not support."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def s3(object_server):
    with stored(object_server, PATH, OLD):
        yield object_server


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


def test_missing_objects_cannot_be_opened(s3):
    with pytest.raises(FileNotFoundError):
        open_source((s3, f"{BUCKET}/absent"))


def test_a_commit_puts_the_new_object_under_the_same_name(s3):
    with change((s3, PATH)) as changing:
        changing.commit(EDIT)
    assert get(s3, PATH) == NEW
    assert names(s3, BUCKET) == ["folder/x.bin"]


def test_options_for_files_are_refused(s3):
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
    upload = objects.Store._upload

    def overtaken(*arguments):
        upload(*arguments)
        put(s3, PATH, b"the winner's")

    monkeypatch.setattr(objects.Store, "_upload", overtaken)
    with change((s3, PATH)) as changing, pytest.raises(Conflict, match="changed by another process"):
        changing.commit(EDIT)
    assert get(s3, PATH) == b"the winner's"
    assert names(s3, BUCKET) == ["folder/x.bin"]


def test_an_upload_that_fails_half_way_leaves_the_old_object(s3, monkeypatch):
    monkeypatch.setattr(objects, "_PIECE_BYTES", 100_000)
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
    """Like pyarrow's HDFS: renames files, but cannot copy or replace them."""

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
def test_without_copies_a_new_file_is_renamed(copyless, exists):
    if exists:
        put(copyless, "/x", b"old")
    new = create(Target("/x", copyless))
    new.sink.write(b"new")
    new.commit()
    assert get(copyless, "/x") == b"new"
    assert names(copyless, "/") == ["x"]


def test_a_new_file_is_kept_if_it_cannot_replace_a_removed_one(copyless, monkeypatch):
    put(copyless, "/x", b"old")
    monkeypatch.setattr(_Copyless, "move", lambda *_: None)
    new = create(Target("/x", copyless))
    new.sink.write(b"new")
    with pytest.raises(OSError, match=r"not put the new file in its place; it is /\.x\..*new"):
        new.commit()
    assert [get(copyless, f"/{name}") for name in names(copyless, "/")] == [b"new"]


def test_without_copies_changes_are_refused(copyless):
    put(copyless, "/x", OLD)
    with change(Target("/x", copyless)) as changing, pytest.raises(Refused, match="cannot put a file"):
        changing.commit(EDIT)
    assert get(copyless, "/x") == OLD
    assert names(copyless, "/") == ["x"]


def test_libhdfs_is_refused_before_anything_is_uploaded():
    target = Target("/x", SimpleNamespace(type_name="hdfs"))
    with pytest.raises(Refused, match="hdfs-native can"), change(target):
        pass


class _Memory(MemoryFileSystem):
    """An empty filesystem, not shared."""

    cachable = False

    def __init__(self):
        super().__init__()
        self.store, self.pseudo_dirs, self.known = {}, [""], {}


class _Listed(_Memory):
    """Returns earlier file information again, like filesystems that cache lists."""

    keeps = True

    def info(self, path, **options):
        if not self.keeps or path not in self.known:
            self.known[path] = super().info(path)
        return self.known[path]

    def invalidate_cache(self, path=None):
        self.known.clear()


@pytest.mark.parametrize("keeps", [True, False], ids=["from a listing", "asked anew"])
def test_changed_files_of_fsspec_are_recognized_by_every_reported_attribute(keeps):
    files = _Listed()
    files.keeps = keeps
    files.pipe_file("/x", OLD)
    with change((files, "/x")) as changing:
        files.pipe_file("/x", OLD[::-1])
        with pytest.raises(Conflict, match="changed by another process"):
            changing.commit(EDIT)
    assert files.store["/x"].getvalue() == OLD[::-1] and len(files.store) == 1
    with change((files, "/x")) as changing:
        changing.commit(EDIT)
    assert files.store["/x"].getvalue() == OLD[::-1][: EDIT.keep] + EDIT.tail and len(files.store) == 1


class _Copying(_Memory):
    """Reports a copy that it has not made."""

    left = None

    def cp_file(self, path1, path2, **options):
        if self.left is not None:
            self.pipe_file(path2, self.left)


@pytest.mark.parametrize("left", [None, b""], ids=["nothing is done", "nothing is left"])
def test_a_copy_that_only_seems_to_be_one_is_an_error_and_loses_nothing(left):
    files = _Copying()
    files.left = left
    files.pipe_file("/x", OLD)
    with change((files, "/x")) as changing, pytest.raises(OSError, match="has not put the new file in its place"):
        changing.commit(EDIT)
    kept = {name: file.getvalue() for name, file in files.store.items() if name != "/x"}
    assert files.cat_file("/x") == (OLD if left is None else b"")
    assert list(kept.values()) == ([] if left is None else [NEW])


def test_a_new_file_that_only_seems_to_have_its_name_is_an_error():
    files = _Copying()
    files.pipe_file("/x", b"old")
    new = create((files, "/x"))
    new.sink.write(b"new")
    with pytest.raises(OSError, match="has not put the new file in its place"):
        new.commit()
    assert files.cat_file("/x") == b"old" and len(files.store) == 1


class _Failing(_Memory):
    gone = False
    find = fsspec.AbstractFileSystem.find

    def ls(self, path, detail=True, **options):
        if path.strip("/") == "lake/b":
            raise FileNotFoundError(path) if self.gone else OSError("the network is gone")
        return super().ls(path, detail=detail)


def test_a_folder_of_fsspec_that_cannot_be_listed_is_no_empty_one():
    files = _Failing()
    for name in "abc":
        files.pipe_file(f"/lake/{name}/x.parquet", b"")
    target = resolve((files, "/lake"))
    with pytest.raises(OSError, match="network is gone"):
        names(target.filesystem, "/lake")
    files.gone = True
    assert names(target.filesystem, "/lake") == ["a/x.parquet", "c/x.parquet"]


@pytest.mark.parametrize(
    "fields",
    [
        {"mtime": 1.5},
        {"LastModified": datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC)},
        {"modificationTime": 1500},
        {"updated": "1970-01-01T00:00:01.500Z"},
        {"modified": datetime(1970, 1, 1, 0, 0, 1, 500_000)},
        {"created": "1970-01-01T01:00:01.5+01:00"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_times_are_known_by_all_the_names_that_filesystems_have_for_them(fields):
    assert modified_of(fields) == 1_500_000_000
    assert modified_of({"size": 3, "modify": "yesterday"}) is modified_of({"updated": "yesterday"}) is None
