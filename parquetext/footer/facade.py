"""The façade: a file's footer behind one interface, whatever its form; the one place where a damaged form is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import RLock
from typing import NamedTuple, Self, TypeVar

import pyarrow as pa

from .. import wire
from ..encoding.pages import REMOTE_WINDOW
from ..errors import ColumnError, Damaged, LimitExceeded, Malformed, ParquetextError, name_file, out_of_memory
from ..findings import Finding
from ..storage import BatchedSource, ChangedFile, RemoteTarget
from ..tabular import Shown, Tabular
from . import best_form, forms
from .arrow_errors import as_arrow_error
from .columns import Column
from .concurrent_changes import is_changed, opened_again
from .copied_chunks import copies_of_leaf, payload_in
from .extensions import Extensions
from .form_spec import FormSpec
from .lease import Lease
from .model import FooterReader
from .names import find_column, find_columns, find_leaf, nearest_columns
from .path_sizes import check_form
from .pyarrow_footer import undecodable_name, whole_schema
from .row_groups import RowGroups
from .schema import ParquetSchema

__all__ = ["File", "IoStats"]


class IoStats(NamedTuple):
    """What was read for metadata so far: requests, and the bytes that they gave."""

    requests: int
    bytes: int


A_GOOD_PART = 4  # of a footer, that is worth reading whole: one leaf in so many is wanted
LOOK_UPS = 64  # after so many one by one it is asked again whether it is worth it
MOST_COMPARED = 1 << 16  # leaves, whose names are compared with one that is not there
_NOTHING = (0, 0)
CHANGED_IN_PLACE = "changed-in-place"
T = TypeVar("T")
E = TypeVar("E", bound=ParquetextError)


def _look_up(form: FooterReader, name, field_id: int | None) -> tuple:
    """A leaf by its name or field id, and its chunks."""
    if type(name) is str and field_id is None:
        found = form.find_column(name)
        if found is not None:
            return found
    leaf = find_leaf(form, name, field_id)
    return leaf, form.column(leaf)


def _hold(form: FooterReader) -> None:
    """Let a form keep its footer in memory; one without cells has it there."""
    if hasattr(form, "hold"):
        form.hold()


class _Closed:
    """Stands for the form of a closed file."""

    def __getattr__(self, name: str):
        raise pa.ArrowInvalid("the file is closed")


_CLOSED = _Closed()


class File(Tabular):
    """An open Parquet file: its footer, read as far as it is asked for.

    A context manager. Made by `parquetext.open`. Any call may find the form in use damaged; then the file goes over to
    the next form, does what was asked there, and says so in `form` and `findings`.

    Attributes
    ----------
    form : str
        The form of the footer in use: a value of `parquetext.Form`.
    path : str
        What was opened.
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

    def __init__(
        self, path: object, source: object, name: str, form: FooterReader, findings: list[Finding] | None = None
    ):
        self.path, self._source, self.form, self._form = path, source, name, form
        self._findings, self._lease = findings, Lease()
        self._schema: pa.Schema | None = None
        self._left, self._looked_up, self._is_reopened = _NOTHING, 0, False
        self._lock = RLock()  # of who closes it or goes over to another form

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind=None, error=None, traceback=None) -> None:
        with self._lock:
            if self._form is _CLOSED:
                return
            lease = self._lease
            lease.take_over(self._form, self._source, self.path)
            self._form = _CLOSED  # first, as others take the lease first
            self._lease = _CLOSED

    def close(self) -> None:
        """Close the file; a second call does nothing.

        Columns and metadata that were taken from it stay good: the footer is closed once the last one of them is gone,
        and once reads have ended that had begun, in other threads or as batches.
        """
        self.__exit__()

    def _lease_of_open(self) -> Lease:
        """The lease, which keeps open what a read that goes on needs."""
        lease = self._lease
        if lease is _CLOSED:
            raise pa.ArrowInvalid("the file is closed")
        return lease

    @property
    def closed(self) -> bool:
        """Whether the file is closed."""
        return self._form is _CLOSED

    def __reduce__(self):
        from .reopening import file_state, reopen  # it opens files, so it imports this module

        if self._form is _CLOSED:
            raise pa.ArrowInvalid("the file is closed")
        return reopen, file_state(self, self._source)

    @classmethod
    def _open_again(cls, target: str | RemoteTarget) -> Self:
        """Open a file that was pickled."""
        from .opening import open_as  # it makes files, so it imports this module

        return open_as(cls, target)

    # ---- forms --------------------------------------------------------------------------------------------------

    @property
    def findings(self) -> list[Finding]:
        """What is not as it should be, such as a form that was left for another one; empty for a sound file."""
        if self._findings is None:
            self._findings = []
        return self._findings

    def _on_form(self, operation: Callable):
        """Do something that only reads the footer; on the next form where this one is damaged."""
        lease, form = self._lease, self._form  # the lease keeps the form open, whoever closes the file meanwhile
        try:
            return operation(form)
        except MemoryError as error:
            raise out_of_memory(error, self.path) from None
        except ColumnError as error:
            raise self._named(error) from None
        except LimitExceeded as error:
            raise self._named(error) from None
        except (Damaged, Malformed, OSError) as error:
            self._recover(error, form)
        finally:
            del lease  # which the traceback of an error would keep
        return self._on_form(operation)

    def _recover(self, error: Damaged | Malformed | OSError, form: FooterReader) -> None:
        """Go over to a form on which what failed on `form` can be tried again, or raise the error."""
        with self._lock:
            if self._form is not form or self._reopened_after_change():
                return  # another thread may have gone over to another form, or closed the file
            if isinstance(error, Damaged) and self._has_next_form():
                self._leave_form(error)
                return
            if is_changed(self._source):
                raise self._changed(error) from error
        if isinstance(error, OSError):
            raise name_file(error, self.path)
        raise self._located(error) if isinstance(error, Malformed) else self._named(error) from None

    def _changed(self, cause: BaseException) -> ChangedFile:
        """The error of a file that was changed in place, and of which something cannot be read since."""
        return ChangedFile(f"the file was changed in place since it was opened: {cause}", file=str(self.path))

    def _reopened_after_change(self) -> bool:
        """Open a local file once more where it was changed in place meanwhile: its footer may have moved."""
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
        """The error with the file's name, and with where in the file the field is missing that pyarrow asks for."""
        if error.code == wire.MISSING_FIELD and error.offset is None:
            error.offset = best_form.offset_of_missing(self._source)
        return self._named(error)

    def _named(self, error: E) -> E:
        """The error with the file's name, as one that is also pyarrow's; of an absent name, with the nearest ones."""
        if isinstance(error, ColumnError) and error.absent is not None and self.num_columns <= MOST_COMPARED:
            try:
                self._expect(self.num_columns)
                error.suggest(nearest_columns(self._form, error.absent))
            except (Damaged, Malformed, OSError) as unread:
                error.add_note(f"no nearest names: {unread}")
        return as_arrow_error(error.at(str(self.path)))

    def _each(self, operations: Iterable[Callable[[FooterReader], T]]) -> list[T]:
        """Do several things on one form; of a remote file what they read is fetched together."""

        def on(form: FooterReader) -> list[T]:
            return self._gathered([partial(operation, form) for operation in operations])

        operations = list(operations)
        return self._on_form(on)

    def _gathered(self, tasks: list[Callable[[], T]]) -> list[T]:
        """The results of tasks that read from the file; of a remote one what they read is fetched together."""
        return self._source.gather(tasks) if self._is_batched() else [task() for task in tasks]

    def _is_batched(self) -> bool:
        return isinstance(self._source, BatchedSource)

    def _expect(self, leaves: int) -> None:
        """Prepare for facts of so many leaves: a footer of which they are a good part is read whole."""
        if not self.spec.is_cellular or leaves * A_GOOD_PART < self.num_columns:
            return
        self._on_form(lambda form: self._source.hold() if self._is_batched() else _hold(form))

    def _has_next_form(self) -> bool:
        """Return True if the file has another form if this one is damaged."""
        return self.spec.is_preferred and not self.spec.is_final

    @property
    def spec(self) -> FormSpec:
        """The entry of the form in use in the registry of forms; the Thrift form if a sidecar replaces the footer."""
        return forms.BY_NAME.get(self.form, forms.THRIFT)

    def _leave_form(self, error: Damaged) -> None:
        """Go over to the next form. Other threads may be reading from this one: it goes with the last of them."""
        try:
            name, following, findings = best_form.following_form(self._source, self.form, error)
        except ParquetextError as failed:
            raise self._named(failed) from error
        self.findings.extend(findings)
        self._left = tuple(map(sum, zip(self._left, self._form.io, strict=True)))
        self.form, self._form = name, following

    # ---- facts --------------------------------------------------------------------------------------------------

    @property
    def num_rows(self) -> int:
        return self._form.num_rows

    @property
    def num_columns(self) -> int:
        """Leaf columns."""
        return self._form.leaf_count

    @property
    def version(self) -> int:
        """The version that the writer claims, 1 or 2."""
        return self._form.version

    @property
    def created_by(self) -> str | None:
        text = self._on_form(lambda form: form.created_by)
        return None if text is None else text.decode("utf-8", "replace")

    @property
    def key_values(self) -> dict[bytes, bytes | None]:
        """The file's own metadata; of equal keys the first one counts."""
        pairs = self._on_form(lambda form: [form.key_value(index) for index in range(form.key_value_count)])
        return dict(reversed(pairs))

    @property
    def extensions(self) -> Extensions:
        """What the flat footer carries for others: bytes by UUID, read when asked for."""
        return Extensions(self)

    @property
    def row_groups(self) -> RowGroups:
        """The row groups: a sequence of them, and their facts as memoryviews."""
        return RowGroups(self)

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema as pyarrow reads it, made when first asked for; its time grows with the columns."""
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
        """The schema as Parquet has it, element by element."""
        return ParquetSchema(self)

    @property
    def io_stats(self) -> IoStats:
        """Requests and bytes that metadata has cost so far."""
        if hasattr(self._source, "requests"):
            return IoStats(self._source.requests, self._source.bytes_read)
        reads, count = self._form.io
        return IoStats(1 + reads + self._left[0], len(self._source.tail) + count + self._left[1])

    # ---- columns ------------------------------------------------------------------------------------------------

    def column(self, name: str | tuple[str, ...] | None = None, *, field_id: int | None = None) -> Column:
        """One leaf column over all row groups.

        Parameters
        ----------
        name : str or tuple of str
            A top-level name or an exact dotted path as a string, or a path as a tuple.
        field_id : int
            Instead of a name.

        Raises
        ------
        ColumnError
            Nothing is called so, more than one leaf is, or it is a group; the message lists the candidates.

        Notes
        -----
        With a flat footer or an index the cost does not depend on how many columns the file has. A file that is
        asked for an eighth of its columns one by one keeps its footer in memory from then on.
        """
        lease, form = self._lease, self._form
        self._looked_up += 1
        if not self._looked_up % LOOK_UPS:  # as many more may come
            self._expect(2 * self._looked_up)
        try:
            if self.spec.reads_by_chunk and self._is_batched():  # its row groups are fetched together
                (found,) = self._gathered([partial(_look_up, form, name, field_id)])
            else:
                found = form.find_column(name) if type(name) is str and field_id is None else None
                found = found or _look_up(form, name, field_id)
            leaf, chunks = found
            return Column(self, leaf, chunks)
        except ColumnError as error:
            raise self._named(error) from None
        except (Damaged, Malformed, OSError) as error:
            self._recover(error, form)
        finally:
            del lease
        return self.column(name, field_id=field_id)

    def columns(self, names: Iterable[str | tuple[str, ...]] | None = None) -> list[Column]:
        """Several columns at once, in the order of their names; all leaves without `names`.

        Raises
        ------
        ColumnError
            As `column` raises it, for the first name that is not one leaf.

        Notes
        -----
        Takes less time than one call after the other. Of a remote file all of them take a few rounds of requests: where
        their cells lie near each other they come together, otherwise at the same time.
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
        """The page table of one leaf column: one row per page, row group by row group; see `footer.page_table`.

        Headers are read, in windows: of a column of many small pages that is most of its bytes, of large ones few. The
        page index, where there is one, says what they leave out. Names are those that `column` takes; a `Column` of
        this file is taken, too, and is the only way to one of several columns of one name. With `copies` the pages are
        those of the chunks' copies in another encoding; a row group without one has none.

        Raises
        ------
        ColumnError
            As `column` raises it.
        Malformed, Damaged, Unsupported
            A header that cannot be read, an encrypted chunk, or one in another file; what leads to a copy is damaged.
        """
        from .page_table import page_table  # only this method needs it, and it takes long to import

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
        """Whether columns may have copies in other encodings: a flat footer tells by a slot, others are not asked."""
        return self._on_form(lambda form: not hasattr(form, "extensions") or payload_in(form) is not None)

    def to_arrow(self) -> pa.Table:
        """The chunk table: one row per column chunk, row group by row group; see `footer.chunk_table`."""
        from .chunk_table import chunk_table  # as in `pages`

        self._expect(self.num_columns)
        return self._on_form(chunk_table)

    # ---- as a mapping of names to columns, and as it is shown ---------------------------------------------------

    def __getitem__(self, name: str | tuple[str, ...]) -> Column:
        """One leaf column, as `column` finds it."""
        return self.column(name)

    def __contains__(self, name: object) -> bool:
        """Whether `name` is the name of exactly one leaf column."""
        if not isinstance(name, (str, tuple)):
            return False
        try:
            self._on_form(partial(find_leaf, name=name, field_id=None))
        except ColumnError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """The names of the leaf columns, in order: paths with dots."""
        return iter([".".join(path) for path in self.parquet_schema.paths])

    def __len__(self) -> int:
        """How many leaf columns there are."""
        return self.num_columns

    def __bool__(self) -> bool:
        """True, also of a file without columns."""
        return True

    def _shown(self) -> Shown:
        from .footer_repr import show_file

        if self._form is _CLOSED:
            return Shown(f"parquetext.File {self.path}", [("state", "closed")])
        return show_file(self)
