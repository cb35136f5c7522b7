"""A file's metadata with pyarrow's interface; only the metadata of the accessed columns are read.

Counts of the file and its row groups are read from the footer's current form. A column chunk is a pyarrow object,
made from a small Thrift footer of its column, so that each attribute has the same meaning as in pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
from pyarrow import _parquet

from ..errors import Malformed, ParquetextError, Unsupported
from ..footer.arrow_errors import as_arrow_error
from ..footer.best_form import thrift_footer, thrift_length
from ..footer.column_footer import column_footer, schema_footer
from ..footer.format_version import FormatVersion, declared_version
from ..footer.model import FooterReader
from ..footer.pyarrow_chunks import PyarrowChunks
from ..footer.pyarrow_footer import metadata_of
from ..footer.thrift_form import ThriftForm

if TYPE_CHECKING:
    from ..footer.facade import File

PART_ROW_GROUPS = 64  # row groups of a column in a small footer
WHOLE_FOOTER_SHARE = 128  # one small footer takes about as long as this many chunks of the whole footer
LATEST_VERSION = {1: "1.0", 2: "2.6"}  # pyarrow's names of the footer's version numbers
T = TypeVar("T")


class _FileFooter:
    """The footer of a file; it remains usable after the file is closed."""

    def __init__(self, file: File):
        if file.closed:
            raise pa.ArrowInvalid("the file is closed")
        self._file, self._lease, self.name = file, file._lease, str(file.path)

    def ask(self, operation: Callable[[FooterReader], T]) -> T:
        return self._lease.ask(operation, self._file._on_form)

    def _ask_source(self, operation: Callable[[object], T]) -> T:
        try:
            return operation(self._lease.source if self._lease.is_owner else self._file._source)
        except ParquetextError as error:
            raise _named(error, self.name) from None

    def thrift(self) -> bytes | memoryview:
        found = self.ask(lambda form: getattr(form, "scan", None))
        return self._ask_source(thrift_footer)[0] if found is None else memoryview(found.data)[: found.end]

    def size(self) -> int | None:
        found = self.ask(lambda form: getattr(form, "scan", None))
        return self._ask_source(thrift_length) if found is None else found.end


def _named(error: ParquetextError, name: str | None) -> ParquetextError:
    """Return the error with the file's name, as a subclass of pyarrow's error."""
    return as_arrow_error(error if error.file or name is None else error.at(name))


class _FooterBytes:
    """A Thrift footer in memory."""

    name = None

    def __init__(self, footer: bytes):
        self._footer, self._form = footer, ThriftForm(footer)

    def ask(self, operation: Callable[[FooterReader], T]) -> T:
        return operation(self._form)

    def thrift(self) -> bytes:
        return self._footer

    def size(self) -> int:
        size: int = self._form.scan.end
        return size


class _Compared:
    """Metadata that are equal if `equals` says so; to other objects they are not equal."""

    def equals(self, other: object) -> bool:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        try:
            return self.equals(other)
        except TypeError:
            return NotImplemented


class FileMetaData(_Compared):
    """A file's metadata, with the names of `pyarrow.parquet.FileMetaData`.

    It is made by `File.metadata` and `parquetext.read_metadata`, and remains usable after the file is closed. Only
    requested data is read: ``row_group(i).column(j)`` reads column ``j`` alone. If many columns are requested, the
    whole footer is read once, because that takes less time.
    """

    def __init__(self, file: File):
        self._take(_FileFooter(file))

    def _take(self, footer: _FileFooter | _FooterBytes) -> None:
        self._footer = footer
        self._whole: PyarrowChunks | None = None
        self._part: tuple[tuple[int, int], PyarrowChunks] | None = None
        self._parts_made = 0
        self._schema: _parquet.ParquetSchema | None = None

    @classmethod
    def of_thrift(cls, footer: bytes) -> FileMetaData:
        """Make metadata from a Thrift footer."""
        made = cls.__new__(cls)
        made._take(_FooterBytes(footer))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_thrift, (thrift_of(self),)

    # ---- numbers

    @property
    def num_rows(self) -> int:
        """The number of rows of the file."""
        return self._footer.ask(lambda form: form.num_rows)

    @property
    def num_columns(self) -> int:
        """The number of leaf columns."""
        return self._footer.ask(lambda form: form.leaf_count)

    @property
    def num_row_groups(self) -> int:
        """The number of row groups."""
        return self._footer.ask(lambda form: form.row_group_count)

    @property
    def format_version(self) -> str:
        """The version of the format that the writer claims: ``"1.0"`` or ``"2.6"``."""
        return LATEST_VERSION.get(self._footer.ask(lambda form: form.version), "1.0")

    @property
    def declared_version(self) -> FormatVersion | None:
        """The version of the format that the footer declares (a proposal); None if it declares none."""
        return declared_version(self._footer.thrift())

    @property
    def created_by(self) -> str:
        """The program that wrote the file; empty if the footer does not name it."""
        return (self._footer.ask(lambda form: form.created_by) or b"").decode("utf-8", "replace")

    @property
    def serialized_size(self) -> int:
        """The size of the Thrift footer in bytes; in a PAR3 file, the size of the equivalent Thrift footer."""
        size = self._footer.size()
        return self.to_pyarrow().serialized_size if size is None else size

    @property
    def metadata(self) -> dict[bytes, bytes] | None:
        """The key-values; if a key is repeated, its first value."""

        def pairs(form: FooterReader) -> list[tuple[bytes, bytes | None]]:
            return [form.key_value(index) for index in range(form.key_value_count)]

        return {key: value or b"" for key, value in reversed(self._footer.ask(pairs))} or None

    @property
    def schema(self) -> _parquet.ParquetSchema:
        """The Parquet schema as a pyarrow object; its cost grows with the number of columns."""
        if self._schema is None:
            self._schema = metadata_of(self._footer.ask(schema_footer)).schema
        return self._schema

    # ---- row groups and columns

    def row_group(self, i: int) -> RowGroupMetaData:
        """Return the metadata of row group `i`.

        Raises
        ------
        IndexError
            If the file has no row group of this number.
        """
        if not 0 <= i < self.num_row_groups:
            raise IndexError(f"{i} out of bounds")
        return RowGroupMetaData(self, i)

    def _column(self, row_group: int, leaf: int) -> _parquet.ColumnChunkMetaData:
        try:
            chunks, first, column = self._chunks_of(row_group, leaf)
            return chunks[row_group - first, column]
        except ParquetextError as error:
            error.message = f"row group {row_group}, column {leaf}: {error.message}"
            raise _named(error, self._footer.name) from None

    def _chunks_of(self, row_group: int, leaf: int) -> tuple[PyarrowChunks, int, int]:
        """Return chunks that include the wanted one, their first row group, and the leaf's number among them."""
        if self._whole is None and self._parts_made * WHOLE_FOOTER_SHARE > self.num_columns * self.num_row_groups:
            self._try_whole()
        if self._whole is not None:
            return self._whole, 0, leaf
        part = row_group // PART_ROW_GROUPS
        first = part * PART_ROW_GROUPS
        if self._part is None or self._part[0] != (part, leaf):
            count = min(PART_ROW_GROUPS, self.num_row_groups - first)
            footer = self._footer.ask(lambda form: column_footer(form, leaf, first, count))
            if footer is None:  # a form without ColumnChunk structs, such as a sidecar's
                return self._read_whole(), 0, leaf
            self._part = (part, leaf), PyarrowChunks(footer)
            self._parts_made += 1
        return self._part[1], first, 0

    def _try_whole(self) -> None:
        """Switch to the whole footer, unless pyarrow refuses it: it may exceed limits that one column does not."""
        try:
            self._read_whole()
        except MemoryError:
            raise
        except (pa.ArrowException, OSError, Malformed):
            self._parts_made = 0

    def _read_whole(self) -> PyarrowChunks:
        if self._whole is None:
            try:
                self._whole = PyarrowChunks(self._footer.thrift())
            except ParquetextError as error:
                raise _named(error, self._footer.name) from None
            self._part = None
        return self._whole

    # ---- conversion to pyarrow

    def to_pyarrow(self) -> _parquet.FileMetaData:
        """Return the metadata as an object of pyarrow's class, made from the whole Thrift footer.

        Some functions require that class: `pyarrow.parquet.write_metadata`, Arrow's datasets. Column chunks that
        contradict the schema are not detected, and pyarrow may end the process if it accesses one.

        Raises
        ------
        Malformed, pyarrow.ArrowException, OSError
            If pyarrow refuses the footer.
        """
        return self._read_whole().metadata

    def _changed(self, metadata: _parquet.FileMetaData) -> None:
        self._take(_FooterBytes(thrift_of(metadata)))

    def set_file_path(self, path: str) -> None:
        """Set the file path of all column chunks to `path`; the file itself is not changed."""
        metadata = self.to_pyarrow()
        metadata.set_file_path(path)
        self._changed(metadata)

    def append_row_groups(self, other: object) -> None:
        """Append the row groups of other metadata, ours or pyarrow's, of the same schema.

        Raises
        ------
        RuntimeError
            If the schemas differ.
        """
        metadata = self.to_pyarrow()
        metadata.append_row_groups(_as_pyarrow(other))
        self._changed(metadata)

    def write_metadata_file(self, where: object) -> None:
        """Write a file with this metadata and no values, such as ``_metadata``.

        Parameters
        ----------
        where : path or file object
        """
        self.to_pyarrow().write_metadata_file(where)

    # ---- comparison and conversion

    def equals(self, other: object) -> bool:
        """Return True if this and other metadata, ours or pyarrow's, are equal."""
        return other is self or self.to_pyarrow().equals(_as_pyarrow(other))

    def __hash__(self) -> int:
        return hash(self.to_pyarrow())

    def to_dict(self) -> dict[str, Any]:
        """Return all metadata as a dictionary, as pyarrow does."""
        fields = {name: getattr(self, name) for name in ("created_by", "num_columns", "num_rows", "num_row_groups")}
        fields["row_groups"] = [self.row_group(index).to_dict() for index in range(self.num_row_groups)]
        return fields | {"format_version": self.format_version, "serialized_size": self.serialized_size}

    def __repr__(self) -> str:
        names = ("created_by", "num_columns", "num_rows", "num_row_groups", "format_version", "serialized_size")
        return "\n".join([object.__repr__(self), *(f"  {name}: {getattr(self, name)}" for name in names)])


class RowGroupMetaData(_Compared):
    """The metadata of one row group, with the names of `pyarrow.parquet.RowGroupMetaData`."""

    __hash__: Any = None  # as in pyarrow

    def __init__(self, parent: FileMetaData, index: int):
        self._parent, self._index = parent, index

    def __reduce__(self) -> tuple[Any, ...]:
        return RowGroupMetaData, (self._parent, self._index)

    def _fact(self, name: str) -> int:
        return self._parent._footer.ask(lambda form: form.row_groups(name))[self._index]

    @property
    def num_columns(self) -> int:
        """The number of leaf columns."""
        return self._parent.num_columns

    @property
    def num_rows(self) -> int:
        """The number of rows of the row group."""
        return self._fact("num_rows")

    @property
    def total_byte_size(self) -> int:
        """The uncompressed size of all pages, in bytes."""
        return self._fact("total_byte_size")

    @property
    def sorting_columns(self) -> tuple[_parquet.SortingColumn, ...]:
        """The columns by which the rows are sorted."""
        found = self._parent._footer.ask(lambda form: form.sorting_columns(self._index))
        return tuple(_parquet.SortingColumn(*column) for column in found)

    def column(self, i: int) -> _parquet.ColumnChunkMetaData:
        """Return the metadata of leaf column `i` in this row group, a pyarrow object.

        Raises
        ------
        IndexError
            If the file has no column of this number.
        Malformed, Unsupported
            If the chunk's metadata contradicts the schema, or is encrypted.
        """
        if not 0 <= i < self.num_columns:
            raise IndexError(f"{i} out of bounds")
        return self._parent._column(self._index, i)

    def to_pyarrow(self) -> _parquet.RowGroupMetaData:
        """Return the metadata as an object of pyarrow's class, made from the whole Thrift footer."""
        return self._parent.to_pyarrow().row_group(self._index)

    def equals(self, other: object) -> bool:
        """Return True if this and another row group's metadata, ours or pyarrow's, are equal."""
        if isinstance(other, RowGroupMetaData):
            other = other.to_pyarrow()
        elif not isinstance(other, _parquet.RowGroupMetaData):
            raise _not_metadata("RowGroupMetaData", other)
        return bool(self.to_pyarrow().equals(other))

    def to_dict(self) -> dict[str, Any]:
        """Return all metadata as a dictionary, as pyarrow does.

        Raises
        ------
        Unsupported
            If a bound has no value in Python, such as a date after the year 9999.
        """
        return {
            "num_columns": self.num_columns,
            "num_rows": self.num_rows,
            "total_byte_size": self.total_byte_size,
            "columns": [self._column_as_dict(index) for index in range(self.num_columns)],
            "sorting_columns": [column.to_dict() for column in self.sorting_columns],
        }

    def _column_as_dict(self, index: int) -> dict[str, Any]:
        """Return pyarrow's dictionary; raise Unsupported if a bound has no value in Python (a late date, cut text)."""
        try:
            found: dict[str, Any] = self.column(index).to_dict()
        except (OverflowError, UnicodeDecodeError) as error:
            position = f"row group {self._index}, column {index}"
            raise Unsupported(f"{position}: a bound has no value in Python: {error}") from error
        return found

    def __repr__(self) -> str:
        names = ("num_columns", "num_rows", "total_byte_size", "sorting_columns")
        return "\n".join([object.__repr__(self), *(f"  {name}: {getattr(self, name)}" for name in names)])


def _as_pyarrow(metadata: object) -> _parquet.FileMetaData:
    if isinstance(metadata, FileMetaData):
        return metadata.to_pyarrow()
    if isinstance(metadata, _parquet.FileMetaData):
        return metadata
    raise _not_metadata("FileMetaData", metadata)


def _not_metadata(expected: str, found: object) -> TypeError:
    return TypeError(f"Argument 'other' has incorrect type (expected {expected}, got {type(found).__name__})")


def thrift_of(metadata: object) -> bytes:
    """Return the Thrift footer of metadata, ours or pyarrow's."""
    if isinstance(metadata, FileMetaData):
        return bytes(metadata._footer.thrift())
    sink = pa.BufferOutputStream()
    _as_pyarrow(metadata).write_metadata_file(sink)
    return bytes(sink.getvalue().to_pybytes()[4:-8])  # without the magic bytes and the length


def _of_thrift(footer: bytes) -> FileMetaData:
    return FileMetaData.of_thrift(footer)
