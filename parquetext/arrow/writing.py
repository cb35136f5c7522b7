"""Writing: pyarrow's writer, whose file gets its footer in the chosen form before anybody sees it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

from .. import sidecar, storage
from ..edits.encode import Columns, check_asked, write_encoded
from ..edits.footer import parse_end
from ..edits.forcing import FORCEABLE, STORAGE_REFUSALS
from ..edits.options import Options
from ..edits.upgrade import FORMS, check_form
from ..errors import ParquetextError, Refused
from ..extension import ASIDE
from ..footer.names import find_group_or_leaf
from ..footer.thrift_form import ThriftForm
from ..sidecar.store_layout import store_of
from ..storage.forcing import check
from .dictionaries import DICTIONARY_BYTES, worth_a_dictionary
from .written_form import AUTO, DEFAULTS, THRIFT, edit_of_written

__all__ = ["ParquetWriter", "write_table"]

ROW_GROUP_ROWS = 1 << 20  # of pyarrow's writer


class ParquetWriter(pq.ParquetWriter):
    """Write a Parquet file table by table; the names and options are those of `pyarrow.parquet.ParquetWriter`.

    A context manager. The file gets its name when it is closed, whole and with its footer; until then the name holds
    what it held before. After an exception in the ``with`` block, or `abort`, or when the writer goes away without
    having been closed, nothing of it is left.

    Parameters
    ----------
    where : str, os.PathLike, (filesystem, str), or file object
        A local path, a URI, a pair of a ``pyarrow.fs`` filesystem and a path, or something with ``write``, which gets
        the bytes and stays open.
    schema : pyarrow.Schema
    filesystem : pyarrow.fs.FileSystem, optional
        Where `where` is a path of it.
    form : {"auto", "flat", "index", "thrift"}
        The footer's form; ``"thrift"`` is what pyarrow writes. ``"auto"`` takes the one that `edits.choice.choose_form`
        finds worth its bytes, if it can be written here, and never fails for its sake.
    placement, marker : str
        As `parquetext.upgrade` takes them.
    force : iterable of str
        Refusals to pass over: ``"size"``, of a footer that readers would fail on, and ``"attributes"``, of the file in
        whose place the new one comes.
    carry : mapping of str or tuple to str, or "best", optional
        Columns that get a copy in another encoding, as `parquetext.encode` takes them. The file is written to a local
        one without a name first, in the folder of `tempfile`, and encoded from there.
    carry_codec : str, optional
        What compresses the copies; ``"none"`` without.
    **options
        Of `pyarrow.parquet.ParquetWriter`; `write_page_index` is true where nothing else is said. `metadata_collector`
        gets the metadata once the file has its name. It is that of the file without copies.

    Raises
    ------
    ParquetextError
        An unknown form, placement, marker, refusal, encoding or codec.
    ColumnError
        `carry` names a column that is not there.
    Refused
        A footer of another form was asked for, and it is to be encrypted; an attribute cannot be kept; the file is
        that of a `sidecar.Store`, which its `append` and `replace` write.
    Conflict
        Somebody else is writing or changing the file.
    """

    def __init__(
        self,
        where: object,
        schema: pa.Schema,
        filesystem: object = None,
        *,
        form: str = AUTO,
        placement: str = ASIDE,
        marker: str = "spec",
        force: Iterable[str] = (),
        metadata_collector: list | None = None,
        carry: Columns | None = None,
        carry_codec: str | None = None,
        **options: object,
    ):
        check_form(form, THRIFT)
        if filesystem is not None and _is_stream(where):
            raise ParquetextError(f"specified path is file-like, and a filesystem goes with paths only: {where!r}")
        options = DEFAULTS | options
        if carry is not None:
            check_asked(carry, carry_codec)
            _check_columns(() if isinstance(carry, str) else carry, schema)
        self._carry, self._carry_codec = carry, carry_codec
        self._forced = check(force, FORCEABLE)
        if options.get("encryption_properties") is not None:
            if form in FORMS:
                raise Refused(f"an encrypted file cannot have a footer of the form {form!r}")
            if carry is not None:
                raise Refused("columns of an encrypted file cannot have copies in other encodings")
            form = THRIFT
        self._form, self._options = form, Options(marker, placement)
        self._collector = metadata_collector
        self._target = where if filesystem is None else (filesystem, where)
        _refuse_store(self._target)
        self._new = storage.create(self._target, force=self._forced & STORAGE_REFUSALS.keys())
        self._scratch = None
        try:
            self._scratch = None if carry is None else storage.Scratch(str(where))
            super().__init__((self._scratch or self._new).sink, schema, **options)
        except BaseException:
            self._abandon()
            raise
        self.where = where

    def close(self) -> None:
        """Finish the file and give it its name; a second call does nothing.

        Raises
        ------
        Refused, Unsupported
            The form that was asked for cannot carry the footer: there is no file then.
        OSError
            What was written could not be put in its place.
        """
        if not self.is_open:
            return
        try:
            written = self._scratch or self._new
            written.hold()
            super().close()
            written.commit(edit_of_written(written, self._form, self._options, self._forced))
            if self._scratch is not None:
                self._encode()
        except BaseException as error:
            self._abort_after(error)
            raise
        if not isinstance(self._new, storage.NewStream):
            sidecar.follow(self._target)
        if self._collector is not None:
            self._collector.append(self.writer.metadata)

    def abort(self) -> None:
        """Stop writing; the name holds what it held before."""
        self.is_open = False
        self._abandon()

    def _abandon(self) -> None:
        try:
            self._new.abort()
        finally:
            if self._scratch is not None:
                self._scratch.abort()

    def __exit__(self, kind=None, error=None, traceback=None) -> None:
        if kind is None:
            self.close()
        else:
            self._abort_after(error)

    def _abort_after(self, error: BaseException) -> None:
        """Abort without hiding what went wrong before."""
        try:
            self.abort()
        except OSError as another:
            error.add_note(f"what was written could not be removed: {another}")

    def __del__(self):
        if getattr(self, "is_open", False):
            warnings.warn(
                f"{self.where!r} was not written: its ParquetWriter was not closed",
                ResourceWarning,
                stacklevel=2,
                source=self,
            )
            self.abort()

    def _encode(self) -> None:
        """Write the file as it gets its name, from the one that has none."""
        with self._scratch.written() as source:
            write_encoded(source, self._new, self._carry, self._carry_codec, self._forced)
        self._new.commit()
        self._scratch.abort()


def _check_columns(names: Iterable[str | tuple[str, ...]], schema: pa.Schema) -> None:
    """ColumnError unless a file of this schema has these columns: better now than once everything is written."""
    sink = pa.BufferOutputStream()
    pq.write_metadata(schema, sink)
    form = ThriftForm(parse_end(sink.getvalue().to_pybytes(), 0).bare)
    for name in names:
        find_group_or_leaf(form, name)


def _is_stream(where: object) -> bool:
    return hasattr(where, "write") and not isinstance(where, os.PathLike)


def _refuse_store(where) -> None:
    """A new file in the place of a store's would take all of its commits away."""
    if _is_stream(where):
        return
    target = storage.resolve(where)
    if isinstance(target, storage.LocalTarget) and (store := store_of(target.path)) is not None:
        raise Refused(f"it belongs to the sidecar.Store at {store}: append to that", file=target.path)


def write_table(
    table: pa.Table,
    where: object,
    row_group_size: int | None = None,
    *,
    form: str = AUTO,
    filesystem: object = None,
    **options: object,
) -> None:
    """Write a table to one file; the arguments are those of `pyarrow.parquet.write_table`.

    Parameters
    ----------
    table : pyarrow.Table
    where, filesystem, form, **options
        As `ParquetWriter` takes them; ``use_dictionary="auto"`` gives a dictionary to the columns that it makes smaller
        in the first row group.
    row_group_size : int, optional
        The most rows of a row group; 1 Mi without.

    Raises
    ------
    ParquetextError, OSError
        As `ParquetWriter`; the name then holds what it held before.

    Examples
    --------
    >>> parquetext.write_table(pa.table({"id": [1, 2]}), "new.parquet", form="flat")
    >>> parquetext.open("new.parquet").form
    'flat'
    """
    row_group_size = options.pop("chunk_size", row_group_size)
    if options.get("use_dictionary") == "auto":
        first = table.slice(0, row_group_size or ROW_GROUP_ROWS)
        limit = options.get("dictionary_pagesize_limit") or DICTIONARY_BYTES
        options["use_dictionary"] = worth_a_dictionary(first, limit) or False
    with ParquetWriter(where, table.schema, filesystem, form=form, **options) as writer:
        writer.write_table(table, row_group_size)
