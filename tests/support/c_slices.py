"""The C library's slice of a file, for comparison with other slices."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from parquetext.footer.best_form import best_form
from parquetext.storage import open_source

GROUP = 0x80000000


class Column(NamedTuple):
    """A top-level column: its name and the leaves below it."""

    name: bytes
    leaves: list[int]


@contextmanager
def opened(path: Path | str):
    """(form, reader) of the file's best form; a reader of the Thrift footer only where it has none of ours."""
    with open_source(str(path)) as source:
        form, reader, _ = best_form(source)
        yield form, reader


def top_level(reader) -> list[Column]:
    """The top-level columns of an open form."""
    ids = [*(GROUP | node for node in range(1, reader.node_count)), *range(reader.leaf_count)]
    nodes = [reader.node(id) for id in ids]
    return [
        Column(node.path, list(range(node.first_leaf, node.first_leaf + node.leaf_count)))
        for node in nodes
        if node.parent == 0
    ]


def sliced(reader, columns: list[Column]) -> bytes:
    """The slice of these columns, of all row groups, without key-values; of the first leaf where there are none."""
    leaves = sorted({leaf for column in columns for leaf in column.leaves}) or [0]
    return reader.slice(leaves, range(reader.row_group_count), arrow_schema=False, key_values=False)
