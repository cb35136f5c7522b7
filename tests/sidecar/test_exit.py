"""Sidecars that are in use when the interpreter ends are let go in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from support.growing import grow

import parquetext
from parquetext import sidecar

# Garbage in cycles is cleared in any order: a view, for one, before the reader that looks into it.
PROGRAM = """
import gc, os, sys
from parquetext import kernels, sidecar
kernels.use(sys.argv[1])
path, place, size = sys.argv[2], sys.argv[3], int(sys.argv[4])

def hold(plan):
    columns = [plan, plan.columns, plan.column("a").min_bytes, plan.column("a").num_values]
    columns.append(columns)
    return columns

first = hold(sidecar.open(path))
before = first[0].footer.previous
with open(place, "r+b") as file:  # rolled back: only a part of the mapped bytes is committed
    file.write(before.to_bytes(8, "little"))
second = hold(sidecar.open(path, parquet_size=size))
with open(place, "rb") as file:
    third = hold(sidecar.Plan(path, place, kernels.sidecar.Reader(memoryview(file.read())), second[0].belongs))
if sys.argv[5:]:
    del first, second, third
    gc.collect()
"""


def run(*arguments: object) -> subprocess.CompletedProcess:
    environment = os.environ | {"PYTHONPATH": str(Path(parquetext.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)], capture_output=True, text=True, env=environment
    )


def test_nothing_is_printed(implementation, tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"a": list(range(10))})
    for how in ((), ("collect",)):
        pq.write_table(table, path)
        size = path.stat().st_size
        position = sidecar.build(path).sidecar
        grow(path, table)
        assert sidecar.update(path).outcome == "updated"
        done = run(implementation, path, position, size, *how)
        assert (done.stderr, done.returncode) == ("", 0)
