"""Metadata operations on any file use memory in proportion to its size, not to the counts that it claims."""

from __future__ import annotations

import json
import subprocess
import sys

LIMIT = 64 << 20

WORK = """
import gc, json, os, sys
import pyarrow as pa
import parquetext
from parquetext import errors, kernels
from parquetext.arrow import file as _
from parquetext.footer import scan

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

def reset():
    pa.default_memory_pool().release_unused()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return peak()

def work(path):
    with parquetext.open(path) as file:
        form = file._form
        form.slice(range(form.leaf_count), range(form.row_group_count), key_values=True)
        file.to_arrow()
    scan(path)
    parquetext.verify(path)

pa.array([0])  # imports pandas if it is installed: tens of MiB, depending on its version
gc.freeze()
for path in json.load(sys.stdin):
    before = reset()
    try:
        work(path)
    except (errors.ParquetextError, OSError):
        pass
    print(json.dumps([path, peak() - before, os.path.getsize(path)]))
"""


def test_the_corpus_whole_takes_no_more_than_its_size_and_64_mib(corpus, expected):
    paths = [str(corpus / fields["file"]) for fields in expected]
    done = subprocess.run(
        [sys.executable, "-c", WORK], input=json.dumps(paths), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    measured = [json.loads(line) for line in done.stdout.splitlines()]
    assert [path for path, _, _ in measured] == paths
    assert [(path, took) for path, took, size in measured if took > LIMIT + size] == []
