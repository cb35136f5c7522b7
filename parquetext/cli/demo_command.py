"""`parquetext demo`: the whole way on one wide table."""

from __future__ import annotations

import tempfile
from contextlib import nullcontext
from typing import Annotated

import typer
from rich.table import Table

from .arguments import Quiet
from .choices import Reader
from .outcomes import CANNOT_RUN, FINDINGS, problem, stoppable
from .output import cell, console, counted, human_seconds, print_json, spinner, tell

Readers = Annotated[
    list[Reader] | None,
    typer.Option(help="Reader to try. Repeat for several. Default: all that are installed.", show_default=False),
]


def demo(
    columns: Annotated[int, typer.Option(min=7, help="Number of columns of the table.")] = 5_000,
    row_groups: Annotated[int, typer.Option(min=1, help="Number of row groups of the table.")] = 4,
    folder: Annotated[str | None, typer.Option(help="Keep the files in this directory.")] = None,
    reader: Readers = None,
    quiet: Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per step.")] = False,
) -> None:
    """Write a wide table, upgrade and verify it, and read it with every installed reader."""
    from .. import demo as demonstration

    failed = 0
    steps: list = []
    with (
        nullcontext(folder) if folder else _temporary_folder() as place,
        stoppable(
            lambda: f"{counted(len(steps), 'step')} done; the same command begins again",
            temporary=None if folder else place,
        ),
        spinner(quiet=json) as say,
    ):
        try:
            for step in demonstration.run(place, columns, row_groups, say=say, readers=reader):
                failed += not step.ok
                steps.append(step)
                if json:
                    print_json(step)
        except OSError as error:  # the folder
            problem(error)
            raise typer.Exit(CANNOT_RUN) from None
    if not json:
        console().print(_table(steps))
        tell("before: pyarrow, before the upgrade; after: parquetext, after it")
        tell(f"{failed} step{'s' * (failed != 1)} failed" if failed else "everything is as it should be")
    raise typer.Exit(FINDINGS if failed else 0)


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="parquetext-demo-")
    except OSError as error:
        problem(f"{error}: set TMPDIR to a folder that can be written, or use --folder")
        raise typer.Exit(CANNOT_RUN) from None


def _table(steps: list) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("step", no_wrap=True)
    for header in ("before", "after", "ratio"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for step in steps:
        before = human_seconds(step.before_seconds) if step.before_seconds is not None else ""
        after = human_seconds(step.seconds) if step.seconds is not None else ""
        ratio = f"{step.before_seconds / step.seconds:,.1f} ×" if step.before_seconds and step.seconds else ""
        table.add_row(cell(step.what), before, after, ratio, cell(step.detail, "" if step.ok else "red"))
    return table
