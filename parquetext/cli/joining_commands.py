"""`parquetext merge` and `split`: row groups copied into new files, byte for byte."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Annotated, Any

import typer

from .. import wire
from ..errors import ParquetextError
from ..storage import resolve
from .arguments import File, Files, Ignore, Quiet, Size, size_of
from .choices import OptimizeFor
from .new_form import AUTO, NewForm
from .outcomes import (
    CANNOT_RUN,
    exit_code,
    is_absent,
    nothing_there,
    print_failure,
    refuse_folder,
    stoppable,
    targets_of,
)
from .output import counted, files_progress, human_bytes, print_json, tell

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document per new file.")]


def merge(
    paths: Files,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="New file.", show_default=False)],
    optimize_for: Annotated[
        OptimizeFor, typer.Option(help="Pages are copied: for uses other than scan, rewrite the merged file.")
    ] = OptimizeFor.scan,
    form: NewForm = AUTO,
    ignore: Ignore = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Join files with the same schema into one file. Copies row groups without decoding them."""
    from .. import edits

    named, new = {resolve(path).key for path in paths}, resolve(out).key
    # a folder that contains the new file does not select it, so that the same command writes the same file again
    targets = [path for path in targets_of(paths) if (key := resolve(path).key) in named or key != new]
    done = 0
    if not targets:
        nothing_there(paths)
        raise typer.Exit(CANNOT_RUN)

    def advance() -> None:
        nonlocal done
        done += 1
        step()

    message = "of {} copied, nothing is written; the same command begins again"
    with (
        stoppable(lambda: f"{done:,} {message.format(counted(len(targets), 'file'))}"),
        files_progress(len(targets), "merging", quiet=json) as step,
        _failing(targets, json),
    ):
        options: dict[str, Any] = {"form": form.value, "ignore": ignore or (), "optimize_for": optimize_for.value}
        made = edits.merge(targets, out, **options, advance=advance)
        _print(made, json)


def split(
    path: File,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FOLDER", help="Directory for the new files.", show_default=False)
    ],
    row_groups: Annotated[int | None, typer.Option(min=1, help="Row groups per new file. Default: 1.")] = None,
    files: Annotated[
        int | None, typer.Option(min=1, help="Number of new files, with about the same number of row groups each.")
    ] = None,
    max_bytes: Annotated[
        Size | None,
        typer.Option(parser=size_of, metavar="SIZE", help="Largest size of the pages of a new file, such as 128MiB."),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace existing files. Without it, an existing file with other content is an error."
        ),
    ] = False,
    form: NewForm = AUTO,
    ignore: Ignore = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Split a file into several files. Copies row groups without decoding them."""
    from .. import edits

    refuse_folder(path)
    made: list[Any] = []
    again = "the same command begins again" if overwrite else "the same command goes on with the rest"
    with stoppable(lambda: f"{counted(len(made), 'file')} written; {again}"), _failing([path], json):
        sizes = {"row_groups": row_groups, "files": files, "max_bytes": max_bytes}
        for new in edits.split(path, out, **sizes, overwrite=overwrite, form=form.value, ignore=ignore or ()):
            made.append(new)
            _print(new, json)
    if not json:
        rows, size = sum(new.rows for new in made), sum(new.bytes for new in made)
        tell(f"{counted(len(made), 'file')}: {counted(rows, 'row')}, {human_bytes(size)}")


def _print(made, json: bool) -> None:
    if json:
        print_json(made)
        return
    fields = [counted(made.row_groups, "row group"), counted(made.rows, "row"), human_bytes(made.bytes)]
    kept = ", kept" if made.outcome == "kept" else ""
    tell(f"{made.path}: {', '.join(fields)}, {made.form} footer{kept}")
    for note in made.notes:
        tell("    ", note)


@contextmanager
def _failing(paths: list, json: bool):
    """Print what went wrong, and end the command with its exit code."""
    try:
        yield
    except (OSError, ParquetextError) as error:
        is_of_command = getattr(error, "code", None) == wire.BAD_ARGUMENT
        about = getattr(error, "file", None) or getattr(error, "filename", None) or paths[0]
        print_failure(about, error, json=json and not is_of_command)
        absent = sum(is_absent(path, error) for path in paths)
        is_nothing_read = is_of_command or isinstance(error, IsADirectoryError)
        raise typer.Exit(CANNOT_RUN if is_nothing_read else exit_code(len(paths), absent, 1)) from None
