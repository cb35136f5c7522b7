"""Types of Arrow that an engine does not take from it, as the types that its own reader of Parquet gives."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ..arrow.datasets.dataset import Dataset
from ..reading.execute.assemble import TAKEN_AS
from .sources import with_schema

Replace = Callable[[pa.DataType], pa.DataType]

WIDEST_DECIMAL = 38  # of both engines
LISTS = {kind(pa.null()).id: kind for kind in (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)}


def with_types_of_duckdb(lake: Dataset) -> Dataset:
    """Return the same rows in types that DuckDB accepts and maps to the types of its own reader."""
    return _with_types(lake, _type_of_duckdb)


def with_types_of_polars(lake: Dataset) -> Dataset:
    """Return the same rows in types that Polars has and Arrow can filter.

    Polars panics at decimals in 256 bits even if 128 are sufficient; Arrow filters neither views nor small decimals.
    """
    return _with_types(lake, _type_of_polars)


def _type_of_duckdb(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_decimal256(kind):
        return _narrow(kind) or pa.float64()
    if pa.types.is_timestamp(kind) and kind.tz is None and kind.unit in ("s", "ms"):
        return pa.timestamp("us")
    if pa.types.is_duration(kind):  # an INTERVAL would lose nanoseconds
        return pa.int64()
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(kind.value_field)
    return kind


def _type_of_polars(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_decimal(kind):
        return _narrow(kind) or kind
    return TAKEN_AS.get(kind, kind)


def _narrow(kind: pa.DataType) -> pa.DataType | None:
    """Return a decimal type in 128 bits, if that is wide enough."""
    return pa.decimal128(kind.precision, kind.scale) if kind.precision <= WIDEST_DECIMAL else None


def _with_types(lake: Dataset, replace: Replace) -> Dataset:
    fields = list(lake.schema)
    new = [_replaced(field, replace) for field in fields]
    if all(one is other for one, other in zip(new, fields, strict=True)):
        return lake
    return with_schema(lake, pa.schema(new, lake.schema.metadata))


def _replaced(field: pa.Field, replace: Replace) -> pa.Field:
    """Return the field with types replaced, also within it; the field itself if there is nothing to replace."""
    kind = field.type
    wanted = replace(kind)
    if wanted.num_fields:
        wanted = _with_children(wanted, replace)
    return field if wanted is kind else field.with_type(wanted)


def _with_children(kind: pa.DataType, replace: Replace) -> pa.DataType:
    if pa.types.is_map(kind):
        old = [kind.key_field, kind.item_field]
    else:
        old = [kind.field(number) for number in range(kind.num_fields)]
    new = [_replaced(field, replace) for field in old]
    if all(one is other for one, other in zip(new, old, strict=True)):
        return kind
    if pa.types.is_struct(kind):
        return pa.struct(new)
    if pa.types.is_map(kind):
        return pa.map_(*new)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(new[0], kind.list_size)
    return LISTS[kind.id](new[0]) if kind.id in LISTS else kind
