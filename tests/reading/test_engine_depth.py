"""Schemas nested deeper than Python's stack goes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import Unsupported


def nested(kind: str, depth: int) -> pa.Table:
    type, value = pa.int32(), 1
    for _ in range(depth):
        type, value = (pa.list_(type), [value]) if kind == "list" else (pa.struct([("a", type)]), {"a": value})
    return pa.table({"x": pa.array([value], type)})


@pytest.mark.parametrize("kind", ["list", "struct"])
def test_nesting_of_100_levels_is_read_and_of_400_refused(tmp_path, kind):
    path = tmp_path / "deep.parquet"
    pq.write_table(nested(kind, 100), path)
    assert parquetext.read_table(path, engine="parquetext").num_rows == 1
    pq.write_table(nested(kind, 400), path)
    with pytest.raises(Unsupported, match="nested"):
        parquetext.read_table(path, engine="parquetext")
    with parquetext.open(path) as file, pytest.raises(Unsupported, match="nested"):
        list(file.iter_batches(engine="parquetext"))
    assert not parquetext.verify(path, deep=True).rows
