"""Results of a job for each file, stored as Parquet by its tasks."""

from __future__ import annotations

import atexit
import io
import json
import posixpath
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from .. import compute as pc
from ..errors import ParquetextError, kind_of, outcome_of
from ..masking import without_secrets
from ..storage import create, open_source
from .filesystems import Filesystems, normal
from .shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

JOB_FILE = "_job.json"  # beside the results: description of the job
SKIPPED = "_skipped"
_NOT_TOLD = ("timeout", "confirm")  # options that make no other job
_PATTERN = re.compile(r"[\\*?\[{]")


@dataclass(slots=True)
class Row:
    """The result for one file, and the columns of a state: the job that processed the file, and the file after it."""

    path: str
    outcome: str = "failed"
    form_before: str = ""
    form_after: str = ""
    bytes_before: int = 0
    bytes_after: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    milliseconds: float = 0.0
    implementation: str = ""
    error: str | None = None
    offset: int | None = None
    message: str = ""
    task: int = -1
    job: str = ""
    size: int = -1
    modified: int = 0
    etag: str = ""

    def fail(self, error: Exception) -> None:
        """Record that the file has failed with this error, or was refused."""
        self.outcome, self.error = outcome_of(error), kind_of(error)
        message, self.offset = (
            (error.message, error.offset) if isinstance(error, ParquetextError) else (str(error), None)
        )
        self.message = without_secrets(message)


_TYPES = {"str": pa.string(), "int": pa.int64(), "float": pa.float64()}
RECORDS = pa.schema([(field.name, _TYPES[str(field.type).removesuffix(" | None")]) for field in fields(Row)])
ROWS = pa.schema(list(RECORDS)[: RECORDS.get_field_index("job")])  # without the columns of a state


def as_table(rows: Iterable[Row]) -> pa.Table:
    rows = list(rows)
    return pa.table([[getattr(row, name) for row in rows] for name in RECORDS.names], schema=RECORDS)


def job_label(action: str, options: Mapping) -> str:
    """Return a description of a job that is equal for equal jobs."""
    message = {name: _keyed_by_text(value) for name, value in options.items() if name not in _NOT_TOLD}
    return f"{action} {json.dumps(message, sort_keys=True, default=_plain)}" if message else action


def _keyed_by_text(value: object) -> object:
    return {str(key): each for key, each in value.items()} if isinstance(value, Mapping) else value


def _plain(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, (set, frozenset, tuple)) else str(value)


def begin(spark: SparkSession, filesystems: Filesystems, state: str | None, label: str) -> str:
    """Create a folder for the results of a job, with a description of the job; return its URL."""
    run = f"run={datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}"
    folder = posixpath.join(state or _default_folder(spark), run)
    make_folder(filesystems, folder)
    put(filesystems, posixpath.join(folder, JOB_FILE), json.dumps({"job": label}).encode())
    return folder


def _default_folder(spark: SparkSession) -> str:
    if is_connect(spark) or not (spark.sparkContext.master or "").startswith("local"):
        return posixpath.join(normal(spark.conf.get("spark.sql.warehouse.dir")), "_parquetext")
    folder = tempfile.mkdtemp(prefix="parquetext-results-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def make_folder(filesystems: Filesystems, folder: str) -> None:
    """Create a folder, if the filesystem has folders."""
    target = filesystems.target(folder)
    target.backend.create_folder(target)


def store(filesystems: Filesystems, folder: str, name: str, table: pa.Table) -> str:
    """Write a table as a file of the folder, whole or not at all; its URL."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return put(filesystems, posixpath.join(folder, name), buffer.getvalue())


def put(filesystems: Filesystems, url: str, content: bytes) -> str:
    new = create(filesystems.target(url))
    try:
        new.sink.write(content)
        new.commit()
    except BaseException as error:
        new.abort()
        error.add_note(f"while {without_secrets(url)} was written")
        raise
    return url


def store_skipped(filesystems: Filesystems, folder: str, rows: pa.Table) -> list[str]:
    """Store the rows of files that were left alone, beside the runs of a state: they are no records; the URLs."""
    if not rows.num_rows:
        return []
    state, run = posixpath.split(folder)
    beside = posixpath.join(state, SKIPPED)
    make_folder(filesystems, beside)
    return [store(filesystems, beside, f"{run}.parquet", rows)]


def part_name(task: int) -> str:
    """Return a file name that is unique among the attempts at the task."""
    return f"part-{task:05d}-{uuid.uuid4().hex}.parquet"


def read_bytes(filesystems: Filesystems, url: str) -> bytes:
    with open_source(filesystems.target(url)) as source:
        return source.read(0, source.size)


def read_table(filesystems: Filesystems, url: str, columns: Sequence[str] | None = None) -> pa.Table:
    return pq.read_table(pa.BufferReader(read_bytes(filesystems, url)), columns=columns)


def read_stored(
    spark: SparkSession,
    filesystems: Filesystems,
    schema: pa.Schema,
    urls: Sequence[str],
    rows: Mapping[str, Sequence[str]] | None = None,
) -> DataFrame:
    """Return the rows in stored files, on any filesystem.

    Parameters
    ----------
    urls : sequence of str
        Files that are read completely.
    rows : mapping of str to sequence of str, optional
        Further files, and the paths in their column `file` whose rows are read.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for url, only in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                table = _of_schema(read_table(filesystems, url, schema.names), schema)
                if only is not None:
                    table = table.filter(pc.is_in(table["file"], pa.array(only, pa.string())))
                yield from table.to_batches()

    columns = from_arrow_schema(schema)
    if urls and not rows and all(map(_is_sparks, urls)):
        return spark.read.schema(columns).parquet(*(f"file://{url}" for url in urls))
    files = [*((url, None) for url in urls), *((url, list(only)) for url, only in (rows or {}).items())]
    return spark.createDataFrame(files, "url string, only array<string>").mapInArrow(read, columns)


def _of_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Convert a table to the schema; columns that an older version has not stored are null."""
    for name in schema.names:
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, schema.field(name).type))
    return table.select(schema.names).cast(schema)


def _is_sparks(url: str) -> bool:
    """Return True if Spark can read the path: it may lack filesystems, and treats special characters as patterns."""
    return url.startswith("/") and not _PATTERN.search(url)
