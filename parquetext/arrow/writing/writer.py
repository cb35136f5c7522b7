"""Write files with pyarrow's writer, and store the footer in the chosen form before the file becomes visible."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterable
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from ... import sidecar, storage
from ...edits.encode import Columns, check_asked, write_encoded
from ...edits.footer import parse_end
from ...edits.options import IGNORABLE, SCAN, STORAGE_REFUSALS, Options, check_optimize_for
from ...edits.table_logs import refuse_replacing
from ...errors import ParquetextError, Refused
from ...extension import ASIDE
from ...footer.forms import ALONE, AUTO, REFERRED, THRIFT, WRITABLE, Form, check_writable
from ...footer.names import find_group_or_leaf
from ...footer.thrift_form import ThriftForm
from ...sidecar.store_layout import store_of
from ...storage.refusals import check
from ...unpicklable import Unpicklable
from .dictionaries import DICTIONARY_BYTES, worth_a_dictionary
from .first_bytes import beginning_with
from .given_names import GIVEN, passing_given_names
from .layouts import writer_options
from .new_files import DEFAULTS, edit_of_written
from .variants import refuse_variants

ROW_GROUP_ROWS = 1 << 20  # default of pyarrow's writer


CHOSEN = {"compression", "use_dictionary", "use_byte_stream_split"}  # if they are not given, even as their defaults


def _given(arguments: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the given options of pyarrow's writer; older versions of pyarrow do not support all of them."""
    explicit = CHOSEN.intersection(names)
    return {
        name: arguments[name]
        for name, default in OPTIONS.items()
        if name in arguments and (name in explicit or arguments[name] != default)
    }


class ParquetWriter(Unpicklable, pq.ParquetWriter):  # type: ignore[misc]
    """Write a Parquet file table by table; the names and options are those of `pyarrow.parquet.ParquetWriter`.

    It is a context manager. The file gets its name when it is closed, complete and with its footer; until then, an old
    file of that name stays unchanged. After an exception in the ``with`` block, after `abort`, or if the writer is
    discarded without being closed, the new file is removed.

    Parameters
    ----------
    where : str, os.PathLike, (filesystem, str), or file object
        A local path, a URI, a pair of a ``pyarrow.fs`` filesystem and a path, or an object with ``write``, which
        receives the bytes and stays open.
    schema : pyarrow.Schema
    filesystem : pyarrow.fs.FileSystem, optional
        The filesystem of the path `where`.
    form : Form or str
        The footer's form, as in `parquetext.upgrade`; ``"thrift"`` is pyarrow's. ``"auto"`` uses the form
        chosen by `edits.choice.choices` if it can be written here, and otherwise ``"thrift"``. ``"parx"`` and
        ``"modular"`` are proposals that no released reader reads. The file has them instead of a Thrift footer, and
        they are not changed later. ``"modular"`` is experimental, and stores less.
    placement, marker : str
        As in `parquetext.upgrade`.
    ignore : iterable of str
        Refusals to override: ``"size"``, if readers would fail on the footer, ``"attributes"``, if attributes of a
        replaced file cannot be kept, and ``"table-format"``, if a table's log records the size of a replaced file.
    copies : mapping of str or tuple to str, or "best", optional
        Columns that get a copy in another encoding, as in `parquetext.encode`. The file is first written to an unnamed
        local file in the folder of `tempfile`, and encoded from there.
    copies_codec : str, optional
        The codec of the copies; ``"none"`` by default.
    optimize_for : {"scan", "random_access", "size"}
        The use of the file: ``"scan"`` leaves the layout to pyarrow's options. ``"random_access"`` limits pages to 8
        KiB of values and 512 rows, and compresses with lz4 if that makes a column smaller. ``"size"`` makes the
        smallest file, with zstd. Both choose the encoding of each column from the first row group. Options that are
        given win.
    metadata_collector : list, optional
        Receives the metadata after the file has got its name. It describes the file without copies.
    flavor, version, use_dictionary, compression, write_statistics, use_deprecated_int96_timestamps, \
compression_level, use_byte_stream_split, column_encoding, writer_engine_version, data_page_version, \
use_compliant_nested_type, encryption_properties, write_batch_size, dictionary_pagesize_limit, store_schema, \
write_page_index, write_page_checksum, sorting_columns, store_decimal_as_integer, write_time_adjusted_to_utc, \
max_rows_per_page, bloom_filter_options, use_content_defined_chunking, **options
        Options of `pyarrow.parquet.ParquetWriter`, with the same defaults, except that `write_page_index` is True.

    Raises
    ------
    ParquetextError
        If a form, placement, marker, refusal, use, encoding or codec is unknown.
    ColumnError
        If `copies` names an unknown column.
    Refused
        If an encrypted file is to get a footer of another form, or a file of the form ``"parx"``, ``"modular"`` or
        ``"jump-table"`` copies. If an attribute cannot be kept. If the file belongs to a `sidecar.Store`, whose
        `append` and `replace` write it, or to a table whose log records its size.
    Conflict
        If another process is writing or changing the file.
    Unsupported
        If a column has the extension type of VARIANT.
    """

    may_be_alone: ClassVar[bool] = True  # a form may replace the Thrift footer

    @passing_given_names
    def __init__(
        self,
        where: object,
        schema: pa.Schema,
        filesystem: object = None,
        flavor: str | None = None,
        version: str = "2.6",
        use_dictionary: bool | list[str] = True,
        compression: str | dict[str, str] = "snappy",
        write_statistics: bool | list[str] = True,
        use_deprecated_int96_timestamps: bool | None = None,
        compression_level: int | dict[str, int] | None = None,
        use_byte_stream_split: bool | list[str] = False,
        column_encoding: str | dict[str, str] | None = None,
        writer_engine_version: object = None,
        data_page_version: str = "1.0",
        use_compliant_nested_type: bool = True,
        encryption_properties: object = None,
        write_batch_size: int | None = None,
        dictionary_pagesize_limit: int | None = None,
        store_schema: bool = True,
        write_page_index: bool = True,
        write_page_checksum: bool = False,
        sorting_columns: Iterable[pq.SortingColumn] | None = None,
        store_decimal_as_integer: bool = False,
        write_time_adjusted_to_utc: bool = False,
        max_rows_per_page: int | None = None,
        bloom_filter_options: dict[str, Any] | None = None,
        use_content_defined_chunking: bool | dict[str, Any] = False,
        *,
        form: Form | str = AUTO,
        placement: str = ASIDE,
        marker: str = "spec",
        ignore: Iterable[str] = (),
        metadata_collector: list[Any] | None = None,
        copies: Columns | None = None,
        copies_codec: str | None = None,
        optimize_for: str = SCAN,
        **options: Any,
    ):
        given = options.pop(GIVEN)
        final = ALONE.get(form) if self.may_be_alone else None
        defaults = DEFAULTS if final is None or final.has_page_index else {}
        options = defaults | options | _given(locals(), given)
        check_writable(form, THRIFT.name, *(ALONE if self.may_be_alone else ()))
        check_optimize_for(optimize_for)
        refuse_variants(schema)
        if filesystem is not None and _is_stream(where):
            raise ParquetextError(f"specified path is file-like, and a filesystem goes with paths only: {where!r}")
        if copies is not None:
            if final is not None or form in {spec.name for spec in REFERRED}:
                raise Refused(f"columns of a file of the form {form!r} cannot have copies in other encodings")
            check_asked(copies, copies_codec)
            _check_columns(() if isinstance(copies, str) else copies, schema)
        self._copies, self._copies_codec = copies, copies_codec
        self._ignored = check(ignore, IGNORABLE)
        if options.get("encryption_properties") is not None:
            if form in WRITABLE or final is not None:
                raise Refused(f"an encrypted file cannot have a footer of the form {form!r}")
            if copies is not None:
                raise Refused("columns of an encrypted file cannot have copies in other encodings")
            form = THRIFT.name
        self._form, self._final, self._options = form, final, Options(marker, placement)
        self._collector = metadata_collector
        self._target = where if filesystem is None else (filesystem, where)
        if not _is_stream(self._target):
            _refuse_store(self._target)
            refuse_replacing(self._target, self._ignored)
        self._new = storage.create(self._target, ignore=self._ignored & STORAGE_REFUSALS.keys())
        self._scratch: Any = None
        try:
            self._scratch = None if copies is None else storage.Scratch(str(where))
            self._begin(schema, options, optimize_for)
        except BaseException:
            self._abandon()
            raise
        self.where = where

    def _begin(self, schema: pa.Schema, options: dict[str, Any], use: str) -> None:
        """Start pyarrow's writer; a layout that depends on the data starts it with the first rows."""
        self._pending: tuple[dict[str, Any], str] | None = None
        self._pairs: list[dict[Any, Any]] = []  # key-values that wait for pyarrow's writer
        if use == SCAN:
            super().__init__(self._sink(), schema, **options)
            return
        probed = writer_options(use, schema.empty_table(), options) | {"encryption_properties": None}
        pq.ParquetWriter(pa.BufferOutputStream(), schema, **probed).close()  # raises the errors of the options now
        self.schema, self.is_open, self._pending = schema, True, (options, use)

    def _sink(self) -> pa.NativeFile:
        """Return the stream that pyarrow's writer writes to."""
        sink = (self._scratch or self._new).sink
        return beginning_with(self._final.first_bytes, sink) if self._final is not None else sink

    def _begin_with(self, rows: pa.Table) -> None:
        """Start pyarrow's writer with the layout for the first rows, if it waits for them."""
        if self._pending is not None:
            (options, use), self._pending, schema = self._pending, None, self.schema
            sample = rows if rows.schema.equals(schema) else schema.empty_table()
            super().__init__(self._sink(), schema, **writer_options(use, sample, options))
            for pairs in self._pairs:
                super().add_key_value_metadata(pairs)

    def write_table(self, table: pa.Table, row_group_size: int | None = None) -> None:
        """Write a table, in row groups of at most `row_group_size` rows; 1 Mi by default."""
        self._begin_with(table.slice(0, int(row_group_size or ROW_GROUP_ROWS)))
        super().write_table(table, row_group_size)

    def add_key_value_metadata(self, key_value_metadata: dict[Any, Any]) -> None:
        """Add key-values to the footer; values of equal keys are replaced."""
        if self._pending is not None:
            self._pairs.append(key_value_metadata)
        else:
            super().add_key_value_metadata(key_value_metadata)

    def close(self) -> None:
        """Finish the file and give it its name; a second call does nothing.

        Raises
        ------
        Refused, Unsupported
            If the requested form cannot represent the footer. No file is written then.
        OSError
            If the written file could not be put in place.
        """
        if not self.is_open:
            return
        try:
            self._begin_with(self.schema.empty_table())
            written = self._scratch or self._new
            written.hold()
            super().close()
            written.commit(edit_of_written(written, self._form, self._options, self._ignored, self._final))
            if self._copies is not None:
                self._encode(self._copies)
        except BaseException as error:
            self._abort_after(error)
            raise
        if self._new.has_name:
            sidecar.follow(self._target)
        if self._collector is not None:
            self._collector.append(self.writer.metadata)

    def abort(self) -> None:
        """Stop writing; an old file of that name stays unchanged."""
        self.is_open = False
        self._abandon()

    def _abandon(self) -> None:
        try:
            self._new.abort()
        finally:
            if self._scratch is not None:
                self._scratch.abort()

    def __exit__(self, kind: object = None, error: Any = None, traceback: object = None) -> None:
        if kind is None:
            self.close()
        else:
            self._abort_after(error)

    def _abort_after(self, error: BaseException) -> None:
        """Abort without hiding the original error."""
        try:
            self.abort()
        except OSError as another:
            error.add_note(f"what was written could not be removed: {another}")

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            warnings.warn(
                f"{self.where!r} was not written: its ParquetWriter was not closed",
                ResourceWarning,
                stacklevel=2,
                source=self,
            )
            self.abort()

    def _encode(self, copies: Columns) -> None:
        """Write the final file with its copies from the unnamed local file."""
        with self._scratch.written() as source:
            write_encoded(source, self._new, copies, self._copies_codec, self._ignored)
        self._new.commit()
        self._scratch.abort()


def _check_columns(names: Iterable[str | tuple[str, ...]], schema: pa.Schema) -> None:
    """Raise ColumnError unless a file of this schema has these columns, before anything is written."""
    sink = pa.BufferOutputStream()
    pq.write_metadata(schema, sink)
    form = ThriftForm(parse_end(sink.getvalue().to_pybytes(), 0).bare)
    for name in names:
        find_group_or_leaf(form, name)


def _is_stream(where: object) -> bool:
    return hasattr(where, "write") and not isinstance(where, os.PathLike)


def _refuse_store(where: object) -> None:
    """Raise Refused if the file belongs to a store: a new file in its place would remove all of its commits."""
    target = storage.resolve(where)
    if target.is_local and (store := store_of(target.path)) is not None:
        raise Refused(f"it belongs to the sidecar.Store at {store}: append to that", file=target.path)


class WriterWithThrift(ParquetWriter):
    """A writer for commands that keep what other files have: each file has a Thrift footer."""

    may_be_alone = False


@passing_given_names
def write_table(
    table: pa.Table,
    where: Any,
    row_group_size: int | None = None,
    version: str = "2.6",
    use_dictionary: bool | list[str] | str = True,
    compression: str | dict[str, str] = "snappy",
    write_statistics: bool | list[str] = True,
    use_deprecated_int96_timestamps: bool | None = None,
    coerce_timestamps: str | None = None,
    allow_truncated_timestamps: bool = False,
    data_page_size: int | None = None,
    flavor: str | None = None,
    filesystem: Any = None,
    compression_level: int | dict[str, int] | None = None,
    use_byte_stream_split: bool | list[str] = False,
    column_encoding: str | dict[str, str] | None = None,
    data_page_version: str = "1.0",
    use_compliant_nested_type: bool = True,
    encryption_properties: object = None,
    write_batch_size: int | None = None,
    dictionary_pagesize_limit: int | None = None,
    store_schema: bool = True,
    write_page_index: bool = True,
    write_page_checksum: bool = False,
    sorting_columns: Iterable[pq.SortingColumn] | None = None,
    store_decimal_as_integer: bool = False,
    write_time_adjusted_to_utc: bool = False,
    max_rows_per_page: int | None = None,
    bloom_filter_options: dict[str, Any] | None = None,
    use_content_defined_chunking: bool | dict[str, Any] = False,
    *,
    form: Form | str = AUTO,
    optimize_for: str = SCAN,
    **options: Any,
) -> None:
    """Write a table to one file; the arguments are those of `pyarrow.parquet.write_table`.

    Parameters
    ----------
    table : pyarrow.Table
    where, filesystem, form, optimize_for
        As in `ParquetWriter`.
    row_group_size : int, optional
        Maximal number of rows of a row group; 1 Mi by default.
    use_dictionary : bool, list of str, or "auto"
        ``"auto"`` uses dictionaries for the columns that they make smaller in the first row group.
    version, compression, write_statistics, use_deprecated_int96_timestamps, coerce_timestamps, \
allow_truncated_timestamps, data_page_size, flavor, compression_level, use_byte_stream_split, column_encoding, \
data_page_version, use_compliant_nested_type, encryption_properties, write_batch_size, dictionary_pagesize_limit, \
store_schema, write_page_index, write_page_checksum, sorting_columns, store_decimal_as_integer, \
write_time_adjusted_to_utc, max_rows_per_page, bloom_filter_options, use_content_defined_chunking, **options
        Options of `pyarrow.parquet.write_table`, with the same defaults, except that `write_page_index` is True, and
        options of `ParquetWriter`.

    Raises
    ------
    ParquetextError, OSError
        As in `ParquetWriter`. An old file of that name stays unchanged.

    Examples
    --------
    >>> parquetext.write_table(pa.table({"id": [1, 2]}), "new.parquet", form="flat")
    >>> parquetext.open("new.parquet").form
    'flat'
    """
    given = options.pop(GIVEN)
    options |= _given(locals(), given)
    row_group_size = options.pop("chunk_size", row_group_size)
    if options.get("use_dictionary") == "auto":
        first = table.slice(0, row_group_size or ROW_GROUP_ROWS)
        limit = options.get("dictionary_pagesize_limit") or DICTIONARY_BYTES
        options["use_dictionary"] = worth_a_dictionary(first, limit) or False
    with ParquetWriter(where, table.schema, filesystem, form=form, optimize_for=optimize_for, **options) as writer:
        writer.write_table(table, row_group_size)


# Options of pyarrow's writer and their defaults.
OPTIONS = {
    each.name: each.default
    for call in (ParquetWriter.__init__, write_table)
    for each in inspect.signature(call).parameters.values()
    if each.kind is each.POSITIONAL_OR_KEYWORD
    and each.default is not each.empty
    and each.name not in ("filesystem", "row_group_size")
}
