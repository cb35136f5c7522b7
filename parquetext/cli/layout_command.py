"""`parquetext layout`: where every byte of a file belongs."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..errors import ParquetextError
from .arguments import File, Quiet
from .fact_tables import number, print_listing
from .outcomes import CANNOT_RUN, FINDINGS, print_failure, stoppable
from .output import console, counted, human_bytes, line_width, print_json, tell

# For each group its style, and its letter if there are no colours.
LOOKS = {
    "values": ("blue", "v"),
    "dictionary": ("cyan", "d"),
    "levels": ("magenta", "l"),
    "copies": ("bright_cyan", "c"),
    "headers": ("yellow", "h"),
    "indexes": ("green", "i"),
    "bloom": ("bright_green", "b"),
    "footer": ("default", "f"),  # the terminal's default is visible on light and on dark
    "extension": ("bright_magenta", "x"),
    "unused": ("bright_black", "."),
}
STYLES, LETTERS = ({group: look[at] for group, look in LOOKS.items()} for at in (0, 1))
UNITS = " KMGTPE"
SHORT_TITLES = {
    "dictionary": "dict",
    "extension": "ext",
    "plain_dictionary": "plain dict",
    "plain_levels": "levels",
    "plain_values": "values",
}
PLAIN = ("plain_dictionary", "plain_levels", "plain_values")
BAR_WIDTH = 78
MOST_COLUMNS = 20


def layout(
    path: File,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document: each part of the file or, with --html, a summary.")
    ] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained HTML page to this file.")] = None,
    decompress: Annotated[
        bool, typer.Option("--decompress", help="Also decompress V1 data pages, to tell levels from values.")
    ] = False,
    columns: Annotated[int, typer.Option(min=0, help="Number of columns to show, largest first.")] = MOST_COLUMNS,
    quiet: Quiet = False,
) -> None:
    """Show what each byte of a file is: pages, levels, values, indexes, footer or unused."""
    from ..inspection.layout import layout as layout_of

    with stoppable(lambda: "the file was not read to its end, and nothing is written"):
        try:
            found = layout_of(path, decompress=decompress)
        except (OSError, ParquetextError) as error:
            print_failure(path, error, json=json)
            raise typer.Exit(CANNOT_RUN) from None
        if html is not None:
            _write_html(found, path, html, json)
    if json and html is None:
        print_json(found.as_dict())
    elif html is None:
        _show(found, columns, decompress)
    raise typer.Exit(0 if found.ok else FINDINGS)


def _write_html(found, path: str, target: Path, json: bool) -> None:
    """Write the page beside its name and rename it over: what was there stays whole until then."""
    from ..inspection.layout.html import as_html

    try:
        if target.exists() and (target.is_dir() or target.samefile(path)):
            raise ParquetextError(f"{target} is {'a folder' if target.is_dir() else 'the file itself'}")
        page = as_html(found)
        draft = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with draft.open("x", encoding="utf-8") as file:
                file.write(page)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except (OSError, ParquetextError) as error:
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(target), None
        print_failure(str(target), error, json=json)
        raise typer.Exit(CANNOT_RUN) from None
    size = target.stat().st_size
    if json:
        findings = [asdict(finding) for finding in found.findings]
        print_json({"path": found.path, "html": str(target), "html_bytes": size, "findings": findings})
    else:
        tell(f"{target}: {human_bytes(size)}")


def map_as_dict(found) -> dict:
    """Return the picture of a file for JSON: the group with most bytes of each equal piece, and the bytes by kind."""
    return {"map": found.strip(BAR_WIDTH), "kinds": found.kinds.to_pylist()}


def print_map(found) -> None:
    """Draw where every byte of a file belongs: the file as a bar, and the meaning of its colors."""
    from ..inspection.layout.part_kinds import KINDS

    console().print(_bar(found))
    kinds = found.kinds.to_pylist()
    rows = [
        (
            "■" if _has_colours() else LETTERS[row["group"]],
            KINDS[row["kind"]].title,
            row["bytes"],
            _share(row["bytes"], found.size),
            row["parts"],
        )
        for row in kinds
    ]
    print_listing(
        ("", "what", "bytes", "share", "parts"),
        rows,
        optional=("parts", "share"),
        style_of=lambda row, at: STYLES[kinds[row]["group"]] if at == 0 else "",
    )


def _show(found, columns: int, plain: bool) -> None:
    from ..inspection.layout.part_kinds import GROUPS

    tell(f"{found.path}: {human_bytes(found.size)}, {counted(found.parts.num_rows, 'part')}")
    print_map(found)
    if columns and found.columns.num_rows:
        groups = [group for group in GROUPS if any(found.columns[group].to_pylist())]
        _print_columns(found, columns, groups, plain)
    for finding in found.findings:
        tell(("note " if finding.is_note else "finding ", "" if finding.is_note else "red"), finding)


def _share(count: int, size: int) -> str:
    return f"{count / size:.1%}" if size else ""


def _has_colours() -> bool:
    """Not in a pipe, with NO_COLOR, or in a terminal that has none."""
    shown = console()
    return shown.is_terminal and not shown.no_color and shown.color_system is not None


def _bar(found) -> Text:
    """Return the file from its first byte to its last: for each piece, the group with most of its bytes."""
    groups = found.strip(min(BAR_WIDTH, console().width))
    if _has_colours():
        return Text.assemble(*(("█", STYLES[group]) for group in groups))
    return Text("".join(LETTERS[group] for group in groups))


def _print_columns(found, count: int, groups: list[str], plain: bool) -> None:
    """Print the largest columns, with sizes of at most five letters in a terminal, and in bytes elsewhere."""
    names = [*groups, "total", *(PLAIN if plain else ())]
    rows = sorted(found.columns.to_pylist(), key=lambda row: -row["total"])
    size = number if line_width() is None else _short
    print_listing(
        ("column", *(SHORT_TITLES.get(name, name) for name in names)),
        [(row["path"], *(size(row[name]) for name in names)) for row in rows[:count]],
        optional=[*range(2, len(groups) + 1)][::-1],
        style_of=lambda _, at: STYLES.get(names[at - 1], "") if at else "",
    )
    if len(rows) > count:
        tell((f"{len(rows) - count:,} more", "dim"))


def _short(count: int | None) -> str:
    """Format a count in at most five characters: 9,999, but 12345 as 12.1K, in units of 1024."""
    if count is None or count < 10_000:
        return "" if count is None else f"{count:,}"
    power = min((count.bit_length() - 1) // 10, len(UNITS) - 1)
    value = count / 1024**power
    return f"{value:.0f}{UNITS[power]}" if value >= 100 else f"{value:.1f}{UNITS[power]}"
