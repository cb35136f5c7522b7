"""Tables of facts: numbers to the right, sizes in bytes, totals last; never wider than the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ..escaping import escaped
from .output import console, counted

__all__ = ["facts_table", "number", "print_listing"]

GAP = 2
_NUMBER = re.compile(r"(?:-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?(?: ?[×%M])?|-?inf|nan)?\Z")
NAMED = 4  # of the columns that are left out
LEAST = 10  # letters that a text keeps where the terminal is narrow
LONGEST_NUMBER = 24  # of doubles; no shorter one is cut


def number(value: int | None) -> str:
    """With commas; empty where it is not known."""
    return "" if value is None else f"{value:,}"


def print_listing(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    total: Sequence[object] | None = None,
    *,
    optional: Sequence[str | int] = (),
    hint: str = "--json has them",
    more: int = 0,
    commas: bool = True,
    cut: Sequence[str] = (),
    kept: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Print a table without lines; columns of integers stand to the right.

    Parameters
    ----------
    headings : sequence of str
    rows : iterable of sequences
        Integers, texts, or None for what is not known.
    total : sequence, optional
        The last line.
    optional : sequence of str or int
        Headings of columns, or their positions, that are left out, the first one first, where the terminal has no room
        for them. A line below the table names them.
    hint : str
        Where they are found.
    more : int
        How many more columns are left out anyway.
    commas : bool
        Whether integers have them; values of files have none.
    cut : sequence of str
        Headings of columns whose numbers may be cut as texts are, where there is no room for them.
    kept : mapping of str to int
        Of columns of texts, by headings: how many letters they keep, and optional columns are left out instead.
    """
    columns = _columns(headings, [*rows], total, commas, cut)
    for column in columns:
        column.wanted = max(column.wanted, min(column.width, kept.get(column.heading, 0)))
    left_out = _left_out(columns, [each if isinstance(each, int) else headings.index(each) for each in optional])
    names = [columns[at].heading for at in sorted(left_out)]
    columns = [column for at, column in enumerate(columns) if at not in left_out]
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, GAP, 0, 0))
    for column, width in zip(columns, _fitted(columns), strict=True):
        align = "right" if column.is_number or column.looks_like_numbers else "left"
        table.add_column(Text(column.heading), justify=align, width=width, no_wrap=True, overflow="ellipsis")
    count = len(columns[0].texts)
    for at in range(count):
        is_total = total is not None and at == count - 1
        table.add_row(*(Text(column.texts[at]) for column in columns), style="bold" if is_total else "")
    console.print(table)
    if names or more:
        console.print(Text(_no_room(names, more, hint), "dim"))


def _no_room(names: Sequence[str], more: int, hint: str) -> str:
    """What is left out: the names of as many columns as a line has room for."""
    for count in range(min(len(names), NAMED), -1, -1):
        others = len(names) - count + more
        shown = [*names[:count], *([f"{others:,} more" if count else counted(others, "column")] if others else [])]
        line = f"no room for: {', '.join(shown)} ({hint})"
        if cell_len(line) <= console.width:
            break
    return line


class _Column:
    """A heading with what stands below it, as texts."""

    def __init__(self, heading: str, values: Sequence[object], commas: bool, may_be_cut: bool):
        self.heading, self.texts = escaped(heading), [_text(value, commas) for value in values]
        self.is_number = any(isinstance(value, int) for value in values)
        self.looks_like_numbers = all(_NUMBER.match(text) for text in self.texts)
        self.width = max(map(cell_len, (self.heading, *self.texts)))
        numbers = 0 if may_be_cut else max((len(text) for text in self.texts if _NUMBER.match(text)), default=0)
        kept = max(LEAST, cell_len(self.heading))
        self.least = self.width if self.is_number else min(self.width, kept)
        self.wanted = max(self.least, min(numbers, LONGEST_NUMBER))  # and numbers are whole


def _columns(
    headings: Sequence[str], rows: list, total: Sequence[object] | None, commas: bool, cut: Sequence[str]
) -> list[_Column]:
    lines = rows if total is None else [*rows, total]
    columns = [
        _Column(heading, [line[at] for line in lines], commas, heading in cut) for at, heading in enumerate(headings)
    ]
    if total is not None:  # its counts are never cut
        for column in columns:
            column.least = max(column.least, cell_len(column.texts[-1]))
            column.wanted = max(column.wanted, column.least)
    return columns


def _left_out(columns: list[_Column], optional: Sequence[int]) -> set[int]:
    """The positions of those that there is no room for."""
    least = {at: column.wanted + GAP for at, column in enumerate(columns)}
    room, gone = console.width + GAP - sum(least.values()), set()
    for at in optional:
        if room >= 0:
            break
        gone.add(at)
        room += least[at]
    return gone


def _fitted(columns: list[_Column]) -> list[int]:
    """Widths that the terminal has room for: the widest text gives way first, and then numbers that are no counts."""
    widths = [column.width for column in columns]
    over = sum(widths) + GAP * (len(widths) - 1) - console.width
    for least in ([column.wanted for column in columns], [column.least for column in columns]):
        while over > 0:
            at = max(range(len(widths)), key=lambda at: widths[at] - least[at])
            if widths[at] <= least[at]:
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
        style = "red" if name == "finding" else ""
        table.add_row(Text(escaped(name)), Text(_text(value), style))
    return table


def _text(value: object, commas: bool = True) -> str:
    if isinstance(value, int) or value is None:
        return number(value) if commas or value is None else str(value)
    return escaped(value)
