"""Collect the result rows of a task's files, and for a catalog the rows of their chunks, and store them."""

from __future__ import annotations

import io
import posixpath
import time
from collections import Counter
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from ..catalog.column_types import CODED
from ..catalog.file_batches import ROWS, Gathering
from ..errors import ParquetextError
from .actions import FAILED
from .filesystems import Filesystems
from .results import Row, as_table, make_folder, part_name, put, store

RECORD_SECONDS = 20  # how much of a task's work a kill can take out of the record
CHUNKS_AT_ONCE = 1 << 20  # rows of a catalog that are kept in memory, compressed
CHUNKS = "_chunks"  # beside the results, for whose readers such a name is hidden
# Columns with dictionaries: numbers are written, and read by Spark, faster without.
_REPEATED = [
    f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name
    for field in CODED
    if not pa.types.is_primitive(field.type)
]


class Part(NamedTuple):
    """A stored file of results, as a task reports it to the driver."""

    url: str
    outcomes: Counter
    task: int
    implementation: str
    first_failure: str


class Rows:
    """The rows of a task's files, stored part by part.

    Parameters
    ----------
    filesystems, folder : Filesystems, str
        The folder of the results.
    task : int
    """

    def __init__(self, filesystems: Filesystems, folder: str, task: int):
        self._filesystems, self._folder, self._task = filesystems, folder, task
        self._begin()

    def _begin(self) -> None:
        self._rows: list[Row] = []
        self._since = time.monotonic()

    def add(self, row: Row, found: object) -> None:
        """Add a file's row, and its other result or its error."""
        self._rows.append(row)

    def is_due(self) -> bool:
        return time.monotonic() - self._since > RECORD_SECONDS

    def store(self) -> list[Part]:
        """Store the rows, if there are any, as one part."""
        rows = self._rows
        if not rows:
            return []
        url = self._store(part_name(self._task), rows)
        failed = [row for row in rows if row.outcome in FAILED]
        message = f"{failed[0].path}: {failed[0].message}" if failed else ""
        self._begin()
        return [Part(url, Counter(row.outcome for row in rows), self._task, rows[0].implementation, message)]

    def _store(self, name: str, rows: list[Row]) -> str:
        return store(self._filesystems, self._folder, name, as_table(rows))


class ChunkRows(Rows):
    """The rows of a catalog's task. The rows of chunks are in a file of the same name, which is written first."""

    def _begin(self) -> None:
        super()._begin()
        self._gathering, self._stored, self._count = Gathering(CODED), io.BytesIO(), 0
        self._writer = pq.ParquetWriter(
            self._stored,
            CODED,
            compression="lz4",
            use_dictionary=_REPEATED,
            write_statistics=["file"],
            store_schema=False,
        )
        self._waiting = 0
        self._batches: list = []

    def add(self, row: Row, found: Any) -> None:
        try:
            if isinstance(found, Exception):
                self._gathering.fail(row.path, found)
            else:
                self._gathering.add(row.path, found)
                self._count += found.scan.chunk_count
        except ParquetextError as error:
            row.fail(error)
            self._gathering.fail(row.path, error)
        self._write(self._gathering.full())
        super().add(row, found)

    def is_due(self) -> bool:
        return super().is_due() or self._count >= CHUNKS_AT_ONCE

    def _store(self, name: str, rows: list[Row]) -> str:
        self._write(self._gathering.rest())
        self._write_row_group()
        self._writer.close()
        folder = posixpath.join(self._folder, CHUNKS)
        make_folder(self._filesystems, folder)
        put(self._filesystems, posixpath.join(folder, name), self._stored.getvalue())
        return super()._store(name, rows)

    def _write(self, batches: list[pa.RecordBatch]) -> None:
        for batch in batches:
            self._batches.append(batch)
            self._waiting += batch.num_rows
            if self._waiting >= ROWS:
                self._write_row_group()

    def _write_row_group(self) -> None:
        """Unify dictionaries: the writer dictionary-encodes only the first dictionary of a row group."""
        if self._batches:
            rows = pa.Table.from_batches(self._batches).unify_dictionaries()
            self._writer.write_table(rows, rows.num_rows)
            self._batches, self._waiting = [], 0


def chunks_of(url: str) -> str:
    """Return the URL of the chunks for a part of a catalog's results."""
    folder, name = posixpath.split(url)
    return posixpath.join(folder, CHUNKS, name)
