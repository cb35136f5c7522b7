"""Print the output that all commands share: sizes, progress, JSON lines, and the last line with totals."""

from __future__ import annotations

import dataclasses
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeGuard

import typer
from rich.console import Console
from rich.text import Text

from ..errors import ParquetextError, kind_of, outcome_of
from ..escaping import escaped, json_line
from ..findings import Finding
from ..masking import without_secrets
from ..storage import resolve
from ..tabular import counted
from .interrupts import STOPPED, take_turn, telling

__all__ = [
    "CANNOT_RUN",
    "FINDINGS",
    "FINE",
    "STOPPED",
    "be_quiet",
    "all_counted",
    "complain",
    "cell",
    "console",
    "counted",
    "exit_code",
    "files_progress",
    "human_bytes",
    "human_seconds",
    "is_absent",
    "line_width",
    "nothing_there",
    "print_failure",
    "print_json",
    "print_lines",
    "problem",
    "refuse_folder",
    "spinner",
    "stoppable",
    "targets_of",
    "tell",
]

FINE, FINDINGS, CANNOT_RUN = 0, 1, 2

PIPE_COLUMNS = 160  # of bars and the like in a pipe or a log; tables are as wide as they need to be there


def _is_one_terminal() -> bool:
    """Return True if standard output and standard error are the same terminal or file."""
    try:
        streams = [os.fstat(stream.fileno()) for stream in (sys.stdout, sys.stderr)]
    except (AttributeError, OSError, ValueError):  # replaced by something that is no file
        return False
    return sys.stdout.isatty() and streams[0].st_rdev == streams[1].st_rdev and stat.S_ISCHR(streams[1].st_mode)


console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else PIPE_COLUMNS)
# In one terminal all lines go through one console, which draws the progress bar anew below them.
errors = console if _is_one_terminal() else Console(stderr=True, highlight=False, soft_wrap=True)


def be_quiet(asked: bool) -> None:
    """Print only failures, on standard error; the exit code shows if the command succeeded."""
    global errors
    console.quiet = asked
    if asked and errors is console:
        errors = Console(stderr=True, highlight=False, soft_wrap=True)


def line_width() -> int | None:
    """Return how many letters a line of standard output has room for; None if that is no terminal."""
    return console.width if sys.stdout.isatty() else None


def print_lines(lines: Iterable[str | Text], style: str = "") -> None:
    """Print lines whose names are escaped already; in a terminal in a style."""
    if console.quiet:
        return
    if line_width() is None:  # many times faster than through rich
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        return
    for line in lines:
        console.print(line if isinstance(line, Text) else Text(line, style))


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


def failure(path: object, error: Exception) -> dict:
    """Return the output of `--json` for a file that could not be processed."""
    message = f"{error.filename}: {_without_path(error)}" if _names_file(error) else str(error)
    return {
        "path": without_secrets(str(path)),
        "outcome": outcome_of(error),
        "error": kind_of(error),
        "message": without_secrets(message),
        "offset": getattr(error, "offset", None),
    }


def print_failure(path: object, error: Any, *, json: bool) -> None:
    """Print why a file could not be processed: as a JSON document, or as a line on standard error."""
    if json:
        print_json(failure(path, error))
    else:
        problem(error, path)


def problem(text: str | Exception, path: object = None) -> None:
    """Print a line on standard error that names the path."""
    if _names_file(text):
        path, text = text.filename, _without_path(text)  # the file that it is about may be another one
    kind = f"{type(text).__name__}: " if isinstance(text, Exception) and not isinstance(text, ParquetextError) else ""
    is_named = path is None or _names(str(path).removeprefix("file://"), str(text))
    about = "" if is_named else f"{without_secrets(str(path))}: "
    tell((kind, "red"), about, without_secrets(str(text)), to=errors)


def _names(path: str, text: str) -> bool:
    """Return True if a message names a path: ``a`` is no name in "a directory", and is one in "a: not found"."""
    end = r"(?![\w/-])" if re.search(r"\w[./]\w", path) else r"(?=['\":])"
    return re.search(rf"(?<![\w.-]){re.escape(path)}{end}", text) is not None


def _names_file(error: object) -> TypeGuard[OSError]:
    """Return True if an error of the system names one file and states a reason."""
    return (
        isinstance(error, OSError)
        and isinstance(error.filename, str)
        and bool(error.strerror)
        and error.filename2 is None
    )


def _without_path(error: OSError) -> str:
    """Return the system's message, or the problem of the file's folder."""
    folder = os.path.dirname(error.filename)
    if isinstance(error, FileNotFoundError) and "://" not in folder and folder and not os.path.exists(folder):
        return f"there is no folder {folder}"
    if isinstance(error, PermissionError) and _is_closed(folder or ".") and not os.path.exists(error.filename):
        return f"no permission to write to the folder {folder or '.'}"
    if isinstance(error, IsADirectoryError) and not isinstance(error, ParquetextError):
        return "a directory, and a file is needed: name a file in it"
    return error.strerror


def _is_closed(folder: str) -> bool:
    """Return True if a local folder exists and the user may not write to it."""
    effective = {"effective_ids": True} if os.access in os.supports_effective_ids else {}
    return os.path.isdir(folder) and not os.access(folder, os.W_OK, **effective)


def complain(findings: Iterable[Finding], path: object) -> None:
    """Print one line on standard error for each finding that is not a note, as `--quiet` does."""
    for finding in findings:
        if not finding.is_note:
            problem(str(finding), path)


def tell(*parts: object, to: Console = console) -> None:
    """Print a line: texts, or pairs of a text and its style. Names are escaped."""
    pairs = [part if isinstance(part, tuple) else (part, "") for part in parts]
    to.print(Text.assemble(*((escaped(text), style) for text, style in pairs)))


def cell(text: object, style: str = "") -> Text:
    """Return a table cell with a name, escaped if necessary."""
    return Text(escaped(text), style)


def targets_of(paths: list[str], **options) -> list:
    """Return the files of paths, with options of `edits.expand`; if listing fails, end the command with one line."""
    from ..edits import expand

    found: dict[str, object] = {}
    for path in paths:
        try:
            if stat.S_IFMT(_mode(path)) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise ParquetextError("not a regular file, and no folder of files", file=path)
            found |= {key: target for target in expand(path, **options) if (key := resolve(target).key) not in found}
        except Exception as error:  # what filesystems raise has no common base
            problem(error, path)
            raise typer.Exit(CANNOT_RUN) from None
    return list(found.values())


def refuse_folder(path: str) -> None:
    """End a command that takes one file where its path is a folder."""
    if os.path.isdir(path):
        problem("a folder, and the command takes one file", path)
        raise typer.Exit(CANNOT_RUN)


def exit_code(files: int, absent: int, found: int) -> int:
    """Return the exit code of a command from its numbers of files, missing files, and failures or findings."""
    return CANNOT_RUN if absent == files else FINDINGS if found else FINE


def is_absent(path: object, error: Exception | None) -> bool:
    """Return True if an error reports that the file itself is missing, and not a file next to it."""
    is_there = isinstance(path, str) and os.path.exists(path)
    return isinstance(error, FileNotFoundError | NotADirectoryError) and not is_there


def nothing_there(paths: list[str]) -> None:
    """Print that folders and patterns select no file."""
    problem(f"no Parquet files there: {', '.join(without_secrets(path) for path in paths)}")


def _mode(path: str) -> int:
    """Return the size of a local file, or 0 if there is none."""
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


@contextmanager
def stoppable(done: Callable[[], str], *, temporary: str | None = None, waits: bool = False) -> Iterator[None]:
    """On Ctrl-C, print the completed work, and end the command with the exit code that shells use.

    Parameters as of `interrupts.telling`, which ends a command that does not end by itself.
    """
    with telling(done, temporary=temporary, waits=waits):
        try:
            yield
        except KeyboardInterrupt:
            if take_turn():
                problem(f"stopped by Ctrl-C: {done()}")
            raise typer.Exit(STOPPED) from None


@contextmanager
def files_progress(total: int | None, description: str, *, quiet: bool = False) -> Iterator:
    """Show a bar that counts files on standard error; yield a function to call after each file."""
    if quiet or console.quiet or not errors.is_terminal:
        yield lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task(description, total=total)
        yield lambda: progress.advance(task)


@contextmanager
def spinner(*, quiet: bool = False) -> Iterator:
    """Show the current step in one line; without a terminal, print a line for each step.

    Yields a function that sets it: with a number of steps it shows a bar, and gives a function to call after each.
    """

    def plainly(what: str, total: int | None = None) -> Callable[[], None]:
        if not (quiet or console.quiet):
            tell(what, to=errors)
        return lambda: None

    if quiet or console.quiet or not errors.is_terminal:
        yield plainly
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("", total=None)

        def say(what: str, total: int | None = None) -> Callable[[], None]:
            progress.reset(task, description=escaped(what), total=total)
            return lambda: progress.advance(task)

        yield say
