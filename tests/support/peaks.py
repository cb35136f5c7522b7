"""The memory that reading, checking and listing takes at its peak, each in a process of its own forked from a warm one.

    python -m support.peaks VERB,VERB SECONDS GOOD FILE...

prints for each file and verb: bytes beyond those of the warm process, the verb, the outcome, the file. A few hundred
bytes may stand for a terabyte of values that a verb looks at batch by batch: after so many seconds of processor that is
enough (0: never).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import parquetext
from parquetext import kernels
from parquetext.errors import ParquetextError
from parquetext.inspection import integrity
from parquetext.reading.execute.short_chunks import ShortChunks
from parquetext.reading.request.read_request import ReadOptions
from parquetext.reading.stages import plan_file

from .resident import most_taken

__all__ = ["VERBS", "Peak", "peaks"]

MOST_ROWS = 2_000_000  # of batches, which go on as long as a file says


class _Enough(BaseException):
    """A verb goes on and on."""


class Peak(NamedTuple):
    taken: int
    verb: str
    outcome: str
    path: str


def pages(path: str) -> None:
    with parquetext.open(path) as file:
        for column in file.parquet_schema.paths:
            file.pages(column)


def batches(path: str) -> None:
    with parquetext.open(path) as file:
        rows = 0
        for batch in file.iter_batches(engine="parquetext"):
            rows += batch.num_rows
            if rows > MOST_ROWS:
                break


def short(path: str) -> None:
    """Read the short chunks."""
    with parquetext.open(path) as file:
        part = plan_file(file, None, None, None, ReadOptions()).part
        arrays = kernels.arrays.Arrays(part.form.scan, file._source.size)
        if arrays.count:
            ShortChunks.read(part, arrays, file._source, use_threads=True)


VERBS: dict[str, Callable[[str], object]] = {
    "layout": lambda path: parquetext.layout(path, decompress=True),
    "pages": pages,
    "verify": lambda path: integrity.verify(path, deep=True),
    "batches": batches,
    "short": short,
    "table": lambda path: parquetext.read_table(path, engine="parquetext"),
}


def peaks(
    good: Path, paths: Iterable[Path], verbs: Iterable[str] = VERBS, *, pure: bool = False, seconds: int = 0
) -> Iterator[Peak]:
    """Return each verb's peak for each file, after all verbs have run once with a valid file."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)} | ({"PARQUETEXT_PURE": "1"} if pure else {})
    command = [sys.executable, "-P", "-m", "support.peaks", ",".join(verbs), str(seconds), str(good), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    for line in done.stdout.splitlines():
        taken, *message = line.split("\t")
        yield Peak(int(taken), *message)


def _end(*_: object) -> None:
    raise _Enough


def _outcome(verb: str, path: str, seconds: int) -> str:
    signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        VERBS[verb](path)
    except _Enough:
        return "goes on"
    except ParquetextError as error:
        return " ".join(f"{type(error).__name__}: {error.message}".split())
    return "read"


def _measure(verb: str, path: str, seconds: int) -> None:
    """Print a line, from a process of its own."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            raise ChildProcessError(f"{verb} {path}: {status}")
        return
    status = 1
    try:
        taken, outcome = most_taken(lambda: _outcome(verb, path, seconds))
        print(taken, verb, outcome, path, sep="\t", flush=True)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def main(verbs: str, seconds: str, good: str, *paths: str) -> None:
    for verb in verbs.split(","):
        VERBS[verb](good)
    for path in paths:
        for verb in verbs.split(","):
            _measure(verb, path, int(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
