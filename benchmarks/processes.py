"""Compare readers of tables, each in its own process, so that threads, memory and caches are not shared.

A process receives its work line by line and measures the time itself.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from .timing import Timing

__all__ = ["Reading", "compare_readings"]

Columns = list[str] | None
Filters = list[tuple] | None
PROCESS = Path(__file__).with_name("reading_process.py")


@dataclass(frozen=True, slots=True)
class Reading:
    """One contender: a reader, by its name in `reading_process.READERS`, and the file that it reads."""

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
        Returns the columns of the call with this number.
    calls : int
        The number of calls in a round.

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
    """A process that reads one file, while it is used as a context."""

    def __init__(self, reading: Reading):
        command = [sys.executable, PROCESS, reading.reader, reading.path]
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
