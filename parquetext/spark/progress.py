"""Show the progress of a job on standard error: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TextIO

from rich.console import Console, RenderableType
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

LOOK_SECONDS = 0.2
LINE_SECONDS = 10


class Counts(NamedTuple):
    """The progress of a job: processed files, their bytes, and Spark's tasks."""

    files: int
    bytes: int
    tasks_done: int
    tasks_running: int


@contextmanager
def shown(what: str, files: int, look: Callable[[], Counts], enabled: bool = True) -> Iterator[Callable[[str], None]]:
    """Show the counts that `look` returns until the end of the block; yield a function that prints a last line."""
    console = _console()
    stop = threading.Event()
    show = _bar if console.is_terminal else _lines
    thread = threading.Thread(target=show, args=(console, what, files, look, stop), daemon=True)
    if enabled and files:
        thread.start()
    try:
        yield (lambda line: console.print(line, markup=False)) if enabled else (lambda line: None)
    finally:
        stop.set()
        if thread.ident:
            thread.join()


def _console() -> Console:
    """Return a console on standard error; under spark-submit, whose driver has a pipe, on spark-submit's terminal."""
    terminal = _terminal_of_parent() if "PYSPARK_GATEWAY_PORT" in os.environ and not sys.stderr.isatty() else None
    return Console(file=terminal or sys.stderr, highlight=False, soft_wrap=True)


def _terminal_of_parent() -> TextIO | None:
    try:
        file = os.open(f"/proc/{os.getppid()}/fd/2", os.O_WRONLY | os.O_NOCTTY)
    except OSError:
        return None
    if os.isatty(file):
        return os.fdopen(file, "w")
    os.close(file)
    return None


class _BarWithText(Progress):
    """A bar with its text below it: a terminal of 80 columns is too narrow for both in one line."""

    def get_renderables(self) -> Iterator[RenderableType]:
        yield self.make_tasks_table(self.tasks)
        yield from (Text(task.fields["told"]) for task in self.tasks)


def _bar(console: Console, what: str, files: int, look: Callable[[], Counts], stop: threading.Event) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with _BarWithText(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(what, total=files, told="")
        for counts, seconds in _looks(look, stop, LOOK_SECONDS):
            progress.update(bar, completed=counts.files, told=_summary(files, counts, seconds))


def _lines(console: Console, what: str, files: int, look: Callable[[], Counts], stop: threading.Event) -> None:
    for counts, seconds in _looks(look, stop, LINE_SECONDS):
        console.print(f"{what}: {_summary(files, counts, seconds)}", markup=False)


def _looks(look: Callable[[], Counts], stop: threading.Event, every: float) -> Iterator[tuple[Counts, float]]:
    start = time.monotonic()
    while not stop.wait(every):
        yield look(), time.monotonic() - start


def _summary(files: int, counts: Counts, seconds: float) -> str:
    rate = f"{counts.files / seconds:,.0f} files/s, {decimal(int(counts.bytes / seconds))}/s"
    return (
        f"{counts.files:,} of {files:,} files, {decimal(counts.bytes)}, {rate}; "
        f"tasks: {counts.tasks_done} done, {counts.tasks_running} running"
    )
