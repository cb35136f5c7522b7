"""`parquetext layout`: where every byte of a file belongs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from ..errors import ParquetextError
from .output import CANNOT_RUN, FINDINGS, cell, console, counted, failure, human_bytes, print_json, problem, tell

STYLES = {
    "values": "blue",
    "dictionary": "cyan",
    "levels": "magenta",
    "headers": "yellow",
    "indexes": "green",
    "bloom": "bright_green",
    "footer": "white",
    "extension": "bright_magenta",
    "unused": "bright_black",
}
PLAIN = ("plain_dictionary", "plain_levels", "plain_values")
BAR_WIDTH = 78
MOST_COLUMNS = 20


def register(app: typer.Typer) -> None:
    app.command()(layout)


def layout(
    path: Annotated[str, typer.Argument(help="A file or URL.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="One JSON document, every part of the file in it.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write one page of HTML to this file, which needs no network.")
    ] = None,
    decompress: Annotated[
        bool, typer.Option("--decompress", help="Also decompress pages of version 1: how much of them are levels.")
    ] = False,
    columns: Annotated[int, typer.Option(min=0, help="How many columns to show, the largest first.")] = MOST_COLUMNS,
) -> None:
    """Show where every byte of a file belongs: pages, levels, values, indexes, footer, gaps."""
    from ..account import layout as layout_of

    try:
        found = layout_of(path, decompress=decompress)
    except (OSError, ParquetextError) as error:
        print_json(failure(path, error)) if json else problem(error, path)
        raise typer.Exit(CANNOT_RUN) from None
    if html is not None:
        _write_html(found, path, html)
    elif json:
        print_json(found.as_dict())
    else:
        _show(found, columns)
    raise typer.Exit(0 if found.ok else FINDINGS)


def _write_html(found, path: str, target: Path) -> None:
    """Write the page beside its name and rename it over: what was there stays whole until then."""
    from ..account.html import as_html

    try:
        if target.exists() and (target.is_dir() or target.samefile(path)):
            raise ParquetextError(f"{target} is {'a folder' if target.is_dir() else 'the file itself'}")
        page = as_html(found)
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        with draft.open("x", encoding="utf-8") as file:
            file.write(page)
        draft.replace(target)
    except (OSError, ParquetextError) as error:
        problem(error, str(target))
        raise typer.Exit(CANNOT_RUN) from None
    tell(f"{target}: {human_bytes(target.stat().st_size)}")


def _show(found, columns: int) -> None:
    from ..account.kinds import GROUPS, KINDS

    tell(f"{found.path}: {human_bytes(found.size)}, {counted(found.parts.num_rows, 'part')}")
    console.print(_bar(found))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("what")
    for name in ("bytes", "share", "parts"):
        table.add_column(name, justify="right")
    for row in found.kinds.to_pylist():
        what = Text.assemble(("■ ", STYLES[row["group"]]), KINDS[row["kind"]].title)
        table.add_row(what, f"{row['bytes']:,}", _share(row["bytes"], found.size), f"{row['parts']:,}")
    console.print(table)
    if columns and found.columns.num_rows:
        groups = [group for group in GROUPS if any(found.columns[group].to_pylist())]
        console.print(_columns(found, columns, groups))
    for finding in found.findings:
        tell(("note " if finding.is_note else "finding ", "" if finding.is_note else "red"), finding)


def _share(count: int, size: int) -> str:
    return f"{count / size:.1%}" if size else ""


def _bar(found) -> Text:
    """The file from its first byte to its last: each letter as the group that has most of its bytes."""
    shares = found.strip(BAR_WIDTH)
    return Text.assemble(*(("█", STYLES[group]) for group in shares))


def _columns(found, count: int, groups: list[str]) -> Table:
    from ..account.kinds import GROUPS

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("column", no_wrap=True, overflow="ellipsis", max_width=24)
    for group in groups:
        table.add_column(GROUPS[group].title, justify="right", style=STYLES[group])
    table.add_column("total", justify="right")
    for name in PLAIN:
        table.add_column(name.replace("plain_", "plain "), justify="right", style="dim")
    rows = sorted(found.columns.to_pylist(), key=lambda row: -row["total"])
    for row in rows[:count]:
        plain = ("" if row[name] is None else f"{row[name]:,}" for name in PLAIN)
        table.add_row(cell(row["path"]), *(f"{row[group]:,}" for group in groups), f"{row['total']:,}", *plain)
    if len(rows) > count:
        table.add_row(Text(f"{len(rows) - count:,} more", "dim"))
    return table
