"""One file of a dataset: its facts for a plan, and its rows in the dataset's schema or its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs

from ...footer.arrow_errors import ArrowIndexError
from ...pruning import Predicate, predicate_of
from ...storage import RemoteTarget
from ..file import File
from ..file import open as open_file
from ..read_options import Reading, format_of
from .dataset_plan import FileFacts, gather_facts, undecided_by_bounds
from .file_errors import naming
from .file_plans import Plan, settled_version
from .filtering import Rows
from .fragment_rows import FragmentRows
from .row_group_info import RowGroupInfo
from .scanner import Scanner
from .scans import BATCH_READAHEAD, BATCH_SIZE, FRAGMENT_READAHEAD, Columns, FragmentScans, of_scan
from .shape import Shape, check_schema, has_column

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from ..metadata import FileMetaData

__all__ = ["Fragment", "own_schema"]


class Fragment(FragmentScans):
    """One file of a dataset, or some of its row groups; the file is opened anew for each call.

    Attributes
    ----------
    path : str
        In its filesystem: it opens the file.
    name : str
        The path without the secrets of a URL.
    number : int
        Of the file in the dataset.
    buffer : None
        pyarrow's name for the bytes of what is no file.
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
    def name(self) -> str:
        return self._target.shown

    @property
    def filesystem(self) -> pafs.FileSystem:
        """Where the path leads."""
        return self._target.filesystem if self.is_remote else pafs.LocalFileSystem()

    @property
    def buffer(self) -> None:
        """The bytes of a fragment in memory; a file's are not."""

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
            return [(rows[number], sizes[number]) for number in row_groups or self._rows(file).row_groups]

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
                return self.with_row_groups(some._rows(file).left(predicate))
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

    def scanner(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scanner:
        """What reads.

        Parameters
        ----------
        schema : pyarrow.Schema, optional
            What the rows look like: the file's own schema without; the dataset's adds the keys of directories.
        columns, filter, batch_size, batch_readahead, fragment_readahead, fragment_scan_options, use_threads, \
cache_metadata, memory_pool
            As `Dataset.scanner` takes them.
        """
        if schema is not None:
            check_schema(schema)
        with self._open() as file:
            some = self._with_schema(file, schema)
        return Scanner(lambda predicate: [some], some._shape.schema, columns, filter, **of_scan(locals()))

    def count_rows(
        self,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> int:
        """How many rows meet a filter; without one by the footer alone."""
        if filter is not None:
            return super().count_rows(filter, **of_scan(locals()))
        with self._open() as file:
            return self._rows(file).count()

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
            return self.with_row_groups(self._rows(file).left(predicate))

    @property
    def is_empty(self) -> bool:
        """Whether a plan has left no row group of it."""
        return self._row_groups is not None and not self._row_groups

    def read(self, predicate: Predicate | None, *, use_threads: bool = True) -> Rows:
        """The rows that may meet the predicate, all columns of the shape; planned by the very file that is read."""
        with self._open() as file:
            table, unmet = self._rows(file).read(predicate, use_threads=use_threads)
            return Rows(table, unmet, self._target)

    def batches(
        self, predicate: Predicate | None, size: int, *, use_threads: bool = True, by_row_group: bool = False
    ) -> Iterator[pa.Table]:
        """The rows that meet the predicate in tables of at most `size` rows, as `FragmentRows` gives them."""
        with self._open() as file:
            yield from self._rows(file).batches(predicate, size, use_threads=use_threads, by_row_group=by_row_group)

    def _rows(self, file: File) -> FragmentRows:
        return FragmentRows(file, self._shape, self._reading, self._row_groups, self._plan)

    def _left_by_pyarrow(self, predicate: Predicate, schema: pa.Schema) -> list[int]:
        """The same by pyarrow, which alone compares expressions of nested fields with bounds."""
        left = self.to_pyarrow().subset(filter=predicate.expression, schema=schema)
        return [row_group.id for row_group in left.row_groups]

    def _with_schema(self, file: File, schema: pa.Schema | None) -> Fragment:
        """The same with rows of another schema, or of the file's own one."""
        if schema is None:
            schema = own_schema(file, self._reading.options)
        given = {name: value for name, value in self._shape.given.items() if has_column(schema, name)}
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
        return f"<parquetext.Fragment {self.name}{some}>"


def own_schema(file: File, options: Mapping[str, object]) -> pa.Schema:
    """The schema of a file's rows where it is read with these options."""
    if not options:
        return file.schema
    return file.read(None, [], **options).schema.with_metadata(file.schema.metadata)
