"""Columns that pyarrow reads and does not write: decimals of BYTE_ARRAY, and INT96 with bounds."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .changed_metadata import with_footer, with_indexes

__all__ = ["DECIMALS", "MOMENTS", "OPTIONS", "declare", "stored_table"]

MOMENT = datetime.datetime
OPTIONS = {"use_deprecated_int96_timestamps": True, "store_schema": False}
MOMENTS = {
    name: [
        MOMENT(1700, 1, 1),
        MOMENT(1969, 12, 31, 23, 59, 59),
        MOMENT(1970, 1, 1),
        MOMENT(2020, 1, 1, 0, 0, 0, 1),
        MOMENT(2020, 1, 1, 5),
        MOMENT(2024, 2, 29, 12),
    ]
    for name in ("int96", "ordered")
}
DECIMALS = {  # precision, scale, and values in ascending order
    "short": (5, 2, ["-300.00", "-1.50", "-0.01", "0.00", "0.10", "1.00", "1.50", "300.00"]),
    "middle": (18, 3, ["-1e11", "-1.500", "-0.001", "0.000", "0.100", "1.000", "1.500", "1e11"]),
    "long": (38, 10, ["-1e27", "-1.5", "-0.1", "0", "0.1", "1", "1.5", "1e27"]),
    "padded": (9, 0, ["-300", "-2", "-1", "0", "1", "2", "127", "128", "300"]),
}
JULIAN_DAY_OF_EPOCH, NANOSECONDS_OF_A_DAY = 2_440_588, 86_400 * 10**9


def _number(name: str, value: str) -> int:
    return int(Decimal(value).scaleb(DECIMALS[name][1]))


def _bytes(name: str, value: str) -> bytes:
    """Return a decimal as a big-endian number: of the fewest bytes, or of 7 and 8 in turn."""
    number = _number(name, value)
    size = 7 + number % 2 if name == "padded" else (number + (number < 0)).bit_length() // 8 + 1
    return number.to_bytes(size, "big", signed=True)


def _int96(moment: MOMENT) -> bytes:
    since = moment - MOMENT(1970, 1, 1)
    nanoseconds = (since.seconds * 10**6 + since.microseconds) * 1000
    return nanoseconds.to_bytes(8, "little") + (since.days + JULIAN_DAY_OF_EPOCH).to_bytes(4, "little")


def stored_table(rows: int) -> pa.Table:
    """Return the columns as pyarrow can write them, nulls behind the values, and numbers of the rows."""
    columns: dict[str, pa.Array] = {name: pa.array(range(rows), pa.int64()) for name in ("i", "count", "int64")}
    for name, (_, _, values) in DECIMALS.items():
        stored = [_bytes(name, value) for value in values]
        columns[name] = pa.array([*stored, *[None] * (rows - len(values))], pa.binary())
    for name, moments in MOMENTS.items():
        columns[name] = pa.array([*moments, *[None] * (rows - len(moments))], pa.timestamp("us"))
    return pa.table(columns)


def declare(path: Path) -> None:
    """Change the schema and the bounds of a file: decimals, and an order of one INT96 column.

    pyarrow gives bounds of bytes, which compare without a sign, and none of INT96. A page has two rows at most.
    """
    first_rows = pq.read_table(path, columns=["i"])["i"].to_pylist()[:1]
    names = pq.read_schema(path).names

    def changed(footer: dict) -> None:
        row = first_rows[0] if first_rows else 0
        for name, (precision, scale, _) in DECIMALS.items():
            kind = {"precision": precision, "scale": scale}
            footer["schema"][1 + names.index(name)] |= {"converted_type": 5, "logicalType": {"DECIMAL": kind}} | kind
        footer["column_orders"][names.index("ordered")] = {"INT96_TIMESTAMP_ORDER": {}}
        for group in footer["row_groups"]:
            _change_bounds(dict(zip(names, group["columns"], strict=True)), row, row + group["num_rows"])
            row += group["num_rows"]

    with_footer(path, changed)
    for name in DECIMALS:
        with_indexes(path, names.index(name), _with_signs)


def _change_bounds(chunks: dict[str, dict], begin: int, end: int) -> None:
    stored = {name: [_bytes(name, value) for value in values] for name, (_, _, values) in DECIMALS.items()}
    stored["ordered"] = [_int96(moment) for moment in MOMENTS["ordered"]]
    if "statistics" not in chunks["i"]["meta_data"]:
        return
    for name, values in stored.items():
        within = values[begin:end]
        statistics = chunks[name]["meta_data"].setdefault("statistics", {"null_count": end - begin - len(within)})
        if not within:
            continue
        for side in ("min", "max"):
            statistics.pop(side, None)
        statistics |= {"min_value": within[0], "max_value": within[-1]}


def _with_signs(group: int, bounds: dict | None, places: dict | None) -> tuple[dict | None, dict | None]:
    """Return a column index whose bounds have the order of numbers; the table ascends."""
    if bounds is None:
        return bounds, places
    pages = zip(bounds["min_values"], bounds["max_values"], strict=True)
    pairs = [sorted(pair, key=lambda value: int.from_bytes(value, "big", signed=True)) for pair in pages]
    minima, maxima = ([pair[side] for pair in pairs] for side in (0, 1))
    return bounds | {"min_values": minima, "max_values": maxima, "boundary_order": 1}, places
