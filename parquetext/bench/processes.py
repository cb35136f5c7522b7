"""Readers that read tables in turns, each in a process of its own: threads, memory and caches of one are nobody else's.

A process is given its work line by line and times it by itself.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from .timing import Timing

__all__ = ["Reading", "compare_readings"]

Columns = list[str] | None
Filters = list[tuple] | None


@dataclass(frozen=True, slots=True)
class Reading:
    """One contender: a reader, by its name in `READERS`, and the file that it reads."""

    name: str
    reader: str
    path: str


def compare_readings(
    readings: Sequence[Reading], rounds: int, columns: Callable[[int], Columns], filters: Filters = None, calls: int = 1
) -> dict[str, Timing]:
    """Let every reader read once per round, after a round that does not count.

    Parameters
    ----------
    columns : callable
        Gives the columns of the call of this number.
    calls : int
        How many calls a round is.

    Raises
    ------
    RuntimeError
        A reader failed, or two of them gave tables of another number of rows.
    """
    seconds: dict[str, list[float]] = {reading.name: [] for reading in readings}
    with ExitStack() as stack:
        processes = {reading.name: stack.enter_context(_Process(reading)) for reading in readings}
        for number in range(rounds + 1):
            work = [columns(call) for call in range(number * calls, (number + 1) * calls)]
            answers = {name: process.ask(work, filters) for name, process in processes.items()}
            if len({answer["rows"] for answer in answers.values()}) != 1:
                raise RuntimeError(f"readers give other numbers of rows: {answers}")
            for name, answer in answers.items() if number else ():
                seconds[name].append(answer["seconds"])
    return {name: Timing(min(taken), statistics.median(taken), rounds * calls) for name, taken in seconds.items()}


class _Process:
    """A process that reads one file, for as long as it is a context."""

    def __init__(self, reading: Reading):
        command = [sys.executable, "-m", __name__, reading.reader, reading.path]
        self._name = reading.name
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, work: list[Columns], filters: Filters) -> dict:
        self._process.stdin.write(json.dumps({"work": work, "filters": filters}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self._name}: its process ended with {self._process.wait()}")
        return json.loads(answer)


def _parquetext(path: str, columns: Columns, filters: Filters) -> object:
    from ..arrow.tables import read_table

    return read_table(path, columns, filters)


def _pyarrow(path: str, columns: Columns, filters: Filters) -> object:
    import pyarrow.parquet as pq

    return pq.read_table(path, columns=columns, filters=filters)


def _parquet_file(path: str, columns: Columns, filters: Filters) -> object:
    import pyarrow.parquet as pq

    if filters is not None:
        raise ValueError("ParquetFile.read takes no filters")
    return pq.ParquetFile(path).read(columns=columns)


def _polars(path: str, columns: Columns, filters: Filters) -> object:
    import operator

    import polars

    if filters is None:
        return polars.read_parquet(path, columns=columns)
    compare = {"<": operator.lt, ">=": operator.ge}
    wanted = [compare[how](polars.col(name), value) for name, how, value in filters]
    frame = polars.scan_parquet(path).filter(*wanted)
    return (frame if columns is None else frame.select(columns)).collect()


READERS: dict[str, Callable[[str, Columns, Filters], object]] = {
    "parquetext": _parquetext,
    "pyarrow": _pyarrow,
    "ParquetFile": _parquet_file,
    "polars": _polars,
}


def main(reader: str, path: str) -> None:
    """Read what each line of standard input asks for, and print the seconds of a call and the rows of the last one."""
    read = READERS[reader]
    gc.disable()
    for line in sys.stdin:
        asked = json.loads(line)
        filters = asked["filters"] and [tuple(part) for part in asked["filters"]]
        taken = 0.0
        for columns in asked["work"]:
            start = time.perf_counter()
            table = read(path, columns, filters)
            taken += time.perf_counter() - start
            rows = table.shape[0]
            del table
        gc.collect()
        sys.stdout.write(json.dumps({"seconds": taken / len(asked["work"]), "rows": rows}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
