"""One process writes a store, others read it, each the commits that it holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
from support.killing import Unflushed

from parquetext import sidecar

ROOT = Path(__file__).parents[2]
COMMITS, READERS = 1_000, 3

# A commit's rows are those numbered below its number; a replaced row group contains the same numbers. So every
# snapshot can be checked by itself: 0, 1, 2, … up to its sequence.
READER = """
import sys, time
from parquetext import sidecar
store, last = sidecar.Store(sys.argv[1]), int(sys.argv[2])
held, seen, newest = [], 0, 0
print("ready", flush=True)
while newest < last:
    snapshot = store.snapshot()
    assert snapshot.token.sequence >= newest, "time goes on"
    newest = snapshot.token.sequence
    held.append(snapshot)
    seen += 1
    for each in held[::7] + held[-1:]:
        rows = each.read(["number"])["number"].to_pylist()
        assert rows == list(range(int(rows[-1]) + 1)) and len(list(each.row_counts)) == each.num_row_groups
        assert sum(each.row_counts) == len(rows), "the plan and the rows are of one commit"
    if len(held) > 20:
        held.pop(seen % 10).close()
    time.sleep(0.02)
print(seen, min(each.token.sequence for each in held))
"""


def rows(numbers: range) -> pa.Table:
    return pa.table({"number": numbers})


def test_readers_keep_their_snapshots_during_a_thousand_commits(tmp_path):
    store = sidecar.Store(tmp_path / "store", operations=Unflushed())
    store.append(rows(range(1)))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    readers = [
        subprocess.Popen(
            [sys.executable, "-c", READER, store.directory, str(COMMITS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(READERS)
    ]
    for reader in readers:
        assert reader.stdout.readline() == "ready\n", reader.communicate()[1]
    oldest = store.snapshot()
    sizes = [1]
    while (sequence := store.token().sequence) < COMMITS:
        if sequence % 10 == 5:
            last = len(sizes) - 1
            first = sum(sizes[:last])
            store.replace(last, rows(range(first, first + sizes[last])))
        elif sequence % 200 == 99:
            store.compact(always=True)
            store.release()
        else:
            store.append(rows(range(sum(sizes), sum(sizes) + 1)))
            sizes.append(1)
    assert oldest.read().equals(rows(range(1)))
    for reader in readers:
        said, problems = reader.communicate()
        assert reader.returncode == 0, problems
        seen, _ = map(int, said.split())
        assert seen > 5, "it read while the other one wrote"
    oldest.close()
    assert store.release() == []
    with store.snapshot() as snapshot:
        assert snapshot.read().equals(rows(range(sum(sizes))))
