"""`parquetext diff`: the differences between two files."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import Annotated

import typer

from ..cells import is_whole, shortened
from ..errors import ParquetextError
from .arguments import Quiet
from .choices import DiffKind
from .outcomes import CANNOT_RUN, FINDINGS, FINE, print_failure, stoppable
from .output import counted, line_width, print_json, tell

LETTERS = 70  # of a value that is shown in a terminal
LINE = 78  # longer differences take a line for each file

Only = Annotated[
    list[DiffKind] | None,
    typer.Option(help="What to compare. Repeat for several. Default: all.", show_default=False),
]


def diff(
    a: Annotated[str, typer.Argument(help="Path or URL of the first Parquet file.", show_default=False)],
    b: Annotated[str, typer.Argument(help="Path or URL of the second Parquet file.", show_default=False)],
    only: Only = None,
    quiet: Quiet = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per difference.")] = False,
) -> None:
    """Compare the schemas, the statistics and the values of two files. The exit code is 1 if they differ."""
    import pyarrow as pa

    import parquetext

    from ..inspection.content.file_differences import differences

    counts: Counter[str] = Counter()
    kinds = [kind.value for kind in only or DiffKind]
    path = a
    with stoppable(lambda: f"{counted(sum(counts.values()), 'difference')} until then"), ExitStack() as opened:
        try:
            one = opened.enter_context(parquetext.open(a))
            path = b
            another = opened.enter_context(parquetext.open(b))
            path = a
            for found in differences(one, another, kinds):
                if json:
                    print_json(found)
                else:
                    _print(found, is_first=not counts[found.kind])
                counts[found.kind] += 1
        except BrokenPipeError:
            raise
        except (OSError, ParquetextError, pa.ArrowException, UnicodeError, MemoryError) as error:
            print_failure(path, error, json=json)
            raise typer.Exit(CANNOT_RUN) from None
    if not json:
        total = sum(counts.values())
        message = ", ".join(f"{counts[kind]:,} of {kind}" for kind in kinds if counts[kind])
        tell(f"{counted(total, 'difference')}: {message}" if total else f"no difference: {', '.join(kinds)}")
    raise typer.Exit(FINDINGS if counts else FINE)


def _print(found, *, is_first: bool) -> None:
    if is_first:
        tell((found.kind, "bold"))
    name = " ".join(filter(None, (found.name, found.what if found.what not in ("element", "rows") else "")))
    if found.rows is not None:
        name += f", {counted(found.rows, 'row')}, the first is row {found.first_row:,}"
    sides = [
        (f"{sign} {_shown(value)}", style)
        for sign, style, value in (("-", "red", found.a), ("+", "green", found.b))
        if value is not None or found.kind != "schema"
    ]
    if len(name) + sum(len(text) for text, _ in sides) + len("  :    ") <= LINE:
        tell(f"  {name}:", *(part for side in sides for part in ("  ", side)))
        return
    tell(f"  {name}:")
    for side in sides:
        tell("    ", side)


def _shown(value: object) -> str:
    text = "null" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if line_width() is None or is_whole(text) else shortened(text, LETTERS)
