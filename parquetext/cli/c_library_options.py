"""Options that print flags for programs that embed the C library."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from typing import Annotated

import typer

from .. import c_library
from ..errors import ParquetextError


def _print_flags(flags: Callable[[], list[str]]) -> None:
    from .outcomes import CANNOT_RUN, problem  # only for these options: other commands start faster

    try:
        typer.echo(os.fsencode(shlex.join(flags())))  # a path is more than the characters of the locale
    except ParquetextError as error:
        problem(error)
        raise typer.Exit(CANNOT_RUN) from None
    raise typer.Exit


def _include(asked: bool) -> None:
    if asked:
        _print_flags(lambda: [f"-I{c_library.include()}"])


def _libs(asked: bool) -> None:
    if asked:
        _print_flags(lambda: [f"-L{c_library.library().parent}", "-lparquetext"])


CInclude = Annotated[
    bool,
    typer.Option(
        "--c-include", callback=_include, is_eager=True, help="Print the compiler's flag for the C library's header."
    ),
]
CLibs = Annotated[
    bool,
    typer.Option("--c-libs", callback=_libs, is_eager=True, help="Print the linker's flags for the static C library."),
]
