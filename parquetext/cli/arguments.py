"""Arguments and options that commands share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar, get_type_hints

import typer

from .choices import Ignorable
from .completion import columns_of_path
from .output import be_quiet

F = TypeVar("F", bound=Callable)

UNITS = {"": 1, "B": 1}
for power, letter in enumerate("KMGT", 1):
    UNITS |= {letter: 1024**power, f"{letter}IB": 1024**power, f"{letter}B": 1000**power}
_SIZE = re.compile(r"(\d[\d_]*(?:\.\d+)?)\s*([A-Za-z]*)\Z")

Files = Annotated[
    list[str],
    typer.Argument(help="Parquet files, directories, patterns such as 'lake/*.parquet', or URLs.", show_default=False),
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


def ignore_option(help: str) -> Any:
    """Return the option with the refusals to override."""
    return typer.Option("--ignore", metavar="WHAT", help=help)


Ignore = Annotated[
    list[Ignorable] | None,
    ignore_option(
        "Go on although the command would refuse the file for this reason: table-format, summary, free-form, size, "
        "partition-columns, hard-links, attributes or lock. The message of the refusal names it. Repeat for several."
    ),
]


class RewriteArguments(TypedDict):
    """Options of commands that write files anew; see `edits.options.RewriteOptions`."""

    keep_mtime: Annotated[bool, typer.Option("--keep-mtime", help="Keep the modification time.")]
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change, without changing it.")]
    ignore: Ignore


class ChangeArguments(RewriteArguments):
    """Options of commands that change the ends of files; see `edits.options.ChangeOptions`."""

    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            help="Overwrite the end of the file, protected by a journal, instead of replacing the whole file.",
        ),
    ]


def columns_option(help: str, *names: str) -> Any:
    """Return an option with the names of columns or groups."""
    return typer.Option(*names, metavar="NAME", help=help, autocompletion=columns_of_path)


def with_shared(arguments: type) -> Callable[[F], F]:
    """Add the options of a TypedDict to a command with ``**shared``; flags are off by default."""

    def decorate(command: F) -> F:
        own = inspect.signature(command, eval_str=True)
        parameters = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        for name, annotation in get_type_hints(arguments, include_extras=True).items():
            default = False if annotation.__origin__ is bool else None
            parameters.append(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            )
        command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        return command

    return decorate


class Size(int):
    """A number of bytes."""


def size_of(text: str) -> Size:
    """Parse a size: ``128MiB``, ``1_000_000``, ``64 KB``."""
    found = _SIZE.match(text.strip())
    if found is None or found[2].upper() not in UNITS:
        raise typer.BadParameter(f"no size: {text!r}; a number of bytes, or one with KiB, MiB, GiB")
    return Size(float(found[1].replace("_", "")) * UNITS[found[2].upper()])
