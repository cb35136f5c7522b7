"""Arguments and options that commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from .choices import Forceable
from .output import be_quiet

__all__ = ["File", "Files", "Force", "Json", "Quiet"]

Files = Annotated[list[str], typer.Argument(help="Files, directories, globs, URLs.", show_default=False)]
File = Annotated[str, typer.Argument(help="A file or URL.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="One JSON document per file.")]


def _quiet(asked: bool) -> bool:
    be_quiet(asked)
    return asked


Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", callback=_quiet, help="Print nothing but what failed: the exit code says the rest."),
]
Force = Annotated[
    list[Forceable] | None,
    typer.Option(
        "--force",
        metavar="WHAT",
        help="Pass over a refusal: table-format, free-form, size, partition-columns, hard-links, attributes, lock. "
        "May be repeated.",
    ),
]
