"""Read short column chunks of a local file: a few kernel calls convert flat columns to Arrow arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import pyarrow as pa

from ...errors import ParquetextError
from ...footer.pyarrow_footer import kept_key_values_of, schema_of
from ...footer.thrift_form import ThriftForm
from ...records import frozen
from ..plan.part import SMALL_BYTES, SMALL_ROWS, Part
from .in_threads import each, workers_of
from .proportion import MOST_OF_BYTE
from .text_budget import TEXT_BYTES, TextBudget

# Limits of one kernel call, and the number of chunks from which threads pay off.
CALL_BYTES, CALL_LEAVES, THREADED_CHUNKS = 1 << 20, 1 << 7, 1 << 11


@frozen
class ShortChunks:
    """The columns of a part that kernels have converted.

    Attributes
    ----------
    schema : pyarrow.Schema
        All fields of the part.
    arrays : mapping
        The array of each converted leaf.
    wanted : sequence of (int, int) or None
        The leaves to return, each with the number of its field; None for all fields in order.
    rest : Part or None
        The other leaves, for pyarrow: two readers may read them differently, or they are unreadable.
    """

    schema: pa.Schema
    arrays: Mapping[int, pa.Array]
    wanted: Sequence[tuple[int, int]] | None
    rest: Part | None

    @classmethod
    def read(cls, part: Part, made, source, *, use_threads: bool) -> ShortChunks | None:
        """Convert the short chunks of a local file; `made` is the kernel's state of the part.

        Return None if no column can be converted.
        """
        form = part.form
        try:
            schema = _schema_of(form)
            made.type(schema.__arrow_c_schema__())
            _read(made, source.fd, use_threads and _is_worth_threads(part, made.stored))
        except MemoryError:
            raise
        except (pa.ArrowException, ParquetextError):
            return None
        addresses = made.addresses()
        wanted = range(form.leaf_count) if part.indices is None else part.indices
        left = [leaf for leaf in wanted if not addresses[leaf]]
        if len(left) == len(wanted):
            return None
        fields, types = _fields_of(form), schema.types
        arrays = {
            leaf: pa.Array._import_from_c(addresses[leaf], types[fields[leaf]]) for leaf in wanted if addresses[leaf]
        }
        rest = replace(part, indices=left, chunks=len(left) * len(part.row_groups)) if left else None
        is_all = rest is None and part.indices is None
        return cls(schema, arrays, None if is_all else [(leaf, fields[leaf]) for leaf in wanted], rest)

    def table(self, rest: pa.Table | None) -> pa.Table | None:
        """Merge the arrays and the other columns; return None if they do not form a table."""
        if self.wanted is None:
            return pa.Table.from_arrays(list(self.arrays.values()), schema=self.schema)
        if rest is not None and rest.num_rows != len(next(iter(self.arrays.values()))):
            return None
        columns: dict[int, tuple] = {}
        try:
            others = iter(()) if rest is None else zip(rest.schema, rest.columns, strict=True)
            for leaf, field in self.wanted:
                if field not in columns:
                    is_here = leaf in self.arrays
                    columns[field] = (self.schema.field(field), self.arrays[leaf]) if is_here else next(others)
            fields, values = zip(*columns.values(), strict=True)
            return pa.Table.from_arrays(list(values), schema=pa.schema(fields, self.schema.metadata))
        except UnicodeDecodeError:
            return None  # pyarrow cannot select a column by a name that is not UTF-8


def _schema_of(form: ThriftForm) -> pa.Schema:
    """Return the schema of all fields, with the table's metadata."""
    schema = schema_of(form.slice(range(form.leaf_count), []))
    key_values = kept_key_values_of(form)
    return schema.remove_metadata() if key_values is None else schema.with_metadata(key_values)


def _is_worth_threads(part: Part, stored: int) -> bool:
    return part.chunks >= THREADED_CHUNKS or part.values >= SMALL_ROWS or stored >= SMALL_BYTES


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
