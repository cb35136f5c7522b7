"""Write a dataset: the driver prepares the write, tasks write files, and the driver commits or aborts."""

from __future__ import annotations

import errno
import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
from pyspark import TaskContext
from pyspark import __version__ as spark_version
from pyspark.errors import PySparkException
from pyspark.sql.types import StructType

from ... import kernels
from ...edits.table_logs import table_holding, without_new_files
from ...errors import Conflict, Refused, Unsupported
from ...logical_types import entries
from ...masking import without_secrets
from ...storage import Target
from ..spark_types import as_arrow_schema, within
from .committing import APPEND, ERROR, IGNORE, OVERWRITE, OVERWRITE_PARTITIONS, commit, settle, settle_leftovers
from .partition_folders import check_type
from .staging import Folder, Staging
from .task_files import NewFile, TaskFiles
from .write_options import DYNAMIC, OutputOptions, partition_columns

# Key-values from which Spark's reader takes a file's schema and calendar.
_ROW_SCHEMA, _VERSION = "org.apache.spark.sql.parquet.row.metadata", "org.apache.spark.version"
_PARTITION_OVERWRITE = "spark.sql.sources.partitionOverwriteMode"


class Written(NamedTuple):
    """The files, rows and bytes of a write, and the number of tasks by implementation of the kernels."""

    files: int
    rows: int
    bytes: int
    tasks: dict[str, int]


class TaskOutput(NamedTuple):
    """The files that a task's attempt has written to the staging folder, and the session's mode of overwriting.

    Only tasks receive the session's settings; writers of Python data sources do not.
    """

    attempt: str
    files: list[NewFile]
    implementation: str
    partition_overwrite: str


@dataclass(frozen=True)
class OutputJob:
    """One write; picklable, so that tasks use the driver's preparations."""

    dataset: Folder
    staging: Staging
    schema: StructType
    keys: list[str]
    options: OutputOptions
    mode: str

    @classmethod
    def prepare(
        cls, target: Target, schema: StructType, mode: str, partition_by: Sequence[str], options: OutputOptions
    ) -> OutputJob | None:
        """Finish or discard writes of killed drivers, check the arguments, and create the staging folder.

        Returns
        -------
        OutputJob or None
            None if the dataset exists, in mode `IGNORE`.

        Raises
        ------
        FileExistsError
            If the dataset exists, in mode `ERROR`.
        Refused
            If the dataset belongs to a table format, whose log would lack the files.
        ColumnError, ParquetextError, Unsupported
            If columns cannot be partitions, or if Parquet has no such type.
        """
        _check_columns(schema)
        dataset = Folder.of(target)
        keys = partition_columns(partition_by, schema.names)
        for field in as_arrow_schema(StructType([schema[key] for key in keys])):
            check_type(field.name, field.type)
        arrow = as_arrow_schema(StructType([field for field in schema if field.name not in keys]))
        options.parquet.check(arrow)
        if found := table_holding((dataset.filesystem, dataset.path)):
            raise Refused(without_new_files(*found), file=dataset.path)
        settle_leftovers(dataset)
        if (there := dataset.type()) == pafs.FileType.File:
            raise NotADirectoryError(f"{without_secrets(dataset.path)} is a file")
        is_there = there != pafs.FileType.NotFound
        if is_there and mode == IGNORE:
            return None
        if is_there and mode == ERROR:
            raise FileExistsError(errno.EEXIST, "the dataset is there already", without_secrets(dataset.path))
        # A rename out of the parent folder is impossible if that is on another filesystem.
        beside = dataset.is_local and not (is_there and (mode == APPEND or os.path.ismount(dataset.path)))
        return cls(dataset, Staging.new(dataset, beside), schema, keys, options, mode)

    def run_task(self, batches: Iterable[pa.RecordBatch]) -> TaskOutput:
        """Write the rows of one attempt of a task; on an executor."""
        task = TaskContext.get()
        return self._attempt(task.partitionId() if task else 0, lambda files: files.write(batches))

    def commit(self, outputs: Iterable[TaskOutput]) -> Written:
        """Commit the outputs of tasks to the dataset; called on the driver.

        Without rows and without partition columns, one empty file is written, which contains the schema.
        """
        outputs = list(outputs)
        tasks = dict(Counter(output.implementation for output in outputs))
        if not self.keys and not any(output.files for output in outputs):
            outputs.append(self._attempt(0, lambda files: files.write_empty(as_arrow_schema(self.schema))))
        moves, files = [], [file for output in outputs for file in output.files]
        for output in outputs:
            for file in output.files:
                moves += [
                    (f"{output.attempt}/{position}", position) for position in (file.path, file.sidecar) if position
                ]
        commit(self.staging, self.dataset, moves, self._mode(outputs))
        return Written(len(files), sum(file.rows for file in files), sum(file.bytes for file in files), tasks)

    def _mode(self, outputs: Iterable[TaskOutput]) -> str:
        """Return the mode, as in Spark: without partition columns, the whole dataset is overwritten."""
        said = self.options.partition_overwrite or next((output.partition_overwrite for output in outputs), "")
        return OVERWRITE_PARTITIONS if self.mode == OVERWRITE and self.keys and said == DYNAMIC else self.mode

    def abort(self) -> None:
        """Discard the write, or finish it if it was committed."""
        settle(self.staging.folder)

    def _attempt(self, partition: int, write: Callable[[TaskFiles], list[NewFile]]) -> TaskOutput:
        attempt = f"{partition}-{uuid.uuid4().hex[:8]}"
        folder = self.staging.folder.make_below(f"attempts/{attempt}")
        files = TaskFiles(folder, f"part-{partition:05}-{self.staging.job}", self.keys, self.options, self._metadata())
        try:
            output = TaskOutput(attempt, write(files), kernels.implementation(), _session_overwrite())
            if not self.staging.running.exists():
                raise Conflict("the write was over before this attempt was", file=self.dataset.path)
            return output
        except BaseException:
            folder.remove()
            raise

    def _metadata(self) -> dict[str, str]:
        stored = StructType([field for field in self.schema if field.name not in self.keys])
        return {_ROW_SCHEMA: stored.json(), _VERSION: spark_version}


def _session_overwrite() -> str:
    """Return the session's mode of overwriting partitions; empty outside of a task, or without the setting."""
    task = TaskContext.get()
    return ((task and task.getLocalProperty(_PARTITION_OVERWRITE)) or "").lower()


def _check_columns(schema: StructType) -> None:
    """Refuse columns that cannot be written, before any file is.

    Raises
    ------
    Unsupported
        If Arrow's Parquet writer does not support a type, or Spark would not read it back.
    """
    refused = {entry.spark_name for entry in entries() if not entry.spark_to_arrow}
    alien = [field for field in schema if any(_name(kind.typeName()) in refused for kind in within(field.dataType))]
    if not alien and not _is_known(schema):
        alien = [field for field in schema if not _is_known(StructType([field]))]
    if alien:
        raise Unsupported(
            f"column {alien[0].name!r} of type {alien[0].dataType.simpleString()} cannot be written "
            "through Arrow as Spark has it: leave it out, or use df.write.parquet"
        )


def _name(type_name: str) -> str:
    return type_name.partition("(")[0]


def _is_known(schema: StructType) -> bool:
    """Return True if Arrow's writer accepts the columns."""
    try:
        pq.ParquetWriter(pa.BufferOutputStream(), as_arrow_schema(schema)).close()
    except (PySparkException, pa.ArrowException, ValueError):
        return False
    return True
