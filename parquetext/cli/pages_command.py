"""`parquetext pages`: the pages of a file's columns, by their headers and the page index."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import File, columns_option
from .each_file import ask_one
from .fact_tables import print_listing
from .output import counted, print_json, tell

HEADINGS = ("group", "page", "type", "encoding", "values", "nulls", "at", "bytes", "uncompressed", "crc", "min", "max")
SIZE, UNCOMPRESSED = 7, 8


def pages(
    path: File,
    columns: Annotated[
        list[str] | None,
        columns_option("Column to show, by its dotted path. Repeat for several. Default: all.", "--column", "-c"),
    ] = None,
    copies: Annotated[bool, typer.Option("--copies", help="Show the pages of the copies that `encode` added.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document per page.")] = False,
) -> None:
    """List the pages of columns with encoding, counts, offset, sizes, checksum, minimum and maximum."""

    def ask(_, file) -> None:
        for column in file.columns(columns or None):
            found = file.pages(column, copies=copies)
            if json:
                _print_documents(column.name, found)
            else:
                tell((column.name, "bold"))
                _print_pages(found)

    ask_one(path, ask, json=json)


def _print_documents(name: str, found) -> None:
    for batch in found.to_batches(max_chunksize=1 << 12):
        for page in batch.to_pylist():
            bounds = {bound: None if page[bound] is None else _as_json(page[bound]) for bound in ("min", "max")}
            print_json({"column": name, **page, **bounds})


def _print_pages(found) -> None:
    rows = [
        (
            page["row_group"],
            page["page"],
            _name_of(page["type"]),
            _name_of(page["encoding"]),
            page["num_values"],
            page["num_nulls"],
            page["offset"],
            page["header_size"] + page["compressed_size"],
            page["uncompressed_size"],
            "" if page["crc"] is None else f"{page['crc']:08x}",
            *("" if page[bound] is None else _shown(page[bound]) for bound in ("min", "max")),
        )
        for page in found.to_pylist()
    ]
    sizes = [sum(row[at] or 0 for row in rows) for at in (SIZE, UNCOMPRESSED)]
    total = ("", counted(len(rows), "page"), *("",) * 5, *sizes, "", "", "")
    optional = ("crc", "uncompressed", "at", "bytes", ("min", "max"), "nulls", "type")
    print_listing(HEADINGS, rows, total, optional=optional)


def _name_of(text: str | None) -> str:
    return (text or "").lower().removesuffix("_page")


def _shown(value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(_as_json(value))


def _as_json(value):
    """Return a value for JSON, with bytes as hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, int | float | str) else str(value)
