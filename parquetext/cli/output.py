"""What all commands print alike: sizes, progress, JSON lines, and the last line that counts."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..errors import ParquetextError, outcome_of

__all__ = [
    "CANNOT_RUN",
    "FINDINGS",
    "FINE",
    "console",
    "failure",
    "files_progress",
    "human_bytes",
    "human_seconds",
    "print_json",
    "problem",
    "spinner",
]

FINE, FINDINGS, CANNOT_RUN = 0, 1, 2

PIPE_COLUMNS = 160  # a table in a pipe or a log is not folded

console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else PIPE_COLUMNS)
errors = Console(stderr=True, highlight=False, soft_wrap=True)


def human_bytes(count: float) -> str:
    """1,536 → 1.5 KiB."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            return f"{count:,.0f} B" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def human_seconds(seconds: float) -> str:
    """0.0000123 → 12.3 µs."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError("unreachable")


def print_json(record: object) -> None:
    """One JSON document on one line, to standard output."""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        record = dataclasses.asdict(record)
    sys.stdout.write(json.dumps(record, default=str, ensure_ascii=False) + "\n")


def failure(path: object, error: Exception) -> dict:
    """What `--json` prints of a file that nothing could be done with."""
    return {
        "path": str(path),
        "outcome": outcome_of(error),
        "error": type(error).__name__,
        "message": str(error),
        "offset": getattr(error, "offset", None),
    }


def problem(text: str | Exception) -> None:
    """One line on standard error."""
    kind = f"{type(text).__name__}: " if isinstance(text, Exception) and not isinstance(text, ParquetextError) else ""
    errors.print(f"[red]{kind}[/red]", end="") if kind else None
    errors.print(str(text), markup=False)


@contextmanager
def files_progress(total: int | None, description: str, *, quiet: bool = False) -> Iterator:
    """A bar that counts files, on standard error; yields a function to call after each file."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, disable=quiet or not errors.is_terminal, transient=True) as progress:
        task = progress.add_task(description, total=total)
        yield lambda: progress.advance(task)


@contextmanager
def spinner(*, quiet: bool = False) -> Iterator:
    """One line that says what is being done (plain lines without a terminal).

    Yields a function that sets it: with a number of steps it shows a bar, and gives a function to call after each.
    """

    def plainly(what: str, total: int | None = None) -> Callable[[], None]:
        if not quiet:
            errors.print(what, markup=False)
        return lambda: None

    if quiet or not errors.is_terminal:
        yield plainly
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("", total=None)

        def say(what: str, total: int | None = None) -> Callable[[], None]:
            progress.reset(task, description=what, total=total)
            return lambda: progress.advance(task)

        yield say
