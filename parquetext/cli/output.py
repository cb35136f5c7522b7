"""Print the output that all commands share: lines, sizes, JSON and progress."""

from __future__ import annotations

import dataclasses
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TextIO

from ..escaping import escaped, json_line
from ..masking import without_secrets
from ..tabular import counted

if TYPE_CHECKING:  # rich takes 20 ms, and is imported if something is printed in a terminal
    from rich.console import Console
    from rich.text import Text

PIPE_COLUMNS = 160  # of bars and the like in a pipe or a log; tables are as wide as they need to be there
_FORCING = "FORCE_COLOR", "TTY_COMPATIBLE"  # variables by which rich takes a pipe for a terminal
_quiet = False


def _is_one_terminal() -> bool:
    """Return True if standard output and standard error are the same terminal or file."""
    try:
        streams = [os.fstat(stream.fileno()) for stream in (sys.stdout, sys.stderr)]
    except (AttributeError, OSError, ValueError):  # replaced by something that is no file
        return False
    return sys.stdout.isatty() and streams[0].st_rdev == streams[1].st_rdev and stat.S_ISCHR(streams[1].st_mode)


@cache
def console() -> Console:
    """Return the console of standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    return Console(quiet=_quiet, highlight=False, soft_wrap=True, width=width)


@cache
def errors() -> Console:
    """Return the console of standard error.

    In one terminal all lines go through one console, which draws the progress bar anew below them.
    """
    from rich.console import Console

    one = _is_one_terminal() and not _quiet
    return console() if one else Console(stderr=True, highlight=False, soft_wrap=True)


def _is_plain(stream: TextIO) -> bool:
    """Return True if lines have no style: in pipes and files."""
    return not stream.isatty() and not any(map(os.environ.get, _FORCING))


def be_quiet(asked: bool) -> None:
    """Print only failures, on standard error; the exit code shows if the command succeeded."""
    global _quiet
    _quiet = asked
    console.cache_clear()
    errors.cache_clear()


def line_width() -> int | None:
    """Return how many letters a line of standard output has room for; None if that is no terminal."""
    return console().width if sys.stdout.isatty() else None


def print_lines(lines: Iterable[str | Text], style: str = "") -> None:
    """Print lines whose names are escaped already; in a terminal in a style."""
    if _quiet:
        return
    if line_width() is None:  # many times faster than through rich
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        return
    from rich.text import Text

    for line in lines:
        console().print(line if isinstance(line, Text) else Text(line, style))


def human_bytes(count: float) -> str:
    """1,536 → 1.5 KiB."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            return f"{count:,.0f} B" if unit == "B" else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError("unreachable")


def all_counted(numbers: Mapping[str, int]) -> str:
    """Return numbers with their nouns: {"row": 3, "column": 1} → "3 rows, 1 column"."""
    return ", ".join(counted(number, noun) for noun, number in numbers.items())


def human_seconds(seconds: float) -> str:
    """0.0000123 → 12.3 µs."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError("unreachable")


def print_json(record: object) -> None:
    """Print a JSON document on one line of standard output."""
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        record = dataclasses.asdict(record)
    if isinstance(record, dict) and isinstance(record.get("path"), str):
        record = {**record, "path": without_secrets(record["path"])}
    sys.stdout.write(json_line(record) + "\n")


def tell(*parts: object, is_error: bool = False) -> None:
    """Print a line: texts, or pairs of a text and its style. Names are escaped."""
    if _quiet and not is_error:
        return
    pairs = [part if isinstance(part, tuple) else (part, "") for part in parts]
    stream = sys.stderr if is_error else sys.stdout
    if _is_plain(stream):
        stream.write("".join((*(escaped(text) for text, _ in pairs), "\n")))  # at once, also if it is not buffered
        stream.flush()
        return
    from rich.text import Text

    (errors if is_error else console)().print(Text.assemble(*((escaped(text), style) for text, style in pairs)))


def cell(text: object, style: str = "") -> Text:
    """Return a table cell with a name, escaped if necessary."""
    from rich.text import Text

    return Text(escaped(text), style)


def _has_progress(quiet: bool) -> bool:
    return not (quiet or _quiet or _is_plain(sys.stderr)) and errors().is_terminal


def _is_shared() -> bool:
    """Return True if a bar must be drawn anew below lines of standard output; else rich would print them beside it."""
    return errors() is console()


@contextmanager
def files_progress(total: int | None, description: str, *, quiet: bool = False) -> Iterator:
    """Show a bar that counts files on standard error; yield a function to call after each file."""
    if not _has_progress(quiet):
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors(), transient=True, redirect_stdout=_is_shared()) as progress:
        task = progress.add_task(description, total=total)
        yield lambda: progress.advance(task)


@contextmanager
def spinner(*, quiet: bool = False) -> Iterator:
    """Show the current step in one line; without a terminal, print a line for each step.

    Yields a function that sets it: with a number of steps it shows a bar, and gives a function to call after each.
    """

    def plainly(what: str, total: int | None = None) -> Callable[[], None]:
        if not (quiet or _quiet):
            tell(what, is_error=True)
        return lambda: None

    if not _has_progress(quiet):
        yield plainly
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors(), transient=True, redirect_stdout=_is_shared()) as progress:
        task = progress.add_task("", total=None)

        def say(what: str, total: int | None = None) -> Callable[[], None]:
            progress.reset(task, description=escaped(what), total=total)
            return lambda: progress.advance(task)

        yield say
