"""Small files that stand for very much, in every verb: little memory, or an error that is no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.every_verb import VERBS
from support.vast_files import vast_files

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are measured on Linux alone")
ROOM = 64 << 20


@pytest.mark.timeout(900)
def test_every_verb_takes_little_memory_for_small_files(tmp_path):
    good = tmp_path / "good.parquet"
    pq.write_table(pa.table({"n": [1, 2], "s": ["a", "b"], "l": [[1], [2]]}), good, compression="zstd")
    paths = {}
    for number, (name, data) in enumerate(vast_files()):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(data)
        paths[str(path)] = name
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "support.every_verb_peaks", str(good), *paths]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 4]
    assert len(lines) == len(paths) * len(VERBS)
    bad = [
        (paths[path], verb, f"{int(taken) >> 20} MiB", outcome)
        for taken, _, outcome, verb, path in lines
        if int(taken) >= ROOM or outcome not in ("done", "refused")
    ]
    assert not bad, "\n".join(map(str, bad))
