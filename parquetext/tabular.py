"""Show objects in a prompt and a notebook: a heading, values, and tables of a few rows, as text and as HTML.

Names and values may be hostile: they are escaped on one line of text, and are only text in HTML.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from .cells import ELLIPSIS, is_number, is_whole, width_of
from .escaping import escaped
from .records import frozen

FIRST, LAST = 8, 2  # rows of a table that are shown
MOST_LETTERS = 200  # of a fact
SEPARATOR = " · "
STYLE = (
    ".parquetext{font-size:13px;line-height:1.5;margin:4px 0}"
    ".parquetext .facts{opacity:.75}"
    ".parquetext .rows{overflow-x:auto}"
    ".parquetext table{border-collapse:collapse;margin:6px 0;font-size:inherit;font-variant-numeric:tabular-nums}"
    ".parquetext th,.parquetext td{padding:2px 10px 2px 0;text-align:left;white-space:nowrap;border:0;"
    "border-bottom:1px solid rgba(128,128,128,.3)}"
    ".parquetext th{font-weight:500;opacity:.75}"
    ".parquetext th.number,.parquetext td.number{text-align:right}"
)


@frozen
class Listing:
    """Some rows of a table.

    Attributes
    ----------
    headings : sequence of str
    rows : sequence of sequence of object
        Cells: numbers are aligned right, None is empty.
    total : int
        The number of all rows, including those that are not shown.
    noun : str
        The name of the rows, in the plural.
    most_letters : int
        The longest text of a cell before it is cut; numbers, times and the like are never cut.
    first : int
        Rows in front of those that are not shown.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]
    total: int
    noun: str
    most_letters: int = 40
    first: int = FIRST

    @property
    def left_out(self) -> str:
        """Return a text with the number of rows that are not shown; empty if all are shown."""
        missing = self.total - len(self.rows)
        return f"{ELLIPSIS} {missing:,} more {self.noun}" if missing else ""

    @property
    def cells(self) -> list[list[str]]:
        return [[_clipped(_text(value), self.most_letters) for value in row] for row in self.rows]

    def is_number(self, column: int) -> bool:
        """Return True if a column contains only numbers, as such or as text."""
        values = [row[column] for row in self.rows if row[column] is not None]
        return bool(values) and all(
            type(value) in (int, float) or (type(value) is str and is_number(value)) for value in values
        )


@frozen
class Shown:
    """An object as it is shown.

    Attributes
    ----------
    title : str
    facts : list of (str, object)
        Names with values; those with None are left out.
    listings : list of Listing
    picture : str
        HTML before the tables; its parts have been escaped.
    """

    title: str
    facts: list[Any] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    picture: str = ""

    @property
    def texts(self) -> list[str]:
        """The names and values, one text each."""
        return [f"{name}: {_clipped(_text(value), MOST_LETTERS)}" for name, value in self.facts if value is not None]

    def as_text(self) -> str:
        """Return lines for a prompt; one line in angle brackets if there are no tables."""
        title = escaped(self.title)
        if not any(map(_has_rows, self.listings)):
            return f"<{': '.join(filter(None, (title, ', '.join(self.texts))))}>"
        fields = [f"  {SEPARATOR.join(self.texts)}"] if self.texts else []
        return "\n".join([title, *fields, *map(_lines, filter(_has_rows, self.listings))])

    def as_html(self) -> str:
        """Return a part of a page, without scripts."""
        fields = _markup(SEPARATOR.join(self.texts))
        tables = "".join(map(_table, filter(_has_rows, self.listings)))
        title = _markup(escaped(self.title))
        return (
            f'<div class="parquetext"><style>{STYLE}</style><strong>{title}</strong>'
            f'<div class="facts">{fields}</div>{self.picture}{tables}</div>'
        )


class Tabular:
    """Shows itself by the result of `_shown`."""

    __slots__ = ()

    def _shown(self) -> Shown:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._shown().as_text()

    def _repr_html_(self) -> str:
        return self._shown().as_html()


def chosen(count: int) -> list[int]:
    """Return the numbers of the rows to show: all if there are few, else the first and the last."""
    if count <= FIRST + LAST + 1:  # a line that reports one omitted row would be as long as the row
        return list(range(count))
    return [*range(FIRST), *range(count - LAST, count)]


def counted(number: int, noun: str) -> str:
    """1 → "1 file", 1000 → "1,000 files"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _has_rows(listing: Listing) -> bool:
    return bool(listing.rows)


def _text(value: object) -> str:
    return f"{value:,}" if type(value) is int else escaped("" if value is None else value)


def _markup(text: str) -> str:
    """Escape text for HTML."""
    from html import escape  # takes longer to import than a file to open

    return escape(text)


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most or is_whole(text) else text[: most - 1] + ELLIPSIS


def _with_gap(listing: Listing, lines: list[str], gap: str) -> list[str]:
    """Insert the line about omitted rows after the first rows."""
    at = min(listing.first, len(lines))
    return [*lines[:at], gap, *lines[at:]] if listing.left_out else lines


def _lines(listing: Listing) -> str:
    cells = listing.cells
    widths = [max(map(width_of, column)) for column in zip(listing.headings, *cells, strict=True)]
    right = [listing.is_number(column) for column in range(len(widths))]

    def line(row: Sequence[str]) -> str:
        padded = (
            " " * (width - width_of(text)) + text if is_right else text + " " * (width - width_of(text))
            for text, width, is_right in zip(row, widths, right, strict=True)
        )
        return ("  " + "  ".join(padded)).rstrip()

    return "\n".join([line(listing.headings), *_with_gap(listing, [*map(line, cells)], f"  {listing.left_out}")])


def _table(listing: Listing) -> str:
    right = [' class="number"' if listing.is_number(column) else "" for column in range(len(listing.headings))]

    def row(cells: Sequence[str], tag: str) -> str:
        parts = (f"<{tag}{kind}>{_markup(text)}</{tag}>" for text, kind in zip(cells, right, strict=True))
        return f"<tr>{''.join(parts)}</tr>"

    gap = f'<tr><td colspan="{len(right)}">{_markup(listing.left_out)}</td></tr>'
    body = "".join(_with_gap(listing, [row(cells, "td") for cells in listing.cells], gap))
    head = row(listing.headings, "th")
    return f'<div class="rows"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'
