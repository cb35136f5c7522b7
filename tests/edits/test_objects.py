"""Upgrade and strip of objects, against an S3 server on loopback."""

from __future__ import annotations

from uuid import UUID

import pyarrow.parquet as pq
import pytest
from support.objects import BUCKET, get, names, put, stored
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer

import parquetext
from parquetext import edits, extension
from parquetext.errors import Conflict, Refused
from parquetext.storage import RemoteSource
from parquetext.storage.backends.s3 import S3Object

PATH = f"{BUCKET}/table/day=1/x.parquet"
ORIGINAL = parquet_bytes()


@pytest.fixture
def s3(object_server):
    with stored(object_server, PATH, ORIGINAL):
        yield object_server


def test_upgrade_and_strip(s3):
    done = edits.upgrade((s3, PATH), form="flat")
    assert (done.outcome, done.path) == ("upgraded", f"s3://{PATH}")
    assert pq.read_table(PATH, filesystem=s3, partitioning=None).equals(TABLE)
    assert edits.upgrade((s3, PATH), form="flat").outcome == "unchanged"
    assert edits.strip((s3, PATH)).outcome == "stripped"
    assert get(s3, PATH) == ORIGINAL
    assert names(s3, BUCKET) == ["table/day=1/x.parquet"]


def test_encode_and_strip(s3):
    done = edits.encode((s3, PATH), {"a": "delta_binary_packed"})
    assert (done.outcome, done.path) == ("encoded", f"s3://{PATH}")
    assert pq.read_table(PATH, filesystem=s3, partitioning=None).equals(TABLE)
    assert names(s3, BUCKET) == ["table/day=1/x.parquet"]
    assert done.bytes_after == len(get(s3, PATH)) > len(ORIGINAL)
    assert edits.strip((s3, PATH)).outcome == "stripped"
    assert get(s3, PATH) == ORIGINAL
    other = f"{BUCKET}/table/day=1/other.parquet"
    edits.encode((s3, PATH), {"a": "delta_binary_packed"}, out=(s3, other))
    assert get(s3, PATH) == ORIGINAL
    edits.strip((s3, other))
    assert get(s3, other) == ORIGINAL


def test_an_object_that_changes_while_it_is_encoded_stays(s3, monkeypatch):
    theirs = parquet_bytes(TABLE.slice(1))

    def finish(self, *arguments, **options):
        put(s3, PATH, theirs)
        return written(self, *arguments, **options)

    for kind, name in ((RemoteSource, "check_unchanged"), (S3Object, "put")):
        put(s3, PATH, ORIGINAL)
        written = getattr(kind, name)
        with monkeypatch.context() as patched:
            patched.setattr(kind, name, finish)
            with pytest.raises(Conflict):
                edits.encode((s3, PATH), {"a": "delta_binary_packed"})
        assert get(s3, PATH) == theirs
        assert names(s3, BUCKET) == ["table/day=1/x.parquet"]


def test_finalize_and_restore(s3):
    edits.upgrade((s3, PATH), form="flat")
    upgraded = get(s3, PATH)
    done = edits.finalize((s3, PATH), confirm=True)
    assert (done.outcome, done.form_before, done.form_after) == ("finalized", "flat", "par3")
    with parquetext.open((s3, PATH)) as file:
        assert (file.form, file.findings, file.column("a").leaf) == ("par3", [], 0)
        assert file.io_stats.requests == 1
        assert file.read().equals(TABLE)
    assert edits.restore((s3, PATH)).outcome == "restored"
    assert get(s3, PATH) == upgraded
    assert names(s3, BUCKET) == ["table/day=1/x.parquet"]


def test_only_the_footer_is_fetched_to_plan(s3):
    done = edits.upgrade((s3, PATH), dry_run=True, form="flat")
    assert done.outcome == "would-upgrade"
    assert done.bytes_read < len(ORIGINAL)


@pytest.mark.parametrize("size", [10, 20_000])
def test_the_flat_footer_is_found_under_a_foreign_block_of_an_object(s3, size):
    edits.upgrade((s3, PATH), form="flat")
    upgraded = get(s3, PATH)
    put(s3, PATH, with_footer(upgraded, extension.append_block(footer_of(upgraded), UUID(int=5), bytes(size))))
    with parquetext.open((s3, PATH)) as file:
        assert file.form == "flat"
        assert file.column("b").min.to_pylist() == ["x0", "x100", "x200"]
        assert file.io_stats.requests <= (1 if size < 1000 else 5)
    edits.strip((s3, PATH), kinds=[UUID(int=5)])
    assert get(s3, PATH) == upgraded


def test_a_lost_race_is_a_conflict(s3, monkeypatch):
    look = S3Object.look

    def overtaken(goal):
        found = look(goal)
        put(s3, PATH, ORIGINAL + b"?")
        return found

    monkeypatch.setattr(S3Object, "look", overtaken)
    with pytest.raises(Conflict):
        edits.upgrade((s3, PATH), form="flat")
    assert get(s3, PATH) == ORIGINAL + b"?"
    assert names(s3, BUCKET) == ["table/day=1/x.parquet"]


@pytest.mark.parametrize("log", ["_delta_log/0.json", ".hoodie/hoodie.properties", "metadata/v1.metadata.json"])
def test_an_object_of_a_table_format_is_refused(s3, log):
    put(s3, f"{BUCKET}/table/{log}", b"{}")
    with pytest.raises(Refused, match=f"table at {BUCKET}/table"):
        edits.upgrade((s3, PATH), form="flat")
    assert get(s3, PATH) == ORIGINAL
    assert edits.upgrade((s3, PATH), ignore="table-format", form="flat").outcome == "upgraded"


def test_a_folder_of_objects(s3):
    put(s3, f"{BUCKET}/table/day=2/y.parquet", b"bad")
    put(s3, f"{BUCKET}/table/_temporary/z.parquet", ORIGINAL)
    results = list(edits.many([(s3, f"{BUCKET}/table")], edits.upgrade))
    assert [(target.path.rsplit("/", 1)[1], error is None) for target, _, error in results] == [
        ("x.parquet", True),
        ("y.parquet", False),
    ]
