"""Columns of all types, nulls among their values."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa


def columns_of_every_type() -> dict[str, object]:
    """Three rows of numbers, fixed-size bytes, times, decimals and nested values; a caller adds texts."""
    return {
        "i8": pa.array([1, None, -3], pa.int8()),
        "u16": pa.array([1, 2, 65535], pa.uint16()),
        "i32": pa.array([1, -2, 3], pa.int32()),
        "i64": [1, 2**62, -3],
        "u64": pa.array([1, 2, 2**64 - 1], pa.uint64()),
        "f16": pa.array([1, 2, 3], pa.float16()),
        "f32": pa.array([1.5, None, -3], pa.float32()),
        "f64": [0.0, -0.0, 2.5],
        "fixed": pa.array([b"x" * 16, b"y" * 16, None], pa.binary(16)),
        "nothing": pa.nulls(3),
        "day": [datetime.date(2026, 1, 1)] * 3,
        "clock": pa.array([1, 2, 3], pa.time32("ms")),
        "stamp": pa.array([1, 2, None], pa.timestamp("us", "UTC")),
        "naive": pa.array([1, 2, 3], pa.timestamp("ns")),
        "money": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal128(38, 2)),
        "list": [[1, 2], None, []],
        "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        "struct": [{"x": 1, "y": {"z": "deep"}}, None, {"x": 2, "y": None}],
    }


def nested_columns(rows: int) -> dict[str, pa.Array]:
    """Lists and structs, and structs of lists."""
    return {
        "id": pa.array(range(rows), pa.int64()),
        "list": pa.array([list(range(n % 4)) if n % 7 else None for n in range(rows)], pa.list_(pa.int64())),
        "struct": pa.array(
            [{"a": n, "b": f"s{n}"} for n in range(rows)], pa.struct([("a", pa.int32()), ("b", pa.string())])
        ),
        "deep": pa.array(
            [{"in": {"values": [n / 2] * (n % 3)}} for n in range(rows)],
            pa.struct([("in", pa.struct([("values", pa.list_(pa.float64()))]))]),
        ),
    }


def map_column(rows: int) -> pa.Array:
    return pa.array([[(f"k{n % 3}", n)] for n in range(rows)], pa.map_(pa.string(), pa.int64()))
