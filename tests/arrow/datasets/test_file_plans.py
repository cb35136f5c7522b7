"""A filter plans each file once: by its footer as it is when its rows are read."""

from __future__ import annotations

import os
import time

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.datasets import file_plans
from parquetext.arrow.datasets.file_plans import settled_version
from parquetext.arrow.datasets.filtering import filtered_together
from parquetext.arrow.datasets.fragments import Fragment
from parquetext.pruning import predicate_of
from parquetext.storage import TICK_NS

ABOVE = predicate_of(ds.field("x") > 5)
LATER = 2 * TICK_NS / 1e9


def write(path, values) -> None:
    pq.write_table(pa.table({"x": pa.array(values, pa.int64())}), path, row_group_size=3, compression="none")


@pytest.fixture
def folder(tmp_path):
    """Two files, the second of which has a row group that a filter leaves; changes of them show."""
    for name, values in (("a", [0, 1, 2]), ("b", [3, 4, 5, 6, 7, 8])):
        write(tmp_path / f"{name}.parquet", values)
    time.sleep(LATER)
    return tmp_path


def values_of(fragment: Fragment, predicate) -> list:
    (table,) = filtered_together([fragment.read(predicate)])
    return table.column("x").to_pylist()


def planned(folder) -> list[Fragment]:
    return parquetext.dataset(folder)._planner.fragments(ABOVE)


def test_a_file_that_is_as_it_was_planned_is_not_planned_again(folder, monkeypatch):
    (fragment,) = planned(folder)
    monkeypatch.delattr(file_plans, "file_bounds")
    assert values_of(fragment, ABOVE) == [6, 7, 8]


def test_a_file_in_its_place_is_planned_again(folder):
    (fragment,) = planned(folder)
    write(folder / "new", [9, 10, 11, 0, 1, 12])
    os.replace(folder / "new", folder / "b.parquet")
    assert values_of(fragment, ABOVE) == [9, 10, 11, 12]


def test_a_file_that_was_changed_in_place_is_planned_again(folder):
    (fragment,) = planned(folder)
    size = os.path.getsize(folder / "b.parquet")
    write(folder / "new", [9, 10, 11, 0, 1, 12])
    assert os.path.getsize(folder / "new") == size
    with open(folder / "b.parquet", "r+b") as file:
        file.write((folder / "new").read_bytes())
    assert values_of(fragment, ABOVE) == [9, 10, 11, 12]


def test_another_filter_is_planned_by_itself(folder):
    (fragment,) = planned(folder)
    below = predicate_of(ds.field("x") < 5)
    assert values_of(fragment, below) == [3, 4]


def test_a_bloom_filter_is_still_used(folder):
    path = folder / "c.parquet"
    pq.write_table(pa.table({"x": [0, 10]}), path, bloom_filter_options={"x": True})
    time.sleep(LATER)
    five = predicate_of([("x", "=", 5)])
    left = parquetext.dataset(path)._planner.fragments(five)
    assert [fragment.pruned(five).row_groups for fragment in left] == [[]]


def test_a_version_counts_only_if_the_next_change_is_visible(folder):
    path = folder / "a.parquet"
    with parquetext.open(path) as file:
        changed = os.stat(path).st_ctime_ns
        assert settled_version(file, changed) is None
        assert settled_version(file, changed + TICK_NS) is None
        assert settled_version(file, changed + TICK_NS + 1).size == os.path.getsize(path)


def test_a_file_in_memory_has_no_version(folder):
    with parquetext.open((folder / "a.parquet").read_bytes()) as file:
        assert settled_version(file, time.time_ns()) is None
