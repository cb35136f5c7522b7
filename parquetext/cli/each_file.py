"""Read or change each of many files, count the outcomes, and end the command with its exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from .. import wire
from ..errors import ParquetextError, outcome_of
from ..storage import resolve
from .outcomes import (
    CANNOT_RUN,
    FINE,
    exit_code,
    is_absent,
    nothing_there,
    print_failure,
    problem,
    stoppable,
    targets_of,
)
from .output import counted, files_progress, tell

FAILED, FINDINGS, REFUSED = "failed", "with findings", "refused"

Ask = Callable[[object, object], None]


def ask_each(
    paths: list[str],
    ask: Ask,
    *,
    json: bool,
    heading: bool = False,
    total: Callable[[int], None] | None = None,
    values: bool = False,
) -> NoReturn:
    """Open every file that paths select, and call `ask(path, file)`; end the command.

    Of several files, and without `json`, each one's name is printed first, with `heading`; `total` is called last, with
    the number of files that were read. With `values`, the file is one whose values can be read, too, which takes longer
    to import.
    """
    targets, done, failed = targets_of(paths), 0, 0
    with stoppable(lambda: f"{done + failed:,} of {counted(len(targets), 'file')} read"):
        for path in targets:
            if heading and not json and len(targets) > 1:
                tell((f"{path}:", "bold"))
            if _asked(path, ask, json, values):
                done += 1
            else:
                failed += 1
    if not targets:
        nothing_there(paths)
    elif len(targets) > 1 and total is not None and not json:
        total(done)
    raise typer.Exit(exit_code(len(targets), failed, failed))


def ask_one(path: str, ask: Ask, *, json: bool, values: bool = False) -> NoReturn:
    """Call `ask` for one file."""
    with stoppable(lambda: "the file was not read to its end"):
        raise typer.Exit(FINE if _asked(path, ask, json, values) else CANNOT_RUN)


def _asked(path: Any, ask: Ask, json: bool, values: bool) -> bool:
    """Return True if a file could be read."""
    import pyarrow as pa

    if values:
        from ..arrow.file import open as open_file
    else:
        from ..footer.opening import open_file  # type: ignore[assignment]

    try:
        with open_file(path) as file:
            ask(path, file)
    except BrokenPipeError:  # the reader of the output has closed it
        raise
    except (OSError, ParquetextError, pa.ArrowException, UnicodeError, MemoryError) as error:
        print_failure(path, error, json=json)
        return False
    return True


def look_at_each(
    paths: list[str],
    verb: str,
    look: Callable[[Any], Any],
    show: Callable[[Any, Any], None],
    *,
    json: bool,
    progress: str = "",
) -> tuple[int, int]:
    """Call `show(path, look(path))` for every file that paths select; return the numbers of files and failures.

    Ctrl-C prints how many files are done, with `verb` in the past participle; `progress` is a text for a bar.
    """
    targets, files, failed = targets_of(paths), 0, 0
    with (
        stoppable(lambda: f"{files:,} of {counted(len(targets), 'file')} {verb}"),
        files_progress(len(targets), progress, quiet=json or not progress) as advance,
    ):
        for path in targets:
            try:
                found, failure = look(path), None
            except (OSError, ParquetextError) as error:
                found, failure = None, error
            files, failed = files + 1, failed + (failure is not None)
            advance()
            if failure is None:
                show(path, found)
            else:
                print_failure(path, failure, json=json)
    if not targets:
        nothing_there(paths)
    return files, failed


def change_each(
    paths: list[str],
    description: str,
    change: Callable[[object], object],
    show: Callable[[object, object], str],
    *,
    json: bool,
    unfinished: bool = False,
    failures_last: bool = False,
) -> NoReturn:
    """Apply `change(path)` to every file that paths select, and end the command.

    Parameters
    ----------
    paths, unfinished
        See `edits.expand`.
    description : str
        Description of the action for the progress bar, such as ``"upgrading"``.
    change : callable
        Changes a file, and returns a result. Its errors do not stop the other files, except wrong arguments.
    show : callable
        Prints a result from its path and the result, and returns its outcome, which is counted. `FINDINGS` makes the
        exit code 1; so do failed files, and refused files if they were named one by one.
    json : bool
        Print one JSON document for each file instead of text.
    failures_last : bool
        In the last line, print the counts of findings, refusals and failures last; by default, the largest count is
        first.
    """
    from .. import edits

    outcomes: Counter[str] = Counter()
    targets, named = targets_of(paths, unfinished=unfinished), {resolve(path).key for path in paths}
    absent = named_refused = 0
    message = "of {} done; the same command goes on with the rest"
    with (
        stoppable(lambda: f"{sum(outcomes.values()):,} {message.format(counted(len(targets), 'file'))}"),
        files_progress(len(targets), description, quiet=json) as advance,
    ):
        for path, result, error in edits.each(targets, change):
            advance()
            if error is None:
                outcomes[show(path, result)] += 1
                continue
            if getattr(error, "code", None) == wire.BAD_ARGUMENT:
                problem(error)
                raise typer.Exit(CANNOT_RUN)
            outcome = outcome_of(error)
            outcomes[outcome] += 1
            absent += is_absent(path, error)
            named_refused += outcome == REFUSED and resolve(path).key in named
            is_refused = outcome == REFUSED and not json
            print_failure(path, f"{REFUSED}: {error}" if is_refused else error, json=json)
    if not targets:
        nothing_there(paths)
        raise typer.Exit(CANNOT_RUN)
    if not json:
        bad = (FINDINGS, REFUSED, FAILED)
        ordered = outcomes.most_common()
        if failures_last:
            ordered.sort(key=lambda one: bad.index(one[0]) + 1 if one[0] in bad else 0)
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in ordered)
        tell(f"{counted(len(targets), 'file')}: {counts}")
    raise typer.Exit(exit_code(len(targets), absent, outcomes[FAILED] + outcomes[FINDINGS] + named_refused))
