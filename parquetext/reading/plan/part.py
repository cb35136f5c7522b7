"""A part of a plan: leaves and row groups that are read together by one slice of the footer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ... import kernels, wire
from ...errors import Unsupported
from ...footer.column_footer import check_here
from ...footer.forms import spec_of
from ...footer.model import FooterReader
from ...footer.projection import whole_leaves
from ...footer.pyarrow_footer import has_extension_types, key_values_of
from ...footer.thrift_form import ThriftForm
from ...forks import cached_property
from ..fields.arrow_fields import fields_of, within_the_stack
from ..fields.wanted_columns import Column
from ..request.selection import whole_fields

# Values and bytes in pages below which threads and pre-buffering cost more than they save.
SMALL_ROWS = 1 << 18
SMALL_BYTES = 1 << 20


@dataclass(frozen=True)
class Part:
    """Leaves and row groups that are read together.

    Attributes
    ----------
    footer : bytes or None
        The sliced Thrift footer. It is empty if there is no leaf to read. If the footer cannot be sliced, it is None,
        and `indices` and `row_groups` refer to the file's footer.
    indices : list of int or None
        The leaves of `footer` to read, in order; None for all.
    row_groups : sequence of int
        The file's numbers of the row groups.
    chunks, rows : int
        The size of the read.
    leaves : sequence of int
        The file's numbers of the footer's leaves.
    key_values : pyarrow.KeyValueMetadata or None
        Metadata of a table without columns.
    """

    footer: Any
    indices: Sequence[int] | None
    row_groups: Sequence[int]
    chunks: int
    rows: int
    leaves: Sequence[int] = ()
    key_values: pa.KeyValueMetadata | None = None

    def __repr__(self) -> str:
        footer = "the file's footer" if self.footer is None else f"a slice of {len(self.footer)} bytes"
        groups = f"{len(self.row_groups)} row groups"
        return f"<Part: {self.chunks} column chunks in {groups}, {self.rows} rows, read by {footer}>"

    @classmethod
    def of_slice(cls, footer: bytes, indices: list[int] | None, row_groups: Sequence[int]) -> Part:
        """Return the part that a sliced footer describes."""
        return cls(footer, indices, row_groups, chunks=0, rows=0)

    @property
    def has_columns(self) -> bool:
        return self.footer != b""

    @property
    def values(self) -> int:
        """The number of values, including nulls, if there are no lists."""
        return self.rows * (self.chunks // max(len(self.row_groups), 1))

    @cached_property
    def scan(self):
        """The scan of the sliced footer; None if there is no such footer, or if it has no columns."""
        return kernels.scan.scan(self.footer, strict=False) if self.footer else None

    @cached_property
    def form(self) -> ThriftForm:
        """The sliced footer."""
        return ThriftForm(self.footer)

    @cached_property
    def fields(self) -> Sequence[Column]:
        """The fields to read, if no option changes their types."""
        return self.fields_with({})

    def fields_with(self, options: Mapping) -> Sequence[Column]:
        """Return the fields to read with these options of pyarrow's reader."""
        if not options and "fields" in self.__dict__:
            return self.fields
        with within_the_stack():
            return fields_of(self.form, self.footer, options, self.indices)

    def check_here(self) -> None:
        """Raise `ArrowUnsupported` if a column chunk of the slice is in another file."""
        if self.scan is None:
            return
        if any(present & wire.PRESENT_FILE_PATH for present in self.scan.chunks("present")):
            form = self.form
            check_here(form, range(form.leaf_count), range(form.row_group_count), self.row_groups)

    def without_columns(self) -> pa.Table:
        """Return a table with the rows and no columns, if there is no leaf to read."""
        return pa.table({"": pa.nulls(self.rows)}, metadata=self.key_values).select([])

    def batches_without_columns(self, counts: Sequence[int], size: int) -> Iterator[pa.RecordBatch]:
        """Return such a table in batches, each of one row group; the file's row groups have `counts` rows."""
        rows = pa.chunked_array([pa.nulls(counts[number]) for number in self.row_groups], pa.null())
        batches = pa.table({"": rows}, metadata=self.key_values).to_batches(size)
        return (batch.select([]) for batch in batches)


def part_of(
    form: FooterReader, leaves: Sequence[int], nested: bool, row_groups: Sequence[int], key_values: bool = False
) -> Part:
    """Return the part that reads these leaves."""
    is_all = isinstance(row_groups, range) or len(row_groups) == len(set(row_groups)) == form.row_group_count
    # Without columns, rows are counted as pyarrow counts them; num_rows of the file may differ.
    counts = form.row_groups("num_rows") if not is_all or not leaves else None
    rows = form.num_rows if counts is None else sum(counts[row_group] for row_group in row_groups)
    if not leaves and _has_chunks_alone(form, row_groups):
        return Part(None, leaves, row_groups, 0, rows)
    if not leaves:
        return Part(b"", None, row_groups, 0, rows, key_values=key_values_of(form) if key_values else None)
    kept = whole_leaves(form, leaves) if nested else leaves if len(leaves) < 2 else sorted(leaves)
    try:
        footer = form.slice(kept, row_groups, key_values=key_values)
        if nested and has_extension_types(footer):  # pyarrow cannot read a part of an extension type
            kept = whole_fields(form, leaves)
            footer = form.slice(kept, row_groups, key_values=key_values)
    except Unsupported:
        if (spec := spec_of(form)) is not None and not spec.has_file_paths:
            check_here(form, leaves, row_groups)
        return Part(None, leaves, row_groups, len(leaves) * len(row_groups), rows)
    if kept == leaves:
        indices = None
    else:
        positions = {leaf: position for position, leaf in enumerate(kept)}
        indices = [positions[leaf] for leaf in leaves]
    return Part(footer, indices, row_groups, len(kept) * len(row_groups), rows, kept)


def _has_chunks_alone(form: FooterReader, row_groups: Sequence[int]) -> bool:
    """Return True if row groups have column chunks but the schema has no leaf.

    A damaged type makes a leaf an empty group.
    """
    if form.leaf_count:
        return False
    try:
        form.slice([], row_groups)
    except Unsupported:
        return True
    return False
