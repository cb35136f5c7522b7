"""The writer of the data source, for `df.write.format("parquetext")`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from ...errors import ParquetextError
from ..catalog_tables import without_options
from ..filesystems import Filesystems, is_setting, normal
from .committing import APPEND, OVERWRITE
from .job import OutputJob, TaskOutput
from .write_options import OutputOptions


@dataclass
class _Message(WriterCommitMessage):
    output: TaskOutput


class DatasetWriter(DataSourceArrowWriter):
    """Write a dataset; created by the driver, and pickled by Spark for executors.

    Parameters
    ----------
    options : mapping of str to str
        Options of `DataFrameWriter.option`, and the path.
    schema : pyspark.sql.types.StructType
    overwrite : bool
        Replace the dataset instead of appending; Spark has no other modes for a Python data source.
    """

    def __init__(self, options: Mapping[str, str], schema: StructType, overwrite: bool):
        given = {name.lower(): value for name, value in options.items()}
        if "path" not in given:
            raise ParquetextError(
                "a path is missing: save(path); Spark tells a Python data source nothing of the "
                "table that is written: INSERT INTO table WITH (path '…') …"
            )
        keys = [name.strip() for name in given.get("partitionby", "").split(",") if name.strip()]
        filesystems = Filesystems.of_options(given)
        message = {name: value for name, value in given.items() if not is_setting(name)}
        self._job: Any = OutputJob.prepare(
            filesystems.target(normal(given["path"])),
            without_options(schema),
            OVERWRITE if overwrite else APPEND,
            keys,
            OutputOptions.of(message),
        )

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return _Message(self._job.run_task(iterator))

    def commit(self, messages: list[Any]) -> None:
        self._job.commit(message.output for message in messages if message is not None)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._job.abort()
