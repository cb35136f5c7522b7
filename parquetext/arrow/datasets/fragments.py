"""One file of a dataset: its bounds for planning, and its rows in the schema of the dataset or the file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs as pafs

from ... import compute as pc
from ...footer.arrow_errors import ArrowIndexError
from ...pruning import Predicate, predicate_of
from ...storage import ChangedFile
from ..file import File
from ..file import open as open_file
from ..read_options import Reading, format_of
from .dataset_plan import FileBounds, file_bounds, undecided_by_bounds
from .file_errors import naming
from .file_plans import Plan, settled_version, version_or_none
from .filtering import Rows
from .fragment_rows import FragmentRows
from .row_positions import FileRows
from .scanner import Scanner
from .scans import Columns, FragmentScans, ScanOptions
from .shape import Shape, check_schema, has_column

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds

    from ...reading.explanation import Explanation
    from ..metadata import FileMetaData, RowGroupMetaData


class RowGroupInfo(int):
    """The number of a row group, with the names of `pyarrow.dataset.RowGroupInfo`, which are read on access."""

    _fragment: Fragment

    @classmethod
    def of(cls, fragment: Fragment, number: int) -> RowGroupInfo:
        """Return row group `number` of a fragment."""
        info = cls(number)
        info._fragment = fragment
        return info

    def __reduce__(self) -> tuple:
        return RowGroupInfo.of, (self._fragment, int(self))

    @property
    def num_rows(self) -> int:
        """The number of rows."""
        return self._fragment.sizes_of([int(self)])[0][0]

    @property
    def total_byte_size(self) -> int:
        """The uncompressed size of all pages, in bytes."""
        return self._fragment.sizes_of([int(self)])[0][1]

    @property
    def id(self) -> int:
        """The number of the row group in the file."""
        return int(self)

    @property
    def metadata(self) -> RowGroupMetaData:
        """The metadata of the row group, with the interface of `pyarrow.parquet.RowGroupMetaData`."""
        return self._fragment.metadata.row_group(int(self))

    @property
    def schema(self) -> pa.Schema:
        """The schema of the file."""
        return self._fragment.physical_schema

    @property
    def statistics(self) -> dict[str, dict[str, Any]]:
        """``{"min": …, "max": …}`` for each top-level column with bounds, read from the footer on each access."""
        return self._fragment.bounds_of(int(self))

    def __repr__(self) -> str:
        return f"RowGroupInfo({int(self)})"


class Fragment(FragmentScans):
    """One file of a dataset, or some of its row groups. Each call opens the file anew.

    Attributes
    ----------
    path : str
        The path in the filesystem, with which the file can be opened.
    name : str
        The path without the secrets of a URL.
    number : int
        The number of the file in the dataset.
    buffer : None
        In pyarrow, the bytes of a fragment that is not a file.
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

    # ---- attributes --------------------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        return self._target.path

    @property
    def name(self) -> str:
        return self._target.shown

    @property
    def filesystem(self) -> pafs.FileSystem:
        """The filesystem of the path."""
        return self._target.arrow_filesystem

    @property
    def buffer(self) -> None:
        """The bytes of a fragment in memory; None for a file."""

    @property
    def is_remote(self) -> bool:
        """True if the file is in a store or behind a URL."""
        return not self._target.is_local

    @property
    def format(self) -> ds.ParquetFileFormat:
        """The read options as a pyarrow format."""
        return format_of(self._reading.options)

    @property
    def partition_expression(self) -> pc.Expression:
        """The condition on all rows that follows from the names of the directories."""
        known = [
            pc.field(name) == value if value.is_valid else pc.field(name).is_null()
            for name, value in self._shape.given.items()
        ]
        return reduce(and_, known) if known else pc.scalar(True)

    @property
    def physical_schema(self) -> pa.Schema:
        """The schema of the file."""
        with self._open() as file:
            return own_schema(file, self._reading.options)

    @property
    def num_row_groups(self) -> int:
        """The number of row groups."""
        if self._row_groups is not None:
            return len(self._row_groups)
        with self._open() as file:
            return len(file.row_groups)

    @property
    def row_groups(self) -> list[RowGroupInfo]:
        """The row groups that a plan or `subset` has selected, by default all row groups of the file."""
        if self._row_groups is not None:
            return [RowGroupInfo.of(self, number) for number in self._row_groups]
        return [RowGroupInfo.of(self, number) for number in range(self.num_row_groups)]

    def sizes_of(self, row_groups: Sequence[int] | None = None) -> list[tuple[int, int]]:
        """Return the rows and uncompressed bytes of row groups, by default of all of the fragment."""
        with self._open() as file:
            rows, sizes = file.row_groups.num_rows, file.row_groups.total_byte_size
            return [(rows[number], sizes[number]) for number in row_groups or self._rows(file).row_groups]

    def bounds_of(self, row_group: int) -> dict[str, dict[str, Any]]:
        """Return the minima and maxima of a row group's top-level columns, if the footer contains both."""
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
        """The file's metadata with the interface of `pyarrow.parquet.FileMetaData`, read only as far as needed.

        The file stays open as long as the metadata is referenced.
        """
        with self._open() as file:
            return file.metadata

    def ensure_complete_metadata(self) -> None:
        """Read the footer, so that errors in it are raised now."""
        with self._open():
            pass

    def open(self) -> pa.NativeFile:
        """Open the file and return it."""
        return self.filesystem.open_input_file(self.path)

    # ---- parts -------------------------------------------------------------------------------------------------------

    def subset(
        self, filter=None, schema: pa.Schema | None = None, row_group_ids: Sequence[int] | None = None
    ) -> Fragment:
        """Return the same file with some of its row groups.

        Parameters
        ----------
        filter : pyarrow.compute.Expression, or lists of tuples, optional
            Selects the row groups that may contain matching rows.
        schema : pyarrow.Schema, optional
            The schema to which the filter applies; by default the file's schema.
        row_group_ids : list of int, optional
            The numbers of row groups, instead of a filter. Duplicates are removed, and the order is that of the file.

        Raises
        ------
        ValueError
            If neither a filter nor numbers are given, or both.
        IndexError
            If the file has no such row group.
        """
        if (filter is None) == (row_group_ids is None):
            raise ValueError("Need to specify one of 'filter' or 'row_group_ids'")
        with self._open() as file:
            if row_group_ids is None:
                predicate, some = predicate_of(filter), self._with_schema(file, schema)
                names = predicate.columns(some._shape.type_of)
                if not file.is_final and (names is None or any(map(some._shape.is_nested, names))):
                    return self.with_row_groups(self._left_by_pyarrow(predicate, some._shape.schema))
                return self.with_row_groups(some._rows(file).left(predicate))
            count = len(file.row_groups)
        for number in row_group_ids:
            if not 0 <= number < count:
                raise ArrowIndexError(f"row group {number} of {self._target}: it only has {count} row groups")
        return self.with_row_groups(sorted({int(number) for number in row_group_ids}))

    def split_by_row_group(self, filter=None, schema: pa.Schema | None = None) -> list[Fragment]:
        """Return one fragment per row group, or per row group that may match a filter; arguments as in `subset`."""
        some = self if filter is None else self.subset(filter, schema)
        return [self.with_row_groups([info.id]) for info in some.row_groups]

    def with_row_groups(self, row_groups: Sequence[int], plan: Plan | None = None) -> Fragment:
        """Return the same file with these row groups; a plan's row groups are planned again if the file changed."""
        return self._with(_row_groups=list(row_groups), _plan=plan)

    def settled(self) -> Fragment:
        """Return the same fragment with its planned row groups fixed; they are not planned again."""
        return self._with(_plan=None)

    def numbered(self, number: int) -> Fragment:
        """Return the same fragment with another number in the dataset."""
        return self._with(number=number)

    def to_pyarrow(self) -> ds.ParquetFileFragment:
        """Return the same fragment as an object of pyarrow."""
        some = {"partition_expression": self.partition_expression, "row_groups": self._row_groups}
        return self.format.make_fragment(self.path, self.filesystem, **some)

    def narrowed(self, names: Sequence[str] | None) -> Fragment:
        """Return the same fragment with only these columns of the dataset."""
        return self._with(_shape=self._shape.narrowed(names))

    def with_options(self, options: Mapping[str, Any]) -> Fragment:
        """Return the same fragment with more read options."""
        return self._with(_reading=self._reading.with_options(options)) if options else self

    # ---- rows --------------------------------------------------------------------------------------------------------

    def _scan(self, columns: Columns, filter: object, options: ScanOptions, schema: pa.Schema | None = None) -> Scanner:
        if schema is not None:
            check_schema(schema)
        with self._open() as file:
            some = self._with_schema(file, schema)
        return Scanner(lambda predicate: [some], some._shape.schema, columns, filter, options)

    def _count(self) -> int:
        with self._open() as file:
            return self._rows(file).count()

    # ---- planning and reading ----------------------------------------------------------------------------------------

    def bounds(self, names: Sequence[str]) -> FileBounds:
        """Return the data of these columns that planning needs."""
        began = time.time_ns()
        with self._open() as file:
            version = settled_version(file, began)
            return file._on_form(lambda form: file_bounds(form, names, version))

    def asks_blooms(self, predicate: Predicate) -> bool:
        """Return True if Bloom filters may rule out more than bounds, unless a sidecar states that there are none."""
        return self._blooms and undecided_by_bounds(predicate)

    def pruned(self, predicate: Predicate) -> Fragment:
        """Return the same fragment with the row groups that the present version of the file leaves."""
        with self._open() as file:
            return self.with_row_groups(self._rows(file).left(predicate))

    @property
    def is_empty(self) -> bool:
        """True if a plan has ruled out all row groups."""
        return self._row_groups is not None and not self._row_groups

    def explain(self, predicate: Predicate | None) -> Explanation:
        """Explain how `read` reads the file."""
        with self._open() as file:
            return self._rows(file).explain(predicate)

    def read(self, predicate: Predicate | None, *, use_threads: bool = True) -> Rows:
        """Return the rows that may match the predicate, with all columns of the shape, planned with the file read."""
        with self._open() as file:
            table, unmet = self._rows(file).read(predicate, use_threads=use_threads)
            return Rows(table, unmet, self._target)

    @property
    def is_read_plainly(self) -> bool:
        """True if all rows of a local file are read without options, or its plan only skips row groups."""
        is_whole = self._row_groups is None or self._plan is not None
        return is_whole and self._target.is_local and self._reading.is_plain

    @property
    def stored_names(self) -> list[str]:
        """The columns of the shape that are not given by directories."""
        return self._shape.stored_names

    @property
    def given(self) -> Mapping[str, pa.Scalar]:
        """The values of columns that are given by directories."""
        return self._shape.given

    def type_of(self, name: str) -> pa.DataType | None:
        """Return the type of a column in the dataset, or None if there is no such column."""
        return self._shape.type_of(name)

    def rows_of_table(self, table: pa.Table) -> Rows:
        """Return the rows of the file that were read elsewhere, in the shape of the dataset."""
        with naming(self._target):
            return Rows(self._shape.conformed(table), None, self._target)

    def file_rows(self) -> FileRows:
        """Return the number of rows, and the version of the file."""
        with self._open() as file:
            return FileRows(self._rows(file).count(), version_or_none(file))

    def rows_of_version(self, rows: Sequence[int], version: tuple | None, *, use_threads: bool = True) -> pa.Table:
        """Return ascending rows by number, in the shape of the dataset.

        Raises
        ------
        ChangedFile
            If the file does not have the version from which rows were counted.
        """
        with self._open() as file:
            if version != version_or_none(file):
                raise ChangedFile("the file was replaced or changed since its rows were counted", file=self.name)
            return self._rows(file).take(rows, use_threads=use_threads)

    def batches(
        self, predicate: Predicate | None, size: int, *, use_threads: bool = True, by_row_group: bool = False
    ) -> Iterator[pa.Table]:
        """Yield the matching rows in tables of at most `size` rows, as `FragmentRows.batches` does."""
        with self._open() as file:
            yield from self._rows(file).batches(predicate, size, use_threads=use_threads, by_row_group=by_row_group)

    def _rows(self, file: File) -> FragmentRows:
        return FragmentRows(file, self._shape, self._reading, self._row_groups, self._plan)

    def _left_by_pyarrow(self, predicate: Predicate, schema: pa.Schema) -> list[int]:
        """Select row groups with pyarrow, which alone compares expressions on nested fields with bounds."""
        left = self.to_pyarrow().subset(filter=predicate.expression, schema=schema)
        return [row_group.id for row_group in left.row_groups]

    def _with_schema(self, file: File, schema: pa.Schema | None) -> Fragment:
        """Return the same fragment with rows of another schema, by default of the file's schema."""
        if schema is None:
            schema = own_schema(file, self._reading.options)
        given = {name: value for name, value in self._shape.given.items() if has_column(schema, name)}
        return self._with(_shape=Shape(schema, given))

    def _with(self, **changes: Any) -> Fragment:
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


def own_schema(file: File, options: Mapping[str, Any]) -> pa.Schema:
    """Return the schema of a file's rows if it is read with these options."""
    if not options:
        return file.schema
    return file.read(None, [], **options).schema.with_metadata(file.schema.metadata)
