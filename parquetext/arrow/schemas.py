"""The Arrow schema of a footer, and what its fields are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

import pyarrow as pa

from ..errors import ParquetextError, Unsupported
from ..footer.model import Form
from ..footer.pyarrow_footer import schema_of
from ..footer.thrift_form import ThriftForm
from .assemble_plan import Plan, plan_fields

__all__ = ["schema_and_plans", "schema_or_ours", "within_the_stack"]

KEPT_BYTES = 1 << 14  # of a footer
REFUSED = (pa.ArrowException, OSError, ParquetextError)


@contextmanager
def within_the_stack() -> Iterator[None]:
    """Refuse what is nested deeper than Python's stack goes: some 200 levels."""
    try:
        yield
    except RecursionError:
        raise Unsupported("the schema is nested deeper than Python's stack goes") from None


def schema_and_plans(form: Form, footer: bytes, options: Mapping) -> tuple[pa.Schema, Sequence[Plan]]:
    """The Arrow schema of a footer, and what its fields are; small ones are kept, whatever the row groups."""
    if options or len(footer) > KEPT_BYTES:
        return schema_or_ours(footer, **options), plan_fields(form)
    return _kept(form.slice(range(form.leaf_count), []))


@lru_cache(maxsize=1 << 6)
def _kept(footer: bytes) -> tuple[pa.Schema, Sequence[Plan]]:
    return schema_or_ours(footer), plan_fields(ThriftForm(footer))


def schema_or_ours(footer: bytes, **options) -> pa.Schema:
    """pyarrow's Arrow schema of a footer; where pyarrow gives none, what the Parquet types say.

    `options` are those of pyarrow's reader.
    """
    try:
        return schema_of(footer, **options)
    except REFUSED:
        plans = plan_fields(ThriftForm(footer))
        return pa.schema([pa.field(plan.name, plan.type, nullable=plan.nullable) for plan in plans])
