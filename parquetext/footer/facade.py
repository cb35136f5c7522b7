"""The façade: one interface for a file's footer in any form, and the fallback to the next form if one is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self, TypeVar

import pyarrow as pa

from .. import wire
from ..errors import ColumnError, Damaged, Malformed, ParquetextError, Unsupported, name_file, out_of_memory
from ..findings import Finding
from ..storage import ChangedFile, Target, can_gather, counts_requests
from ..tabular import Shown, Tabular
from . import best_form, forms
from .arrow_errors import as_arrow_error
from .columns import Column
from .concurrent_changes import is_changed, opened_again
from .extensions import Extensions
from .form_spec import FormSpec
from .lease import Lease
from .model import FooterReader
from .names import find_column, find_columns, find_leaf, find_placed, nearest_columns
from .path_sizes import check_form
from .pyarrow_footer import undecodable_name, whole_schema
from .row_groups import RowGroups

if TYPE_CHECKING:
    from .bloom_filters import BloomFilters
    from .schema import ParquetSchema


class IoStats(NamedTuple):
    """The requests and bytes that were read for metadata."""

    requests: int
    bytes: int


A_GOOD_PART = 4  # load the whole footer if at least one leaf in this many is requested,
MANY = 16  # or, of a local file, one in as many as the form says, and at least this number
LOOK_UPS = 64  # number of look-ups after which loading the whole footer is considered again
MOST_COMPARED = 1 << 16  # leaves, whose names are compared with one that is not there
_NOTHING: Any = (0, 0)
CHANGED_IN_PLACE = "changed-in-place"
T = TypeVar("T")
E = TypeVar("E", bound=ParquetextError)


def _look_up(form: FooterReader, name: Any, field_id: int | None) -> tuple[int, Any]:
    """Return a leaf by its name or field id, and its chunks."""
    if type(name) is str and field_id is None:
        found = form.find_column(name)
        if found is not None:
            return found
    leaf = find_leaf(form, name, field_id)
    return leaf, form.column(leaf)


def _hold(form: FooterReader) -> None:
    """Load the whole footer into memory, if the form reads it in parts."""
    if hasattr(form, "hold"):
        form.hold()


class _Closed:
    """The form of a closed file: each access raises."""

    def __getattr__(self, name: str) -> NoReturn:
        raise pa.ArrowInvalid("the file is closed")


_CLOSED: Any = _Closed()


class File(Tabular):
    """An open Parquet file: its footer, read as far as it is needed.

    A context manager, opened by `parquetext.open`. If a call finds the form in use damaged, the file changes to the
    next form, repeats the call, and reports it in `form` and `findings`.

    Attributes
    ----------
    form : str
        The form of the footer in use: a value of `parquetext.Form`.
    path : str
        The opened path.
    """

    __slots__ = (
        "_findings",
        "_form",
        "_is_reopened",
        "_lease",
        "_left",
        "_lock",
        "_looked_up",
        "_schema",
        "_source",
        "form",
        "path",
    )

    def __init__(self, path: Any, source: Any, name: str, form: FooterReader, findings: list[Finding] | None = None):
        self.path, self._source, self.form, self._form = path, source, name, form
        self._findings, self._lease = findings, Lease()
        self._schema: pa.Schema | None = None
        self._left, self._looked_up, self._is_reopened = _NOTHING, 0, False
        self._lock = RLock()  # for closing and for changing to another form

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object = None, error: object = None, traceback: object = None) -> None:
        with self._lock:
            if self._form is _CLOSED:
                return
            lease = self._lease
            lease.take_over(self._form, self._source, self.path)
            self._form = _CLOSED  # first, as others take the lease first
            self._lease = _CLOSED

    def close(self) -> None:
        """Close the file; a second call does nothing.

        Columns and metadata that were taken from it stay good: the footer is closed when the last one of them is
        released and all running reads have ended, in other threads or as batches.
        """
        self.__exit__()

    def _lease_of_open(self) -> Lease:
        """Return the lease, which keeps the source open while a read continues."""
        lease = self._lease
        if lease is _CLOSED:
            raise pa.ArrowInvalid("the file is closed")
        return lease

    @property
    def closed(self) -> bool:
        """Return True if the file is closed."""
        return self._form is _CLOSED

    def __reduce__(self) -> tuple[Any, ...]:
        from .reopening import file_state, reopen  # it opens files, so it imports this module

        if self._form is _CLOSED:
            raise pa.ArrowInvalid("the file is closed")
        return reopen, file_state(self, self._source)

    @classmethod
    def _open_again(cls, target: str | Target) -> File:
        """Open a file that was pickled."""
        from .opening import open_as  # it makes files, so it imports this module

        return open_as(cls, target)

    # ---- forms --------------------------------------------------------------------------------------------------

    @property
    def findings(self) -> list[Finding]:
        """Return all defects, such as a damaged form for which another one is used; empty for a sound file."""
        if self._findings is None:
            self._findings = []
        return self._findings

    def _on_form(self, operation: Callable[[FooterReader], T]) -> T:
        """Run an operation that reads the footer; repeat it on the next form if this one is damaged."""
        lease, form = self._lease, self._form  # the lease keeps the form open even if the file is closed meanwhile
        try:
            return operation(form)
        except MemoryError as error:
            raise out_of_memory(error, self.path) from None
        except (ColumnError, Unsupported) as error:
            raise self._named(error) from None
        except (Damaged, Malformed, OSError) as error:
            self._recover(error, form)
        finally:
            del lease  # which the traceback of an error would keep
        return self._on_form(operation)

    def _recover(self, error: Damaged | Malformed | OSError, form: FooterReader) -> None:
        """Change to a form on which the failed operation can be repeated, or raise the error."""
        with self._lock:
            if self._form is not form or self._reopened_after_change():
                return  # another thread may have changed to another form, or closed the file
            if isinstance(error, Damaged) and self._has_next_form():
                self._leave_form(error)
                return
            if is_changed(self._source):
                raise self._changed(error) from error
        if isinstance(error, OSError):
            raise name_file(error, self.path)
        raise self._located(error) if isinstance(error, Malformed) else self._named(error) from None

    def _changed(self, cause: BaseException) -> ChangedFile:
        """Return the error for a file that was changed in place and cannot be read since."""
        return ChangedFile(f"the file was changed in place since it was opened: {cause}", file=str(self.path))

    def _reopened_after_change(self) -> bool:
        """Open a local file again if it was changed in place: its footer may have moved."""
        source = self._source
        if self._is_reopened or not is_changed(source):
            return False
        changed = opened_again(source.fd, self.path)
        if changed is None:
            return False
        try:
            name, form, findings = best_form.best_form(changed)
        except ParquetextError as error:
            changed.close()
            raise self._changed(error) from error
        self._lease.keep(source)
        self._is_reopened = True
        self._source, self.form, self._form = changed, name, form
        self._findings = [
            Finding(
                CHANGED_IN_PLACE, "the file was changed in place since it was opened; it was opened again", is_note=True
            ),
            *findings,
        ]
        return True

    def _located(self, error: Malformed) -> Malformed:
        """Return the error with the file's name, and with the offset of the struct that lacks a required field."""
        if error.code == wire.MISSING_FIELD and error.offset is None:
            error.offset = best_form.offset_of_missing(self._source)
        return self._named(error)

    def _named(self, error: E) -> E:
        """Return the error with the file's name, as a subclass of pyarrow's; for an unknown name with similar ones."""
        if isinstance(error, ColumnError) and error.absent is not None and self.num_columns <= MOST_COMPARED:
            try:
                self._expect(self.num_columns)
                error.suggest(nearest_columns(self._form, error.absent))
            except (Damaged, Malformed, OSError) as unread:
                error.add_note(f"no nearest names: {unread}")
        return as_arrow_error(error.at(str(self.path)))

    def _each(self, operations: Iterable[Callable[[FooterReader], T]]) -> list[T]:
        """Run several operations on one form; their reads from a remote file are merged."""

        def on(form: FooterReader) -> list[T]:
            return self._gathered([partial(operation, form) for operation in operations])

        operations = list(operations)
        return self._on_form(on)

    def _gathered(self, tasks: list[Callable[[], T]]) -> list[T]:
        """Run tasks that read from the file; their reads from a remote file are merged."""
        return self._source.gather(tasks) if self._is_batched() else [task() for task in tasks]

    def _is_batched(self) -> bool:
        return can_gather(self._source)

    def _blooms(self, form: FooterReader, types: Mapping[str, pa.DataType]) -> BloomFilters:
        """Return the Bloom filters of columns, whose rows have these types."""
        from .bloom_filters import BloomFilters  # importing it takes long, and most files are opened without

        return BloomFilters(form, self._source, self._gathered, types)

    def _expect(self, leaves: int) -> None:
        """Prepare for reading this many leaves: read the whole footer if they are a large part of it."""
        part = A_GOOD_PART if leaves < MANY or self._is_batched() else self.spec.part_to_hold
        if not self.spec.is_cellular or leaves * part < self.num_columns:
            return
        self._on_form(lambda form: self._source.hold() if self._is_batched() else _hold(form))

    def _has_next_form(self) -> bool:
        """Return True if the file has another form if this one is damaged."""
        return self.spec.is_preferred and not self.is_final

    @property
    def spec(self) -> FormSpec:
        """Return the registry entry of the form in use; the Thrift form if a sidecar replaces the footer."""
        return forms.BY_NAME.get(self.form, forms.THRIFT)

    @property
    def is_final(self) -> bool:
        """Return True if the file has no Thrift footer."""
        return getattr(self._form, "is_alone", self.spec.is_final)

    def _leave_form(self, error: Damaged) -> None:
        """Change to the next form. Other threads may still read the old one, which is closed after the last of them."""
        try:
            name, following, findings = best_form.following_form(self._source, self.form, error)
        except ParquetextError as failed:
            raise self._named(failed) from error
        self.findings.extend(findings)
        self._left = tuple(map(sum, zip(self._left, self._form.io, strict=True)))
        self.form, self._form = name, following

    # ---- properties ----------------------------------------------------------------------------------------------

    @property
    def num_rows(self) -> int:
        return self._form.num_rows

    @property
    def num_columns(self) -> int:
        """Return the number of leaf columns."""
        return self._form.leaf_count

    @property
    def version(self) -> int:
        """Return the version that the writer claims, 1 or 2."""
        return self._form.version

    @property
    def created_by(self) -> str | None:
        text = self._on_form(lambda form: form.created_by)
        return None if text is None else text.decode("utf-8", "replace")

    @property
    def key_values(self) -> dict[bytes, bytes | None]:
        """Return the file's key-value metadata; of equal keys, the first one counts."""
        pairs = self._on_form(lambda form: [form.key_value(index) for index in range(form.key_value_count)])
        return dict(reversed(pairs))

    @property
    def extensions(self) -> Extensions:
        """Return the contents of the extension slots by UUID; each is read on access."""
        return Extensions(self)

    @property
    def row_groups(self) -> RowGroups:
        """Return the row groups: a sequence, with its fields as memoryviews."""
        return RowGroups(self)

    @property
    def schema(self) -> pa.Schema:
        """Return the Arrow schema as pyarrow reads it, built on first access in time linear in the columns."""
        if self._schema is None:
            self._expect(self.num_columns)
            schema = self._on_form(whole_schema)
            if (name := undecodable_name(schema)) is not None:
                offset = best_form.offset_of_name(self._source, name)
                raise self._named(Malformed(f"the name of a column is not UTF-8: {name!r}", offset=offset))
            self._schema = schema
        return self._schema

    @property
    def parquet_schema(self) -> ParquetSchema:
        """Return the Parquet schema, element by element."""
        from .schema import ParquetSchema

        return ParquetSchema(self)

    @property
    def io_stats(self) -> IoStats:
        """Return the requests and bytes that were read for metadata."""
        if counts_requests(self._source):
            return IoStats(self._source.requests, self._source.bytes_read)
        reads, count = self._form.io
        return IoStats(1 + reads + self._left[0], len(self._source.tail) + count + self._left[1])

    # ---- columns ------------------------------------------------------------------------------------------------

    def column(
        self, name: str | tuple[str, ...] | None = None, *, field_id: int | None = None, bounds: bool = True
    ) -> Column:
        """Return one leaf column over all row groups.

        Parameters
        ----------
        name : str or tuple of str
            A top-level name or an exact dotted path as a string, or a path as a tuple.
        field_id : int
            Instead of a name.
        bounds : bool
            If false, a form that stores minima and maxima apart reads them when they are first requested.

        Raises
        ------
        ColumnError
            If no leaf or more than one has this name, or if it is a group; the message lists the candidates.

        Notes
        -----
        With a flat footer or an index, the cost does not depend on the number of columns. After an eighth of the
        columns have been requested one by one, the footer is kept in memory.
        """
        lease, form = self._lease, self._form
        self._looked_up += 1
        if not self._looked_up % LOOK_UPS:  # the same number of look-ups may follow
            self._expect(2 * self._looked_up)
        try:
            look_up = _look_up if bounds else partial(find_placed, self.spec)
            if self._is_batched() and self.spec.reads_by_chunk:  # its row groups are fetched together
                (found,) = self._gathered([partial(look_up, form, name, field_id)])
            else:
                known = form.find_column(name) if bounds and type(name) is str and field_id is None else None
                found = known or look_up(form, name, field_id)
            leaf, chunks = found
            return Column(self, leaf, chunks, bounds)
        except (ColumnError, Unsupported) as error:
            raise self._named(error) from None
        except (Damaged, Malformed, OSError) as error:
            self._recover(error, form)
        finally:
            del lease
        return self.column(name, field_id=field_id, bounds=bounds)

    def columns(self, names: Iterable[str | tuple[str, ...]] | None = None) -> list[Column]:
        """Return several columns in the order of their names; all leaves if `names` is None.

        Raises
        ------
        ColumnError
            As `column` raises it, for the first name that is not one leaf.

        Notes
        -----
        Faster than one call after the other. For a remote file, all of them take a few rounds of requests: nearby
        cells are fetched together, others at the same time.
        """
        if names is None:
            self._expect(self.num_columns)

            def every(form: FooterReader) -> list[Column]:
                check_form(form)
                return [Column(self, leaf, form.column(leaf)) for leaf in range(form.leaf_count)]

            return self._on_form(every)
        names = list(names)
        self._expect(len(names))
        if self._is_batched():
            found = self._each(partial(find_column, name=name) for name in names)
        else:
            found = self._on_form(lambda form: find_columns(form, names))
        return [Column(self, leaf, chunks) for leaf, chunks in found]

    def pages(
        self, name: str | tuple[str, ...] | Column | None = None, *, field_id: int | None = None, copies: bool = False
    ) -> pa.Table:
        """Return the page table of one leaf column: one row per page, by row group; see `footer.page_table`.

        The headers are read in windows: most of the bytes of a column of many small pages, few of one with large pages.
        The page index, if there is one, adds values that they lack. Names are those of `column`. A `Column` of this
        file is also accepted; it is the only way to select one of several columns with the same name. With `copies`,
        the pages are those of the chunks' copies in another encoding; a row group without a copy has no pages.

        Raises
        ------
        ColumnError
            As `column` raises it.
        Malformed, Damaged, Unsupported
            If a header cannot be read, if a chunk is encrypted or in another file, or if the reference to a copy is
            damaged.
        """
        # Only this method needs them, and they take long to import.
        from ..encoding.pages import REMOTE_WINDOW
        from .copied_chunks import copies_of_leaf
        from .page_table import page_table

        lease, column = self._lease, name if isinstance(name, Column) else self.column(name, field_id=field_id)
        found = self._on_form(lambda form: copies_of_leaf(form, column.leaf)) if copies else None
        together = {"window": REMOTE_WINDOW, "gather": self._source.gather} if self._is_batched() else {}
        try:
            return page_table(self._source, column, copies=found, **together)
        except (ParquetextError, OSError) as error:
            if is_changed(self._source):
                raise self._changed(error) from error
            raise self._named(error) if isinstance(error, ParquetextError) else name_file(error, self.path) from None
        finally:
            del lease

    @property
    def may_have_copies(self) -> bool:
        """Return False if an extension slot shows that no column has a copy in another encoding."""
        from .copied_chunks import payload_in

        return self._on_form(lambda form: not hasattr(form, "extensions") or payload_in(form) is not None)

    def to_arrow(self) -> pa.Table:
        """Return the chunk table: one row per column chunk, by row group; see `footer.chunk_table`."""
        from .chunk_table import chunk_table  # as in `pages`

        self._expect(self.num_columns)
        return self._on_form(chunk_table)

    # ---- as a mapping of names to columns, and as it is shown ---------------------------------------------------

    def __getitem__(self, name: str | tuple[str, ...]) -> Column:
        """Return one leaf column; see `column`."""
        return self.column(name)

    def __contains__(self, name: object) -> bool:
        """Return True if exactly one leaf column has this name."""
        if not isinstance(name, (str, tuple)):
            return False
        try:
            self._on_form(partial(find_leaf, name=name, field_id=None))
        except ColumnError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the leaf columns: dotted paths, in order."""
        return iter([".".join(path) for path in self.parquet_schema.paths])

    def __len__(self) -> int:
        """Return the number of leaf columns."""
        return self.num_columns

    def __bool__(self) -> bool:
        """Return True, also for a file without columns."""
        return True

    def _shown(self) -> Shown:
        from .footer_repr import show_file

        if self._form is _CLOSED:
            return Shown(f"parquetext.File {self.path}", [("state", "closed")])
        return show_file(self)
