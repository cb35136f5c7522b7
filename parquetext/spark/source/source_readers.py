"""The reader as Spark's data sources in Python require it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition
from pyspark.sql.types import StructType

from .partition_reader import Reader, predicate_of
from .pushed_filters import comparisons_of
from .reader_options import Options


class SourceReader(DataSourceReader):
    """Let Spark read by a `Reader`."""

    def __init__(self, options: Options, schema: StructType):
        self.inner: Any = Reader(options, schema)

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(share) for share in self.inner.partitions()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return self.inner.read(partition.value)


class PruningReader(SourceReader):
    """The same with filters. Spark allows no reader that has `pushFilters` while its setting is off."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Record the filters that exclude row groups; Spark still applies all filters to the rows."""
        pushed = comparisons_of(filters, self.inner.schema)
        self.inner.predicate = predicate_of([[*group, *pushed] for group in self.inner.alternatives or [[]]])
        return filters
