"""Readers in processes of their own read the same rows, and a reader that fails is no result."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.processes import Reading, compare_readings


def test_readers_read_in_turns(tmp_path):
    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"id": range(1000), "text": ["a"] * 1000}), path)
    readings = [Reading("ours", "parquetext", path), Reading("theirs", "pyarrow", path)]
    timings = compare_readings(readings, 2, lambda call: ["text"] if call % 2 else None, [("id", "<", 10)], calls=3)
    assert list(timings) == ["ours", "theirs"]
    assert all(0 < timing.minimum <= timing.median and timing.calls == 6 for timing in timings.values())
    pq.write_table(pa.table({"id": range(9), "text": ["a"] * 9}), tmp_path / "y.parquet")
    other = Reading("theirs", "pyarrow", str(tmp_path / "y.parquet"))
    with pytest.raises(RuntimeError, match="other numbers of rows"):
        compare_readings([readings[0], other], 1, lambda call: None)


def test_a_reader_that_fails_is_named(tmp_path, capfd):
    gone = Reading("theirs", "pyarrow", str(tmp_path / "gone.parquet"))
    with pytest.raises(RuntimeError, match="theirs: its process ended with 1"):
        compare_readings([gone], 1, lambda call: None)
    assert "gone.parquet" in capfd.readouterr().err


def test_five_million_rows_are_filtered_as_pyarrow_filters_them(tmp_path, long):
    import parquetext
    from benchmarks.tables import LONG_ROWS, SHARE, _tall

    table = _tall(LONG_ROWS)
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=LONG_ROWS // 10)
    del table
    for filters in ([("chance", "<", SHARE)], [("id", ">=", 2_000_000), ("id", "<", 2_050_000)]):
        theirs = pq.read_table(tmp_path / "x.parquet", filters=filters)
        assert parquetext.read_table(tmp_path / "x.parquet", filters=filters).equals(theirs)
