"""Many short column chunks of a local file: flat columns become Arrow arrays by a few calls of the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from .. import kernels
from ..errors import ParquetextError
from ..footer.pyarrow_footer import key_values_of, schema_of
from ..footer.thrift_form import ThriftForm
from .in_threads import each
from .projection import Step
from .proportion import MOST_OF_BYTE
from .reading import SMALL_ROWS
from .text_batches import TEXT_BYTES, TextBudget

__all__ = ["read_short_chunks"]

FEW_CHUNKS = 1 << 6  # that pyarrow reads as soon
# What one call of the kernels reads, and how many chunks are worth threads.
CALL_BYTES, CALL_LEAVES, THREADED_CHUNKS = 1 << 20, 1 << 7, 1 << 11


def read_short_chunks(step: Step, source, *, use_threads: bool = True) -> pa.Table | None:
    """What pyarrow gives for a step, where all columns are flat and it has many chunks; else None.

    None is also what there is for columns of which two readers might give different values, and for what cannot be
    read: pyarrow reads it, or says what is wrong with it.
    """
    fd = getattr(source, "fd", None)
    if fd is None or not step.footer or step.chunks < FEW_CHUNKS or kernels.implementation() != "native":
        return None
    try:
        form = ThriftForm(step.footer)
        schema = schema_of(form.slice(range(form.leaf_count), [])).with_metadata(key_values_of(form))
        arrays = kernels.arrays.Arrays(form.scan, schema.__arrow_c_schema__(), source.size)
        if not arrays.is_whole:
            return None
        _read(arrays, fd, use_threads and _is_worth_threads(step))
        return _table(arrays.addresses(), schema, step.indices)
    except (pa.ArrowException, ParquetextError):
        return None


def _is_worth_threads(step: Step) -> bool:
    values = step.rows * (step.chunks // max(len(step.row_groups), 1))
    return step.chunks >= THREADED_CHUNKS or values >= SMALL_ROWS


def _read(arrays, fd: int, use_threads: bool) -> None:
    """Make all arrays, as long as their texts are not out of proportion to what is stored."""
    texts = TextBudget(max(TEXT_BYTES, MOST_OF_BYTE * arrays.stored))

    def read(part: tuple[int, int]) -> None:
        texts.count(arrays.read(fd, *part, texts.left))

    each(read, arrays.parts(CALL_BYTES, CALL_LEAVES), use_threads)


def _table(addresses: Sequence[int], schema: pa.Schema, indices: Sequence[int] | None) -> pa.Table | None:
    if not all(addresses):
        return None
    taken = [pa.Array._import_from_c(*pair) for pair in zip(addresses, schema.types, strict=True)]
    if indices is not None:
        schema = pa.schema([schema.field(index) for index in indices], schema.metadata)
        taken = [taken[index] for index in indices]
    return pa.Table.from_arrays(taken, schema=schema)
