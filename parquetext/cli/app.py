"""All commands; only the modules of requested commands are imported."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Annotated

import typer
from typer.core import TyperCommand

import parquetext

from ..masking import without_secrets
from .c_library_options import CInclude, CLibs
from .output import be_quiet

HELP = {"help_option_names": ["-h", "--help"]}
# The panels of the help, with the modules and their commands, in order.
PANELS: dict[str, dict[str, tuple[str, ...]]] = {
    "Show schema, metadata and rows": {
        "footer_commands": ("schema", "meta", "columns", "row-groups", "count", "rowcount"),
        "row_commands": ("head", "cat"),
        "explain_command": ("explain",),
        "bloom_command": ("bloom",),
        "diff_command": ("diff",),
    },
    "Inspect and verify the structure": {
        "inspect_command": ("inspect",),
        "layout_command": ("layout",),
        "pages_command": ("pages",),
        "verify_command": ("verify",),
    },
    "Write new files": {"joining_commands": ("merge", "split"), "rewrite_command": ("rewrite",)},
    "Add or remove footers, copies of columns, and sidecars": {
        "change_commands": ("upgrade", "add-page-index", "encode", "strip", "finalize", "restore", "recover"),
        "sidecar_commands": ("sidecar",),
    },
    "Try": {"demo_command": ("demo",)},
}
HIDDEN = ("rowcount",)
UsageError = typer.BadParameter.__base__


class Command(TyperCommand):
    """A command whose messages about wrong options show no secrets."""

    def parse_args(self, ctx, args):
        try:
            return super().parse_args(ctx, args)
        except UsageError as error:
            error.message = without_secrets(error.message)
            raise


def _version(asked: bool) -> None:
    if asked:
        from parquetext import kernels

        reason = f" ({kernels.reason()})" if kernels.reason() else ""
        typer.echo(f"parquetext {parquetext.__version__}, {kernels.implementation()} kernels{reason}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the version, and whether compiled kernels are in use.",
        ),
    ] = False,
    c_include: CInclude = False,
    c_libs: CLibs = False,
) -> None:
    """Options of the whole program."""
    be_quiet(False)


def build(command: str | None = None) -> typer.Typer:
    """Return the program with the module of one command; with all of them if it is not the name of a command."""
    app = typer.Typer(
        name="parquetext",
        no_args_is_help=True,
        context_settings=HELP,
        pretty_exceptions_enable=False,
        help="Inspect, check and change Parquet files: add footers that open in microseconds and that other readers "
        "ignore, list pages, and show what each byte is.",
    )
    app.callback()(_root)
    is_known = any(command in names for modules in PANELS.values() for names in modules.values())
    for panel, modules in PANELS.items():
        for module, names in modules.items():
            if not is_known or command in names:
                _register(app, import_module(f".{module}", __package__), names, panel)
    for each in (app, *(group.typer_instance for group in app.registered_groups)):
        for registered in each.registered_commands if each is not None else ():
            registered.cls = Command
    return app


def _register(app: typer.Typer, module: ModuleType, names: tuple[str, ...], panel: str) -> None:
    """Add the commands and groups of a module, which have the names of its functions."""
    for name in names:
        command = getattr(module, name.replace("-", "_"))
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, hidden=name in HIDDEN, rich_help_panel=panel)(command)


def __getattr__(name: str) -> object:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    whole = globals()["app"] = build()
    return whole
