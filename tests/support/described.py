"""A file with columns of most types, in several row groups."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["ROWS", "table", "write"]

ROWS = 1000
START = datetime.datetime(2024, 1, 1)


def table() -> pa.Table:
    numbers = range(ROWS)
    columns = {
        "id": pa.array(numbers, pa.int64()),
        "price": pa.array([n * 1.5 if n % 7 else None for n in numbers]),
        "name": pa.array([f"name {n % 50}" for n in numbers]),
        "tags": pa.array([[f"t{n % 3}", None] if n % 4 else None for n in numbers], pa.list_(pa.string())),
        "pos": pa.array([{"x": n, "when": str(n)} for n in numbers]),
        "when": pa.array([START + datetime.timedelta(seconds=n) for n in numbers], pa.timestamp("us", tz="UTC")),
        "local": pa.array([START] * ROWS, pa.timestamp("us")),
        "day": pa.array([START.date()] * ROWS),
        "amount": pa.array([Decimal(n).scaleb(-2) for n in numbers], pa.decimal128(10, 2)),
        "raw": pa.array([bytes([n % 256, 0]) for n in numbers]),
        "flag": pa.array([n % 2 == 0 for n in numbers]),
        "attrs": pa.array([[("k", n)] for n in numbers], pa.map_(pa.string(), pa.int32())),
        "small": pa.array([n % 200 for n in numbers], pa.uint8()),
    }
    return pa.table(columns).replace_schema_metadata({"owner": "me"})


def write(path: Path) -> Path:
    pq.write_table(table(), path, row_group_size=300, write_page_index=True)
    return path
