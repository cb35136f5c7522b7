"""What an Arrow expression rules out: Arrow itself simplifies it by what the bounds of a row group guarantee."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from .bounds import ColumnBounds
from .predicate import text_of

__all__ = ["may_meet"]

# How Arrow writes comparisons of columns and values, and what joins them; whatever else there is has other signs.
_VALUE = r'(?:[^()"<>=!{},]+|"(?:[^"\\]|\\.)*")'
_COMPARISON = re.compile(rf"\({_VALUE} (?:==|<=|>=|<|>) {_VALUE}\)")
_JOINED = re.compile(r"\(\0 (?:and|or) \0\)")


def may_meet(
    expression: pc.Expression, columns: Mapping[str, tuple[pa.DataType, ColumnBounds | None]], count: int
) -> list[bool]:
    """For each of `count` row groups whether rows in it may meet the expression.

    `columns` has the type and, where they are known, the bounds of each column that the expression looks at. A row
    group poses as a dataset's fragment, its bounds as the fragment's guarantee: no file is opened.
    """
    import pyarrow.dataset as ds  # takes long to import, and only expressions need them
    from pyarrow.fs import LocalFileSystem

    guarantees = [pc.scalar(True)] * count
    misses_nans = not any('"' in name for name in columns) and _misses_nans(expression)  # Arrow quotes values alone
    for name, (kind, bounds) in columns.items():
        if bounds is not None:
            for row_group, known in enumerate(_guarantees(name, kind, bounds, misses_nans)):
                guarantees[row_group] &= known
    schema = pa.schema([(name, _plain(kind)) for name, (kind, _) in columns.items()])
    form, nowhere = ds.ParquetFileFormat(), LocalFileSystem()
    fragments = [
        form.make_fragment(str(row_group), nowhere, partition_expression=known)
        for row_group, known in enumerate(guarantees)
    ]
    try:
        left = ds.FileSystemDataset(fragments, schema, form, nowhere).get_fragments(filter=expression)
        kept = {int(fragment.path) for fragment in left}
    except (pa.ArrowException, TypeError, ValueError):
        return [True] * count
    return [row_group in kept for row_group in range(count)]


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _misses_nans(expression: pc.Expression) -> bool:
    """Whether a NaN makes no row meet it: it is comparisons, which are false of a NaN, joined by "and" and "or"."""
    text, before = _COMPARISON.sub("\0", text_of(expression) or ""), None
    while text != before:
        before, text = text, _JOINED.sub("\0", text)
    return text == "\0"


def _guarantees(name: str, kind: pa.DataType, bounds: ColumnBounds, misses_nans: bool) -> list[pc.Expression]:
    """One per row group, in the shape that Arrow simplifies by: each side of the range by itself, or null."""
    kind, field, nothing = _plain(kind), pc.field(name), pc.scalar(True)
    if pa.types.is_floating(kind) and not misses_nans:  # a NaN lies in no range, and may pass for a null
        return [field.is_null() if only_nulls else nothing for only_nulls in bounds.only_nulls.to_pylist()]
    known = []
    for low, high, only_nulls, no_nulls in zip(
        bounds.min, bounds.max, bounds.only_nulls.to_pylist(), bounds.no_nulls.to_pylist(), strict=True
    ):
        if only_nulls:
            known.append(field.is_null())
            continue
        low, high = _literal(low, kind), _literal(high, kind)
        if no_nulls and low is not None and low == high:
            known.append(field == low)
            continue
        guarantee = field.is_valid() if no_nulls else nothing
        for compare, bound in ((field.__ge__, low), (field.__le__, high)):
            if bound is not None:
                guarantee &= compare(bound) if no_nulls else compare(bound) | field.is_null()
        known.append(guarantee)
    return known


def _literal(bound: pa.Scalar, kind: pa.DataType) -> pa.Scalar | None:
    """A bound in the column's type; None where there is none, or text was cut within a character."""
    if not bound.is_valid or bound.type == kind:
        return bound if bound.is_valid else None
    value = bound.as_py()
    try:
        return pa.scalar(value.decode() if pa.types.is_string(kind) or pa.types.is_large_string(kind) else value, kind)
    except (UnicodeDecodeError, pa.ArrowInvalid):
        return None
