"""Read the footers and rows of many small local files with one schema by a few kernel calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from ... import kernels
from ...encoding.decoded_sizes import limit_of
from ...errors import ParquetextError
from ...footer.best_form import thrift_footer
from ...footer.leaf_types import leaf_type_of
from ...footer.pyarrow_footer import schema_of
from ...footer.thrift_form import ThriftForm
from ...pruning import Predicate
from ...pruning.accepted_values import Accepted, Joined, accepted_values, domain_of
from ...reading.request.selection import find_top_level
from ...records import frozen
from .dataset_plan import FileBounds, file_bounds
from .filtering import Rows, filtered
from .in_order import each_in_order, in_order

if TYPE_CHECKING:
    from .fragments import Fragment

# Larger files are read one by one, and so are fewer files.
MOST_BYTES, FEWEST_FILES = 1 << 19, 8
# Files of one kernel call: the first call finds out if there are small files at all.
OF_FIRST_CALL, OF_CALL = 4, 64
# The kernels' limit of values that few bytes claim; a lower limit of the user is checked file by file.
BELIEVED = 1 << 26
R = TypeVar("R")


def rows_of(fragments: Sequence[Fragment], predicate: Predicate | None, *, use_threads: bool) -> Iterator[Rows]:
    """Yield the rows of fragments, in order, as `Fragment.read` returns them, or of several small files together."""

    def alone(fragment: Fragment) -> Rows:
        return fragment.read(predicate, use_threads=use_threads)

    threads = None if use_threads else False
    prepared = _of_first(fragments, lambda schema: SmallRows.of_schema(schema, fragments[0], predicate))
    if prepared is None:
        return each_in_order(alone, fragments, threads=threads)
    return _each(fragments, prepared[1].read, alone, threads)


def small_groups(
    fragments: Sequence[Fragment], predicate: Predicate | None
) -> tuple[SmallRows, list[Sequence[Fragment]]] | None:
    """Return the reader of small files, and groups of fragments to read together; None if the first are not small."""
    prepared = _of_first(fragments, lambda schema: SmallRows.of_schema(schema, fragments[0], predicate))
    if prepared is None or not any(prepared[0].open(fragments[:OF_FIRST_CALL]).taken):
        return None
    return prepared[1], _groups(fragments)


def bounds_of(fragments: Sequence[Fragment], names: Sequence[str]) -> Iterator[FileBounds]:
    """Yield the data of each fragment that planning needs, in order, as `Fragment.bounds` does."""

    def alone(fragment: Fragment) -> FileBounds:
        return fragment.bounds(names)

    prepared = _of_first(fragments, lambda schema: file_bounds(schema.form, names))
    if prepared is None:
        return each_in_order(alone, fragments)
    schema, first = prepared
    return _each(fragments, lambda batch: schema.bounds(batch, first), alone, None)


def _each(
    fragments: Sequence[Fragment],
    together: Callable[[Sequence[Fragment]], list[list[R] | None]],
    alone: Callable[[Fragment], R],
    threads: bool | None,
) -> Iterator[R]:
    """Yield the results of fragments in order, by calls for many files, or alone for a file that gets None there."""
    begun = together(fragments[:OF_FIRST_CALL])
    if all(each is None for each in begun):
        yield from each_in_order(alone, fragments, threads=threads)
        return
    batches = _groups(fragments)
    # The kernels do nearly all of the work without the interpreter's lock.
    found = in_order(together, batches[1:], threads=threads is not False and len(batches) > 2, waits=False)
    for batch, results in zip(batches, chain([begun], found), strict=True):
        others = [fragment for fragment, result in zip(batch, results, strict=True) if result is None]
        in_turn = each_in_order(alone, others, threads=threads)
        for result in results:
            if result is None:
                yield next(in_turn)
            else:
                yield from result


def _groups(fragments: Sequence[Fragment]) -> list[Sequence[Fragment]]:
    begins = range(OF_FIRST_CALL, len(fragments), OF_CALL)
    return [fragments[:OF_FIRST_CALL], *(fragments[begin : begin + OF_CALL] for begin in begins)]


def _of_first(fragments: Sequence[Fragment], derive: Callable[[FirstSchema], R | None]) -> tuple[FirstSchema, R] | None:
    """Return the schema of the first file and a value derived from it; None if the kernels cannot read such files."""
    if len(fragments) < FEWEST_FILES or not all(fragment.is_read_plainly for fragment in fragments):
        return None
    if kernels.implementation() != "native" or limit_of(None) < BELIEVED:
        return None
    try:
        with fragments[0]._open() as file:
            schema = FirstSchema.of_footer(bytes(thrift_footer(file._source)[0]))
        derived = derive(schema)
    except MemoryError:
        raise
    except (ParquetextError, pa.ArrowException, OSError, KeyError, UnicodeError):
        return None  # reading the file itself raises the error
    return (schema, derived) if derived else None


@frozen
class FirstSchema:
    """The schema of a first file, and the small files that have the same one.

    Attributes
    ----------
    form : ThriftForm
        The Thrift footer of the first file.
    arrow : pyarrow.Schema
        The fields of the whole footer, in the types that pyarrow's reader returns.
    """

    form: ThriftForm
    arrow: pa.Schema

    @classmethod
    def of_footer(cls, footer: bytes) -> FirstSchema:
        form = ThriftForm(footer)
        return cls(form, schema_of(form.slice(range(form.leaf_count), [])).remove_metadata())

    def leaves_of(self, names: Sequence[str]) -> dict[int, pa.Field] | None:
        """Return the leaves of the columns in the files, with their fields; None if one of the columns is nested."""
        found: dict[int, pa.Field] = {}
        for name in names:
            leaves = find_top_level(self.form, name)
            if leaves is None:
                continue
            field = self.arrow.field(name)
            if len(leaves) != 1 or pa.types.is_nested(field.type):
                return None
            found[leaves[0]] = field
        return found

    def accepted(
        self, leaves: dict[int, pa.Field], fragment: Fragment, predicate: Predicate
    ) -> Accepted | Joined | None:
        """Return the stored values that a predicate accepts; None if it is not about stored values alone."""
        domains = {}
        for leaf, field in leaves.items():
            domain = domain_of(field.type, leaf_type_of(self.form.node(leaf).thrift).physical)
            if domain is not None and fragment.type_of(field.name) == field.type:
                domains[field.name] = field.type, domain
        return accepted_values(predicate, domains)

    def bounds(self, fragments: Sequence[Fragment], first: FileBounds) -> list[list[FileBounds] | None]:
        """Return the bounds of each fragment for the columns in the first file's, or None if it is not small."""
        files = self.open(fragments)
        leaves = {name: find_top_level(self.form, name) or range(0) for name in first.bounds}

        def of_file(number: int) -> FileBounds:
            bounds = {}
            for name, (stored, rows) in first.bounds.items():
                low, high, nulls, values = files.bounds(number, leaves[name][0])
                bounds[name] = replace(stored, min=low, max=high, null_counts=nulls, num_values=values), rows
            return FileBounds(files.row_groups(number), bounds, first.missing)

        return [[of_file(number)] if taken else None for number, taken in enumerate(files.taken)]

    def open(self, fragments: Sequence[Fragment]):
        """Open the files of fragments."""
        paths = [os.fsencode(fragment.path) for fragment in fragments]
        return kernels.small_files.SmallFiles(self.form.scan, paths, MOST_BYTES)


@frozen
class SmallRows:
    """The rows of small files that match a filter.

    Attributes
    ----------
    leaves : dict of int to pyarrow.Field
        The leaves of the columns in the files, with their fields.
    tests, steps : list
        The filter, as the kernels take it; empty if they cannot evaluate it.
    """

    schema: FirstSchema
    leaves: dict[int, pa.Field]
    predicate: Predicate | None
    tests: list[tuple[int, Any, bool]]
    steps: list[int]

    @classmethod
    def of_schema(cls, schema: FirstSchema, fragment: Fragment, predicate: Predicate | None) -> SmallRows | None:
        """Return the rows of files with a schema; None if one of their columns is nested."""
        leaves = schema.leaves_of(fragment.stored_names)
        if not leaves:
            return None
        tests: list[tuple[int, Any, bool]] = []
        steps: list[int] = []
        accepted = None if predicate is None else schema.accepted(leaves, fragment, predicate)
        if accepted is not None:
            numbers = {field.name: leaf for leaf, field in leaves.items()}
            _write_filter(accepted, numbers, tests, steps)
        return cls(schema, leaves, predicate, tests, steps)

    def read(self, fragments: Sequence[Fragment]) -> list[list[Rows] | None]:
        """Return the rows of fragments, those of a run of files with the first of them; None for one to read alone."""
        files = self.schema.open(fragments)
        found: list[list[Rows] | None] = [None] * len(fragments)
        numbers = [number for number, taken in enumerate(files.taken) if taken]
        # Files of a run follow each other, and have the same values from directories.
        for _, run in groupby(enumerate(numbers), lambda pair: (pair[1] - pair[0], fragments[pair[1]].given)):
            self._read_run(files, fragments, [number for _, number in run], found)
        return found

    def _read_run(self, files, fragments: Sequence[Fragment], run: list[int], found: list[list[Rows] | None]) -> None:
        """Read a run of files together, or one by one if this fails, so that an error names its file."""
        rows = self._joined(files, fragments[run[0]], run)
        if rows is not None:
            for number in run:
                found[number] = []
            found[run[0]] = [rows]
        elif len(run) > 1:
            for number in run:
                self._read_run(files, fragments, [number], found)

    def _joined(self, files, fragment: Fragment, run: list[int]) -> Rows | None:
        read = files.read(self.schema.arrow.__arrow_c_schema__(), list(self.leaves), run, self.tests, self.steps)
        if read is None:
            return None
        types = [field.type for field in self.leaves.values()]
        arrays = list(map(pa.Array._import_from_c, read.addresses, types))
        table = pa.Table.from_arrays(arrays, schema=pa.schema(self.leaves.values()))
        try:
            rows = fragment.rows_of_table(table)
            if self.predicate is None or read.is_filtered:
                return rows
            return rows._replace(table=filtered(rows.table, self.predicate, use_threads=False))
        except MemoryError:
            raise
        except pa.ArrowException:
            return None


def _write_filter(
    node: Accepted | Joined, leaves: dict[str, int], tests: list[tuple[int, Any, bool]], steps: list[int]
) -> None:
    """Append the tests and steps of a filter."""
    if isinstance(node, Accepted):
        steps.append(len(tests))
        tests.append((leaves[node.column], node.for_kernels, node.null is True))
        return
    for number, part in enumerate(node.parts):
        _write_filter(part, leaves, tests, steps)
        if number:
            steps.append(kernels.small_files.AND if node.is_all else kernels.small_files.OR)
