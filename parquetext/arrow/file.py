"""A file with its values, as returned by `parquetext.open`."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import reading, systems
from ..errors import LimitExceeded, Malformed, ParquetextError, naming_memory, out_of_memory
from ..footer import facade as footer_file
from ..footer.arrow_errors import NO_KEYS, ArrowUnsupported, EncryptedFile, as_arrow_error
from ..footer.forms import Form
from ..footer.lease import Lease
from ..footer.limits import check_limits
from ..footer.names import as_path
from ..footer.opening import open_as, open_file
from ..storage import OpenedFile, can_reopen, has_arrow_file, has_descriptor, is_remote
from .metadata import FileMetaData

if TYPE_CHECKING:
    from ..footer.copied_chunks import CopyTable
    from ..footer.page_tables import PageTables
    from ..inspection.layout.layout import Layout
    from ..reading import ReadOptions, Watch
    from ..reading.explanation import Explanation
    from ..reading.plan.part import Part
    from ..reading.plan.read_plan import Plan


class File(footer_file.File):
    """An open Parquet file: its footer, read only as far as needed, and its values.

    It is a context manager, made by `parquetext.open`. If a call finds the current form damaged, the file switches to
    the next form, repeats the call there, and records it in `form` and `findings`.

    Attributes
    ----------
    form : str
        The form of the footer in use: a value of `parquetext.Form`.
    path : str
        The path of the file.
    """

    __slots__ = ("_kept_pages", "_kept_table", "_metadata")

    @property
    def metadata(self) -> FileMetaData:
        """The metadata with the interface of `pyarrow.parquet.FileMetaData`, read only as far as needed."""
        kept: FileMetaData | None = getattr(self, "_metadata", None)
        if kept is None:
            kept = self._metadata = FileMetaData(self)
        return kept

    @property
    def num_row_groups(self) -> int:
        """The number of row groups."""
        return len(self.row_groups)

    @property
    def schema_arrow(self) -> pa.Schema:
        """The Arrow schema, under the name that `pyarrow.parquet.ParquetFile` uses."""
        return self.schema

    def read(
        self,
        columns: Iterable[Any] | None = None,
        row_groups: Sequence[int] | None = None,
        filters: Any = None,
        *,
        rows: Any = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
        key_values: bool = True,
        memory_map: bool = False,
        decryption_properties: object = None,
        engine: str | None = None,
        decoded_size_limit: int | None = None,
        **options: Any,
    ) -> pa.Table:
        """Read values, with the result of `pyarrow.parquet.ParquetFile.read`.

        Parameters
        ----------
        columns : list of str or tuple, optional
            Leaves or groups, with names as in `column`. A part of a nested column keeps its nested form. All columns by
            default.
        row_groups : list of int, optional
            The row groups to read, in this order. All row groups by default.
        filters : list of tuples, list of lists of tuples, or pyarrow.compute.Expression, optional
            Filters as in `pyarrow.parquet.read_table`. Row groups that are ruled out by their statistics are not read.
        rows : sequence, array, range or slice, optional
            The numbers of the rows to return, in this order, as in `take`; without `row_groups` and `filters`.
        use_threads : bool
        use_pandas_metadata : bool
            Also read the columns that pandas needs for its index, and keep its metadata.
        key_values : bool
            If True, store the file's key-values in the metadata of the table's schema, from which `to_pandas` restores
            an index and types. Without them, one column of a very wide file written by pandas is read much faster,
            because the metadata describe all columns.
        memory_map : bool
            If True, pyarrow maps a local file into memory.
        decryption_properties : pyarrow.parquet.FileDecryptionProperties, optional
            Keys of encrypted columns. If given, pyarrow reads the file, by its Thrift footer. `open` does not open
            files with encrypted footers, but `read_table` reads them.
        engine : {"pyarrow", "parquetext", "auto"}, optional
            The decoder. By default pyarrow; for many rows or many short chunks our decoder, if both return the same
            values for the columns. ``"parquetext"``: our decoder. If there are filters and the file has page indexes,
            it reads and decodes only pages that may contain matching rows. ``"auto"``: our decoder if pyarrow cannot
            read the data.
        decoded_size_limit : int, optional
            Maximal memory in bytes of values that take more than 64 times the bytes of their column chunks, such as
            nulls and texts of a dictionary. The default is ``PARQUETEXT_DECODED_SIZE_LIMIT``, or 4 GiB if that is not
            set.
        **options
            Options of `pyarrow.parquet.ParquetFile`: `pre_buffer`, `buffer_size`, `read_dictionary`, `binary_type`,
            `list_type`, `coerce_int96_timestamp_unit`, `page_checksum_verification`, `arrow_extensions_enabled`,
            `thrift_string_size_limit`, `thrift_container_size_limit`, `schema_depth_limit`. The last three apply to the
            whole Thrift footer of the file. Each call with one of them reads and checks that footer, also if another
            form is in use.

        Raises
        ------
        ColumnError
            If a name is unknown or ambiguous.
        RowIndexError
            If the file has no row of a number in `rows`.
        ValueError
            If `rows` is given together with `row_groups`, `filters` or `decryption_properties`.
        LimitExceeded
            If the file's footer exceeds one of the three limits, or if its values exceed `decoded_size_limit`.
        pyarrow.ArrowException, OSError
            If pyarrow cannot read the data.
        Malformed, Damaged, Unsupported
            If our decoder cannot read the data. The error contains the row group, the column, the page and the offset.
        """
        reading.check_arguments(options, engine, decoded_size_limit)
        if rows is not None:
            check_rows_alone(row_groups=row_groups, filters=filters, decryption_properties=decryption_properties)
        with self._reading_values():
            self._check_limits(options)
            if decryption_properties is not None:
                from .encrypted_reading import read_opened

                with self._open_data(memory_map=memory_map) as data:
                    options |= {
                        "decryption_properties": decryption_properties,
                        "use_pandas_metadata": use_pandas_metadata,
                    }
                    table = read_opened(
                        data, columns, row_groups, filters, engine=engine, use_threads=use_threads, **options
                    )
                return table if key_values or use_pandas_metadata else table.replace_schema_metadata(None)
            read_options = reading.ReadOptions(
                engine,
                use_threads,
                memory_map,
                key_values,
                use_pandas_metadata,
                decoded_size_limit,
                self._with_names(options),
            )
            if rows is not None:
                plan = reading.plan_rows(self, columns, rows, read_options)
            else:
                plan = reading.plan_file(self, columns, row_groups, filters, read_options)
            with reading.Watch(self, plan):
                return reading.run(plan, self)

    def take(self, rows: Any, columns: Iterable[Any] | None = None, **options: Any) -> pa.Table:
        """Read rows by number. Only the pages that contain them are read and decoded.

        Parameters
        ----------
        rows : sequence, numpy array, pyarrow.Array, pyarrow.ChunkedArray, range or slice
            Row numbers from 0 on, in any order and possibly several times. The result has this order.
        columns, **options
            As in `read`. By default, our decoder reads the rows, and pyarrow reads whole row groups if ours refuses the
            data.

        Raises
        ------
        RowIndexError
            If a number is negative, or not below the number of rows.
        TypeError
            If `rows` contains a null or anything else than integers.
        Damaged
            If a page that is read does not have the checksum in its header.
        ColumnError, LimitExceeded, Malformed, Unsupported, pyarrow.ArrowException, OSError
            As in `read`.

        Notes
        -----
        Pages are found by the offset index. If a chunk of a local file has none, its page headers are read once for as
        long as the file is open. Chunks in lists without an offset index are read as a whole. Memory is bounded by the
        result, and for each thread by one page and one dictionary of a column.

        Examples
        --------
        >>> with parquetext.open("wide.parquet") as file:
        ...     file.take([299, 0, 299], ["id"])["id"].to_pylist()
        [299, 0, 299]
        """
        return self.read(columns, rows=rows, **options)

    @contextmanager
    def _reading_values(self) -> Iterator[None]:
        """Keep the file open, even if it is closed meanwhile, and name it in errors about memory and limits."""
        lease = self._lease
        try:
            yield
        except MemoryError as error:
            raise out_of_memory(error, self.path) from None
        except LimitExceeded as error:
            raise self._named(error) if error.file is None else error from None
        finally:
            del lease  # an error's traceback would keep it

    def read_row_group(self, i: int, columns: Iterable[Any] | None = None, **options: Any) -> pa.Table:
        """Read row group `i`; other arguments as in `read`."""
        return self.read(columns, [i], **options)

    def read_row_groups(
        self, row_groups: Sequence[int], columns: Iterable[Any] | None = None, **options: Any
    ) -> pa.Table:
        """Read these row groups, in this order; other arguments as in `read`."""
        return self.read(columns, row_groups, **options)

    def iter_batches(
        self,
        columns: Iterable[Any] | int | None = None,
        row_groups: Sequence[int] | None = None,
        *,
        batch_size: int = 1 << 16,
        use_threads: bool = True,
        key_values: bool = True,
        engine: str | None = None,
        decoded_size_limit: int | None = None,
        **options: Any,
    ) -> Iterator[pa.RecordBatch]:
        """Read values batch by batch, with the result of `pyarrow.parquet.ParquetFile.iter_batches`.

        Memory is bounded by the batches that pyarrow prepares, not by a whole row group. Our decoder keeps one batch
        and, for each leaf, one stored column chunk in memory. Arguments are those of `read`. If `columns` is a number,
        it is the batch size, as in pyarrow.
        """
        if isinstance(columns, int):
            batch_size, columns = columns, None
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, and at least 1 is needed")
        reading.check_arguments(options, engine, decoded_size_limit)
        self._check_limits(options)
        read_options = reading.ReadOptions(
            engine,
            use_threads,
            key_values=key_values,
            limit=decoded_size_limit,
            reader=self._with_names(options),
        )
        plan = reading.plan_file(self, columns, row_groups, None, read_options)
        if not plan.part.has_columns:
            counts = self._on_form(lambda form: form.row_groups("num_rows"))
            return plan.part.batches_without_columns(counts, batch_size)
        self._check_expansion(plan.part, decoded_size_limit)
        lease, watch = self._lease_of_open(), reading.Watch(self, plan)
        try:
            with watch if engine == reading.AUTO else nullcontext():  # the first batch is read now
                batches = reading.run_batches(plan, self, batch_size)
            return reading.closed_at_exit(_while_open(lease, batches, watch))
        finally:
            del lease

    def explain(
        self,
        columns: Iterable[Any] | None = None,
        row_groups: Sequence[int] | None = None,
        filters: object = None,
        *,
        engine: str | None = None,
        **options: Any,
    ) -> Explanation:
        """Explain how `read` reads these columns and rows, without reading them.

        The result contains the row groups and pages that are read and skipped, with reasons, the bytes to fetch, and
        the decoder of each column. Indexes and Bloom filters are read if `read` would use them.

        Parameters
        ----------
        columns, row_groups, filters, engine, **options
            As in `read`.

        Raises
        ------
        ColumnError, Malformed, Damaged, OSError
            As in `read`.

        Examples
        --------
        >>> with parquetext.open("wide.parquet") as file:
        ...     plan = file.explain(["id"], filters=[("price", ">=", 298)])
        >>> [column.column for column in plan.columns]
        ['id', 'price']
        """
        reading.check_arguments(options, engine)
        read_options = reading.ReadOptions(engine, reader=self._with_names(options))
        return self._explain(columns, row_groups, filters, read_options)

    def _explain(
        self,
        columns: Iterable[Any] | None,
        row_groups: Sequence[int] | None,
        filters: object,
        options: ReadOptions,
        considered: Sequence[int] | None = None,
    ) -> Explanation:
        from ..reading.explanation import explain  # only for this call

        plan = reading.plan_file(self, columns, row_groups, filters, options)
        with self._naming():
            return self._on_form(lambda form: explain(form, plan, self, self._blooms, considered))

    def layout(self, *, decompress: bool = False) -> Layout:
        """Return the use of every byte of the file, with a picture; see `parquetext.layout`.

        A file with a path is opened anew. The footer, all page headers, and all bytes that belong to no known structure
        are read.
        """
        from ..inspection.layout.layout import layout, layout_of

        if not can_reopen(self._source):
            return layout_of(self._source, str(self.path), decompress=decompress)
        return layout(self._source.target if self._is_remote else self.path, decompress=decompress)

    def _check_limits(self, options: Mapping[str, Any]) -> None:
        try:
            check_limits(self._source, options)
        except ParquetextError as error:
            raise self._named(error) from None

    def _with_names(self, options: dict[str, Any]) -> dict[str, Any]:
        """Replace numbers in `read_dictionary` by names: numbers refer to the file's leaves, and a slice has others."""
        wanted = options.get("read_dictionary")
        if not wanted or all(isinstance(each, str) for each in wanted):
            return options
        names = self._on_form(
            lambda form: [
                ".".join(as_path(form.node(each).path)) if isinstance(each, int) else each
                for each in wanted
                if not isinstance(each, int) or 0 <= each < form.leaf_count
            ]
        )
        return options | {"read_dictionary": names}

    def _table_of_copies(self) -> CopyTable | None:
        """Return the table of the flat footer, read once; without it, slices contain the offsets of copies."""
        from ..footer.copied_chunks import copy_table_of

        kept: tuple[str, CopyTable | None] | None = getattr(self, "_kept_table", None)
        if kept is None or kept[0] != self.form:
            kept = self._kept_table = self.form, self._on_form(copy_table_of)
        return kept[1]

    def _page_tables(self) -> PageTables:
        """Return the page tables of the file, which are kept."""
        from ..footer.page_tables import PageTables

        kept: PageTables | None = getattr(self, "_kept_pages", None)
        if kept is None or kept.source is not self._source:
            kept = self._kept_pages = PageTables(self._source)
        return kept

    def _has_copies(self) -> bool:
        """Return True if chunks of the file may have copies."""
        return reading.has_copies(
            reading.plan_file(self, None, None, None, reading.ReadOptions(key_values=False)), self
        )

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Add the file's name to errors of our decoder."""
        try:
            with naming_memory(self.path):
                yield
        except ParquetextError as error:
            raise as_arrow_error(error) if error.file else self._named(error) from None

    @contextmanager
    def _locating(self, plan: Plan) -> Iterator[None]:
        """Add the location in the file, or the encrypted column, to errors about a slice."""
        try:
            with naming_memory(self.path):
                yield
        except Malformed as error:
            raise self._located(error) from None
        except ArrowUnsupported as error:
            raise error if error.file else error.at(str(self.path)) from None
        except OSError as error:
            name = plan.encrypted_column()
            if name is None:
                raise
            raise EncryptedFile(f"column {name!r} is encrypted: {NO_KEYS}", file=str(self.path)) from error

    def _check_expansion(self, part: Part, limit: int | None, *, pages: bool = True) -> bool:
        """Raise LimitExceeded if values of a part take too much memory; return True if no page needs to be checked."""
        if not part.footer:
            return False
        from ..footer.expansion import check_expansion

        try:
            return check_expansion(part.form, part.indices, self._source, limit, pages=pages)
        except LimitExceeded as error:
            raise self._named(error) from None

    @property
    def _is_remote(self) -> bool:
        return is_remote(self._source)

    def _open_data(self, *, memory_map: bool = False) -> AbstractContextManager[pa.NativeFile]:
        """Return the bytes of the open file for pyarrow, even if its path now leads to another file."""
        source = self._source
        if has_arrow_file(source):
            return nullcontext(source.for_arrow())
        if not has_descriptor(source):
            opened: AbstractContextManager[pa.NativeFile] = pa.OSFile(source.name)
            return opened
        return self._opened_by(pa.memory_map if memory_map else pa.OSFile)

    def _opened_by(
        self, open_file: Callable[[str], AbstractContextManager[pa.NativeFile]]
    ) -> AbstractContextManager[pa.NativeFile]:
        try:
            return open_file(systems.path_of(self._source.fd))
        except FileNotFoundError:  # no /proc
            opened: AbstractContextManager[pa.NativeFile] | None = self._opened_by_path(open_file)
            return OpenedFile(self._source).for_arrow() if opened is None else opened

    def _opened_by_path(self, open_file: Callable[[str], pa.NativeFile]) -> pa.NativeFile | None:
        """Return the file that the path leads to, or None if it is another one now, or cannot be opened."""
        try:
            found = open_file(os.fspath(self.path))
        except OSError:
            return None
        if not systems.replaces_open_files() or os.path.sameopenfile(found.fileno(), self._source.fd):
            return found
        found.close()
        return None


def check_rows_alone(**others: object) -> None:
    """Raise ValueError if an argument that selects rows is given together with row numbers."""
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"rows and {name} are given: rows are read by number, without {name}")


def _while_open(lease: Lease, batches: Iterator[pa.RecordBatch], watch: Watch) -> Generator[pa.RecordBatch]:
    """Yield the batches of a file, which `lease` keeps open until the last one."""
    try:
        with watch:
            for batch in batches:
                watch.check()
                yield batch
    finally:
        del lease


def open(path: object, *, form: Form | str | None = None) -> File:
    return open_as(File, path, form)


open.__doc__ = open_file.__doc__
