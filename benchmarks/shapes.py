"""Synthetic files of a given shape, written by pyarrow."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext.demo.wide_table import column_names

__all__ = ["ROWS_PER_GROUP", "Shape", "make_table", "write"]

ROWS_PER_GROUP = 16


@dataclass(frozen=True, slots=True)
class Shape:
    """The width and the length of a file's footer, and the types of its columns."""

    columns: int
    row_groups: int
    nested: bool = False
    arrow_schema: bool = True
    rows_per_group: int = ROWS_PER_GROUP

    @property
    def name(self) -> str:
        kind = "-nested" if self.nested else ""
        return f"{self.columns}x{self.row_groups}{kind}{'' if self.arrow_schema else '-plain'}"


def _samples(rows: int) -> list[pa.Array]:
    """Return one column of each of the seven usual types."""
    numbers = pa.array(range(rows), pa.int64())
    return [
        numbers.cast(pa.int32()),
        numbers,
        pa.array([number * 0.75 for number in range(rows)], pa.float64()),
        pa.array([f"value-{number % 1000:05d}" for number in range(rows)], pa.string()),
        pa.array([1_700_000_000_000_000 + number * 1_000_003 for number in range(rows)], pa.timestamp("us", tz="UTC")),
        pa.array([decimal.Decimal(number).scaleb(-2) for number in range(rows)], pa.decimal128(18, 2)),
        pa.array([number % 3 == 0 for number in range(rows)], pa.bool_()),
    ]


def _nested_samples(rows: int) -> list[pa.Array]:
    """Return structs, lists and maps of them."""
    numbers, text = pa.array(range(rows), pa.int64()), pa.array([f"v{n}" for n in range(rows)], pa.string())
    offsets = pa.array(range(rows + 1), pa.int32())
    struct = pa.StructArray.from_arrays([numbers, text], names=["id", "label"])
    return [
        struct,
        pa.ListArray.from_arrays(offsets, numbers),
        pa.MapArray.from_arrays(offsets, text, numbers),
        pa.StructArray.from_arrays([struct, numbers.cast(pa.float64())], names=["inner", "weight"]),
    ]


def make_table(shape: Shape) -> pa.Table:
    """Return a table whose columns share a few arrays: wide, but small in memory."""
    rows = shape.rows_per_group * shape.row_groups
    samples = _nested_samples(rows) if shape.nested else _samples(rows)
    arrays = [samples[index % len(samples)] for index in range(shape.columns)]
    return pa.Table.from_arrays(arrays, names=column_names(shape.columns))


def write(shape: Shape, path: str | Path, progress=None) -> None:
    """Write the file row group by row group; `progress` is called after each."""
    table = make_table(shape)
    with pq.ParquetWriter(path, table.schema, compression="snappy", store_schema=shape.arrow_schema) as writer:
        for start in range(0, table.num_rows, shape.rows_per_group):
            writer.write_table(table.slice(start, shape.rows_per_group))
            if progress:
                progress()
