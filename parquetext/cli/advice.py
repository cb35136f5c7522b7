"""`parquetext encode --advise`: what copies of columns would take, as a table."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.table import Table

from ..errors import ParquetextError
from .output import (
    CANNOT_RUN,
    cell,
    console,
    exit_code,
    failure,
    human_bytes,
    nothing_there,
    print_json,
    problem,
    targets_of,
)

__all__ = ["show_advice"]

HEADINGS = "column", "encoding", "codec", "size", "of now", "values/s", "of now", "file grows", ""


def show_advice(paths: list[str], columns: list[str] | None, max_growth: str | None, json: bool) -> NoReturn:
    """Print the advice for every file, and end the command."""
    from .. import edits

    targets, failed = targets_of(paths), 0
    if not targets:
        nothing_there(paths)
        raise typer.Exit(CANNOT_RUN)
    for path in targets:
        try:
            found = edits.advise(path, columns)
            best = found.within(max_growth)
        except (OSError, ParquetextError) as error:
            failed += 1
            print_json(failure(path, error)) if json else problem(error, path)
            continue
        if json:
            print_json({**_document(found), "best": {name: _estimate(one) for name, one in best.items()}})
        else:
            _print(found, best)
    raise typer.Exit(exit_code(len(targets), failed, failed))


def _document(found) -> dict:
    columns = [
        {
            **{name: getattr(advice, name) for name in advice.__slots__ if name != "estimates"},
            "estimates": [_estimate(one) for one in advice.estimates],
        }
        for advice in found.columns
    ]
    return {"path": found.path, "bytes": found.bytes, "columns": columns}


def _estimate(one) -> dict:
    return {name: getattr(one, name) for name in one.__slots__}


def _print(found, best: dict) -> None:
    table = Table(title=cell(f"{found.path}, {human_bytes(found.bytes)}"), title_justify="left")
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if place < 3 or not heading else "right")
    for advice in found.columns:
        now = advice.bytes, advice.values_per_second
        told = "has a copy" if advice.has_copy else ""
        first = (advice.column, advice.encodings, advice.codec.lower(), human_bytes(now[0]), "", _speed(now[1]), "", "")
        table.add_row(*map(cell, first), cell(told))
        for one in advice.estimates:
            ratios = _ratio(one.bytes, now[0]), _ratio(one.values_per_second, now[1])
            row = ("", one.encoding, one.codec, human_bytes(one.bytes), ratios[0], _speed(one.values_per_second))
            grows = f"{one.bytes / found.bytes:.1%}"
            table.add_row(*map(cell, (*row, ratios[1], grows)), cell("best" if best.get(advice.column) == one else ""))
        table.add_section()
    console.print(table)
    size = sum(one.bytes for one in best.values())
    told = ", ".join(f"{name} by {one.encoding}, {one.codec}" for name, one in best.items()) or "nothing"
    console.print(cell(f"best: {told}; the file grows by {human_bytes(size)} ({size / found.bytes:.1%})"))


def _ratio(value: float, now: float) -> str:
    return f"{value / now:.2f} ×" if now else ""


def _speed(values: float) -> str:
    return f"{values / 1e6:,.0f} M"
