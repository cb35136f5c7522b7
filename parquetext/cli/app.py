"""All commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

import parquetext

from . import bench, bloom, changes, demo, diff, facts, inspect, joining, layout, pages, rewrite, rows, sidecar, verify
from .output import be_quiet

HELP = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="parquetext",
    no_args_is_help=True,
    context_settings=HELP,
    pretty_exceptions_enable=False,
    help="Fast, extensible footers for Parquet files, readable by every reader of today; their pages, and where every "
    "byte of them belongs.",
)


def _version(asked: bool) -> None:
    if asked:
        from parquetext import kernels

        reason = f" ({kernels.reason()})" if kernels.reason() else ""
        typer.echo(f"parquetext {parquetext.__version__}, {kernels.implementation()} kernels{reason}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and which kernels are live."
        ),
    ] = False,
) -> None:
    """Options of the whole program."""
    be_quiet(False)


for module in (
    facts,
    rows,
    bloom,
    diff,
    inspect,
    layout,
    pages,
    verify,
    joining,
    rewrite,
    changes,
    bench,
    demo,
    sidecar,
):
    module.register(app)
