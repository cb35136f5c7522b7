"""Files with lists of INT32 whose pages are given by their entries.

page = list_page([[1, 2], [], None])            # three rows
page = list_page([[1, 2]], continues=[8, 9])    # two elements of the last list before the page, then a row
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from parquetext import wire

from .pages import Column, Page, data_page, data_page_v2, file_of_row_groups, levels

__all__ = ["LIST_SCHEMA", "list_column", "list_file", "list_page"]

MOST_DEFINED, EMPTY, MISSING = 3, 1, 0  # definition levels of a value, an empty list and a list that is null
LIST_SCHEMA = [
    {"repetition_type": wire.REPETITION_OPTIONAL, "name": "x", "num_children": 1, "converted_type": 3},
    {"repetition_type": wire.REPETITION_REPEATED, "name": "list", "num_children": 1},
    {"type": wire.PHYSICAL_INT32, "repetition_type": wire.REPETITION_OPTIONAL, "name": "element"},
]


def list_page(
    rows: Sequence[list[int | None] | None] = (), *, continues: Sequence[int | None] = (), version: int = 1
) -> Page:
    """Return a data page of lists, after elements that continue the last list of the page before it."""
    repetition, definition, values = [1] * len(continues), [], list(continues)
    for row in rows:
        repetition += [0, *[1] * (len(row or ()) - 1)]
        values += row or ()
        if not row:
            definition.append((EMPTY if row == [] else MISSING, len(values)))
    defined = [MOST_DEFINED if value is not None else MOST_DEFINED - 1 for value in values]
    for number, (level, position) in enumerate(definition):
        defined.insert(position + number, level)
    stored = b"".join(struct.pack("<i", value) for value in values if value is not None)
    count = len(defined)
    own = [levels(repetition, 1), levels(defined, MOST_DEFINED)] if count else [b"", b""]
    if version == 1:
        return data_page(stored, count, wire.ENCODING_PLAIN, repetition=own[0], definition=own[1])
    nulls = sum(level != MOST_DEFINED for level in defined)
    return data_page_v2(
        stored, count, wire.ENCODING_PLAIN, rows=len(rows), nulls=nulls, repetition=own[0], definition=own[1]
    )


def list_column(pages: Sequence[Page], **metadata) -> Column:
    """Return the column "x" of lists with these pages; `metadata` are fields of its `ColumnMetaData`."""
    return Column("x.list.element", wire.PHYSICAL_INT32, pages, metadata=metadata)


def list_file(row_groups: Sequence[tuple[Column, int]]) -> bytes:
    """Return a file with the column "x", given by its chunk and the number of rows of each row group."""
    schema = [{"name": "schema", "num_children": 1}, *LIST_SCHEMA]
    return file_of_row_groups([([column], rows) for column, rows in row_groups], schema=schema)
