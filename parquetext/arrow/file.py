"""A file with its values, as returned by `parquetext.open`."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from .. import systems
from ..encoding.carried import may_have_copies
from ..encoding.decoded_sizes import check_option
from ..errors import LimitExceeded, Malformed, ParquetextError, naming_memory, out_of_memory
from ..footer import facade as footer_file
from ..footer.arrow_errors import NO_KEYS, ArrowUnsupported, EncryptedFile, as_arrow_error
from ..footer.bloom_filters import BloomFilters
from ..footer.copied_chunks import CopyTable, copy_table_of
from ..footer.expansion import check_expansion
from ..footer.lease import Lease
from ..footer.limits import check_limits
from ..footer.model import GROUP, Form
from ..footer.names import as_path
from ..footer.opening import open_as, open_file
from ..footer.path_sizes import check_form
from ..footer.row_counts import RowsMissing
from ..storage import HeldSource
from .at_exit import closed_at_exit
from .decoding.arrow_fields import schema_or_ours
from .decoding.short_chunks import read_short_chunks
from .engine import (
    AUTO,
    FINAL,
    OURS,
    PYARROW,
    check_engine,
    decode_batches,
    decode_projection,
    decode_sooner,
    or_ours,
    or_theirs,
)
from .metadata import FileMetaData
from .pyarrow_reading import check_options, iter_projection, read_projection
from .read_plan import Projection, Step, encrypted_column, project
from .selection import leaves_of
from .watch import Watch

if TYPE_CHECKING:
    from ..inspection.layout.layout import Layout

__all__ = ["File", "open"]


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

    __slots__ = ("_kept_table", "_metadata")

    @property
    def metadata(self) -> FileMetaData:
        """The metadata with the interface of `pyarrow.parquet.FileMetaData`, read only as far as needed."""
        kept = getattr(self, "_metadata", None)
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
        columns: Iterable | None = None,
        row_groups: Sequence[int] | None = None,
        filters: object = None,
        *,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
        key_values: bool = True,
        memory_map: bool = False,
        decryption_properties: object = None,
        engine: str | None = None,
        decoded_size_limit: int | None = None,
        **options: object,
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
            whole Thrift footer of the file. Each call with one of them reads and checks that footer, whatever the form
            in use.

        Raises
        ------
        ColumnError
            If a name is unknown or ambiguous.
        LimitExceeded
            If the file's footer exceeds one of the three limits, or if its values exceed `decoded_size_limit`.
        pyarrow.ArrowException, OSError
            If pyarrow cannot read the data.
        Malformed, Damaged, Unsupported
            If our decoder cannot read the data. The error contains the row group, the column, the page and the offset.
        """
        check_options(options)
        check_engine(engine)
        check_option(decoded_size_limit)
        lease = self._lease  # keeps the file open even if it is closed meanwhile
        try:
            self._check_limits(options)
            if decryption_properties is not None:
                from .encrypted_reading import read_opened

                with self._open_mapped() if memory_map else self._open_data() as data:
                    options |= {
                        "decryption_properties": decryption_properties,
                        "use_pandas_metadata": use_pandas_metadata,
                    }
                    table = read_opened(
                        data, columns, row_groups, filters, engine=engine, use_threads=use_threads, **options
                    )
                return table if key_values or use_pandas_metadata else table.replace_schema_metadata(None)
            self._name_dictionaries(options)
            projection = self._projection(
                columns,
                row_groups,
                filters,
                key_values=key_values or use_pandas_metadata,
                use_pandas_metadata=use_pandas_metadata,
                **_planning(engine),
            )
            with self._watching(projection):
                return self._values(
                    projection,
                    engine,
                    use_threads=use_threads,
                    memory_map=memory_map,
                    limit=decoded_size_limit,
                    **options,
                )
        except MemoryError as error:
            raise out_of_memory(error, self.path) from None
        except LimitExceeded as error:
            raise self._named(error) if error.file is None else error from None
        finally:
            del lease  # an error's traceback would keep it

    def _values(
        self,
        projection: Projection,
        engine: str | None,
        *,
        use_threads: bool,
        memory_map: bool,
        limit: int | None,
        **options,
    ) -> pa.Table:
        """Read the values of a projection."""
        check = partial(self._check_expansion, limit=limit)
        are_short = [check(step, pages=False) for step in (projection.step, projection.finder)]
        may_be_shorter = engine is None and not options and not self._is_remote
        shorter = partial(read_short_chunks, source=self._source, use_threads=use_threads) if may_be_shorter else None
        checked = None if all(are_short) else check

        def theirs(*, counts_rows: bool = True) -> pa.Table:
            with self._locating(projection):
                open_data = self._open_mapped if memory_map else self._open_data
                reading = {"use_threads": use_threads, "remote": self._is_remote, "counts_rows": counts_rows}
                return read_projection(projection, open_data, shorter=shorter, check=checked, **reading, **options)

        def ours() -> pa.Table:
            with self._naming():
                copies = self._copies()
                reading = {"use_threads": use_threads, "limit": limit}
                return decode_projection(projection, self._source, **copies, **reading, **options)

        if may_be_shorter:
            found = decode_sooner(projection, self._source, use_threads=use_threads, limit=limit)
            if found is not None:
                return found
        if engine == AUTO:
            return or_theirs(ours, theirs) if self._has_copies(projection) else or_ours(theirs, ours)
        if engine == OURS:
            return ours()
        try:
            return theirs()
        except RowsMissing as missing:
            try:
                return ours()
            except FINAL:
                raise
            except (pa.ArrowException, ParquetextError) as error:
                theirs(counts_rows=False)  # raises pyarrow's error, if there is one
                raise missing from error

    def read_row_group(self, i: int, columns: Iterable | None = None, **options: object) -> pa.Table:
        """Read row group `i`; other arguments as in `read`."""
        return self.read(columns, [i], **options)

    def read_row_groups(
        self, row_groups: Sequence[int], columns: Iterable | None = None, **options: object
    ) -> pa.Table:
        """Read these row groups, in this order; other arguments as in `read`."""
        return self.read(columns, row_groups, **options)

    def iter_batches(
        self,
        columns: Iterable | int | None = None,
        row_groups: Sequence[int] | None = None,
        *,
        batch_size: int = 1 << 16,
        use_threads: bool = True,
        key_values: bool = True,
        engine: str | None = None,
        decoded_size_limit: int | None = None,
        **options: object,
    ) -> Iterator[pa.RecordBatch]:
        """Read values batch by batch, with the result of `pyarrow.parquet.ParquetFile.iter_batches`.

        Memory is bounded by the batches that pyarrow prepares, not by a whole row group. Our decoder keeps one batch
        and, for each leaf, one stored column chunk in memory. Arguments are those of `read`. If `columns` is a number,
        it is the batch size, as in pyarrow.
        """
        if isinstance(columns, int):
            columns, batch_size = None, columns
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, and at least 1 is needed")
        check_options(options)
        check_engine(engine)
        check_option(decoded_size_limit)
        self._check_limits(options)
        self._name_dictionaries(options)
        projection = self._projection(columns, row_groups, None, key_values=key_values, **_planning(engine))
        if not projection.step.has_columns:
            counts = self._on_form(lambda form: form.row_groups("num_rows"))
            return projection.step.batches_without_columns(counts, batch_size)

        self._check_expansion(projection.step, limit=decoded_size_limit)
        copies = self._copies() if engine in (OURS, AUTO) else None

        def theirs() -> Iterator[pa.RecordBatch]:
            taking = {"ours": ours, "use_threads": use_threads, "pre_buffer": self._is_remote, **options}
            return self._batches(projection, batch_size, **taking)

        def ours(row_groups: Sequence[int] | None = None) -> Iterator[pa.RecordBatch]:
            given = copies or self._copies()
            return self._decoded_batches(projection, batch_size, row_groups=row_groups, **given, **options)

        lease, watch = self._lease_of_open(), self._watching(projection)
        try:
            if engine != AUTO:
                batches = ours() if engine == OURS else theirs()
            else:
                with watch:
                    if self._has_copies(projection):
                        batches = or_theirs(lambda: _begun(ours), lambda: _begun(theirs))
                    else:
                        batches = or_ours(lambda: _begun(theirs), lambda: _begun(ours))
            return closed_at_exit(_while_open(lease, batches, watch))
        finally:
            del lease

    def layout(self, *, decompress: bool = False) -> Layout:
        """Return the use of every byte of the file, with a picture; see `parquetext.layout`.

        A file with a path is opened anew. The footer, all page headers, and all bytes that belong to no known structure
        are read.
        """
        from ..inspection.layout.layout import layout, layout_of

        if isinstance(self._source, HeldSource):
            return layout_of(self._source, str(self.path), decompress=decompress)
        return layout(self._source.target if self._is_remote else self.path, decompress=decompress)

    def _check_limits(self, options: Mapping) -> None:
        try:
            check_limits(self._source, options)
        except ParquetextError as error:
            raise self._named(error) from None

    def _name_dictionaries(self, options: dict) -> None:
        """Replace numbers in `read_dictionary` by names: numbers refer to the file's leaves, and a slice has others."""
        wanted = options.get("read_dictionary")
        if not wanted or all(isinstance(each, str) for each in wanted):
            return
        options["read_dictionary"] = [
            self._on_form(lambda form, leaf=each: ".".join(as_path(form.node(leaf).path)))
            if isinstance(each, int)
            else each
            for each in wanted
            if not isinstance(each, int) or 0 <= each < self.num_columns
        ]

    def _batches(self, projection: Projection, batch_size: int, **options) -> Iterator[pa.RecordBatch]:
        with self._locating(projection):
            yield from iter_projection(projection, self._open_data, batch_size, **options)

    def _decoded_batches(self, projection: Projection, batch_size: int, **options) -> Iterator[pa.RecordBatch]:
        with self._naming():
            yield from decode_batches(projection, self._source, batch_size, **options)

    def _copies(self) -> dict:
        """Return the arguments with which our decoder reads column chunks from their copies."""
        return {"table": self._table_of_copies(), "findings": self.findings}

    def _table_of_copies(self) -> CopyTable | None:
        """Return the table of the flat footer, read once; without it, slices contain the offsets of copies."""
        kept = getattr(self, "_kept_table", None)
        if kept is None or kept[0] != self.form:
            kept = self._kept_table = self.form, self._on_form(copy_table_of)
        return kept[1]

    def _has_copies(self, projection: Projection) -> bool:
        """Return True if chunks of a projection may have copies."""
        footers = [step.footer or b"" for step in (projection.step, projection.finder) if step is not None]
        return self._table_of_copies() is not None or any(map(may_have_copies, footers))

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Add the file's name to errors of our decoder."""
        try:
            with naming_memory(self.path):
                yield
        except ParquetextError as error:
            raise as_arrow_error(error) if error.file else self._named(error) from None

    @contextmanager
    def _locating(self, projection: Projection) -> Iterator[None]:
        """Add the location in the file, or the encrypted column, to errors about a slice."""
        try:
            with naming_memory(self.path):
                yield
        except Malformed as error:
            raise self._located(error) from None
        except ArrowUnsupported as error:
            raise error if error.file else error.at(str(self.path)) from None
        except OSError as error:
            name = encrypted_column(projection)
            if name is None:
                raise
            raise EncryptedFile(f"column {name!r} is encrypted: {NO_KEYS}", file=str(self.path)) from error

    def _check_expansion(self, step: Step | None, *, limit: int | None, **how: bool) -> bool:
        """Raise LimitExceeded if values of a step take too much memory; return True if no page needs to be checked."""
        if step is None or not step.footer:
            return step is None
        try:
            return check_expansion(step.footer, step.indices, self._source, limit, **how)
        except LimitExceeded as error:
            raise self._named(error) from None

    @property
    def _is_remote(self) -> bool:
        return hasattr(self._source, "target")

    def _watching(self, projection: Projection) -> Watch:
        return Watch(self._source, self.path, self.form, projection)

    def _projection(self, columns: Iterable | None, row_groups: Sequence[int] | None, filters, **options) -> Projection:
        if columns is not None and not isinstance(columns, str):
            if not isinstance(columns, Iterable):
                raise TypeError(f"columns is a list of names, not {columns!r}")
            columns = list(columns)
        self._expect(self.num_columns if columns is None else len(columns))
        if self._is_batched() and isinstance(columns, list):
            self._fetch_cells(columns, row_groups)
        try:
            projection = self._on_form(
                lambda form: project(form, columns, row_groups, filters, blooms=self._blooms, **options)
            )
        except ArrowUnsupported as error:
            raise error if error.file else error.at(str(self.path)) from None
        if not projection.is_sliced:
            self._on_form(check_form)  # pyarrow reads the whole footer
        if self.spec.is_final and not projection.is_sliced:
            raise ArrowUnsupported(
                "not readable by a slice, and a PAR3 file has no Thrift footer; parquetext.restore brings it back",
                file=str(self.path),
            )
        return projection

    def _blooms(self, form: Form, types: Mapping[str, pa.DataType]) -> BloomFilters:
        return BloomFilters(form, self._source, self._gathered, types)

    def _fetch_cells(self, columns: list, row_groups: Sequence[int] | None) -> None:
        """Fetch the data for the slice of these columns in few rounds of requests."""
        shared = [lambda form: form.row_groups("num_rows"), lambda form: form.created_by, lambda form: form.node(GROUP)]
        self._source.want_shared()
        found = self._each([*(partial(leaves_of, name=name) for name in columns), *shared])
        leaves = {leaf for below in found[: len(columns)] for leaf in below}
        self._each(partial(_slice_of, leaf=leaf, row_groups=row_groups) for leaf in sorted(leaves))

    def _open_data(self) -> AbstractContextManager[pa.NativeFile]:
        """Return the bytes of the open file for pyarrow, even if its path now leads to another file."""
        source = self._source
        if hasattr(source, "for_arrow"):
            return nullcontext(source.for_arrow())
        if not hasattr(source, "fd"):
            return pa.OSFile(source.name)
        return self._opened_by(pa.OSFile)

    def _open_mapped(self) -> AbstractContextManager[pa.NativeFile]:
        """Return the same bytes, of a local file as a memory map."""
        return self._opened_by(pa.memory_map) if hasattr(self._source, "fd") else self._open_data()

    def _opened_by(self, open_file: Callable[[str], pa.NativeFile]) -> pa.NativeFile:
        try:
            return open_file(systems.path_of(self._source.fd))
        except FileNotFoundError:  # no /proc
            return open_file(os.fspath(self.path))


def _planning(engine: str | None) -> dict:
    """Return the arguments of a projection that are needed if pyarrow may refuse the schema."""
    return {} if engine in (None, PYARROW) else {"schema": schema_or_ours}


def _begun(give: Callable) -> Iterator[pa.RecordBatch]:
    """Return batches of which the first has been read."""
    batches = give()
    first = next(batches, None)
    return batches if first is None else chain([first], batches)


def _while_open(lease: Lease, batches: Iterator[pa.RecordBatch], watch: Watch) -> Generator[pa.RecordBatch]:
    """Yield the batches of a file, which `lease` keeps open until the last one."""
    try:
        with watch:
            for batch in batches:
                watch.check()
                yield batch
    finally:
        del lease


def _slice_of(form: Form, leaf: int, row_groups: Sequence[int] | None) -> bytes:
    return form.slice([leaf], range(form.row_group_count) if row_groups is None else row_groups)


def open(path: object, *, form: str | None = None) -> File:
    return open_as(File, path, form)


open.__doc__ = open_file.__doc__
