"""Measure the additional memory of a separate process after opening a file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["held_by_parquetext", "held_by_pyarrow"]

_MEASURE = """
import gc, sys
import pyarrow as pa, pyarrow.parquet as pq, parquetext
parquetext.open; parquetext.footer.scan
path, column, small = sys.argv[1], sys.argv[2], sys.argv[3]

def resident():
    gc.collect()
    with open("/proc/self/smaps_rollup") as text:
        return sum(int(line.split()[1]) for line in text if line.startswith("Private_Dirty")) * 1024

def hold(path):
    {hold}

warm = hold(small)
before = resident()
held = [hold(path) for _ in range({times})]
print((resident() - before) // {times})
"""
TIMES = 8  # memory is counted in pages, and a small result may fit into pages that are in use

_PARQUETEXT = """file = parquetext.open(path)
    facts = file.column(column if path == sys.argv[1] else "x")
    return file, facts, facts.data_page_offset, facts.total_compressed_size, facts.null_count, facts.min"""
_PYARROW = """metadata = pq.read_metadata(path)
    return metadata"""


def _held(body: str, path: str, column: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.parquet")
        pq.write_table(pa.table({"x": [1, 2, 3]}), small)
        command = [
            sys.executable,
            "-c",
            _MEASURE.replace("{hold}", body).replace("{times}", str(TIMES)),
            path,
            column,
            str(small),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)


def held_by_parquetext(path: str, column: str) -> int:
    """Return the bytes held after `parquetext.open(path)` and one column's values, with the file still open."""
    return _held(_PARQUETEXT, path, column)


def held_by_pyarrow(path: str) -> int:
    """Return the bytes held by `pyarrow.parquet.read_metadata(path)`."""
    return _held(_PYARROW, path, "")
