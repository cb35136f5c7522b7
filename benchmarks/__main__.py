"""Compare this package with the installed readers in one run.

python -m benchmarks [opening|footers|tables|rows|encodings|copies|layouts|spark|torch] [--file FILE] [--json]
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import cell_len
from rich.table import Table

from parquetext import kernels
from parquetext.cli.arguments import Quiet
from parquetext.cli.outcomes import CANNOT_RUN, FINDINGS, problem, stoppable
from parquetext.cli.output import cell, console, counted, human_bytes, human_seconds, print_json, spinner, tell

from . import footer_plot, peers, run
from .workspace import Workspace

HEADINGS = "  reader", "median", "best", "ratio", "of best", "target"


class Measured(StrEnum):
    """The subjects of a run."""

    opening = "opening"
    footers = "footers"
    copies = "copies"
    encodings = "encodings"
    layouts = "layouts"
    rows = "rows"
    spark = "spark"
    tables = "tables"
    torch = "torch"


def bench(
    subject: Annotated[
        Measured,
        typer.Argument(
            help="opening: opening files, and one column's values. footers: all footer forms, on six shapes and on the "
            "corpus in PARQUETEXT_CORPUS. tables: read_table with 1 to 10,000 columns, "
            "filters, and 5,000 row groups. rows: single rows, selective filters, and small files. encodings: decoder, "
            "encoder, page filters and layout. copies: columns with copies in other encodings. layouts: files for "
            "scans, for single rows, and of few bytes. spark: jobs on Spark. torch: loaders of PyTorch that read "
            "random rows.",
        ),
    ] = Measured.opening,
    file: Annotated[
        str | None, typer.Option(help="With opening: measure with a copy of this file. Default: synthetic files.")
    ] = None,
    columns: Annotated[int, typer.Option(min=7, help="Number of columns of the synthetic file.")] = 10_000,
    row_groups: Annotated[int, typer.Option(min=1, help="Number of row groups of the synthetic file.")] = 10,
    rounds: Annotated[int, typer.Option(min=1, help="Number of interleaved rounds.")] = 7,
    no_other_shapes: Annotated[
        bool,
        typer.Option(
            "--no-other-shapes",
            help="Skip the other shapes: 100,000 columns × 4 row groups, 3 × 10,000, and a nested schema.",
        ),
    ] = False,
    folder: Annotated[
        str | None, typer.Option(help="Keep the synthetic files in this directory, and reuse them.")
    ] = None,
    palletjack: Annotated[
        str | None,
        typer.Option(metavar="PYTHON", help="Python executable with PalletJack and a pyarrow that it supports."),
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="With tables: use 5 million rows instead of 500,000.")] = False,
    plot: Annotated[Path | None, typer.Option(help="With footers: also draw the results into this file.")] = None,
    quiet: Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per result.")] = False,
) -> None:
    """Compare the speed with the installed ones of pyarrow, Polars, DuckDB, fastparquet and PalletJack.

    A ratio above 1 means that parquetext is better. The exit code is 1 if a target is missed.
    """
    if kernels.implementation() != "native" and not os.environ.get("PARQUETEXT_PURE"):
        problem(f"the compiled kernels are not in use, and PARQUETEXT_PURE is not set: {kernels.reason()}")
        raise typer.Exit(CANNOT_RUN)
    shapes = {"columns": columns, "row_groups": row_groups, "other_shapes": not no_other_shapes}
    missed, rows = 0, []
    message = "the same command begins again"
    with stoppable(lambda: f"{counted(len(rows), 'row')} measured; {message}", waits=True):
        try:
            with spinner(quiet=json) as say, Workspace(folder, say) as workspace:
                for group in _groups(workspace, subject, file, rounds, long=long, palletjack=palletjack, **shapes):
                    rows += group
                    missed += sum(row.met is False for row in group)
                    for row in group if json else ():
                        print_json(row.as_dict())
            if plot:
                footer_plot.draw(rows, plot)
        except (OSError, RuntimeError, ValueError) as error:
            problem(error)
            raise typer.Exit(CANNOT_RUN) from None
    if not json:
        _report(rows, missed, palletjack)
    raise typer.Exit(FINDINGS if missed else 0)


def _report(rows: list, missed: int, palletjack: str | None) -> None:
    versions = ", ".join(f"{name} {version}" for name, version in peers.installed().items())
    _show(rows)
    tell(f"{kernels.implementation()} kernels; {versions}")
    if "palletjack" not in peers.installed() and not palletjack:
        tell("PalletJack was not measured: it needs an older pyarrow (--palletjack: a Python with both)")
    tell(f"{missed} target{'s' * (missed != 1)} missed" if missed else "every target was met")


def _groups(
    workspace,
    subject: Measured,
    file: str | None,
    rounds: int,
    *,
    columns: int,
    row_groups: int,
    other_shapes: bool,
    long: bool,
    palletjack: str | None,
) -> Iterable[list]:
    """Yield the rows of the requested measurements, one group at a time."""
    if subject is Measured.spark:
        from .lakes import on_spark

        return on_spark(workspace, rounds)
    if subject is Measured.footers:
        return run.run_on_footers(workspace, rounds)
    if subject is Measured.encodings:
        return run.run_on_encodings(workspace, rounds)
    if subject is Measured.tables:
        return run.run_on_tables(workspace, rounds, long=long)
    if subject is Measured.rows:
        return run.run_on_rows(workspace, rounds)
    if subject is Measured.layouts:
        return run.run_on_layouts(workspace, rounds)
    if subject is Measured.torch:
        return run.run_on_torch(workspace, rounds)
    if subject is Measured.copies:
        return run.run_on_copies(workspace, rounds)
    if file:
        return run.run_on_file(workspace, file, rounds, palletjack)
    return run.run_on_shapes(workspace, columns, row_groups, rounds, other_shapes=other_shapes, palletjack=palletjack)


def _show(rows: list) -> None:
    """Print measurement and subject in one line, and the readers below it."""
    shown = [_cells(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(HEADINGS, *shown, strict=True)]
    console().print(_table(widths, [HEADINGS], "dim"))
    for (case, subject), group in groupby(zip(rows, shown, strict=True), lambda pair: (pair[0].case, pair[0].subject)):
        tell((f"{case}: {subject}", "bold"))
        console().print(_table(widths, [cells for _, cells in group]))


def _table(widths: list[int], lines: Iterable[Sequence[str]], style: str = "") -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for at, width in enumerate(widths):
        table.add_column(justify="right" if at else "left", width=width, no_wrap=True, style=style)
    for line in lines:
        table.add_row(*map(cell, line))
    return table


def _cells(row) -> tuple[str, ...]:
    human = {"B": human_bytes, "s": human_seconds}.get(row.unit, "{:,}".format)
    best = "" if row.minimum is None else human(row.minimum)
    target = "" if row.target is None else f"{'≤' if row.at_most else '≥'} {row.target:,g} × {'✓' if row.met else '✗'}"
    return f"  {row.contender}", human(row.value), best, _times(row.ratio), _times(row.minimum_ratio), target


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.2f} ×" if ratio < 100 else f"{ratio:,.0f} ×"


if __name__ == "__main__":
    typer.run(bench)
