"""Changes of single files on stores that run, by the URIs that pyarrow knows."""

from __future__ import annotations

import getpass
import io
import re
import signal
import subprocess
import sys
import time

import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

import parquetext
from parquetext import edits
from parquetext.errors import Conflict, Refused
from parquetext.storage import TailEdit, change, create, resolve
from parquetext.storage.backends.hdfs import hdfs_filesystem
from parquetext.storage.objects import Staged

ORIGINAL = parquet_bytes()
NAME = "day=1/x.parquet"


@pytest.fixture
def uri(store, request):
    """Where one file lies, alone in its folder."""
    folder = request.node.originalname.removeprefix("test_")
    store.put(f"{folder}/{NAME}", ORIGINAL)
    return store.uri.format(f"{folder}/{NAME}")


@pytest.fixture
def now(store, request):
    """Return the current names and contents of the folder."""
    folder = request.node.originalname.removeprefix("test_")
    return lambda: {name: store.get(f"{folder}/{name}") for name in store.names(folder)}


def test_each_verb_leaves_one_whole_file(uri, now):
    forms = []
    for verb, options in (
        (parquetext.upgrade, {"form": "flat"}),
        (parquetext.finalize, {"confirm": True}),
        (parquetext.restore, {}),
        (parquetext.strip, {}),
    ):
        forms.append(verb(uri, **options).form_after)
        assert list(now()) == [NAME]
        with parquetext.open(uri) as file:
            assert (file.form, file.read().equals(TABLE)) == (forms[-1], True)
        if forms[-1] != "par3":
            assert pq.read_table(io.BytesIO(now()[NAME])).equals(TABLE)
    assert forms == ["flat", "par3", "flat", "thrift"]
    assert now() == {NAME: ORIGINAL}


def test_a_concurrently_changed_file_stays_unchanged(store, uri, now, request):
    with change(uri) as changing:
        store.put(f"{request.node.originalname.removeprefix('test_')}/{NAME}", ORIGINAL[:-8] + b"12345678")
        with pytest.raises(Conflict, match="changed by another process"):
            changing.commit(TailEdit(10, b"tail"))
    assert now() == {NAME: ORIGINAL[:-8] + b"12345678"}


def test_a_file_that_is_gone_meanwhile_stays_away(store, uri, now, request):
    with change(uri) as changing:
        store.filesystem.delete_file(f"{store.bucket}/{request.node.originalname.removeprefix('test_')}/{NAME}")
        with pytest.raises(Conflict, match="removed"):
            changing.commit(TailEdit(10, b"tail"))
    assert now() == {}


def test_an_upload_that_fails_leaves_the_file_as_it_is(uri, now, monkeypatch):
    def fail(*_):
        raise OSError("no more")

    with change(uri) as changing:
        monkeypatch.setattr(type(changing.source), "_read", fail)
        with pytest.raises(OSError, match="no more"):
            changing.commit(TailEdit(10, b"tail"))
    assert now() == {NAME: ORIGINAL}


def test_a_new_file_takes_its_name_when_it_is_whole(uri, now):
    new = create(uri)
    new.sink.write(b"begin")
    assert now()[NAME] == ORIGINAL
    new.sink.write(b"end")
    new.commit()
    assert now() == {NAME: b"beginend"}


def test_a_table_is_written_and_read(uri, now):
    parquetext.write_table(TABLE, uri, form="flat")
    assert parquetext.read_table(uri).equals(TABLE)
    assert list(now()) == [NAME]


def test_options_for_local_files_are_refused(uri, now):
    for option in ("in_place", "keep_mtime"):
        with pytest.raises(Refused, match="objects cannot be"):
            parquetext.upgrade(uri, form="flat", **{option: True})
    assert now() == {NAME: ORIGINAL}


def test_a_file_or_bucket_that_is_not_there_is_said_to_be_so(store):
    for position in (store.uri.format("no/key.parquet"), store.uri.replace("lake", "nolake").format("key.parquet")):
        with pytest.raises(FileNotFoundError):
            parquetext.open(position)
        with pytest.raises(FileNotFoundError):
            parquetext.upgrade(position, form="flat")


def test_attributes_of_an_hdfs_file_are_kept(hdfs, monkeypatch):
    from hdfs_native import AclEntry, Client

    hdfs.put("given/x.parquet", ORIGINAL)
    client, path = Client(hdfs.url), "/store/given/x.parquet"
    client.modify_acl_entries("/store/given", [AclEntry("user", "default", "rwx", "stranger")])  # for new files
    client.set_owner(path, "somebody", "some")
    client.set_replication(path, 2)
    client.modify_acl_entries(path, [AclEntry("user", "access", "r-x", "else"), AclEntry("group", "access", "r--")])
    client.set_permission(path, 0o751)

    def told():
        fields, listed = client.get_file_info(path), client.get_acl_status(path)
        return (
            fields.owner,
            fields.group,
            fields.permission,
            fields.replication,
            sorted((entry.type, entry.name, entry.permissions) for entry in listed.entries),
        )

    modes = []
    monkeypatch.setattr(Staged, "check", lambda new, _: modes.append(client.get_file_info(new.target.path).permission))
    before = told()
    assert before[:4] == ("somebody", "some", 0o751, 2)
    assert len(before[4]) == 2
    assert parquetext.upgrade(hdfs.uri.format("given/x.parquet"), form="flat").outcome == "upgraded"
    assert told() == before
    assert modes == [0o600]  # of the new file while it is written
    client.remove_acl(path)
    client.set_permission(path, 0o640)
    assert parquetext.strip(hdfs.uri.format("given/x.parquet")).outcome == "stripped"
    assert told() == ("somebody", "some", 0o640, 2, [])


def test_a_new_file_of_hdfs_is_on_disks_before_it_gets_the_name(hdfs, monkeypatch):
    from hdfs_native import Client, FileWriter

    done = []

    def told(kind, name):
        real = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda *arguments: done.append(name) or real(*arguments))

    told(FileWriter, "hsync")
    told(FileWriter, "close")
    told(Client, "rename")
    hdfs.put("flushed/x.parquet", ORIGINAL)
    assert parquetext.upgrade(hdfs.uri.format("flushed/x.parquet"), form="flat").outcome == "upgraded"
    assert [name for position, name in enumerate(done) if name not in done[:position]] == ["hsync", "close", "rename"]


def test_a_name_node_without_access_lists_is_no_error(hdfs, monkeypatch):
    from hdfs_native import Client

    def refused(client, path):  # as Hadoop 3.5 says it with dfs.namenode.acls.enabled=false
        raise RuntimeError(
            'RPCError("org.apache.hadoop.hdfs.protocol.AclException", "The ACL operation has been '
            "rejected.  Support for ACLs has been disabled by setting dfs.namenode.acls.enabled to "
            'false.\\n\\tat org.apache.hadoop.hdfs.server.namenode.FSDirAclOp.checkAclsConfigFlag")'
        )

    monkeypatch.setattr(Client, "get_acl_status", refused)
    hdfs.put("listless/x.parquet", ORIGINAL)
    assert parquetext.upgrade(hdfs.uri.format("listless/x.parquet"), form="flat").outcome == "upgraded"


def test_an_owner_of_a_file_of_hdfs_that_cannot_be_kept_is_a_refusal(hdfs, monkeypatch):
    from hdfs_native import Client

    hdfs.put("owned/x.parquet", ORIGINAL)
    Client(hdfs.url).set_permission("/store/owned", 0o777)
    monkeypatch.setenv("HADOOP_USER_NAME", "somebody")
    uri = hdfs.uri.format("owned/x.parquet").replace("127.0.0.1", "localhost")  # a client of its own
    owner = getpass.getuser()
    with pytest.raises(Refused, match=rf"cannot be kept: owner {owner}:.*not a super user.*ignore 'attributes'"):
        parquetext.upgrade(uri, form="flat")
    assert hdfs.get("owned/x.parquet") == ORIGINAL
    assert hdfs.names("owned") == ["x.parquet"]
    assert parquetext.upgrade(uri, ignore="attributes", form="flat").outcome == "upgraded"
    now = Client(hdfs.url).get_file_info("/store/owned/x.parquet")
    assert (now.owner, now.permission) == ("somebody", 0o644)


def test_hdfs_folders_removed_meanwhile_are_not_an_error(hdfs, monkeypatch):
    from parquetext.storage.backends.hdfs_handler import HdfsClient

    for name in ("a", "b/inner", "c"):
        hdfs.put(f"listed/{name}/x.parquet", ORIGINAL)
    uri, listed = hdfs.uri.format("listed"), HdfsClient.list_status

    def removed(client, path, recursive):
        found = listed(client, path, recursive)
        if path.endswith("/listed"):
            client.delete(f"{path}/b", True)
        return found

    monkeypatch.setattr(HdfsClient, "list_status", removed)
    assert [target.path[-11:] for target in edits.expand(uri)] == ["a/x.parquet", "c/x.parquet"]


def test_blocks_of_hdfs_that_are_gone_are_an_error_of_the_file(hdfs, monkeypatch):
    from hdfs_native import FileReader

    def failing(reader, size):  # as a reader says it that has opened a file before it was replaced
        raise RuntimeError('DataTransferError("All DataNodes failed: []")')

    hdfs.put("blocks/x.parquet", ORIGINAL)
    monkeypatch.setattr(FileReader, "read", failing)
    with pytest.raises(OSError, match=r"^/store/blocks/x\.parquet: DataTransferError"):
        parquetext.open(hdfs.uri.format("blocks/x.parquet"))


def test_a_file_of_hdfs_that_comes_while_another_is_opened_is_left_alone(hdfs, monkeypatch):
    from parquetext.storage.backends.hdfs_handler import HdfsHandler

    theirs, opened = ORIGINAL[::-1], HdfsHandler.open_input_file
    hdfs.put("opened/x.parquet", ORIGINAL)

    def overtaken(handler, path):
        file = opened(handler, path)
        time.sleep(0.01)  # times are told in ms
        hdfs.put("opened/x.parquet", theirs)
        return file

    with monkeypatch.context() as patched:
        patched.setattr(HdfsHandler, "open_input_file", overtaken)
        changing = change(hdfs.uri.format("opened/x.parquet"))
        changed = changing.__enter__()
    with changed.source, pytest.raises(Conflict):
        changed.commit(TailEdit(4, b"tail"))
    assert hdfs.get("opened/x.parquet") == theirs


def test_the_root_of_hdfs_is_a_folder(hdfs):
    root = resolve(hdfs.url.removesuffix("/store"))
    assert root.filesystem.get_file_info(root.path).type == pafs.FileType.Directory


@pytest.mark.parametrize("position", ["hdfs://127.0.0.1:1", "hdfs://127.0.0.1"], ids=["a port", "Hadoop's own"])
def test_an_error_of_hdfs_names_its_file(position):
    pytest.importorskip("hdfs_native")
    filesystem = hdfs_filesystem(position, {"dfs.client.failover.max.attempts": "0"})
    with pytest.raises(OSError, match=r"^hdfs://127\.0\.0\.1:(1|8020)/x: Connection refused"):
        filesystem.get_file_info("/x")
    with pytest.raises(OSError, match=r"^hdfs://nobody\.invalid: .*No NameNode hosts found"):
        hdfs_filesystem("hdfs://nobody.invalid").get_file_info("/x")


def test_webhdfs_which_only_seems_to_replace_files_changes_none_and_writes_new_ones(hdfs):
    path = hdfs.filesystem, "/store/seeming/x.parquet"
    hdfs.put("seeming/x.parquet", ORIGINAL)
    with pytest.raises(Refused, match="cannot put a file in the place of another"):
        parquetext.upgrade(path, form="flat")
    assert hdfs.get("seeming/x.parquet") == ORIGINAL
    parquetext.write_table(TABLE.slice(1), path)
    assert pq.read_table(io.BytesIO(hdfs.get("seeming/x.parquet"))).equals(TABLE.slice(1))
    assert hdfs.names("seeming") == ["x.parquet"]


KILLED = """
import os, signal, sys
import parquetext
from parquetext.storage.objects import Staged

setattr(Staged, sys.argv[1], lambda *_: os.kill(os.getpid(), signal.SIGKILL))
parquetext.upgrade(sys.argv[2], form="flat")
"""


def test_a_kill_leaves_the_old_file_or_the_new_one(store):
    moments = ("check", "publish", "discard")  # uploaded, looked at, in its place
    uris = {moment: store.uri.format(f"killed/{moment}.parquet") for moment in moments}
    for moment in moments:
        store.put(f"killed/{moment}.parquet", ORIGINAL)
    killed = [subprocess.Popen([sys.executable, "-c", KILLED, moment, uri]) for moment, uri in uris.items()]
    assert {process.wait() for process in killed} == {-signal.SIGKILL}
    left = store.names("killed")
    for moment, form in zip(moments, ("thrift", "thrift", "flat"), strict=True):
        with parquetext.open(uris[moment]) as file:
            assert (file.form, file.read().equals(TABLE)) == (form, True)
        assert parquetext.upgrade(uris[moment], form="flat").form_after == "flat"
    assert store.names("killed") == left
    assert all(
        re.fullmatch(r"\.\w+\.parquet\.\w+\.parquetext-new", name)
        for name in left
        if name not in [f"{moment}.parquet" for moment in moments]
    )
