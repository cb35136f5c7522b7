"""`parquetext pages`: the pages of a file's columns, by their headers and the page index."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from ..errors import ParquetextError
from .output import CANNOT_RUN, cell, console, failure, human_bytes, print_json, problem

SHOWN = ("row_group", "page", "type", "encoding", "num_values", "num_nulls", "offset", "min", "max")
NUMBERS = {"row_group", "page", "num_values", "num_nulls", "offset"}
LONGEST_BOUND = 32


def register(app: typer.Typer) -> None:
    app.command()(pages)


def pages(
    path: Annotated[str, typer.Argument(help="A file or URL.", show_default=False)],
    columns: Annotated[
        list[str] | None, typer.Option("--column", help="A column's path; may be given again. All without.")
    ] = None,
    copies: Annotated[
        bool, typer.Option("--copies", help="The pages of the columns' copies in other encodings.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON document per page.")] = False,
) -> None:
    """Show the pages of a file's columns: encodings, counts, offsets, sizes, checksums, bounds."""
    import parquetext

    try:
        with parquetext.open(path) as file:
            for column in file.columns(columns or None):
                found = file.pages(column.path, copies=copies)
                if json:
                    _print_documents(column.name, found)
                else:
                    console.print(_table(column.name, found))
    except (OSError, ParquetextError) as error:
        print_json(failure(path, error)) if json else problem(error, path)
        raise typer.Exit(CANNOT_RUN) from None


def _print_documents(name: str, found) -> None:
    for batch in found.to_batches(max_chunksize=1 << 12):
        for page in batch.to_pylist():
            bounds = {bound: None if page[bound] is None else _told(page[bound]) for bound in ("min", "max")}
            print_json({"column": name, **page, **bounds})


def _table(name: str, found) -> Table:
    table = Table(title=cell(name), title_justify="left")
    for heading in (*SHOWN[:7], "size", "uncompressed", "crc", *SHOWN[7:]):
        table.add_column(heading, justify="right" if heading in {*NUMBERS, "size", "uncompressed"} else "left")
    for page in found.to_pylist():
        facts = ["" if page[fact] is None else _shown(page[fact]) for fact in SHOWN]
        sizes = human_bytes(page["header_size"] + page["compressed_size"]), human_bytes(page["uncompressed_size"])
        crc = "" if page["crc"] is None else f"{page['crc']:08x}"
        table.add_row(*map(cell, (*facts[:7], *sizes, crc, *facts[7:])))
    return table


def _shown(value) -> str:
    told = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(_told(value))
    return told if len(told) <= LONGEST_BOUND else told[: LONGEST_BOUND - 1] + "…"


def _told(value):
    """A value as JSON has it; bytes as hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int | float | str) else str(value)
