"""Tables of facts: numbers to the right, sizes in bytes, totals last; never wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ..escaping import escaped
from .output import console

__all__ = ["facts_table", "number", "print_listing"]

GAP = 2
LEAST = 10  # letters that a text keeps where the terminal is narrow


def number(value: int | None) -> str:
    """With commas; empty where it is not known."""
    return "" if value is None else f"{value:,}"


def print_listing(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    total: Sequence[object] | None = None,
    *,
    optional: Sequence[str] = (),
) -> None:
    """Print a table without lines; columns of integers stand to the right.

    Parameters
    ----------
    headings : sequence of str
    rows : iterable of sequences
        Integers, texts, or None for what is not known.
    total : sequence, optional
        The last line.
    optional : sequence of str
        Headings of columns that are left out, the first one first, where the terminal has no room for them. A line
        below the table names them.
    """
    columns = _columns(headings, [*rows], total)
    left_out = _left_out(columns, optional)
    columns = [column for column in columns if column.heading not in left_out]
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0))
    for column, width in zip(columns, _fitted(columns), strict=True):
        align = "right" if column.is_number else "left"
        table.add_column(column.heading, justify=align, width=width, no_wrap=True, overflow="ellipsis")
    count = len(columns[0].texts)
    for at in range(count):
        is_total = total is not None and at == count - 1
        table.add_row(*(Text(column.texts[at]) for column in columns), style="bold" if is_total else "")
    console.print(table)
    if left_out:
        console.print(Text(f"no room for: {', '.join(left_out)} (--json has them)", "dim"))


class _Column:
    """A heading with what stands below it, as texts."""

    def __init__(self, heading: str, values: Sequence[object]):
        self.heading, self.texts = heading, [_text(value) for value in values]
        self.is_number = any(isinstance(value, int) for value in values)
        self.width = max(map(cell_len, (heading, *self.texts)))
        self.least = self.width if self.is_number else min(self.width, max(LEAST, cell_len(heading)))


def _columns(headings: Sequence[str], rows: list, total: Sequence[object] | None) -> list[_Column]:
    lines = rows if total is None else [*rows, total]
    columns = [_Column(heading, [line[at] for line in lines]) for at, heading in enumerate(headings)]
    if total is not None:  # its counts are never cut
        for column in columns:
            column.least = max(column.least, cell_len(column.texts[-1]))
    return columns


def _left_out(columns: list[_Column], optional: Sequence[str]) -> list[str]:
    least = {column.heading: column.least + GAP for column in columns}
    gone = []
    for heading in optional:
        if sum(least.values()) - GAP <= console.width:
            break
        gone.append(heading)
        del least[heading]
    return gone


def _fitted(columns: list[_Column]) -> list[int]:
    """Widths that the terminal has room for: the widest text gives way first."""
    widths = [column.width for column in columns]
    over = sum(widths) + GAP * (len(widths) - 1) - console.width
    while over > 0:
        at = max(range(len(widths)), key=lambda at: widths[at] - columns[at].least)
        if widths[at] <= columns[at].least:
            break
        widths[at] -= 1
        over -= 1
    return widths


def facts_table(facts: Iterable[tuple[str, object]]) -> Table:
    """Names and values, one below the other."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(Text(escaped(name)), Text(_text(value)))
    return table


def _text(value: object) -> str:
    return number(value) if isinstance(value, int) or value is None else escaped(value)
