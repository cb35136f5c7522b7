"""Files whose columns of floats declare IEEE_754_TOTAL_ORDER, as parquet-format 2.14 defines it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from support.changed_metadata import with_footer, with_indexes

__all__ = ["total_order_file"]

CODES = {pa.float16(): "<e", pa.float32(): "<f", pa.float64(): "<d"}


def total_order_file(path, groups: Sequence[pa.Array], page_rows: int, order: str = "IEEE_754_TOTAL_ORDER") -> None:
    """Write column `x`, with a row group per array, statistics and page indexes of its order, and counts of NaN."""
    kind = groups[0].type
    schema = pa.schema([pa.field("x", kind)])
    with pq.ParquetWriter(
        path, schema, data_page_size=1, write_batch_size=page_rows, use_dictionary=False, write_page_index=True
    ) as writer:
        for array in groups:
            writer.write_table(pa.table({"x": array}, schema), row_group_size=len(array))

    def indexed(row_group: int, _, offsets: dict) -> tuple[dict, dict]:
        begins = [place["first_row_index"] for place in offsets["page_locations"]]
        pages = [
            groups[row_group][begin:end]
            for begin, end in zip(begins, [*begins[1:], len(groups[row_group])], strict=True)
        ]
        found = [statistics_of(page) for page in pages]
        return {
            "null_pages": [page.null_count == len(page) for page in pages],
            "min_values": [one.get("min_value", b"") for one in found],
            "max_values": [one.get("max_value", b"") for one in found],
            "boundary_order": 0,
            "null_counts": [one["null_count"] for one in found],
            "nan_counts": [one["nan_count"] for one in found],
        }, offsets

    with_indexes(path, 0, indexed)

    def declared(footer: dict) -> None:
        footer["column_orders"] = [{order: {}}]
        for row_group, array in zip(footer["row_groups"], groups, strict=True):
            row_group["columns"][0]["meta_data"]["statistics"] = statistics_of(array)

    with_footer(path, declared)


def statistics_of(array: pa.Array) -> dict:
    """Return Statistics: bounds are NaN only if all values that are not null are."""
    stored = [struct.pack(CODES[array.type], value) for value in array.to_pylist() if value is not None]
    numbers = [value for value in stored if not is_nan(value)]
    ordered = sorted(numbers or stored, key=total_order)
    bounds = {"max_value": ordered[-1], "min_value": ordered[0]} if ordered else {}
    return {"null_count": array.null_count, **bounds, "nan_count": len(stored) - len(numbers)}


def is_nan(value: bytes) -> bool:
    (number,) = struct.unpack({2: "<e", 4: "<f", 8: "<d"}[len(value)], value)
    return number != number


def total_order(value: bytes) -> int:
    bits = int.from_bytes(value, "little", signed=True)
    return bits if bits >= 0 else -(bits & (1 << 8 * len(value) - 1) - 1) - 1
