"""Print tables: numbers are aligned right, sizes are in bytes, totals are last. Only terminals shorten them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..cells import is_number, is_whole, shortened, width_of
from ..escaping import escaped
from .output import console, counted, line_width, print_lines

if TYPE_CHECKING:
    from rich.text import Text

GAP = 2
NAMED = 4  # of the columns that are left out
MOST_OF_A_TYPE = 40  # letters: a coordinate reference system may be long
LEAST = 10  # letters that a text keeps where the terminal is narrow


def number(value: int | None) -> str:
    """Return a number with commas; empty if it is not known."""
    return "" if value is None else f"{value:,}"


def short_type(text: str) -> str:
    """Return the name of a type, cut for a terminal if its parameters are long."""
    return text if line_width() is None else shortened(text, MOST_OF_A_TYPE)


def print_listing(
    headings: Sequence[str],
    rows: Iterable[Sequence[object]],
    total: Sequence[object] | None = None,
    *,
    optional: Sequence[str | int | tuple[str, ...]] = (),
    hint: str = "--json has them",
    more: int = 0,
    commas: bool = True,
    kept: Mapping[str, int] = MappingProxyType({}),
    style_of: Callable[[int, int], str] | None = None,
) -> None:
    """Print a table without lines; columns of numbers are aligned to the right.

    In a terminal, long texts are shortened and optional columns are left out until a line fits. Numbers, dates, times
    and the like are never shortened: if the other columns alone are too wide, lines are longer than the terminal.
    Elsewhere everything is printed.

    Parameters
    ----------
    headings : sequence of str
    rows : iterable of sequences
        Integers, texts, or None for what is not known.
    total : sequence, optional
        The last line.
    optional : sequence of str, int or tuple of str
        Headings of columns, or their positions, that may be left out, the least important first; columns in a tuple are
        left out together. A line below the table names them.
    hint : str
        How to see these columns, for the same line.
    more : int
        How many more columns the caller has left out.
    commas : bool
        True if integers have thousands separators; values of files have none.
    kept : mapping of str to int
        By headings of columns of texts: how many letters of them are kept.
    style_of : callable, optional
        Gives a cell's style by the numbers of its row and its column; called only for a terminal.
    """
    lines = [*rows] if total is None else [*rows, total]
    columns = [_Column(name, [line[at] for line in lines], commas) for at, name in enumerate(headings)]
    room = line_width()
    shown = [*range(len(columns))]
    if room is not None:
        for column in columns:
            column.ask_room(kept.get(column.heading, LEAST), has_total=total is not None)
        shown = _shown(columns, [_positions(each, headings) for each in optional], room)
        _fit([columns[at] for at in shown], room)
    padded = [columns[at].padded() for at in shown]
    printed: list[str | Text] = ["  ".join(cells).rstrip() for cells in zip(*padded, strict=True)]
    if room is not None and style_of is not None:
        printed[1 : len(lines) + 1] = [_styled(padded, shown, row, style_of) for row in range(len(lines))]
    _print(printed, has_total=total is not None)
    positions = set(shown)
    names = [column.heading for at, column in enumerate(columns) if at not in positions]
    if names or more:
        print_lines([_no_room(names, more, hint, room)], "dim")


def _print(lines: Sequence[str | Text], *, has_total: bool) -> None:
    """Print the heading, rows and total in their styles."""
    end = len(lines) - has_total
    print_lines(lines[:1], "dim")
    print_lines(lines[1:end])
    print_lines(lines[end:], "bold")


def _styled(padded: Sequence[list[str]], shown: Sequence[int], row: int, style_of: Callable[[int, int], str]) -> Text:
    from rich.text import Text

    cells = [(cells[row + 1], style_of(row, at)) for cells, at in zip(padded, shown, strict=True)]
    parts = [part for cell in cells for part in (("  ", ""), cell)]
    return Text.assemble(*parts[1:])


def _no_room(names: Sequence[str], more: int, hint: str, room: int | None) -> str:
    """Return what is left out: the names of as many columns as a line has room for."""
    for count in range(min(len(names), NAMED), -1, -1):
        others = len(names) - count + more
        shown = [*names[:count], *([f"{others:,} more" if count else counted(others, "column")] if others else [])]
        line = f"no room for: {', '.join(shown)} ({hint})"
        if room is None or width_of(line) <= room:
            break
    return line


class _Column:
    """A heading with the cells below it, as texts."""

    def __init__(self, heading: str, values: Sequence[object], commas: bool):
        self.heading, self.texts = escaped(heading), [_text(value, commas) for value in values]
        self.is_right = any(isinstance(value, int) for value in values) or all(
            not text or is_number(text) for text in self.texts
        )
        self.width = self.least = self.widest = max(map(width_of, (self.heading, *self.texts)))

    def ask_room(self, kept: int, *, has_total: bool) -> None:
        """Find the least width that keeps the heading, whole values, the total, and this number of letters of texts."""
        if self.width <= kept:
            return
        whole = (text for text in self.texts if len(text) > kept and is_whole(text))
        total = self.texts[-1:] if has_total else ()
        self.least = max(kept, *map(width_of, (self.heading, *total, *whole)))

    def padded(self) -> list[str]:
        """Return the heading and the cells, each of the column's width."""
        texts = [self.heading, *self.texts]
        if self.width < self.widest:
            texts = [*map(shortened, texts, repeat(self.width))]
        if all(map(str.isascii, texts)):
            align = str.rjust if self.is_right else str.ljust
            return [*map(align, texts, repeat(self.width))]
        gaps = [" " * (self.width - width_of(text)) for text in texts]
        return [gap + text if self.is_right else text + gap for text, gap in zip(texts, gaps, strict=True)]


def _positions(optional: str | int | tuple[str, ...], headings: Sequence[str]) -> tuple[int, ...]:
    if isinstance(optional, int):
        return (optional,)
    return tuple(map(headings.index, (optional,) if isinstance(optional, str) else optional))


def _shown(columns: list[_Column], optional: Sequence[tuple[int, ...]], room: int) -> list[int]:
    """Return the positions of the columns that a line has room for; columns of one tuple are shown or left out."""

    def width(positions: tuple[int, ...]) -> int:
        return sum(columns[at].least + GAP for at in positions)

    left = room + GAP - width(tuple(range(len(columns))))
    gone: list[tuple[int, ...]] = []
    for positions in optional:
        if left >= 0:
            break
        gone.append(positions)
        left += width(positions)
    for positions in reversed(gone[:]):  # a narrow one may have room where a wide one has none
        if width(positions) <= left and any(any(columns[at].texts) for at in positions):
            gone.remove(positions)
            left -= width(positions)
    hidden = {at for positions in gone for at in positions}
    return [at for at in range(len(columns)) if at not in hidden]


def _fit(columns: list[_Column], room: int) -> None:
    """Narrow columns to the room: the widest text gives way first."""
    for column in columns:
        column.width = max(column.least, min(column.width, room))
    over = sum(column.width for column in columns) + GAP * (len(columns) - 1) - room
    while over > 0:
        widest = max(columns, key=lambda column: column.width - column.least)
        if widest.width <= widest.least:
            return
        widest.width -= 1
        over -= 1


def print_fields(fields: Iterable[tuple[str, object]]) -> None:
    """Print names and values, one below the other; in a terminal, long values are folded."""
    texts = [(escaped(name), _text(value)) for name, value in fields]
    room = line_width()
    if room is None:
        width = max((width_of(name) for name, _ in texts), default=0)
        print_lines([f"{name}{' ' * (width - width_of(name))}  {value}" for name, value in texts])
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in texts:
        table.add_row(Text(name), Text(value, "red" if name == "finding" else ""))
    console().print(table)


def _text(value: object, commas: bool = True) -> str:
    if isinstance(value, int) or value is None:
        return number(value) if commas or value is None else str(value)
    return escaped(value)
