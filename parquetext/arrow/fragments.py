"""One file of a dataset: its facts for a plan, and its rows in the dataset's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import and_

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import ParquetextError, retold
from ..pruning import Predicate, predicate_of
from ..storage.secrets import without_secrets
from .decoding import schema_or_ours
from .engine import OURS, PYARROW
from .file import File
from .file import open as open_file
from .planning import FileFacts, asked_blooms, gather_facts, surviving, undecided_by_bounds
from .selection import find_top_level

__all__ = ["Fragment", "Shape", "left_row_groups", "naming"]


@contextmanager
def naming(target) -> Iterator[None]:
    """See to it that an error says which file it is about."""
    try:
        yield
    except ParquetextError as error:
        if error.file is None:
            error.file = str(target)
        raise
    except (pa.ArrowException, OSError) as error:
        told = without_secrets(str(error))
        if told != str(error):
            raise retold(error, f"{target}: {told}") from None
        if str(target) in told:
            raise
        raise retold(error, f"{target}: {told}") from error


@dataclass(frozen=True, slots=True)
class Shape:
    """What rows have to look like: the schema, and the values that directories give."""

    schema: pa.Schema
    given: Mapping[str, pa.Scalar]

    def narrowed(self, names: Sequence[str] | None) -> Shape:
        """With these columns alone."""
        if names is None:
            return self
        fields = [self.schema.field(name) for name in names]
        return Shape(pa.schema(fields, self.schema.metadata), self.given)

    def conformed(self, table: pa.Table) -> pa.Table:
        """A file's columns as the schema has them: cast, or null where there are none.

        Raises
        ------
        pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError
            A column's values are none of the schema's type.
        """
        columns = [self._column(table, field) for field in self.schema]
        if not columns:
            return table.select([])
        return pa.Table.from_arrays(columns, schema=self.schema)

    def _column(self, table: pa.Table, field: pa.Field) -> pa.Array | pa.ChunkedArray:
        if field.name in self.given:
            return pa.repeat(self.given[field.name], table.num_rows).cast(field.type)
        if field.name not in table.column_names:
            return pa.nulls(table.num_rows, field.type)
        column = table.column(field.name)
        if column.type == field.type:
            return column
        try:
            return column.cast(field.type)
        except pa.ArrowException as error:
            raise type(error)(f"column {field.name!r} is {column.type} here: {error}") from error


def left_row_groups(
    file: File, predicate: Predicate, types: Mapping[str, pa.DataType], given: Mapping[str, pa.Scalar]
) -> list[int]:
    """The row groups of a file that may hold rows which meet a predicate, by bounds and Bloom filters.

    `types` has what the columns that it looks at are compared as, `given` those that directories give.
    """
    known = {name: pa.array([value], value.type) for name, value in given.items() if name in types}

    def left(form) -> list[int]:
        facts = gather_facts(form, [name for name in types if name not in known])
        kept = surviving(predicate, [facts], types, known)[0]
        if not kept or not undecided_by_bounds(predicate):
            return kept
        same = {name: rows for name, (_, rows) in facts.bounds.items() if rows == types[name]}
        return asked_blooms(predicate, kept, facts, types, known, file._blooms(form, same))

    return file._on_form(left)


class Fragment:
    """One file of a dataset, or some of its row groups; it is opened anew for each call.

    Attributes
    ----------
    path : str
        In its filesystem.
    row_groups : list of int or None
        Those that a plan has left; None for all.
    """

    def __init__(
        self,
        target,
        number: int,
        shape: Shape,
        row_groups: list[int] | None = None,
        *,
        sidecar: bool = False,
        blooms: bool = True,
        engine: str = PYARROW,
    ):
        self._target, self.number, self._shape, self.row_groups = target, number, shape, row_groups
        self._sidecar, self._blooms, self._engine = sidecar, blooms, engine

    @property
    def path(self) -> str:
        return self._target.path

    @property
    def partition_expression(self) -> pc.Expression:
        """What the names of the directories say of all rows."""
        known = [
            pc.field(name) == value if value.is_valid else pc.field(name).is_null()
            for name, value in self._shape.given.items()
        ]
        return reduce(and_, known) if known else pc.scalar(True)

    @property
    def physical_schema(self) -> pa.Schema:
        """The file's own schema."""
        with self._open() as file:
            return file.schema

    def to_table(self, columns: Sequence[str] | None = None, filter=None) -> pa.Table:
        """These row groups in the dataset's schema, some of its columns, the rows that meet a filter."""
        predicate = None if filter is None else predicate_of(filter)
        names = None
        if columns is not None:
            looked_at = predicate.columns(self._type_of) if predicate is not None else []
            names = None if looked_at is None else list(dict.fromkeys([*columns, *looked_at]))
        table = self.narrowed(names).read(predicate)
        return table if columns is None else table.select(list(columns))

    def count_rows(self) -> int:
        """The rows of these row groups, by the footer alone."""
        with self._open() as file:
            return (
                file.num_rows
                if self.row_groups is None
                else sum(file.row_groups.num_rows[row_group] for row_group in self.row_groups)
            )

    def subset(self, row_groups: Sequence[int]) -> Fragment:
        """The same file with these row groups alone."""
        return self._like(self._shape, list(row_groups))

    def narrowed(self, names: Sequence[str] | None) -> Fragment:
        """The same with these columns of the dataset alone."""
        return self._like(self._shape.narrowed(names), self.row_groups)

    def _like(self, shape: Shape, row_groups: list[int] | None) -> Fragment:
        return Fragment(
            self._target,
            self.number,
            shape,
            row_groups,
            sidecar=self._sidecar,
            blooms=self._blooms,
            engine=self._engine,
        )

    def facts(self, names: Sequence[str]) -> FileFacts:
        """What a plan needs of these columns."""
        with self._open() as file:
            return file._on_form(lambda form: gather_facts(form, names))

    def asks_blooms(self, predicate: Predicate) -> bool:
        """Whether more than bounds can be asked: unless a sidecar has said that the file has no Bloom filters."""
        return self._blooms and undecided_by_bounds(predicate)

    def pruned(self, predicate: Predicate) -> Fragment:
        """With the row groups that the file, as it is now, leaves."""
        with self._open() as file:
            return self.subset(self._left(file, predicate))

    def read(self, predicate: Predicate | None) -> pa.Table:
        """The rows that meet the predicate, all columns of the shape; planned by the very file that is read."""
        with self._open() as file:
            row_groups = self.row_groups if predicate is None else self._left(file, predicate)
            own = [name for name in self._shape.schema.names if name not in self._shape.given]
            there = file._on_form(lambda form: [name for name in own if find_top_level(form, name) is not None])
            early = predicate if self._is_stored_alike(file, predicate, there) else None
            table = file.read([(name,) for name in there], row_groups, early, engine=self._engine)
            table = self._shape.conformed(table)
            return table if predicate is None else table.filter(predicate.expression)

    def _is_stored_alike(self, file: File, predicate: Predicate | None, there: Sequence[str]) -> bool:
        """Whether the file itself may filter, which skips pages: by our engine, for columns of the dataset's types."""
        names = None if predicate is None or self._engine != OURS else predicate.columns(self._type_of)
        if not names or not set(names) <= set(there):
            return False

        def types(form) -> list[pa.DataType]:
            leaves = [find_top_level(form, name) for name in names]
            return [schema_or_ours(form.slice(list(some), [])).field(0).type for some in leaves]

        return file._on_form(types) == [self._type_of(name) for name in names]

    def _left(self, file: File, predicate: Predicate) -> list[int]:
        names = predicate.columns(self._type_of)
        if names is None:
            return list(range(len(file.row_groups)))
        return left_row_groups(file, predicate, {name: self._type_of(name) for name in names}, self._shape.given)

    def _type_of(self, name: str) -> pa.DataType | None:
        schema = self._shape.schema
        return schema.field(name).type if name in schema.names else None

    @contextmanager
    def _open(self) -> Iterator[File]:
        with naming(self._target), self._opened() as file:
            yield file

    def _opened(self) -> File:
        if not self._sidecar:
            return open_file(self._target)
        from .planned import open_planned

        return open_planned(self._target)

    def __repr__(self) -> str:
        some = "" if self.row_groups is None else f", row groups {self.row_groups}"
        return f"<parquetext.Fragment {self.path}{some}>"
