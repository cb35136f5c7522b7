"""Print the table of `parquetext encode --advise`: the size of copies of columns in each encoding."""

from __future__ import annotations

from typing import Any, NoReturn

import typer

from .each_file import look_at_each
from .fact_tables import print_listing
from .outcomes import exit_code
from .output import human_bytes, print_json, tell

HEADINGS = "column", "encoding", "codec", "bytes", "of now", "values/s", "of now", "grows", ""


def show_advice(paths: list[str], columns: list[str] | None, max_growth: str | None, json: bool) -> NoReturn:
    """Print the advice for every file, and end the command."""
    from .. import edits

    def look(path: Any) -> tuple:
        found = edits.advise(path, columns)
        return found, found.within(max_growth)

    def show(_, looked: tuple) -> None:
        found, best = looked
        if json:
            print_json({**_document(found), "best": {name: _estimate(one) for name, one in best.items()}})
        else:
            _print(found, best)

    files, failed = look_at_each(paths, "sampled", look, show, json=json)
    raise typer.Exit(exit_code(files, failed, failed))


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
    tell((f"{found.path}, {human_bytes(found.bytes)}", "bold"))
    rows, letters = [], 0
    for advice in found.columns:
        now = advice.bytes, advice.values_per_second
        message = "has a copy" if advice.has_copy else ""
        rows.append(
            (advice.column, advice.encodings, advice.codec.lower(), advice.bytes, "", _speed(now[1]), "", "", message)
        )
        for one in advice.estimates:
            ratios = _ratio(one.bytes, now[0]), _ratio(one.values_per_second, now[1])
            message = "best" if best.get(advice.column) == one else ""
            grows = f"{one.bytes / found.bytes:.1%}"
            speed = _speed(one.values_per_second)
            letters = max(letters, len(one.encoding))  # of what encode takes, and not of what the file has
            rows.append(("", one.encoding, one.codec, one.bytes, ratios[0], speed, ratios[1], grows, message))
    print_listing(HEADINGS, rows, optional=(6, 4, 7, 5, 2, 8), kept={"encoding": letters})
    size = sum(one.bytes for one in best.values())
    message = ", ".join(f"{name} by {one.encoding}, {one.codec}" for name, one in best.items()) or "nothing"
    tell(f"best: {message}; the file grows by {human_bytes(size)} ({size / found.bytes:.1%})")


def _ratio(value: float, now: float) -> str:
    return f"{value / now:.2f} ×" if now else ""


def _speed(values: float) -> str:
    return f"{values / 1e6:,.0f} M"
