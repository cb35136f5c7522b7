"""Read short column chunks of a local file: a few kernel calls convert flat columns to Arrow arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import pyarrow as pa

from ... import kernels
from ...errors import ParquetextError
from ...footer.pyarrow_footer import kept_key_values_of, schema_of
from ...footer.thrift_form import ThriftForm
from ..pyarrow_reading import SMALL_BYTES, SMALL_ROWS
from ..read_plan import Step
from .in_threads import each, workers_of
from .proportion import MOST_OF_BYTE
from .text_batches import TEXT_BYTES
from .text_budget import TextBudget

__all__ = ["read_short_chunks"]

# Limits of one kernel call, and the number of chunks from which threads pay off.
CALL_BYTES, CALL_LEAVES, THREADED_CHUNKS = 1 << 20, 1 << 7, 1 << 11
GOOD_PART = 2  # at least one in this many leaves must be readable in this way


def read_short_chunks(
    step: Step, others: Callable[[Step], pa.Table], source, *, use_threads: bool = True
) -> pa.Table | None:
    """Read a step of short chunks as pyarrow would; return None unless enough of its columns are flat.

    Parameters
    ----------
    others : callable
        Reads a step with pyarrow. It is called for columns that two readers may read differently, and for unreadable
        columns, so that pyarrow reports the error.
    """
    fd = getattr(source, "fd", None)
    if fd is None or not step.footer or not step.chunks or kernels.implementation() != "native":
        return None
    try:
        form = ThriftForm(step.footer)
        made = kernels.arrays.Arrays(form.scan, source.size)
        if not made.count or made.count < form.leaf_count / GOOD_PART:
            return None
        schema = _schema_of(form)
        made.type(schema.__arrow_c_schema__())
        _read(made, fd, use_threads and _is_worth_threads(step, made.stored))
    except MemoryError:
        raise
    except (pa.ArrowException, ParquetextError):
        return None
    addresses = made.addresses()
    wanted = range(form.leaf_count) if step.indices is None else step.indices
    left = [leaf for leaf in wanted if not addresses[leaf]]
    if len(left) == len(wanted):
        return None
    fields, types = _fields_of(form), schema.types
    arrays = {leaf: pa.Array._import_from_c(addresses[leaf], types[fields[leaf]]) for leaf in wanted if addresses[leaf]}
    if not left and step.indices is None:
        return pa.Table.from_arrays(list(arrays.values()), schema=schema)
    try:
        theirs = others(replace(step, indices=left, chunks=len(left) * len(step.row_groups))) if left else None
    except MemoryError:
        raise
    except (pa.ArrowException, OSError):
        return None  # pyarrow numbers columns in errors and reports the first bad one, so it must read all columns
    if theirs is not None and theirs.num_rows != len(next(iter(arrays.values()))):
        return None
    try:
        return _merged(arrays, theirs, schema, [(leaf, fields[leaf]) for leaf in wanted])
    except UnicodeDecodeError:
        return None  # pyarrow cannot select a column by a name that is not UTF-8


def _schema_of(form: ThriftForm) -> pa.Schema:
    """Return the schema of all fields, with the table's metadata."""
    schema = schema_of(form.slice(range(form.leaf_count), []))
    key_values = kept_key_values_of(form)
    return schema.remove_metadata() if key_values is None else schema.with_metadata(key_values)


def _is_worth_threads(step: Step, stored: int) -> bool:
    values = step.rows * (step.chunks // max(len(step.row_groups), 1))
    return step.chunks >= THREADED_CHUNKS or values >= SMALL_ROWS or stored >= SMALL_BYTES


def _read(arrays, fd: int, use_threads: bool) -> None:
    """Make all arrays, and limit their texts in proportion to the stored bytes."""
    parts = arrays.parts(CALL_BYTES, CALL_LEAVES)
    texts = TextBudget(max(TEXT_BYTES, MOST_OF_BYTE * arrays.stored), workers_of(use_threads, len(parts)))

    def read(part: tuple[int, int]) -> None:
        with texts.share() as share:
            share.used = arrays.read(fd, *part, share.most)

    each(read, parts, use_threads)


def _fields_of(form: ThriftForm) -> Sequence[int]:
    """Return the top-level field of each leaf."""
    if form.node_count == 1:  # only the root, so all columns are flat
        return range(form.leaf_count)
    begun = list(accumulate(parent == 0 for parent in form.scan.elements("parent")))
    return [begun[element] - 1 for element in form.scan.leaves]


def _merged(
    arrays: Mapping[int, pa.Array], theirs: pa.Table | None, schema: pa.Schema, wanted: Iterable[tuple[int, int]]
) -> pa.Table:
    """Merge the arrays and the other columns: the fields of wanted leaves, in the order of their first leaves."""
    others = iter(()) if theirs is None else zip(theirs.schema, theirs.columns, strict=True)
    columns: dict[int, tuple] = {}
    for leaf, field in wanted:
        if field not in columns:
            columns[field] = (schema.field(field), arrays[leaf]) if leaf in arrays else next(others)
    fields, values = zip(*columns.values(), strict=True)
    return pa.Table.from_arrays(list(values), schema=pa.schema(fields, schema.metadata))
