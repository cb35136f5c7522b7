"""One question asked of many files: each is opened and answered, and those that cannot be read are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import typer

from ..errors import ParquetextError
from .output import (
    CANNOT_RUN,
    FINE,
    counted,
    exit_code,
    failure,
    nothing_there,
    print_json,
    problem,
    stoppable,
    targets_of,
    tell,
)

__all__ = ["ask_each", "ask_one"]

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
    """Open every file that paths stand for, and call `ask(path, file)`; end the command.

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
    """Do the same for one file."""
    with stoppable(lambda: "the file was not read to its end"):
        raise typer.Exit(FINE if _asked(path, ask, json, values) else CANNOT_RUN)


def _asked(path: object, ask: Ask, json: bool, values: bool) -> bool:
    """Return whether a file could be read."""
    import pyarrow as pa

    if values:
        from ..arrow.file import open as open_file
    else:
        from ..footer.opening import open_file

    try:
        with open_file(path) as file:
            ask(path, file)
    except BrokenPipeError:  # whoever reads the output has seen enough
        raise
    except (OSError, ParquetextError, pa.ArrowException, UnicodeError, MemoryError) as error:
        print_json(failure(path, error)) if json else problem(error, path)
        return False
    return True
