"""Files for each use are compared with pyarrow's file of the same table."""

from __future__ import annotations

from benchmarks import layouts, row_shapes
from benchmarks.workspace import Workspace
from parquetext.edits.options import OPTIMIZED_FOR


def test_bytes_and_times_of_each_use_are_measured(tmp_path):
    with Workspace(str(tmp_path)) as workspace:
        found = list(layouts.measure(workspace, 1, rows=3_000))
    assert len({row.case for rows in found for row in rows}) == len(found) == 5
    for rows in found:
        assert [row.contender for row in rows] == [*OPTIMIZED_FOR, "pyarrow"]
        assert all(row.value > 0 and row.ratio > 0 for row in rows)
    assert {row.target for rows in found for row in rows} == {None, 1.05, 0.7, 0.55, 0.9}


def test_tables_for_row_access_are_deterministic():
    table = row_shapes.table(500, 1)
    assert table.equals(row_shapes.table(500, 1)) and not table.equals(row_shapes.table(500, 2))
    assert (table.num_rows, table.num_columns) == (500, 20)
    assert table["id"].to_pylist() == list(range(500)) and table["flag"].null_count
    lengths = [len(url) for url in table["url0"].to_pylist()]
    assert min(lengths) >= 60 and max(lengths) <= 100
