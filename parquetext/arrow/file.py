"""A file with its values: what `parquetext.open` gives."""

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
from ..footer import file as footer_file
from ..footer.arrow_errors import NO_KEYS, ArrowUnsupported, EncryptedFile, as_arrow_error
from ..footer.bloom_filters import BloomFilters
from ..footer.copies import CopyTable, copy_table_of
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
from .decoding.schemas import schema_or_ours
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
from .projection import Projection, Step, encrypted_column, project
from .reading import check_options, iter_projection, read_projection
from .selection import leaves_of
from .watch import Watch

if TYPE_CHECKING:
    from ..account.layout import Layout

__all__ = ["File", "open"]


class File(footer_file.File):
    """An open Parquet file: its footer, read as far as it is asked for, and its values.

    A context manager. Made by `parquetext.open`. Any call may find the form in use damaged; then the file goes over to
    the next form, does what was asked there, and says so in `form` and `findings`.

    Attributes
    ----------
    form : str
        The form of the footer in use: ``"flat"``, ``"thrift"``, or ``"par3"``, which has no next one.
    path : str
        What was opened.
    """

    __slots__ = ("_kept_table", "_metadata")

    @property
    def metadata(self) -> FileMetaData:
        """The metadata in the shape of `pyarrow.parquet.FileMetaData`, read as far as it is asked for."""
        kept = getattr(self, "_metadata", None)
        if kept is None:
            kept = self._metadata = FileMetaData(self)
        return kept

    @property
    def num_row_groups(self) -> int:
        """Row groups."""
        return len(self.row_groups)

    @property
    def schema_arrow(self) -> pa.Schema:
        """The Arrow schema, by the name that `pyarrow.parquet.ParquetFile` gives it."""
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
        """Read values, as `pyarrow.parquet.ParquetFile.read` gives them.

        Parameters
        ----------
        columns : list of str or tuple, optional
            Leaves or groups, as `column` takes names; a part of a nested column comes in its nested form. All without.
        row_groups : list of int, optional
            Which, and in which order. All without.
        filters : list of tuples, list of lists of tuples, or pyarrow.compute.Expression, optional
            As `pyarrow.parquet.read_table` takes them; row groups whose statistics rule them out are not read.
        use_threads : bool
        use_pandas_metadata : bool
            Also read the columns that pandas needs for its index, and keep its metadata.
        key_values : bool
            Give the table the file's key-values as its schema's metadata, by which `to_pandas` restores an index and
            types. Without them one column of a very wide file that pandas has written is read much faster: the metadata
            describe all columns.
        memory_map : bool
            Whether pyarrow reads a local file through a mapping of it.
        decryption_properties : pyarrow.parquet.FileDecryptionProperties, optional
            Keys of encrypted columns: pyarrow then reads the file, by its Thrift footer. `open` does not open files
            whose footers are encrypted; `read_table` reads them.
        engine : {"pyarrow", "parquetext", "auto"}, optional
            Who decodes. Without, pyarrow, and for many rows or many short chunks our own decoder, where the columns
            are such that both give the same. ``"parquetext"``: our own decoder, which of a filter's row groups reads
            and decodes only the pages that may hold rows, where the file has page indexes. ``"auto"``: ours for what
            pyarrow cannot read.
        decoded_size_limit : int, optional
            The most bytes of memory for values that take more than 64 times the bytes of their column chunks, such as
            nulls and texts of a dictionary: 4 GiB by default, or what ``PARQUETEXT_DECODED_SIZE_LIMIT`` says.
        **options
            Of `pyarrow.parquet.ParquetFile`: `pre_buffer`, `buffer_size`, `read_dictionary`, `binary_type`,
            `list_type`, `coerce_int96_timestamp_unit`, `page_checksum_verification`, `arrow_extensions_enabled`,
            `thrift_string_size_limit`, `thrift_container_size_limit`, `schema_depth_limit`. These three hold for the
            whole Thrift footer of the file, which is read and walked for each call that gives them, whatever its form.

        Raises
        ------
        ColumnError
            A name that is none, or more than one thing.
        LimitExceeded
            The file's footer goes beyond one of the three limits, or its values beyond `decoded_size_limit`.
        pyarrow.ArrowException, OSError
            What pyarrow raises for data that it cannot read.
        Malformed, Damaged, Unsupported
            What our own decoder raises: the error names the row group, the column, the page and the offset.
        """
        check_options(options)
        check_engine(engine)
        check_option(decoded_size_limit)
        lease = self._lease  # keeps the file open, whoever closes it meanwhile
        try:
            self._check_limits(options)
            if decryption_properties is not None:
                from .encrypted import read_opened

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
            del lease  # which the traceback of an error would keep

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
        """What a projection stands for."""
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
                theirs(counts_rows=False)  # fails in pyarrow's own words, where it has some
                raise missing from error

    def read_row_group(self, i: int, columns: Iterable | None = None, **options: object) -> pa.Table:
        """Read row group `i`; other arguments as `read` takes them."""
        return self.read(columns, [i], **options)

    def read_row_groups(
        self, row_groups: Sequence[int], columns: Iterable | None = None, **options: object
    ) -> pa.Table:
        """Read these row groups, in this order; other arguments as `read` takes them."""
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
        """Read values batch by batch, as `pyarrow.parquet.ParquetFile.iter_batches` gives them.

        Memory is that of the batches which pyarrow prepares, and not of a whole row group; our own decoder holds a
        batch, and what a column chunk takes in the file. Arguments as `read` takes them; a number in the place of
        `columns` is the batches' size, as with pyarrow.
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
        """Where every byte of the file belongs, with a picture; see `parquetext.layout`.

        A file with a path is opened anew: the footer, all page headers and what nobody claims are read.
        """
        from ..account.layout import layout, layout_of

        if isinstance(self._source, HeldSource):
            return layout_of(self._source, str(self.path), decompress=decompress)
        return layout(self._source.target if self._is_remote else self.path, decompress=decompress)

    def _check_limits(self, options: Mapping) -> None:
        try:
            check_limits(self._source, options)
        except ParquetextError as error:
            raise self._named(error) from None

    def _name_dictionaries(self, options: dict) -> None:
        """Let `read_dictionary` have names alone: numbers are those of the file's leaves, and a slice has others."""
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
        """What our decoder needs to read column chunks by their copies."""
        return {"table": self._table_of_copies(), "findings": self.findings}

    def _table_of_copies(self) -> CopyTable | None:
        """That of the flat footer, read once; without one slices say which chunks have copies."""
        kept = getattr(self, "_kept_table", None)
        if kept is None or kept[0] != self.form:
            kept = self._kept_table = self.form, self._on_form(copy_table_of)
        return kept[1]

    def _has_copies(self, projection: Projection) -> bool:
        """Whether chunks of a projection may have copies."""
        footers = [step.footer or b"" for step in (projection.step, projection.finder) if step is not None]
        return self._table_of_copies() is not None or any(map(may_have_copies, footers))

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Let an error of our decoder say which file it is about."""
        try:
            with naming_memory(self.path):
                yield
        except ParquetextError as error:
            raise as_arrow_error(error) if error.file else self._named(error) from None

    @contextmanager
    def _locating(self, projection: Projection) -> Iterator[None]:
        """Let an error about a slice say where in the file its cause is, or which column is encrypted."""
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
        if self.form == "par3" and not projection.is_sliced:
            raise ArrowUnsupported(
                "not readable by a slice, and a PAR3 file has no Thrift footer; parquetext.restore brings it back",
                file=str(self.path),
            )
        return projection

    def _blooms(self, form: Form, types: Mapping[str, pa.DataType]) -> BloomFilters:
        return BloomFilters(form, self._source, self._gathered, types)

    def _fetch_cells(self, columns: list, row_groups: Sequence[int] | None) -> None:
        """What the slice of these columns is made of, in few rounds of requests."""
        shared = [lambda form: form.row_groups("num_rows"), lambda form: form.created_by, lambda form: form.node(GROUP)]
        self._source.want_shared()
        found = self._each([*(partial(leaves_of, name=name) for name in columns), *shared])
        leaves = {leaf for below in found[: len(columns)] for leaf in below}
        self._each(partial(_slice_of, leaf=leaf, row_groups=row_groups) for leaf in sorted(leaves))

    def _open_data(self) -> AbstractContextManager[pa.NativeFile]:
        """The file's bytes for pyarrow: of the very file that is open, whatever its path leads to by now."""
        source = self._source
        if hasattr(source, "for_arrow"):
            return nullcontext(source.for_arrow())
        if not hasattr(source, "fd"):
            return pa.OSFile(source.name)
        return self._opened_by(pa.OSFile)

    def _open_mapped(self) -> AbstractContextManager[pa.NativeFile]:
        """The same, a local file by a mapping of it."""
        return self._opened_by(pa.memory_map) if hasattr(self._source, "fd") else self._open_data()

    def _opened_by(self, open_file: Callable[[str], pa.NativeFile]) -> pa.NativeFile:
        try:
            return open_file(systems.path_of(self._source.fd))
        except FileNotFoundError:  # no /proc
            return open_file(os.fspath(self.path))


def _planning(engine: str | None) -> dict:
    """What a projection needs where pyarrow may refuse the schema."""
    return {} if engine in (None, PYARROW) else {"schema": schema_or_ours}


def _begun(give: Callable) -> Iterator[pa.RecordBatch]:
    """Batches, the first of which has been read."""
    batches = give()
    first = next(batches, None)
    return batches if first is None else chain([first], batches)


def _while_open(lease: Lease, batches: Iterator[pa.RecordBatch], watch: Watch) -> Generator[pa.RecordBatch]:
    """Batches of a file that `lease` keeps open until the last one."""
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
