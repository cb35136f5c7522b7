"""Column indexes that contradict their chunk."""

from __future__ import annotations

from collections.abc import Sequence

from parquetext.errors import Malformed
from parquetext.footer.column_index import find_contradiction, parse_column_index
from parquetext.footer.model import Node
from parquetext.footer.page_index import counts_of, read_index

__all__ = ["why_untrusted"]


def why_untrusted(source, chunks, node: Node, row_group: int, page_values: Sequence[int] | None = None) -> str | None:
    """Return why nothing may be skipped by the column index of one of a leaf's chunks; None if it has none to doubt.

    Parameters
    ----------
    source : object
        With `size` and `read(offset, length)`.
    chunks : Chunks
        The leaf's chunks.
    node : Node
        The leaf's place in the schema.
    row_group : int
    page_values : sequence of int, optional
        Values of each data page, nulls included: more is checked with them.
    """
    try:
        index = read_index(source, chunks, row_group, "column_index")
        return index and find_contradiction(parse_column_index(index), node, counts_of(chunks, row_group, page_values))
    except Malformed as error:
        return f"does not parse: {error.message}"
