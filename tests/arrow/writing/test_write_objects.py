"""Writing objects, against an S3 server on loopback: they come into being whole."""

from __future__ import annotations

import importlib.util
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.objects import BUCKET, get, names, put, s3_server

import parquetext
from parquetext.errors import Refused
from parquetext.storage.backends.s3 import S3Backend
from parquetext.storage.objects import Staged

ROOT = Path(__file__).parents[3]
PATH = f"{BUCKET}/day=1/x.parquet"
TABLE = pa.table({f"column {n}": [f"{n} {row}" * 3 for row in range(1000)] for n in range(30)})


@pytest.fixture(scope="module")
def server():
    with s3_server() as filesystem:
        yield filesystem


@pytest.fixture(params=["boto3", "staged"])
def s3(server, request, monkeypatch):
    """With boto3, and without it."""
    if request.param == "staged":
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    yield server
    server.delete_dir_contents(BUCKET)


staged_only = pytest.mark.parametrize("s3", ["staged"], indirect=True)


@pytest.mark.parametrize("form", ["thrift", "flat"])
@pytest.mark.parametrize("exists", [False, True])
def test_the_object_has_the_bytes_of_a_local_file(s3, tmp_path, form, exists):
    if exists:
        put(s3, PATH, b"what was there")
    parquetext.write_table(TABLE, PATH, filesystem=s3, form=form, row_group_size=300)
    parquetext.write_table(TABLE, tmp_path / "x.parquet", form=form, row_group_size=300)
    assert get(s3, PATH) == (tmp_path / "x.parquet").read_bytes()
    assert names(s3, BUCKET) == ["day=1/x.parquet"]
    assert pq.read_table(PATH, filesystem=s3, partitioning=None).equals(TABLE)
    with parquetext.open((s3, PATH)) as file:
        assert file.form == form


@pytest.mark.parametrize("before", [None, b"what was there"], ids=["new", "existing"])
def test_an_exception_leaves_the_name_as_it_was(s3, before):
    if before:
        put(s3, PATH, before)
    with pytest.raises(KeyError), parquetext.ParquetWriter((s3, PATH), TABLE.schema) as writer:
        writer.write_table(TABLE)
        assert names(s3, BUCKET).count("day=1/x.parquet") == bool(before)
        raise KeyError
    assert names(s3, BUCKET) == (["day=1/x.parquet"] if before else [])
    assert not before or get(s3, PATH) == before


KILLED = """
import os, pickle, signal, sys, pyarrow as pa, parquetext
filesystem, path = pickle.loads(bytes.fromhex(sys.argv[1])), sys.argv[2]
table = pa.table({"a": [os.urandom(1000) for _ in range(20_000)]})
writer = parquetext.ParquetWriter((filesystem, path), table.schema)
writer.write_table(table, row_group_size=5000)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_no_object(s3):
    put(s3, PATH, b"what was there")
    command = [sys.executable, "-c", KILLED, pickle.dumps(s3).hex(), PATH]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert names(s3, BUCKET) == ["day=1/x.parquet"] and get(s3, PATH) == b"what was there"


@staged_only
def test_an_upload_that_loses_bytes_is_no_object(s3, monkeypatch):
    def shorter(self, size):
        return check(self, size + 1)

    check = Staged.check
    monkeypatch.setattr(Staged, "check", shorter)
    with pytest.raises(OSError, match="bytes uploaded"):
        parquetext.write_table(TABLE, (s3, PATH))
    assert names(s3, BUCKET) == []


@staged_only
def test_the_first_error_is_raised(s3, monkeypatch):
    def gone(self):
        raise OSError("the network is gone")

    monkeypatch.setattr(Staged, "discard", gone)
    with pytest.raises(KeyError) as error, parquetext.ParquetWriter((s3, PATH), TABLE.schema) as writer:
        writer.write_table(TABLE)
        raise KeyError
    assert "could not be removed: the network is gone" in error.value.__notes__[0]


@staged_only
def test_objects_beyond_the_copy_limit_are_refused_while_writing(s3, monkeypatch):
    monkeypatch.setattr(S3Backend, "copy_limit", 10_000)
    with pytest.raises(Refused, match="S3 copies objects of up to 10000 bytes"):
        parquetext.write_table(TABLE, (s3, PATH))
    assert names(s3, BUCKET) == []
