"""A writer killed at its k-th write, flush, rename or other call, for every k: the old file, or the whole new one."""

from __future__ import annotations

import os

import pyarrow as pa
import pyarrow.parquet as pq
from support.kills import kill_at_every_call

import parquetext
from parquetext import edits

OLD, NEW = pa.table({"old": [1, 2, 3]}), {"new": [4, 5], "text": ["a", "b"]}
OPTIONS = {"form": "flat", "use_dictionary": False}


def test_a_kill_at_any_call_leaves_the_old_file_or_the_new_one(tmp_path):
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    pq.write_table(OLD, old)
    parquetext.write_table(pa.table(NEW), new, **OPTIONS)
    case = {"name": "case", "verb": "write", "file": str(old), "table": NEW, "options": OPTIONS}
    kills = kill_at_every_call(tmp_path, [case])["case"]
    assert {call for call, count in kills.items() if count} == {
        "openat",
        "write",
        "pwrite64",
        "fsync",
        "fchmod",
        "renameat",
    }
    outcomes = set()
    for call, count in kills.items():
        for k in range(1, count + 2):
            path = tmp_path / f"case-{call}-{k}" / "x.parquet"
            outcomes.add(path.read_bytes())
            edits.recover(path)
            assert os.listdir(path.parent) == ["x.parquet"]
    assert outcomes == {old.read_bytes(), new.read_bytes()}
