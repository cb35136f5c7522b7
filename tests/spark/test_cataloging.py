"""The catalog of a lake, by the whole cluster."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

import parquetext
from parquetext.catalog import SCHEMA, batches_of
from parquetext.spark import catalog


def test_it_is_what_one_machine_would_make_and_plans_as_parquet(spark, tmp_path):
    lake = tmp_path / "lake"
    paths = [lake / f"day={number % 2}" / f"{number}.parquet" for number in range(40)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"n": range(number * 10, number * 10 + 10), "t": ["x"] * 10}), path, row_group_size=5)
    (lake / "day=1" / "bad.parquet").write_bytes(b"this is no Parquet file")
    stored = str(tmp_path / "catalog")
    frame = catalog(spark, str(lake))
    assert frame.columns == SCHEMA.names
    frame.write.parquet(stored)
    order = [("file", "ascending"), ("row_group", "ascending"), ("leaf", "ascending")]
    alone = pa.Table.from_batches(batches_of([*map(str, paths), str(lake / "day=1" / "bad.parquet")]))
    names = [name for name in SCHEMA.names if name not in ("forms", "encodings")]  # lists' names differ
    found = parquetext.dataset(stored).to_table().select(names).sort_by(order).to_pylist()
    assert found == alone.select(names).sort_by(order).to_pylist()
    assert parquetext.dataset(stored).to_table(["encodings"]).num_rows == 161
    planned = dict(parquetext.plan(stored, [("n", "=", 127), ("day", "=", 0)]))
    assert planned == {str(paths[12]): [1], str(lake / "day=1" / "bad.parquet"): None}
