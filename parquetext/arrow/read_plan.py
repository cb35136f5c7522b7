"""Plan the data that a read needs from a file, from its footer alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import pyarrow as pa

from .. import kernels, wire
from ..errors import ColumnError, Unsupported
from ..footer.bloom_filters import BloomFilters
from ..footer.elsewhere import check_here
from ..footer.forms import spec_of
from ..footer.model import Form
from ..footer.names import as_path
from ..footer.projection import whole_leaves
from ..footer.pyarrow_footer import has_extension_types, key_values_of, schema_of
from ..footer.thrift_form import ThriftForm
from ..footer.typed_bounds import column_bounds
from ..pruning import Predicate, predicate_of, surviving_row_groups
from .selection import Leaves, index_columns, select, top_level_leaves, whole_fields

__all__ = ["Projection", "Step", "encrypted_column", "project"]

Blooms = Callable[[Form, Mapping[str, pa.DataType]], BloomFilters]
SchemaOf = Callable[[bytes], pa.Schema]


@dataclass(frozen=True)
class Step:
    """One read by pyarrow.

    `footer` is the sliced Thrift footer, and `indices` are its leaves to read, in order (None: all). If the footer
    cannot be sliced, `footer` is None, and `row_groups` and `indices` are the file's. `chunks` and `rows` are the size
    of the read, and `leaves` are the file's numbers of the footer's leaves. If there is no leaf to read, `footer` is
    empty, and `key_values` are those of the table.
    """

    footer: bytes | None
    indices: list[int] | None
    row_groups: Sequence[int]
    chunks: int
    rows: int
    leaves: Sequence[int] = ()
    key_values: pa.KeyValueMetadata | None = None

    @property
    def has_columns(self) -> bool:
        return self.footer != b""

    @cached_property
    def scan(self):
        """The scan of the sliced footer; None if there is no such footer, or if it has no columns."""
        return kernels.scan.scan(self.footer, strict=False) if self.footer else None

    def check_here(self) -> None:
        """Raise `ArrowUnsupported` if a column chunk of the slice is in another file."""
        if self.scan is None:
            return
        if any(present & wire.PRESENT_FILE_PATH for present in self.scan.chunks("present")):
            form = ThriftForm(self.footer)
            check_here(form, range(form.leaf_count), range(form.row_group_count), self.row_groups)

    def without_columns(self) -> pa.Table:
        """Return a table with the rows and no columns, if there is no leaf to read."""
        return pa.table({"": pa.nulls(self.rows)}, metadata=self.key_values).select([])

    def batches_without_columns(self, counts: Sequence[int], size: int) -> Iterator[pa.RecordBatch]:
        """Return such a table in batches, each of one row group; the file's row groups have `counts` rows."""
        rows = pa.chunked_array([pa.nulls(counts[number]) for number in self.row_groups], pa.null())
        batches = pa.table({"": rows}, metadata=self.key_values).to_batches(size)
        return (batch.select([]) for batch in batches)


@dataclass(frozen=True, slots=True)
class Projection:
    """The complete plan of a read.

    `step` is read. Then `predicate` selects rows, and the last `extra` columns are dropped. If the predicate's columns
    cannot be read together with the others, `finder` reads them separately. `chunks` are those of the predicate's
    columns by name, with all row groups of the file, because slices of some forms lack statistics.
    """

    step: Step
    predicate: Predicate | None = None
    extra: int = 0
    finder: Step | None = None
    chunks: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_sliced(self) -> bool:
        """True if no part is read by the file's own Thrift footer."""
        return all(step is None or step.footer is not None for step in (self.step, self.finder))


def encrypted_column(projection: Projection) -> str | None:
    """Return the name of the first encrypted column of a read, or None if no column is encrypted."""
    for step in (projection.step, projection.finder):
        if step is not None and step.footer:
            form = ThriftForm(step.footer)
            for leaf in range(form.leaf_count):
                if any(present & wire.PRESENT_CRYPTO for present in form.column(leaf).array("present")):
                    return ".".join(as_path(form.node(leaf).path))
    return None


def project(
    form: Form,
    columns: Iterable | None,
    row_groups: Sequence[int] | None,
    filters=None,
    *,
    key_values: bool = False,
    use_pandas_metadata: bool = False,
    blooms: Blooms | None = None,
    schema: SchemaOf = schema_of,
) -> Projection:
    """Resolve the columns, skip the row groups that filters rule out, and slice the footer.

    `blooms` returns the Bloom filters of columns of these types, used if bounds leave row groups undecided. `schema`
    returns the Arrow schema of a Thrift footer.
    """
    if isinstance(columns, str):
        raise TypeError("columns is a list of names, not one string")
    names = None if columns is None else list(columns)
    if names is not None and use_pandas_metadata:
        names += index_columns(form)
    groups = _row_groups(form, row_groups)
    if filters is None:
        return Projection(_step(form, select(form, names), _is_nested(names), groups, key_values))
    return _filtered(form, names, groups, predicate_of(filters), key_values, blooms, schema)


def _row_groups(form: Form, row_groups: Sequence[int] | None) -> Sequence[int]:
    if row_groups is None:
        return range(form.row_group_count)
    row_groups = list(row_groups)
    for row_group in row_groups:
        if not 0 <= row_group < form.row_group_count:
            raise IndexError(f"row group {row_group}: the file has {form.row_group_count}")
    return row_groups


def _is_nested(names: list | None) -> bool:
    """Return True if a name may refer to a part of a top-level column."""
    return names is not None and any(map(_is_part, names))


def _is_part(name: str | tuple[str, ...] | Leaves) -> bool:
    if isinstance(name, Leaves):
        return name.nested
    return "." in name if isinstance(name, str) else len(name) > 1


def _step(form: Form, leaves: list[int], nested: bool, row_groups: Sequence[int], key_values: bool = False) -> Step:
    """Return the step that reads these leaves."""
    is_all = isinstance(row_groups, range) or len(row_groups) == len(set(row_groups)) == form.row_group_count
    # Without columns, rows are counted as pyarrow counts them, whatever num_rows of the file is.
    counts = form.row_groups("num_rows") if not is_all or not leaves else None
    rows = form.num_rows if counts is None else sum(counts[row_group] for row_group in row_groups)
    if not leaves and _has_chunks_alone(form, row_groups):
        return Step(None, leaves, row_groups, 0, rows)
    if not leaves:
        return Step(b"", None, row_groups, 0, rows, key_values=key_values_of(form) if key_values else None)
    kept = whole_leaves(form, leaves) if nested else leaves if len(leaves) < 2 else sorted(leaves)
    try:
        footer = form.slice(kept, row_groups, key_values=key_values)
        if nested and has_extension_types(footer):  # pyarrow cannot read a part of an extension type
            kept = whole_fields(form, leaves)
            footer = form.slice(kept, row_groups, key_values=key_values)
    except Unsupported:
        if (spec := spec_of(form)) is not None and not spec.has_file_paths:
            check_here(form, leaves, row_groups)
        return Step(None, leaves, row_groups, len(leaves) * len(row_groups), rows)
    if kept == leaves:
        indices = None
    else:
        places = {leaf: place for place, leaf in enumerate(kept)}
        indices = [places[leaf] for leaf in leaves]
    return Step(footer, indices, row_groups, len(kept) * len(row_groups), rows, kept)


def _has_chunks_alone(form: Form, row_groups: Sequence[int]) -> bool:
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


def _filtered(
    form: Form,
    names: list | None,
    groups: Sequence[int],
    predicate: Predicate,
    key_values: bool,
    blooms: Blooms | None,
    schema: SchemaOf,
) -> Projection:
    wanted = select(form, names)
    looked_at = _looked_at(form, predicate, schema)
    if looked_at is None:
        finder = _step(form, select(form, None), False, groups)
        return Projection(_step(form, wanted, _is_nested(names), groups, key_values), predicate, finder=finder)
    fields = {name: top_level_leaves(form, name) for name in looked_at}
    finding = sorted(leaf for leaves in fields.values() for leaf in leaves)
    groups = _pruned(form, predicate, finding, groups, blooms, schema)
    have = set(wanted)
    extra = {name: leaves for name, leaves in fields.items() if not have.intersection(leaves)}
    if any(not have.issuperset(leaves) for name, leaves in fields.items() if name not in extra):
        finder = _step(form, finding, False, groups)
        return Projection(_step(form, wanted, True, groups, key_values), predicate, finder=finder)
    both = wanted + [leaf for leaves in extra.values() for leaf in leaves]
    chunks = {name: form.column(*leaves) for name, leaves in fields.items() if len(leaves) == 1}
    step = _step(form, both, _is_nested(names), groups, key_values)
    return Projection(step, predicate, extra=len(extra), chunks=chunks)


def _pruned(
    form: Form,
    predicate: Predicate,
    leaves: list[int],
    row_groups: Sequence[int],
    blooms: Blooms | None,
    schema: SchemaOf,
) -> Sequence[int]:
    """Return the row groups that the statistics and Bloom filters of the predicate's columns do not rule out."""
    if not leaves:
        return row_groups
    types = {field.name: field.type for field in schema(form.slice(leaves, []))}
    return surviving_row_groups(
        predicate,
        lambda name: column_bounds(form, name, types[name]),
        form.row_group_count,
        row_groups,
        types,
        None if blooms is None else blooms(form, types).absent,
    )


def _looked_at(form: Form, predicate: Predicate, schema: SchemaOf) -> list[str] | None:
    """Return the top-level columns of a predicate, or None if it may refer to any."""

    def type_of(name: str) -> pa.DataType | None:
        try:
            leaves = top_level_leaves(form, name)
        except ColumnError:
            return None
        return schema(form.slice(list(leaves), [])).field(0).type

    return predicate.columns(type_of)
