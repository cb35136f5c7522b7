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


PANELS = {
    "What is in a file": (facts, rows, bloom, diff),
    "How it is made, and whether it is sound": (inspect, layout, pages, verify),
    "New files from old ones": (joining, rewrite),
    "Footers, copies of columns, sidecars": (changes, sidecar),
    "Try and measure": (bench, demo),
}

for panel, modules in PANELS.items():
    before = len(app.registered_commands), len(app.registered_groups)
    for module in modules:
        module.register(app)
    for registered in (*app.registered_commands[before[0] :], *app.registered_groups[before[1] :]):
        registered.rich_help_panel = panel
