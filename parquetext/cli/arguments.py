"""Arguments and options that commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from .choices import Forceable
from .output import be_quiet

__all__ = ["File", "Files", "Force", "Json", "Quiet"]

Files = Annotated[
    list[str],
    typer.Argument(
        help="Parquet files, directories, patterns such as 'lake/*.parquet', or URLs.",
        show_default=False,
    ),
]
File = Annotated[str, typer.Argument(help="Path or URL of a Parquet file.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document per file.")]


def _quiet(asked: bool) -> bool:
    be_quiet(asked)
    return asked


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=_quiet,
        help="Print failures only, on standard error. Check the exit code for the result.",
    ),
]
Force = Annotated[
    list[Forceable] | None,
    typer.Option(
        "--force",
        metavar="WHAT",
        help="Go on although the command would refuse the file for this reason: table-format, summary, free-form, "
        "size, partition-columns, hard-links, attributes or lock. The message of the refusal names it. Repeat for "
        "several.",
    ),
]
