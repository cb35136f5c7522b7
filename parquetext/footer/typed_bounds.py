"""A leaf's bounds as predicates compare them: typed as its rows are."""

from __future__ import annotations

import pyarrow as pa

from ..pruning import ColumnBounds
from .elements import parse_element
from .model import GROUP, Form
from .names import find_group_or_leaf
from .types import LeafType, leaf_type

__all__ = ["column_bounds", "comparable_leaf"]


def comparable_leaf(form: Form, name: str, rows: pa.DataType) -> tuple[int, LeafType] | None:
    """The leaf of a top-level column whose rows are of type `rows`, and its type; None where its values are no rows."""
    if isinstance(rows, pa.BaseExtensionType) or pa.types.is_nested(rows):
        return None
    leaf = find_group_or_leaf(form, (name,))
    if leaf & GROUP:
        return None
    node = form.node(leaf)
    return None if node.max_repetition else (leaf, leaf_type(parse_element(node.thrift)))


def column_bounds(form: Form, name: str, rows: pa.DataType) -> ColumnBounds | None:
    """The bounds of a top-level column whose rows are of type `rows`; None where it has none that can be compared."""
    rows = rows.value_type if pa.types.is_dictionary(rows) else rows
    found = comparable_leaf(form, name, rows)
    if found is None:
        return None
    leaf, kind = found
    chunks = form.column(leaf)
    try:
        minima, maxima = (_typed(kind, chunks.bound_values(bit), rows) for bit in (1, 2))
    except (pa.ArrowException, OverflowError):
        return None
    return ColumnBounds.of(minima, maxima, chunks.array("null_count"), chunks.array("num_values"))


def _typed(kind: LeafType, values: list[bytes | None], rows: pa.DataType) -> pa.Array:
    """Text and bytes compare as bytes, cut characters and all; everything else in the type of the rows."""
    if pa.types.is_string(kind.arrow) or pa.types.is_binary(kind.arrow) or pa.types.is_fixed_size_binary(kind.arrow):
        return pa.array(values, pa.large_binary())
    return kind.array(values).cast(rows)
