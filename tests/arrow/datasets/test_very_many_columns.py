"""Scans of a few of very many columns: they take neither time nor memory for the others."""

from __future__ import annotations

import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ColumnError

COLUMNS = 20_000
KIB = 1 << 10


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> parquetext.Dataset:
    path = tmp_path_factory.mktemp("wide") / "wide.parquet"
    pq.write_table(pa.table({f"c{number}": [1.5, 2.5] for number in range(COLUMNS)}), path)
    parquetext.upgrade(path, form="flat")
    return parquetext.dataset(path)


@pytest.mark.parametrize("columns", [["c5"], ["c5", "c17"]], ids=["one", "two"])
def test_a_scan_of_some_makes_no_list_of_all(lake, columns):
    lake.scanner(columns, [("c7", ">", 1)])  # the first one imports
    tracemalloc.start()
    lake.scanner(columns, [("c7", ">", 1)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200 * KIB  # 20,000 names take a megabyte


def test_missing_names_are_still_reported(lake):
    with pytest.raises(ColumnError, match="c20001"):
        lake.scanner(["c20001"])


def test_columns_of_origin_can_be_added(lake):
    found = lake.to_table(columns=["c3", "__filename"])
    assert found.column_names == ["c3", "__filename"] and found["c3"].to_pylist() == [1.5, 2.5]
