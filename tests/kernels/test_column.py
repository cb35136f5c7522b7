"""Pages that pyarrow wrote become the arrays that pyarrow reads."""

from __future__ import annotations

import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.columns import array_of, decode, stored_columns, write

pytestmark = pytest.mark.usefixtures("implementation")

LAYOUTS = {
    "dictionaries": {},
    "plain": {"use_dictionary": False},
    "V2": {"use_dictionary": False, "data_page_version": "2.0"},
    "small pages": {"data_page_size": 100},
    "small V2 pages": {"data_page_size": 100, "data_page_version": "2.0"},
}


def with_nulls(values: list, share: float = 0.1) -> list:
    return [None if random.random() < share else value for value in values]


def table_of(rows: int) -> pa.Table:
    random.seed(rows)
    numbers = range(rows)
    inner = pa.struct([("x", pa.int32()), ("y", pa.list_(pa.struct([("z", pa.float64())])))])
    lists = [[None if random.random() < 0.2 else j for j in range(random.randrange(5))] for _ in numbers]
    structs = [{"x": i, "y": None if i % 7 == 0 else [{"z": float(i)}] * (i % 3)} for i in numbers]
    return pa.table(
        {
            "required": pa.array(numbers, pa.int64()),
            "numbers": pa.array(with_nulls(list(numbers)), pa.int32()),
            "booleans": pa.array(with_nulls([random.random() < 0.5 for _ in numbers])),
            "fixed": pa.array(with_nulls([random.randbytes(3) for _ in numbers]), pa.binary(3)),
            "lists": pa.array(with_nulls(lists), pa.list_(pa.int64())),
            "structs": pa.array(with_nulls(structs), inner),
        },
        schema=pa.schema(
            [
                pa.field("required", pa.int64(), nullable=False),
                pa.field("numbers", pa.int32()),
                pa.field("booleans", pa.bool_()),
                pa.field("fixed", pa.binary(3)),
                pa.field("lists", pa.list_(pa.int64())),
                pa.field("structs", inner),
            ]
        ),
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_columns_equal_those_of_pyarrow(layout, rows):
    table = table_of(rows)
    file = write(table, **LAYOUTS[layout])
    decoded = iter([decode(column) for column in stored_columns(file, table.schema)]) if rows else iter(())
    for field in table.schema if rows else ():
        array, _ = array_of(field, decoded)
        array.validate(full=True)
        assert array.equals(pq.read_table(io.BytesIO(file))[field.name].combine_chunks())
