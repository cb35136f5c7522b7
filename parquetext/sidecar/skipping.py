"""Prune row groups with a plan: by QuestDB's rules for its types, or by Arrow's for an expression."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from ipaddress import IPv4Address
from typing import Any
from uuid import UUID

import pyarrow as pa

from .. import wire
from ..errors import ParquetextError
from ..footer.plain import plain_forms
from ..footer.typed_bounds import StoredBounds
from ..pruning import (
    ColumnBounds,
    Comparison,
    Predicate,
    find_bitset,
    never_fails,
    predicate_of,
    surviving_row_groups,
)
from ..pruning.questdb import MILLISECONDS_OF_A_DAY, Chunk, Column, Filter, Tag, can_skip
from .questdb_types import UNKNOWN, decimal_digits, is_decimal, tag_of

RULES = {
    "=": "=",
    "==": "=",
    "in": "=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "between": "between",
    "is null": "is null",
    "is not null": "is not null",
}
SEVERAL = {"in", "between"}
WITHOUT_VALUE = {"is null", "is not null"}
NEVER = {Tag.BOOLEAN, Tag.ARRAY}
NULLS_UNKNOWN = {Tag.FLOAT, Tag.DOUBLE, Tag.CHAR}
NULL_FREE = {Tag.BOOLEAN, Tag.BYTE, Tag.SHORT}
Alternatives = list[list[Comparison]]


def skips(plan, row_group: int, filters, source=None) -> bool:
    """Return True if no row of a row group can match the filters.

    Parameters
    ----------
    plan : Plan
    filters : list of tuples, list of lists of tuples, or pyarrow.compute.Expression
        As `pyarrow.parquet.read_table` takes them; tuples may also have the operators ``"between"`` (two values),
        ``"is null"`` and ``"is not null"`` (any value, which is ignored).
    source : optional
        The Parquet file, open for reading: if given, external Bloom filters are also probed.

    Raises
    ------
    IndexError
        If there is no such row group.
    ColumnError
        If a tuple's column does not exist, or is ambiguous.
    ValueError
        If they are not filters.
    """
    if not 0 <= row_group < plan.num_row_groups:
        raise IndexError(f"row group {row_group}: the file has {plan.num_row_groups}")
    alternatives = _alternatives(filters)
    if alternatives is None:
        return row_group not in _by_bounds(plan, predicate_of(filters))
    return all(any(_skips(plan, row_group, part, source) for part in alternative) for alternative in alternatives)


def surviving(plan, predicate: Predicate, source=None) -> list[int]:
    """Return the row groups of a plan that may contain rows matching the predicate, compared as Arrow does."""
    if predicate.alternatives is None:
        return _by_bounds(plan, predicate)
    parts = (part for alternative in predicate.alternatives for part in alternative)
    if not all(never_fails(plan.column(part.column).leaf_type.arrow, part) for part in parts):
        return list(range(plan.num_row_groups))  # incomparable rows make reading raise, in any row group
    alternatives = [
        [part for part in alternative if _orders_agree(plan, part)] for alternative in predicate.alternatives
    ]
    return [
        row_group
        for row_group in range(plan.num_row_groups)
        if not all(any(_skips(plan, row_group, part, source) for part in alternative) for alternative in alternatives)
    ]


def _orders_agree(plan, part: Comparison) -> bool:
    """Return True if QuestDB compares a column as Arrow does: it compares IPv4 addresses unsigned."""
    return tag_of(plan.column(part.column).type_code) != Tag.IPv4


def _rules_nothing_out(column) -> bool:
    """Return True if a plan column's type does not define its values, or the values are not rows."""
    code = column.type_code
    no_digits = is_decimal(code) and decimal_digits(code) is None
    return no_digits or tag_of(code) in (UNKNOWN, *NEVER) or bool(column.max_repetition)


def column_bounds(plan, column) -> ColumnBounds | None:
    """Return a plan column's typed bounds; None if its values are not rows, or have no order of their type."""
    kind, tag = column.leaf_type, tag_of(column.type_code)
    if _rules_nothing_out(column) or tag == Tag.IPv4 or kind.physical == wire.PHYSICAL_INT96:
        return None
    bounds = StoredBounds(
        kind,
        list(column.min_bytes),
        list(column.max_bytes),
        column.null_count,
        column.num_values,
        column.max_definition == 0,
    )
    found = _sound(bounds).typed(kind.arrow)
    if found is None:
        return None
    count = len(found.min)
    no = pa.array([False] * count, pa.bool_())
    return ColumnBounds(
        found.min,
        found.max,
        no if tag in NULL_FREE else found.only_nulls,
        no if tag in NULLS_UNKNOWN else found.no_nulls,
    )


def _sound(bounds: StoredBounds) -> StoredBounds:
    """Remove pairs of bounds that contain a NaN or a wrong width, or whose minimum exceeds the maximum."""
    low, high = bounds.kind.array(bounds.min).to_pylist(), bounds.kind.array(bounds.max).to_pylist()
    fine = [a is not None and b is not None and a <= b for a, b in zip(low, high, strict=True)]
    minima, maxima = (
        [value if ok else None for value, ok in zip(side, fine, strict=True)] for side in (bounds.min, bounds.max)
    )
    return StoredBounds(bounds.kind, minima, maxima, bounds.null_counts, bounds.num_values, bounds.is_required)


def _by_bounds(plan, predicate: Predicate) -> list[int]:
    """Return the row groups that remain after pruning by bounds as Arrow compares them."""

    def type_of(name: str) -> pa.DataType | None:
        found = plan.reader.find_name(name.encode("utf-8", "surrogateescape"))
        return plan.column(found[0]).leaf_type.arrow if len(found) == 1 else None

    names, everything = predicate.columns(type_of), range(plan.num_row_groups)
    if names is None:
        return list(everything)
    types = {name: type_of(name) for name in names}
    return surviving_row_groups(
        predicate, lambda name: column_bounds(plan, plan.column(name)), len(everything), everything, types
    )


def _alternatives(filters) -> Alternatives | None:
    """Return lists of tuples as an OR of ANDs; None for an expression."""
    if not isinstance(filters, Sequence) or isinstance(filters, (str, bytes)):
        return None
    groups = filters if filters and isinstance(filters[0], list) else [filters]
    if not filters or not all(groups):
        raise ValueError(f"no filters: {filters!r}")
    alternatives = [[Comparison(*part) for part in group] for group in groups]
    for group in alternatives:
        for part in group:
            if part.operator not in RULES and part.operator not in ("!=", "not in"):
                raise ValueError(f"no operator: {part.operator!r}")
    return alternatives


def _skips(plan, row_group: int, part: Comparison, source) -> bool:
    column = plan.column(part.column)
    rule = RULES.get(part.operator)
    if rule is None or _rules_nothing_out(column):
        return False
    questdb = Column(column.type_code, *column.physical_and_width)
    values: Sequence[Any] = ()
    if part.operator not in WITHOUT_VALUE:
        found = [_plain(column, value) for value in (part.value if part.operator in SEVERAL else [part.value])]
        if any(value == () for value in found):
            return False
        values = found
    bitset = _bitset(plan, row_group, column.index, source) if rule == "=" else None
    return can_skip(questdb, _chunk(plan, row_group, column.index, bitset), Filter(rule, tuple(values)))


def _chunk(plan, row_group: int, column: int, bitset) -> Chunk:
    chunks = plan.reader.chunks(column, row_group, 1)
    values, nulls = chunks.array("num_values")[0], chunks.array("null_count")[0]
    low = high = None
    if plan.has_bounds(column):
        low, high = chunks.bound_values(1)[0], chunks.bound_values(2)[0]
    is_possible = 0 <= nulls <= (values if plan.column(column).max_definition else 0)
    return Chunk(values, nulls if is_possible else None, low, high, bitset)


def _bitset(plan, row_group: int, column: int, source) -> bytes | memoryview | None:
    """Return a chunk's Bloom filter from the sidecar, or from the Parquet file if the sidecar has its position."""
    kind, offset, length = plan.bloom(row_group, column)
    if kind == "inline":
        return memoryview(plan.reader.data)[offset : offset + length]
    if kind != "external" or source is None:
        return None
    try:
        position = find_bitset(source.read, source.size, offset, length)
        return position.data or source.read(position.offset, position.size)
    except ParquetextError:
        return None


def _plain(column, value) -> bytes | tuple[()] | None:
    """Convert a literal for QuestDB's rules: None for null, () if it has no such form."""
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    if value is None:
        return None
    tag, kind = tag_of(column.type_code), column.leaf_type
    if tag == Tag.IPv4:
        number = int(value) if isinstance(value, (int, IPv4Address)) else -1
        return number.to_bytes(4, "little") if 0 <= number < 1 << 32 else ()
    if isinstance(value, UUID):
        value = value.bytes
    if isinstance(value, float) and value != value:
        return struct.pack("<f" if kind.width == 4 else "<d", value) if pa.types.is_floating(kind.arrow) else ()
    forms = plain_forms(Comparison(column.name, "=", value), kind, kind.arrow)
    if forms is None:
        return ()
    if tag == Tag.DATE and kind.physical == wire.PHYSICAL_INT32:
        return struct.pack("<q", int.from_bytes(forms[0], "little", signed=True) * MILLISECONDS_OF_A_DAY)
    return forms[0]
