"""A file with page indexes, and column indexes that cannot be right."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from .changed_metadata import with_footer, with_indexes

ROWS, ROWS_OF_GROUP, ROWS_OF_PAGE = 400, 200, 50
TABLE = pa.table(
    {
        "n": pa.array(range(ROWS), pa.int64()),
        "o": pa.array([None if 150 <= n < 200 else n for n in range(ROWS)], pa.int64()),
        "d": pa.array([n.to_bytes(2, "big") for n in range(ROWS)], pa.binary()),
        "i": pa.array(range(ROWS), pa.int32()),
    },
    pa.schema(
        [
            pa.field("n", pa.int64(), nullable=False),
            pa.field("o", pa.int64()),
            pa.field("d", pa.binary(), nullable=False),
            pa.field("i", pa.int32(), nullable=False),
        ]
    ),
)
N, O, D, I = range(4)  # noqa: E741


def write_indexed(path) -> None:
    """Write two row groups of four pages, with page indexes; `d` is a decimal of BYTE_ARRAY with two digits."""
    pq.write_table(
        TABLE,
        path,
        row_group_size=ROWS_OF_GROUP,
        data_page_size=1,
        write_batch_size=ROWS_OF_PAGE,
        write_page_index=True,
        use_dictionary=False,
        store_schema=False,
        compression="none",
    )

    def declare(footer: dict) -> None:
        decimal = {"precision": 4, "scale": 2}
        footer["schema"][1 + D] |= {"converted_type": 5, "logicalType": {"DECIMAL": decimal}} | decimal

    with_footer(path, declare)


def change_column_index(path, leaf: int, change) -> None:
    """Change the ColumnIndex of a leaf in every row group."""
    with_indexes(path, leaf, lambda _, bounds, places: (change(bounds), places))


def replaced(name: str, page: int, value):
    def change(index: dict) -> dict:
        values = list(index[name])
        values[page] = value
        return index | {name: values}

    return change


def moved(page: int, value: bytes):
    """Let a page say that all of its values are `value`, in no order."""

    def change(index: dict) -> dict:
        changed = replaced("max_values", page, value)(replaced("min_values", page, value)(index))
        return changed | {"boundary_order": 0}

    return change


LOW, HIGH = (number.to_bytes(8, "little", signed=True) for number in (-5, 10_000))
CONTRADICTIONS = {
    "a null page of a required column": (N, replaced("null_pages", 2, True)),
    "nulls in a required column": (N, replaced("null_counts", 2, 1)),
    "a null page without nulls": (O, replaced("null_pages", 2, True)),
    "a null page less": (O, replaced("null_pages", 3, False)),
    "negative nulls": (O, replaced("null_counts", 2, -1)),
    "more nulls than values": (O, replaced("null_counts", 2, ROWS_OF_PAGE + 1)),
    "as many nulls as values": (O, replaced("null_counts", 2, ROWS_OF_PAGE)),
    "more nulls than the chunk": (O, replaced("null_counts", 2, 3)),
    "a null page more than the chunk's nulls": (
        O,
        lambda index: {
            name: value for name, value in replaced("null_pages", 2, True)(index).items() if name != "null_counts"
        },
    ),
    "a flag less": (N, lambda index: index | {"null_pages": index["null_pages"][:-1]}),
    "a count more": (N, lambda index: index | {"null_counts": [*index["null_counts"], 0]}),
    "a short bound": (N, replaced("max_values", 2, bytes(4))),
    "a decimal without bytes": (D, lambda index: index | {"min_values": [b""] * 4, "max_values": [b""] * 4}),
    "inverted bounds": (
        N,
        lambda index: index | {"min_values": [HIGH] * 4, "max_values": [LOW] * 4, "boundary_order": 0},
    ),
    "bounds that do not ascend": (
        N,
        lambda index: (
            index
            | {"min_values": index["min_values"][::-1], "max_values": index["max_values"][::-1], "boundary_order": 1}
        ),
    ),
    "bounds that do not descend": (N, lambda index: index | {"boundary_order": 2}),
    "a page outside of the chunk's bounds": (N, moved(1, HIGH)),
    "a decimal outside of the chunk's bounds": (D, moved(1, b"\x7f\xff")),
    "minima above the chunk's": (
        N,
        lambda index: moved(1, index["max_values"][3])(moved(0, index["max_values"][0])(index)),
    ),
    "maxima below the chunk's": (N, lambda index: index | {"max_values": index["min_values"]}),
    "an unknown order": (N, lambda index: index | {"boundary_order": 3}),
}
