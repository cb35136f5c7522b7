"""Write the files of one task: by partition, with row groups of a given size, and a limited number of open files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa

from ... import sidecar
from ...arrow.writing.writer import ParquetWriter, WriterWithThrift
from ...sidecar.naming import sidecar_path
from .partition_folders import by_directory
from .staging import Folder
from .write_options import OutputOptions

MOST_OPEN = 64  # files of a task; the one that waits longest is finished for another


class NewFile(NamedTuple):
    """A file that a task has written.

    Attributes
    ----------
    path : str
        In the folder of the attempt, and in the dataset.
    rows, bytes : int
        `bytes` without its sidecar.
    sidecar : str
        Its place, or an empty string.
    """

    path: str
    rows: int
    bytes: int
    sidecar: str = ""


class TaskFiles:
    """The files of one attempt of a task.

    Parameters
    ----------
    folder : Folder
        Folder of the attempt, to which only it writes.
    name : str
        Prefix of the names of its files.
    keys : sequence of str
        The partition columns.
    options : OutputOptions
    metadata : dict of str to str
        Key-values of the footers.
    """

    def __init__(
        self, folder: Folder, name: str, keys: Sequence[str], options: OutputOptions, metadata: dict[str, str]
    ):
        self._folder, self._name, self._keys, self._options, self._metadata = folder, name, keys, options, metadata
        self._open: dict[str, _File] = {}
        self._done: list[NewFile] = []
        self._count = 0

    def write(self, batches: Iterable[pa.RecordBatch]) -> list[NewFile]:
        """Write all rows of the batches, and return the files. After an exception no file is left open."""
        try:
            for batch in batches:
                for directory, rows in by_directory(batch, self._keys):
                    self._add(directory, rows)
            while self._open:
                self._finish(next(iter(self._open)))
        except BaseException:
            for file in self._open.values():
                file.abort()
            raise
        return self._done

    def write_empty(self, schema: pa.Schema) -> list[NewFile]:
        """Write one file without rows."""
        self._open[""] = self._start("", schema)
        return self.write([])

    def _add(self, directory: str, rows: pa.RecordBatch) -> None:
        for piece in self._pieces(directory, rows):
            file = self._open.pop(directory, None) or self._start(directory, piece.schema)
            self._open[directory] = file  # the last in line
            file.add(piece)
            if file.rows == self._options.max_records:
                self._finish(directory)
        while sum(file.waiting for file in self._open.values()) > 2 * self._options.block_bytes:
            max(self._open.values(), key=lambda file: file.waiting).flush()

    def _pieces(self, directory: str, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the rows, divided when a file is full."""
        most, start = self._options.max_records, 0
        while start < rows.num_rows:
            file = self._open.get(directory)
            room = most - (file.rows if file else 0) if most else rows.num_rows
            yield rows.slice(start, room)
            start += room

    def _start(self, directory: str, schema: pa.Schema) -> _File:
        if len(self._open) == MOST_OPEN:
            self._finish(next(iter(self._open)))
        name = f"{self._name}.c{self._count:03}{self._options.suffix}"
        self._count += 1
        folder = self._folder.make_below(directory)
        schema = schema.with_metadata({**(schema.metadata or {}), **self._metadata})
        return _File(folder / name, f"{directory}/{name}".lstrip("/"), schema, self._options)

    def _finish(self, directory: str) -> None:
        self._done.append(self._open[directory].close())
        del self._open[directory]


class _File:
    def __init__(self, file: Folder, path: str, schema: pa.Schema, options: OutputOptions):
        self.rows, self.waiting = 0, 0  # rows in all, bytes that wait for a row group
        self._file, self._path, self._schema, self._options = file, path, schema, options
        self._batches: list[pa.RecordBatch] = []
        # On an object store the commit copies the file to its destination; a temporary name would cause a second copy.
        self._stream = None if file.is_local else file.filesystem.open_output_stream(file.path)
        self._writer: ParquetWriter | None = None

    def add(self, rows: pa.RecordBatch) -> None:
        self._batches.append(rows)
        self.rows += rows.num_rows
        self.waiting += rows.nbytes
        if self.waiting >= self._options.block_bytes:
            self.flush()

    def flush(self) -> None:
        """Write the buffered rows: one row group, or several for a batch of large rows."""
        table = pa.Table.from_batches(self._batches).replace_schema_metadata(self._schema.metadata)
        row_groups = max(round(self.waiting / self._options.block_bytes), 1)
        self._begun(table).write_table(table, max(-(-table.num_rows // row_groups), 1))
        self._batches, self.waiting = [], 0

    def _begun(self, rows: pa.Table) -> ParquetWriter:
        """Return the writer; the first rows decide which columns get dictionaries."""
        if self._writer is None:
            options = self._options.for_arrow(rows)
            self._writer = WriterWithThrift(self._stream or self._file.path, self._schema, **options)
        return self._writer

    def close(self) -> NewFile:
        if self._batches:
            self.flush()
        self._begun(self._schema.empty_table()).close()
        if self._stream:
            self._stream.close()
        beside = ""
        if self._options.sidecar:
            beside = sidecar_path((self._file.filesystem, self._file.path)).path
            position = (self._file.filesystem, self._file.path)
            sidecar.build(position, sidecar=(self._file.filesystem, beside), ignore="table-format")  # it was looked for
            beside = beside[len(self._file.path) - len(self._path) :]
        size = self._file.filesystem.get_file_info(self._file.path).size
        return NewFile(self._path, self.rows, size, beside)

    def abort(self) -> None:
        if self._writer is not None:
            self._writer.abort()
        if self._stream:
            self._stream.close()
