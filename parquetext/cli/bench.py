"""`parquetext bench`: this package against the readers that are installed, in one run."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from .output import CANNOT_RUN, FINDINGS, cell, console, human_bytes, human_seconds, print_json, problem, spinner


def register(app: typer.Typer) -> None:
    app.command()(bench)


def bench(
    file: Annotated[
        str | None, typer.Argument(help="Measure on a copy of this file; otherwise on synthetic ones.")
    ] = None,
    columns: Annotated[int, typer.Option(min=7, help="Columns of the synthetic file.")] = 10_000,
    row_groups: Annotated[int, typer.Option(min=1, help="Its row groups.")] = 10,
    rounds: Annotated[int, typer.Option(min=1, help="Interleaved rounds.")] = 7,
    other_shapes: Annotated[bool, typer.Option(help="Also 100,000 × 4, 3 × 10,000 and a nested schema.")] = True,
    folder: Annotated[str | None, typer.Option(help="Keep the synthetic files here and use them again.")] = None,
    palletjack: Annotated[
        str | None, typer.Option(metavar="PYTHON", help="A Python that has PalletJack and its pyarrow.")
    ] = None,
    spark: Annotated[bool, typer.Option("--spark", help="Only what runs on Spark.")] = False,
    encodings: Annotated[
        bool, typer.Option("--encodings", help="Only our own decoder, encoder, page filters and layout.")
    ] = False,
    copies: Annotated[
        bool, typer.Option("--copies", help="Only columns with copies in other encodings: over HTTP, encoded, ignored.")
    ] = False,
    tables: Annotated[
        bool, typer.Option("--tables", help="Only read_table: 1 to 10,000 columns, filters, 5,000 row groups.")
    ] = False,
    long: Annotated[bool, typer.Option("--long", help="With --tables: 5 million rows instead of 500,000.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document per row.")] = False,
) -> None:
    """Compare with pyarrow, Polars, DuckDB, fastparquet and PalletJack, whichever are installed.

    Ratios say how many times our result is better; a missed target makes the exit code 1.
    """
    from ..bench import peers
    from ..bench.run import run_on_file, run_on_shapes
    from ..bench.workspace import Workspace
    from ..kernels import implementation

    missed = 0
    try:
        with spinner(quiet=json) as say, Workspace(folder, say) as workspace:
            if spark:
                from ..bench.lakes import on_spark

                groups = on_spark(workspace, rounds)
            elif encodings:
                from ..bench.run import run_on_encodings

                groups = run_on_encodings(workspace, rounds)
            elif tables:
                from ..bench.run import run_on_tables

                groups = run_on_tables(workspace, rounds, long=long)
            elif copies:
                from ..bench.run import run_on_copies

                groups = run_on_copies(workspace, rounds)
            elif file:
                groups = run_on_file(workspace, file, rounds, palletjack)
            else:
                groups = run_on_shapes(
                    workspace, columns, row_groups, rounds, other_shapes=other_shapes, palletjack=palletjack
                )
            rows = []
            for group in groups:
                rows += group
                missed += sum(row.met is False for row in group)
                for row in group if json else ():
                    print_json(row.as_dict())
    except (OSError, RuntimeError, ValueError) as error:
        problem(error)
        raise typer.Exit(CANNOT_RUN) from None
    if not json:
        versions = ", ".join(f"{name} {version}" for name, version in peers.installed().items())
        console.print(_table(rows, f"{implementation()} kernels; {versions}"))
        if "palletjack" not in peers.installed() and not palletjack:
            console.print(
                "PalletJack was not measured: it wants an older pyarrow; give a Python that has both with --palletjack."
            )
        console.print(f"{missed} target{'s' * (missed != 1)} missed" if missed else "every target was met")
    raise typer.Exit(FINDINGS if missed else 0)


def _table(rows: list, caption: str) -> Table:
    table = Table(caption=cell(caption))
    for header, side in (
        ("", "left"),
        ("file", "left"),
        ("reader", "left"),
        ("median", "right"),
        ("best", "right"),
        ("ratio", "right"),
        ("of best", "right"),
        ("target", "right"),
    ):
        table.add_column(header, justify=side)
    previous = None
    for row in rows:
        if (row.case, row.subject) != previous and previous is not None:
            table.add_section()
        first = (row.case, row.subject) != previous
        previous = (row.case, row.subject)
        human = {"B": human_bytes, "s": human_seconds}.get(row.unit, "{:,}".format)
        best = "" if row.minimum is None else human(row.minimum)
        target = (
            "" if row.target is None else f"{'≤' if row.at_most else '≥'} {row.target:,g} × {'✓' if row.met else '✗'}"
        )
        names = (row.case if first else "", row.subject if first else "", row.contender)
        table.add_row(*map(cell, names), human(row.value), best, _times(row.ratio), _times(row.minimum_ratio), target)
    return table


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.2f} ×" if ratio < 100 else f"{ratio:,.0f} ×"
