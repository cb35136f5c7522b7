"""`parquetext head` and `cat`: the rows of files, as a table, as CSV or as JSON."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ..escaping import escaped
from ..storage import resolve
from .arguments import File, Files, columns_option
from .choices import RowFormat
from .each_file import ask_each, ask_one
from .fact_tables import print_listing
from .outcomes import targets_of
from .output import counted, line_width, tell

if TYPE_CHECKING:
    import pyarrow as pa

FEWEST_LETTERS = 4  # that a column of a table takes, with its gap
_WILD = re.compile(r"[*?\[{]")
TABLE_ROWS = 1000  # a longer table is printed in parts, each as wide as its own values

Columns = Annotated[
    list[str] | None, columns_option("Column or group to print. Repeat for several. Default: all.", "--column", "-c")
]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        "-w",
        metavar="CONDITION",
        help="Print only matching rows: 'price >= 3', \"name in ('a', 'b')\", 'id is not null'. Repeat for AND.",
    ),
]
Format = Annotated[RowFormat, typer.Option("--format", "-f", help="Output format.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document per row, as --format json does.")]


def head(
    path: File,
    rows: Annotated[int, typer.Option("--rows", "-n", min=0, help="Number of rows.")] = 10,
    column: Columns = None,
    filter: Filters = None,
    format: Format = RowFormat.table,
    json: AsJson = False,
) -> None:
    """Print the first rows of a file."""
    shown = _Printer(RowFormat.json if json else format)

    def ask(_, file) -> None:
        shown.file(file, column, filter, rows)
        if shown.is_table:
            tell((_summary(shown.rows, rows, file.num_rows, is_filtered=bool(filter)), "dim"))

    ask_one(path, ask, json=json, values=True)


def _summary(shown: int, asked: int, there: int, *, is_filtered: bool) -> str:
    if not is_filtered:
        return f"{shown:,} of {counted(there, 'row')}"
    return f"the first {counted(shown, 'row')} that match" if shown == asked else f"{counted(shown, 'row')} that match"


def cat(
    paths: Files,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=0, help="Largest number of rows per file.")] = None,
    column: Columns = None,
    filter: Filters = None,
    format: Format = RowFormat.csv,
    json: AsJson = False,
) -> None:
    """Print all rows of files. CSV starts with a line of column names."""
    shown = _Printer(RowFormat.json if json else format)
    values = _partition_values(paths)

    def ask(path, file) -> None:
        shown.file(file, column, filter, limit, values.get(resolve(path).key))

    ask_each(paths, ask, json=json, values=True)


def _partition_values(paths: list[str]) -> dict[str, pa.Table]:
    """Return the partition columns of the files below directories and patterns, by the files' paths."""
    below = {}
    for path in [path for path in paths if not os.path.isfile(path)]:
        base = _fixed_part(resolve(path).key)
        for target in (resolve(target).key for target in targets_of([path])):
            if "=" in target[len(base) :] and target not in below:
                below[target] = target[len(base) :]
    if not below:
        return {}
    from ..inspection.content.partition_values import partition_values

    return dict(zip(below, partition_values(list(below.values())), strict=True))


def _fixed_part(path: str) -> str:
    """Return the part of a path in front of its first wildcard, without the name that it is in."""
    found = _WILD.search(path)
    return path if found is None else path[: path.rfind("/", 0, found.start()) + 1]


class _Printer:
    """Prints rows of one file after the other."""

    def __init__(self, format: RowFormat):
        self._format, self.rows = format, 0
        self._names: str | None = None
        self.is_table = format == RowFormat.table

    def file(
        self,
        file,
        columns: list[str] | list[tuple[str, ...]] | None,
        conditions: list[str] | None,
        limit: int | None,
        partition: pa.Table | None = None,
    ) -> None:
        """Print rows of an open file, with the columns of its partition."""
        from ..inspection.content.row_text import rows_of

        left_out = 0
        if self.is_table and not columns:
            columns, left_out = _that_fit(file)
        if partition is None:
            batches = rows_of(file, columns, conditions or (), limit)
        else:
            from ..inspection.content.partition_values import rows_with_partitions

            if columns is not None and left_out:
                columns += [name for name in partition.schema.names if (name,) not in columns]
            batches = rows_with_partitions(file, partition, columns, conditions or (), limit)
        if self.is_table:
            self._tables(batches, left_out)
        else:
            for batch in batches:
                self.rows += batch.num_rows
                self._lines(batch)

    def _lines(self, batch: pa.RecordBatch) -> None:
        from ..inspection.content.row_text import as_csv, as_json_lines, csv_heading

        if self._format == RowFormat.json:
            _write(as_json_lines(batch))
            return
        names = csv_heading(batch.schema)
        if batch.num_columns and names != self._names:
            self._names = names
            _write([names])
        _write(as_csv(batch))

    def _tables(self, batches: Iterator[pa.RecordBatch], left_out: int) -> None:
        rows: list[tuple] = []
        names: list[str] = []
        is_begun = False
        for batch in batches:
            self.rows += batch.num_rows
            names = batch.schema.names
            rows += _table_rows(batch)
            while len(rows) >= TABLE_ROWS:
                _print_table(names, rows[:TABLE_ROWS], left_out)
                del rows[:TABLE_ROWS]
                is_begun = True
        if names and (rows or not is_begun):
            _print_table(names, rows, left_out)


def _that_fit(file) -> tuple[list[tuple[str, ...]] | None, int]:
    """Return the first top-level columns that fit on a line, and the number of the others."""
    room = line_width()
    most = file.num_columns if room is None else room // FEWEST_LETTERS
    if file.num_columns <= most:
        return None, 0
    names = list(dict.fromkeys(file.parquet_schema.leaf(leaf).path[0] for leaf in range(most)))
    return [(name,) for name in names], file.num_columns - most


def _table_rows(batch: pa.RecordBatch) -> Iterator[tuple]:
    import pyarrow as pa

    from ..inspection.content.row_text import texts
    from ..inspection.content.value_text import column_as_json

    columns = [
        column_as_json(column) if pa.types.is_integer(column.type) else texts(column) for column in batch.columns
    ]
    return zip(*columns, strict=True)


def _print_table(names: list[str], rows: list[tuple], left_out: int) -> None:
    hint = "--column chooses, --format json has all"
    optional = list(range(len(names) - 1, 0, -1))
    print_listing(names, rows, optional=optional, hint=hint, more=left_out, commas=False)


def _write(lines) -> None:
    """Print lines to standard output; escape control characters if it is a terminal."""
    shown = map(escaped, lines) if sys.stdout.isatty() else lines
    text = "".join(f"{line}\n" for line in shown)
    sys.stdout.write(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
