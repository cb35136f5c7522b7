"""The Arrow schema of a footer, and its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

import pyarrow as pa

from ...errors import LimitExceeded, ParquetextError, Unsupported
from ...footer.pyarrow_footer import schema_of
from ...footer.thrift_form import ThriftForm
from .assemble_plan import field_of, plan_fields
from .wanted_columns import Column, columns_of

KEPT_LEAVES, KEPT_BYTES = 1 << 9, 1 << 15  # limits for a cached footer without row groups
REFUSED = (pa.ArrowException, OSError, ParquetextError)


@contextmanager
def within_the_stack() -> Iterator[None]:
    """Raise Unsupported for a schema nested deeper than Python's stack allows: about 200 levels."""
    try:
        yield
    except RecursionError:
        raise Unsupported("the schema is nested deeper than Python's stack goes") from None


def fields_of(form: ThriftForm, footer: bytes, options: Mapping, wanted: Sequence[int] | None) -> Sequence[Column]:
    """Return the fields of a footer that contain wanted leaves.

    Results for footers with few leaves are cached; they do not depend on the row groups.
    """
    if not options and form.leaf_count <= KEPT_LEAVES:
        shape = form.slice(range(form.leaf_count), [])
        if len(shape) <= KEPT_BYTES:
            return _kept(shape, None if wanted is None else tuple(wanted))
    return _fields_of(schema_or_ours(footer, **options), form, wanted)


@lru_cache(maxsize=1 << 6)
def _kept(footer: bytes, wanted: tuple[int, ...] | None) -> Sequence[Column]:
    return _fields_of(schema_or_ours(footer), ThriftForm(footer), wanted)


def _fields_of(schema: pa.Schema, form: ThriftForm, wanted: Sequence[int] | None) -> Sequence[Column]:
    return tuple(columns_of(plan_fields(form), schema, range(form.leaf_count) if wanted is None else wanted))


def schema_or_ours(footer: bytes, **options) -> pa.Schema:
    """Return pyarrow's Arrow schema of a footer; if pyarrow fails, derive the schema from the Parquet types.

    `options` are those of pyarrow's reader.
    """
    try:
        return schema_of(footer, **options)
    except (MemoryError, LimitExceeded):
        raise
    except REFUSED:
        plans = plan_fields(ThriftForm(footer))
        return pa.schema([field_of(plan) for plan in plans])
