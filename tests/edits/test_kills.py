"""A change killed at its k-th write, copy, truncate, rename or flush loses nothing, for every k."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.kills import kill_at_every_call

import parquetext
from parquetext import edits

pytestmark = pytest.mark.slow

TABLE = pa.table({f"column {n}": list(range(n, n + 500)) for n in range(40)})
CHANGES = {
    "upgrade": ("plain", "upgraded"),
    "strip": ("upgraded", "plain"),
    "finalize": ("upgraded", "final"),
    "encode": ("upgraded", "encoded"),
    "strip encoded": ("encoded", "upgraded"),
    "add_page_index": ("upgraded", "indexed"),
    "strip indexed": ("indexed", "plain"),
}
ENCODE = {"columns": {"column 0": "delta_binary_packed", "column 7": "byte_stream_split"}}
OPTIONS = {
    "upgrade": {"form": "flat"},
    "finalize": {"confirm": True},
    "encode": ENCODE,
    "add_page_index": {"bloom": ["column 3"]},
}
TAILS = ("upgrade", "strip", "finalize", "add_page_index", "strip indexed")  # changes that can be made in place
CASES = [(verb, in_place) for verb in CHANGES for in_place in (False, True)[: 1 + (verb in TAILS)]]


def case_name(verb: str, in_place: bool) -> str:
    return f"{verb}-{'in-place' if in_place else 'replace'}"


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> tuple[Path, dict]:
    """A folder of files whose change was killed, and how often which call was reached."""
    folder = tmp_path_factory.mktemp("killed")
    names = "plain", "upgraded", "final", "encoded", "indexed"
    plain, upgraded, final, encoded, indexed = (folder / f"{name}.parquet" for name in names)
    pq.write_table(TABLE, plain, row_group_size=200)
    shutil.copyfile(plain, upgraded)
    edits.upgrade(upgraded, form="flat")
    shutil.copyfile(upgraded, final)
    edits.finalize(final, confirm=True)
    edits.encode(upgraded, **ENCODE, out=encoded)
    shutil.copyfile(upgraded, indexed)
    edits.add_page_index(indexed, **OPTIONS["add_page_index"])
    cases = [
        {
            "name": case_name(verb, in_place),
            "verb": verb.split()[0],
            "file": str(folder / f"{CHANGES[verb][0]}.parquet"),
            "options": {**OPTIONS.get(verb, {}), "keep_mtime": True, **({"in_place": True} if in_place else {})},
        }
        for verb, in_place in CASES
    ]
    return folder, kill_at_every_call(folder, cases)


@pytest.mark.parametrize(("verb", "in_place"), CASES)
def test_a_kill_at_any_call_loses_nothing(killed, verb, in_place):
    folder, kills = killed
    name = case_name(verb, in_place)
    before, after = ((folder / f"{state}.parquet").read_bytes() for state in CHANGES[verb])
    outcomes = set()
    for call, count in kills[name].items():
        for k in range(1, count + 2):
            path = folder / f"{name}-{call}-{k}" / "x.parquet"
            if in_place:
                assert parquetext.read_table(path).equals(TABLE), "parquetext reads under the journal"
                edits.recover(path)
            outcomes.add(path.read_bytes())
            assert parquetext.read_table(path).equals(TABLE)
            if not path.read_bytes().endswith(b"PAR3"):
                assert pq.read_table(path, use_threads=False).equals(TABLE)
            edits.recover(path)
            assert os.listdir(path.parent) == ["x.parquet"]
    assert outcomes == {before, after}


@pytest.mark.parametrize(("verb", "in_place"), CASES)
def test_every_kind_of_call_that_a_change_makes_was_killed(killed, verb, in_place):
    kills = killed[1][case_name(verb, in_place)]
    reached = {call for call, count in kills.items() if count}
    common = {"openat", "pwrite64", "fsync", "fchmod", "utimensat"}
    others = {"ftruncate", "unlinkat"} if in_place else {"copy_file_range", "renameat"}
    others -= {"copy_file_range"} if "encode" in verb else set()  # copied bytes are hashed in this process
    assert reached == common | others
