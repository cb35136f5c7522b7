"""The memory that scans of a dataset take at their peak, ours and pyarrow's, each in a process forked from a warm one.

    python -m support.scan_peaks FILE

prints a line for each way to read: bytes that ours takes, bytes that pyarrow's takes, the way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

import parquetext

from .resident import most_taken

__all__ = ["peaks_of_scans"]

FILTER = pc.field("c0") < 0.01


def slowly(batches) -> None:
    for _ in batches:
        time.sleep(0.004)


def drained(batches) -> None:
    for _ in batches:
        pass


VERBS: dict[str, Callable] = {
    "head": lambda lake: lake.head(5),
    "batches": lambda lake: drained(lake.to_batches()),
    "slowly read batches": lambda lake: slowly(lake.to_batches()),
    "filtered table": lambda lake: lake.to_table(filter=FILTER),
}


def peaks_of_scans(path: Path) -> dict[str, tuple[int, int]]:
    """Return the peaks of our decoder and of pyarrow for each way to read."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "support.scan_peaks", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {verb: (int(ours), int(theirs)) for ours, theirs, verb in lines}


def _measured(open_lake: Callable, verb: str, small: str, path: str) -> int:
    """Bytes that a large file takes in a new process, beyond those of a small one.

    The scan of the small file maps the shared libraries, which are not memory of a scan.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            VERBS[verb](open_lake(small))
            taken, _ = most_taken(lambda: VERBS[verb](open_lake(path)))
            os.write(writing, str(taken).encode())
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status:
        raise ChildProcessError(f"{verb} {path}: {status}")
    os.close(writing)
    with os.fdopen(reading) as message:
        return int(message.read())


def main(path: str) -> None:
    pa.table({"c0": [1.0]}).filter(FILTER)
    small = f"{path}.small"
    parquetext.write_table(pa.table({"c0": [1.0]}), small)
    parquetext.dataset(small).to_table(filter=FILTER)
    for verb in VERBS:
        ours, theirs = (_measured(open_lake, verb, small, path) for open_lake in (parquetext.dataset, ds.dataset))
        print(ours, theirs, verb, sep="\t", flush=True)
    os.unlink(small)


if __name__ == "__main__":
    main(*sys.argv[1:])
