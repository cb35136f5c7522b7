"""Rows of a Spark DataFrame as Arrow, in every version of Spark and without an import of pyspark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa


def collected(frame: Any, schema: pa.Schema) -> pa.Table:
    """Return the rows of a DataFrame, which has these columns; Spark before 4.0 has no `toArrow`."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()

    def encoded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_pylist([{"stream": sink.getvalue().to_pybytes()}])

    rows = frame.mapInArrow(encoded, "stream binary").collect()
    return pa.concat_tables(
        [schema.empty_table(), *(pa.ipc.open_stream(row.stream).read_all().cast(schema) for row in rows)]
    )
