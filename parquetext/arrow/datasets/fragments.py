"""One file of a dataset: its facts for a plan, and its rows in the dataset's schema or its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs

from ...errors import ParquetextError, retold
from ...footer.arrow_errors import ArrowIndexError, as_arrow_error
from ...pruning import Predicate, predicate_of
from ...storage import RemoteTarget
from ...storage.secrets import without_secrets
from ..decoding.schemas import schema_or_ours
from ..engine import OURS, PYARROW
from ..file import File
from ..file import open as open_file
from ..read_options import Reading, format_of
from ..reading import SMALL_ROWS
from ..selection import Leaves, find_top_level
from ..whole_batches import runs
from .file_plans import Plan, left_row_groups, settled_version
from .in_order import in_order
from .planning import FileFacts, gather_facts, undecided_by_bounds
from .row_group_info import RowGroupInfo
from .scan_columns import filtered
from .shape import Shape, empty_table

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from ..metadata import FileMetaData
    from .scanner import Scanner

__all__ = ["Fragment", "any_remote", "each_in_order", "naming"]

# A local file's column chunks are read in pieces of this size, if they are no more than this many columns.
PIECE, FEW_LEAVES = 1 << 20, 64
R = TypeVar("R")
Stored = Mapping[str, Leaves]  # columns that a file has
LARGE_ROWS = 1 << 20  # from which on rows are filtered batch by batch, also for a table
BATCH_ROWS = 1 << 17
MANY_CHUNKS = 1 << 12


@contextmanager
def naming(target) -> Iterator[None]:
    """See to it that an error says which file it is about."""
    try:
        yield
    except ParquetextError as error:
        if error.file is None:
            error.file = str(target)
        raise as_arrow_error(error) from None
    except (pa.ArrowException, OSError) as error:
        told = without_secrets(str(error))
        if told != str(error):
            raise retold(error, f"{target}: {told}") from None
        if str(target) in told:
            raise
        raise retold(error, f"{target}: {told}") from error


class Fragment:
    """One file of a dataset, or some of its row groups; the file is opened anew for each call.

    Attributes
    ----------
    path : str
        In its filesystem.
    number : int
        Of the file in the dataset.
    """

    def __init__(
        self,
        target,
        number: int,
        shape: Shape,
        row_groups: list[int] | None = None,
        *,
        reading: Reading | None = None,
        blooms: bool = True,
    ):
        self._target, self.number, self._shape, self._row_groups = target, number, shape, row_groups
        self._reading, self._blooms, self._plan = reading or Reading(), blooms, None

    # ---- what it is ---------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        return self._target.path

    @property
    def filesystem(self) -> pafs.FileSystem:
        """Where the path leads."""
        return self._target.filesystem if self.is_remote else pafs.LocalFileSystem()

    @property
    def is_remote(self) -> bool:
        """Whether the file is in a store or behind a URL."""
        return isinstance(self._target, RemoteTarget)

    @property
    def format(self) -> ds.ParquetFileFormat:
        """How the file is read, as pyarrow says it."""
        return format_of(self._reading.options)

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
            return own_schema(file, self._reading.options)

    @property
    def num_row_groups(self) -> int:
        """How many row groups it has."""
        if self._row_groups is not None:
            return len(self._row_groups)
        with self._open() as file:
            return len(file.row_groups)

    @property
    def row_groups(self) -> list[RowGroupInfo]:
        """The row groups: those that a plan or `subset` has left, else all of the file."""
        if self._row_groups is not None:
            return [RowGroupInfo.of(self, number) for number in self._row_groups]
        return [RowGroupInfo.of(self, number) for number in range(self.num_row_groups)]

    def sizes_of(self, row_groups: Sequence[int] | None = None) -> list[tuple[int, int]]:
        """The rows and uncompressed bytes of row groups; of all that it has without."""
        with self._open() as file:
            rows, sizes = file.row_groups.num_rows, file.row_groups.total_byte_size
            return [(rows[number], sizes[number]) for number in row_groups or self._numbers(file)]

    def bounds_of(self, row_group: int) -> dict[str, dict[str, object]]:
        """The minima and maxima of a row group's top-level columns, where the footer has both."""
        with self._open() as file:
            paths = [path for path in file.parquet_schema.paths if len(path) == 1]
            columns = {path[0]: column for path, column in zip(paths, file.columns(paths), strict=True)}
            sides = {name: (column.min[row_group], column.max[row_group]) for name, column in columns.items()}
            return {
                name: {"min": low.as_py(), "max": high.as_py()}
                for name, (low, high) in sides.items()
                if low.is_valid and high.is_valid
            }

    @property
    def metadata(self) -> FileMetaData:
        """The file's metadata in the shape of `pyarrow.parquet.FileMetaData`, read as far as it is asked for.

        The file stays open for as long as somebody holds it.
        """
        with self._open() as file:
            return file.metadata

    def ensure_complete_metadata(self) -> None:
        """Read the footer, so that an error in it shows now."""
        with self._open():
            pass

    def open(self) -> pa.NativeFile:
        """The file's bytes."""
        return self.filesystem.open_input_file(self.path)

    # ---- parts of it --------------------------------------------------------------------------------------------

    def subset(
        self, filter=None, schema: pa.Schema | None = None, row_group_ids: Sequence[int] | None = None
    ) -> Fragment:
        """The same file with some of its row groups.

        Parameters
        ----------
        filter : pyarrow.compute.Expression, or lists of tuples, optional
            Leaves the row groups that may hold rows which meet it.
        schema : pyarrow.Schema, optional
            What the filter is about; the file's own schema without.
        row_group_ids : list of int, optional
            Their numbers, in place of a filter; each counts once, and they come in the order of the file.

        Raises
        ------
        ValueError
            Neither a filter nor numbers are given, or both are.
        IndexError
            The file has no such row group.
        """
        if (filter is None) == (row_group_ids is None):
            raise ValueError("Need to specify one of 'filter' or 'row_group_ids'")
        with self._open() as file:
            if row_group_ids is None:
                predicate, some = predicate_of(filter), self._with_schema(file, schema)
                names = predicate.columns(some._shape.type_of)
                if file.form != "par3" and (names is None or any(map(some._shape.is_nested, names))):
                    return self.with_row_groups(self._left_by_pyarrow(predicate, some._shape.schema))
                return self.with_row_groups(some._left(file, predicate))
            count = len(file.row_groups)
        for number in row_group_ids:
            if not 0 <= number < count:
                raise ArrowIndexError(f"row group {number} of {self._target}: it only has {count} row groups")
        return self.with_row_groups(sorted({int(number) for number in row_group_ids}))

    def split_by_row_group(self, filter=None, schema: pa.Schema | None = None) -> list[Fragment]:
        """One fragment for each row group, or for each that may hold rows which meet a filter; as `subset` takes it."""
        some = self if filter is None else self.subset(filter, schema)
        return [self.with_row_groups([info.id]) for info in some.row_groups]

    def with_row_groups(self, row_groups: Sequence[int], plan: Plan | None = None) -> Fragment:
        """The same file with these row groups; those of a plan are planned again where the file is another by then."""
        return self._with(_row_groups=list(row_groups), _plan=plan)

    def settled(self) -> Fragment:
        """The same with the row groups that a plan has left, whatever is read of them."""
        return self._with(_plan=None)

    def numbered(self, number: int) -> Fragment:
        """The same at another place in the dataset."""
        return self._with(number=number)

    def to_pyarrow(self) -> ds.ParquetFileFragment:
        """The same as pyarrow has it."""
        some = {"partition_expression": self.partition_expression, "row_groups": self._row_groups}
        return self.format.make_fragment(self.path, self.filesystem, **some)

    def narrowed(self, names: Sequence[str] | None) -> Fragment:
        """The same with these columns of the dataset alone."""
        return self._with(_shape=self._shape.narrowed(names))

    def with_options(self, options: Mapping[str, object]) -> Fragment:
        """The same, read with more options."""
        return self._with(_reading=self._reading.with_options(options)) if options else self

    # ---- its rows -----------------------------------------------------------------------------------------------

    def scanner(self, schema: pa.Schema | None = None, columns=None, filter=None, **options) -> Scanner:
        """What reads.

        Parameters
        ----------
        schema : pyarrow.Schema, optional
            What the rows look like: the file's own schema without; the dataset's adds the keys of directories.
        columns, filter, **options
            As `Dataset.scanner` takes them.
        """
        from .scanner import Scanner  # which reads fragments

        if schema is not None and not isinstance(schema, pa.Schema):
            raise TypeError(f"schema is a pyarrow.Schema, not {type(schema).__name__}: columns come after it")
        with self._open() as file:
            some = self._with_schema(file, schema)
        return Scanner(lambda predicate: [some], some._shape.schema, columns, filter, **options)

    def to_table(self, schema: pa.Schema | None = None, columns=None, filter=None, **options) -> pa.Table:
        """Read into a table; arguments as `scanner` takes them."""
        return self.scanner(schema, columns, filter, **options).to_table()

    def to_batches(
        self, schema: pa.Schema | None = None, columns=None, filter=None, **options
    ) -> Iterator[pa.RecordBatch]:
        """Read batch by batch; arguments as `scanner` takes them."""
        return self.scanner(schema, columns, filter, **options).to_batches()

    def head(self, num_rows: int, columns=None, filter=None, **options) -> pa.Table:
        """The first rows."""
        return self.scanner(None, columns, filter, **options).head(num_rows)

    def take(self, indices, columns=None, filter=None, **options) -> pa.Table:
        """Rows by their places."""
        return self.scanner(None, columns, filter, **options).take(indices)

    def count_rows(self, filter=None, **options) -> int:
        """How many rows meet a filter; without one by the footer alone."""
        if filter is not None:
            return self.scanner(None, [], filter, **options).count_rows()
        with self._open() as file:
            return self._rows_of(file, self._row_groups)

    # ---- planning and reading -----------------------------------------------------------------------------------

    def facts(self, names: Sequence[str]) -> FileFacts:
        """What a plan needs of these columns."""
        began = time.time_ns()
        with self._open() as file:
            version = settled_version(file, began)
            return file._on_form(lambda form: gather_facts(form, names, version))

    def asks_blooms(self, predicate: Predicate) -> bool:
        """Whether more than bounds can be asked: unless a sidecar has said that the file has no Bloom filters."""
        return self._blooms and undecided_by_bounds(predicate)

    def pruned(self, predicate: Predicate) -> Fragment:
        """With the row groups that the file, as it is now, leaves."""
        with self._open() as file:
            return self.with_row_groups(self._left(file, predicate))

    @property
    def is_empty(self) -> bool:
        """Whether a plan has left no row group of it."""
        return self._row_groups is not None and not self._row_groups

    def read(self, predicate: Predicate | None, *, use_threads: bool = True) -> pa.Table:
        """The rows that meet the predicate, all columns of the shape; planned by the very file that is read."""
        with self._open() as file:
            row_groups = self._row_groups if predicate is None else self._left(file, predicate)
            there = self._stored(file)
            early = self._is_stored_alike(file, predicate, there)
            if predicate is None or early or self._rows_of(file, row_groups) < LARGE_ROWS:
                table = self._read_whole(file, there, row_groups, predicate, early, use_threads)
                return table if predicate is not None else self._cut(file, table, row_groups)
            empty = empty_table(self._shape.schema)
            parts = self._read_large(file, there, row_groups, predicate, BATCH_ROWS, use_threads)
            return pa.concat_tables([empty, *(table for table in parts if table.num_rows)])

    def batches(
        self, predicate: Predicate | None, size: int, *, use_threads: bool = True, by_row_group: bool = False
    ) -> Iterator[pa.Table]:
        """The same in tables of at most `size` rows; memory is that of one, and of its row group as it is stored.

        Without a predicate none has rows of two row groups; with one that is so where `by_row_group` asks for it.
        """
        with self._open() as file:
            row_groups = self._row_groups if predicate is None else self._left(file, predicate)
            there, counts = self._stored(file), file.row_groups.num_rows
            for run in runs(range(len(counts)) if row_groups is None else row_groups, counts, size):
                rows = [counts[number] for number in run]
                if sum(rows) > size:
                    yield from self._read_large(file, there, run, predicate, size, use_threads)
                elif predicate is None or by_row_group:
                    table = self._read_whole(file, there, run, None, False, use_threads)
                    parts = _slices(table, rows)
                    yield from parts if predicate is None else (filtered(part, predicate) for part in parts)
                else:
                    early = self._is_stored_alike(file, predicate, there)
                    yield self._read_whole(file, there, run, predicate, early, use_threads)

    def _read_whole(
        self,
        file: File,
        there: Stored,
        row_groups,
        predicate: Predicate | None,
        early: bool,
        use_threads: bool,
    ) -> pa.Table:
        table = file.read(
            list(there.values()),
            row_groups,
            predicate if early else None,
            key_values=False,
            engine=self._reading.engine,
            use_threads=use_threads,
            **self._reading.options,
        )
        table = self._shape.conformed(table)
        if predicate is None:
            return table
        return filtered(table, predicate, use_threads=use_threads and table.num_rows >= SMALL_ROWS)

    def _cut(self, file: File, table: pa.Table, row_groups: Sequence[int] | None) -> pa.Table:
        """The same table in chunks of a row group, as pyarrow gives it, where they are not very many."""
        counts = file.row_groups.num_rows
        numbers = range(len(counts)) if row_groups is None else row_groups
        if len(numbers) < 2 or len(numbers) * table.num_columns > MANY_CHUNKS or not table.num_columns:
            return table
        return pa.concat_tables(_slices(table, [counts[number] for number in numbers]))

    def _read_large(
        self,
        file: File,
        there: Stored,
        run: list[int],
        predicate: Predicate | None,
        size: int,
        use_threads: bool,
    ) -> Iterator[pa.Table]:
        """The rows of many or large row groups in batches."""
        options = dict(self._reading.options)
        if self._is_read_in_pieces(file, there):
            options.setdefault("buffer_size", PIECE)
        options |= {"batch_size": size, "use_threads": use_threads, "key_values": False}
        options["engine"] = self._reading.engine
        for batch in file.iter_batches(list(there.values()), run, **options):
            table = self._shape.conformed(pa.Table.from_batches([batch]))
            yield table if predicate is None else filtered(table, predicate, use_threads=False)

    def _is_read_in_pieces(self, file: File, there: Stored) -> bool:
        return (
            self._reading.engine in (None, PYARROW)
            and not self.is_remote
            and len(there) <= FEW_LEAVES >= file.num_columns
        )

    def _numbers(self, file: File) -> Sequence[int]:
        return range(len(file.row_groups)) if self._row_groups is None else self._row_groups

    def _rows_of(self, file: File, row_groups: Sequence[int] | None) -> int:
        if row_groups is None:
            return file.num_rows
        rows = file.row_groups.num_rows
        return sum(rows[number] for number in row_groups)

    def _stored(self, file: File) -> dict[str, Leaves]:
        """The columns of the shape that the file has and directories do not give, with their leaves."""
        own = [name for name in self._shape.schema.names if name not in self._shape.given]
        found = file._on_form(lambda form: [(name, find_top_level(form, name)) for name in own])
        return {name: Leaves(leaves, nested=False) for name, leaves in found if leaves is not None}

    def _is_stored_alike(self, file: File, predicate: Predicate | None, there: Stored) -> bool:
        """Whether the file itself may filter, which skips pages: by our engine, for columns of the dataset's types."""
        names = None if predicate is None or self._reading.engine != OURS else predicate.columns(self._shape.type_of)
        if not names or not set(names) <= set(there):
            return False

        def types(form) -> list[pa.DataType]:
            leaves = [find_top_level(form, name) for name in names]
            return [schema_or_ours(form.slice(list(some), [])).field(0).type for some in leaves]

        return file._on_form(types) == [self._shape.type_of(name) for name in names]

    def _left(self, file: File, predicate: Predicate) -> list[int]:
        """The row groups of the file, as it is now, that the predicate leaves."""
        plan, wanted = self._plan, self._row_groups
        if plan is not None:
            if plan.holds_for(predicate, file):
                return wanted
            wanted = None
        names = predicate.columns(self._shape.type_of)
        if names is None:
            return list(range(len(file.row_groups)) if wanted is None else wanted)
        types = {name: self._shape.type_of(name) for name in names}
        left = left_row_groups(file, predicate, types, self._shape.given)
        return left if wanted is None else [number for number in wanted if number in set(left)]

    def _left_by_pyarrow(self, predicate: Predicate, schema: pa.Schema) -> list[int]:
        """The same by pyarrow, which alone compares expressions of nested fields with bounds."""
        left = self.to_pyarrow().subset(filter=predicate.expression, schema=schema)
        return [row_group.id for row_group in left.row_groups]

    def _with_schema(self, file: File, schema: pa.Schema | None) -> Fragment:
        """The same with rows of another schema, or of the file's own one."""
        if schema is None:
            schema = own_schema(file, self._reading.options)
        given = {name: value for name, value in self._shape.given.items() if name in schema.names}
        return self._with(_shape=Shape(schema, given))

    def _with(self, **changes: object) -> Fragment:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__ | changes)
        return other

    @contextmanager
    def _open(self) -> Iterator[File]:
        with naming(self._target), self._opened() as file:
            yield file

    def _opened(self) -> File:
        if self._reading.sidecar is not True:
            return open_file(self._target)
        from ..planned import open_planned

        return open_planned(self._target)

    def __repr__(self) -> str:
        some = "" if self._row_groups is None else f", row groups {self._row_groups}"
        return f"<parquetext.Fragment {self.path}{some}>"


def _slices(table: pa.Table, counts: Sequence[int]) -> Iterator[pa.Table]:
    """Successive slices of so many rows."""
    begin = 0
    for count in counts:
        yield table.slice(begin, count)
        begin += count


def each_in_order(
    function: Callable[[Fragment], R], fragments: Sequence[Fragment], *, threads: bool | None = None
) -> Iterator[R]:
    """`in_order` over fragments: calls about local files wait for no network."""
    return in_order(function, fragments, threads=threads, waits=any_remote(fragments))


def any_remote(fragments: Iterable[Fragment]) -> bool:
    """Whether one of them is in a store or behind a URL, so that calls about it wait for a network."""
    return any(fragment.is_remote for fragment in fragments)


def own_schema(file: File, options: Mapping[str, object]) -> pa.Schema:
    """The schema of a file's rows where it is read with these options."""
    if not options:
        return file.schema
    return file.read(None, [], **options).schema.with_metadata(file.schema.metadata)
