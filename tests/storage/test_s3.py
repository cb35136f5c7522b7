"""S3 through boto3: commits in which the store copies all but the tail, and new objects."""

from __future__ import annotations

import itertools

import pyarrow.fs as pafs
import pytest
from support.objects import BUCKET, get, names, put

from parquetext.errors import Conflict
from parquetext.storage import TailEdit, Target, change, create
from parquetext.storage.backends import s3 as backend
from parquetext.storage.backends.s3 import LEAST_PART, S3Object, S3Upload, s3_object

KEY = "folder/x.bin"
PATH = f"{BUCKET}/{KEY}"
OLD = bytes(range(256)) * (48 << 10) + b"the old tail"
EDIT = TailEdit(12 << 20, b"a new tail")
NEW = OLD[: EDIT.keep] + EDIT.tail


@pytest.fixture
def s3(server):
    filesystem, recorder = server
    put(filesystem, PATH, OLD)
    recorder.forget()
    yield filesystem
    filesystem.delete_dir_contents(BUCKET)


def _unfinished(client) -> list:
    return client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])


def test_only_the_tail_is_sent_and_nothing_is_read(s3, server, client):
    with change((s3, PATH)) as changing:
        changing.commit(EDIT)
    assert changing.written == len(EDIT.tail)
    assert server[1].ranges() == [None], "but for the object's tags"
    assert get(s3, PATH) == NEW
    assert names(s3, BUCKET) == [KEY] and not _unfinished(client)


def test_a_large_object_is_copied_in_several_parts(s3, client, monkeypatch):
    monkeypatch.setattr(backend, "_COPIED_PART", 6 << 20)
    with change((s3, PATH)) as changing:
        changing.commit(EDIT)
    assert get(s3, PATH) == NEW
    assert client.head_object(Bucket=BUCKET, Key=KEY)["ETag"].endswith('-3"')


@pytest.mark.parametrize("size", [1, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, (5 << 40) - 7])
def test_parts_are_gapless_and_neither_too_small_nor_too_many(size):
    parts = list(backend._parts(size))
    assert parts[0][0] == 0 and parts[-1][1] == size
    assert all(one[1] == other[0] for one, other in itertools.pairwise(parts))
    assert len(parts) < 10_000 and max(end - begin for begin, end in parts) <= 1 << 30
    assert len(parts) == 1 or min(end - begin for begin, end in parts) >= LEAST_PART


def test_metadata_tags_and_storage_class_stay(s3, client):
    client.put_object(
        Bucket=BUCKET,
        Key=KEY,
        Body=OLD,
        Metadata={"team": "rain"},
        ContentType="application/x-thing",
        CacheControl="no-cache",
        StorageClass="STANDARD_IA",
        Tagging="cost=a%2Bb+c&owner=me",
    )
    with change((s3, PATH)) as changing:
        changing.commit(EDIT)
    now = client.head_object(Bucket=BUCKET, Key=KEY)
    assert now["ContentLength"] == len(NEW)
    assert (now["Metadata"], now["ContentType"], now["CacheControl"], now["StorageClass"]) == (
        {"team": "rain"},
        "application/x-thing",
        "no-cache",
        "STANDARD_IA",
    )
    tags = client.get_object_tagging(Bucket=BUCKET, Key=KEY)["TagSet"]
    assert {each["Key"]: each["Value"] for each in tags} == {"cost": "a+b c", "owner": "me"}


@pytest.mark.parametrize("theirs", [OLD + b"more", OLD[:-1] + b"?", None], ids=["other size", "same size", "removed"])
def test_an_object_that_changed_after_it_was_read_is_left_alone(s3, client, theirs):
    with change((s3, PATH)) as changing:
        if theirs is None:
            s3.delete_file(PATH)
        else:
            put(s3, PATH, theirs)
        with pytest.raises(Conflict):
            changing.commit(EDIT)
    assert names(s3, BUCKET) == ([] if theirs is None else [KEY])
    assert theirs is None or get(s3, PATH) == theirs
    assert not _unfinished(client)


def test_a_race_lost_at_the_last_moment_leaves_the_winners_object(s3, client, monkeypatch):
    finish = S3Upload.finish

    def overtaken(upload, **options):
        put(s3, PATH, b"the winner's")
        finish(upload, **options)

    monkeypatch.setattr(S3Upload, "finish", overtaken)
    with change((s3, PATH)) as changing, pytest.raises(Conflict, match="changed by another process"):
        changing.commit(EDIT)
    assert get(s3, PATH) == b"the winner's"
    assert not _unfinished(client)


def test_a_lost_answer_is_no_failure(s3, server):
    server[1].conditions.lost_answers = 1
    with change((s3, PATH)) as changing:
        changing.commit(EDIT)
    assert server[1].conditions.lost_answers == 0
    assert get(s3, PATH) == NEW


def test_a_failure_half_way_leaves_the_old_object_and_no_parts(s3, client, monkeypatch):
    def broken(*_, **__):
        raise OSError("the network is gone")

    monkeypatch.setattr(S3Upload, "finish", broken)
    with change((s3, PATH)) as changing, pytest.raises(OSError, match="network is gone"):
        changing.commit(EDIT)
    assert get(s3, PATH) == OLD
    assert not _unfinished(client)


@pytest.mark.parametrize("lost", [0, 1], ids=["", "lost answer"])
def test_small_objects_are_put_whole(s3, server, client, lost):
    client.put_object(Bucket=BUCKET, Key=KEY, Body=OLD[:5000], Metadata={"team": "rain"})
    server[1].conditions.lost_answers = lost
    with change((s3, PATH)) as changing:
        changing.commit(TailEdit(4000, b"tail"))
    assert changing.written == 4004 and server[1].conditions.lost_answers == 0
    assert get(s3, PATH) == OLD[:4000] + b"tail"
    assert client.head_object(Bucket=BUCKET, Key=KEY)["Metadata"] == {"team": "rain"}


def test_a_small_object_that_changes_at_the_last_moment_is_left_alone(s3, monkeypatch):
    put(s3, PATH, OLD[:5000])
    look = S3Object.look

    def overtaken(goal):
        found = look(goal)
        put(s3, PATH, b"the winner's")
        return found

    monkeypatch.setattr(S3Object, "look", overtaken)
    with change((s3, PATH)) as changing, pytest.raises(Conflict, match="changed by another process"):
        changing.commit(TailEdit(4000, b"tail"))
    assert get(s3, PATH) == b"the winner's"


@pytest.mark.parametrize("size", [0, 1, 8 << 20, (8 << 20) + 1, 50 << 20])
def test_a_new_object_is_there_when_it_is_whole(s3, client, size, monkeypatch):
    monkeypatch.setattr(backend, "_PARTS_OF_A_SIZE", 3)
    data = (OLD * 5)[:size]
    new = create((s3, f"{BUCKET}/new"))
    for at in range(0, size, 3_000_000):
        new.sink.write(data[at : at + 3_000_000])
    new.hold()
    new.sink.write(b"its end")
    assert names(s3, BUCKET) == [KEY]
    new.commit(TailEdit(size, b"another end"))
    assert get(s3, f"{BUCKET}/new") == data + b"another end"
    assert names(s3, BUCKET) == [KEY, "new"] and not _unfinished(client)


def test_a_new_object_that_is_given_up_leaves_nothing(s3, client):
    new = create((s3, f"{BUCKET}/new"))
    new.sink.write(bytes(20 << 20))
    assert _unfinished(client)
    new.abort()
    assert names(s3, BUCKET) == [KEY] and not _unfinished(client)


def test_errors_are_those_of_python(s3):
    with pytest.raises(FileNotFoundError, match="s3://nowhere/x"):
        create((s3, "nowhere/x")).commit()


def test_a_proxys_password_may_contain_reserved_characters():
    proxy = {"scheme": "http", "host": "proxy.example", "port": 8080, "username": "user", "password": "a@b/c:d"}
    filesystem = pafs.S3FileSystem(access_key="any", secret_key="any", region="us-east-1", proxy_options=proxy)
    config = s3_object(Target("lake/x", filesystem)).client.meta.config
    assert config.proxies["https"] == "http://user:a%40b%2Fc%3Ad@proxy.example:8080"
