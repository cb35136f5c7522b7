"""End commands: select their files, print failures and findings, compute the exit code, and handle Ctrl-C."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeGuard

import typer

from ..errors import ParquetextError, kind_of, outcome_of
from ..findings import Finding
from ..masking import without_secrets
from ..storage import resolve
from .interrupts import STOPPED, claim_report, reported_stop
from .output import print_json, tell

FINE, FINDINGS, CANNOT_RUN = 0, 1, 2


def failure(path: object, error: Any) -> dict:
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


def problem(text: Any, path: object = None) -> None:
    """Print a line on standard error that names the path."""
    if _names_file(text):
        path, text = text.filename, _without_path(text)  # the file that it is about may be another one
    kind = f"{type(text).__name__}: " if isinstance(text, Exception) and not isinstance(text, ParquetextError) else ""
    is_named = path is None or _names(str(path).removeprefix("file://"), str(text))
    about = "" if is_named else f"{without_secrets(str(path))}: "
    tell((kind, "red"), about, without_secrets(str(text)), is_error=True)


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


def _without_path(error: Any) -> str:
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
    """End a command that takes one file if its path is a folder."""
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
    """Return the mode of a local path, or 0 if nothing is there."""
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):
        return 0


@contextmanager
def stoppable(done: Callable[[], str], *, temporary: str | None = None, waits: bool = False) -> Iterator[None]:
    """On Ctrl-C, print the completed work, and end the command with the exit code that shells use.

    Parameters as of `interrupts.reported_stop`, which ends a command that does not end by itself.
    """
    with reported_stop(done, temporary=temporary, waits=waits):
        try:
            yield
        except KeyboardInterrupt:
            if claim_report():
                problem(f"stopped by Ctrl-C: {done()}")
            raise typer.Exit(STOPPED) from None
