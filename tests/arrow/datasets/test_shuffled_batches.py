"""Rows in random order: each row once per epoch, the same order for the same seed, and a position to go on from."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import parquetext
from parquetext.arrow.datasets.fragment_rows import FragmentRows
from parquetext.arrow.datasets.permutation import Permutation
from parquetext.errors import ParquetextError
from parquetext.storage import ChangedFile

ROWS = 5000


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> parquetext.Dataset:
    folder = tmp_path_factory.mktemp("lake")
    for number, (begin, end) in enumerate([(0, 1500), (1500, 1500), (1500, 4999), (4999, ROWS)]):
        table = pa.table({"n": range(begin, end), "text": [f"row {row}" for row in range(begin, end)]})
        pq.write_table(table, folder / f"{number}.parquet", row_group_size=700, data_page_size=512, write_batch_size=64)
    return parquetext.dataset(folder)


def numbers(batches) -> list[list[int]]:
    return [batch["n"].to_pylist() for batch in batches]


@given(count=st.integers(0, 3000), seed=st.integers(0, 1 << 80))
def test_a_permutation_has_each_number_once(count, seed):
    order = Permutation(count, (seed, 1))
    assert sorted(order[position] for position in range(count)) == list(range(count))


def test_the_numbers_of_a_permutation_are_not_near_their_positions():
    order = Permutation(1 << 40, (3,))
    first = [order[position] for position in range(1000)]
    assert len(set(first)) == 1000
    assert 0.4 < sum(number >> 39 for number in first) / 1000 < 0.6
    assert sum(abs(one - other) < 1 << 30 for one, other in pairwise(first)) < 10


@pytest.mark.parametrize("window", [None, 1, 2048, 1 << 20])
@pytest.mark.parametrize("batch_size", [1000, 256, 7000])
def test_an_epoch_has_each_row_once(lake, window, batch_size):
    batches = lake.shuffled_batches(batch_size, 1, window=window)
    found = list(batches)
    assert len(found) == len(batches)
    assert {batch.num_rows for batch in found[:-1]} <= {batch_size}
    rows = [row for batch in found for row in batch.to_pylist()]
    assert sorted(row["n"] for row in rows) == list(range(ROWS))
    assert all(row["text"] == f"row {row['n']}" for row in rows)
    assert [row["n"] for row in rows] != sorted(row["n"] for row in rows)


@pytest.mark.parametrize("window", [None, 2048])
def test_the_order_depends_on_the_seed_and_the_epoch(lake, window):
    batches = lake.shuffled_batches(500, 1, window=window)
    first, second = numbers(batches), numbers(batches)
    assert numbers(lake.shuffled_batches(500, 1, window=window)) == first != second
    assert numbers(lake.shuffled_batches(500, 2, window=window)) != first


@pytest.mark.parametrize("window", [None, 1024, 3000])
@pytest.mark.parametrize("stop", [0, 1, 5, 13])
def test_another_process_goes_on_in_the_middle_of_an_epoch(lake, window, stop):
    batches = lake.shuffled_batches(300, 9, window=window)
    list(batches)
    whole = numbers(lake.shuffled_batches(300, 9, window=window)), numbers(batches)
    begun = lake.shuffled_batches(300, 9, window=window)
    list(begun)
    there = iter(begun)
    before = [next(there)["n"].to_pylist() for _ in range(stop)]
    state = begun.state_dict()
    other = pickle.loads(pickle.dumps(lake.shuffled_batches(300, 9, window=window)))
    other.load_state_dict(state)
    assert before + numbers(other) == whole[1]
    assert other.epoch == 2


@pytest.mark.parametrize("window", [None, 1024])
def test_shards_have_each_row_once_together(lake, window):
    parts = [lake.shuffled_batches(100, 4, window=window, shard=(index, 3)) for index in range(3)]
    rows = [number for part in parts for batch in numbers(part) for number in batch]
    assert sorted(rows) == list(range(ROWS))


@pytest.mark.parametrize("window", [None, 1500])
def test_parts_of_a_shard_have_its_batches(lake, window):
    shard = lake.shuffled_batches(100, 4, window=window, shard=(1, 2))
    parts = [shard.part((number, 4)) for number in range(4)]
    assert [len(part) for part in parts] == [6, 6, 6, 7] and len(shard) == 25
    rows = [number for part in parts for batch in numbers(part) for number in batch]
    assert sorted(rows) == sorted(number for batch in numbers(shard) for number in batch)


def test_shards_have_equal_numbers_of_batches_if_the_last_ones_are_left_out(lake):
    parts = [lake.shuffled_batches(90, 4, window=1024, shard=(index, 4), drop_last=True) for index in range(4)]
    batches = [batch for part in parts for batch in numbers(part)]
    assert [len(part) for part in parts] == [13] * 4
    assert {len(batch) for batch in batches} == {90}
    assert len({number for batch in batches for number in batch}) == 4 * 13 * 90


def test_batches_are_numpy_arrays_if_requested_and_the_last_one_is_left_out(lake):
    batches = list(lake.shuffled_batches(999, 4, columns=["n"], as_numpy=True, drop_last=True))
    assert len(batches) == 5
    assert all(isinstance(batch["n"], np.ndarray) and len(batch["n"]) == 999 for batch in batches)
    assert all(list(batch) == ["n"] for batch in batches)


def test_filtered_rows_are_shuffled(lake):
    some = lake.filter([("n", ">=", 4000)]).shuffled_batches(300, 1)
    assert sorted(number for batch in numbers(some) for number in batch) == list(range(4000, ROWS))


def test_rows_of_a_filter_are_found_once(lake, monkeypatch):
    batches = lake.filter(pc.field("text").isin(["row 7", "row 4999", "row 1500", "row 12"])).shuffled_batches(1, 1)
    monkeypatch.setattr(parquetext.Dataset, "to_batches", None)
    monkeypatch.setattr(FragmentRows, "batches", None)
    assert sorted(number for batch in numbers(batches) for number in batch) == [7, 12, 1500, 4999]


def test_rows_without_a_value_do_not_match_a_filter(tmp_path):
    pq.write_table(pa.table({"n": [1, None, 5, None]}), tmp_path / "x.parquet")
    batches = parquetext.dataset(tmp_path).filter([("n", ">", 0)]).shuffled_batches(9, 1)
    assert sorted(numbers(batches)[0]) == [1, 5]


def test_a_state_of_other_rows_or_another_seed_is_refused(lake):
    batches = lake.shuffled_batches(300, 1)
    for changed in ({"seed": 2}, {"rows": 7}, {"batch_size": 9}, {"window": 5}, {"stop_batch": 1}):
        with pytest.raises(ParquetextError, match="the state is of"):
            batches.load_state_dict(batches.state_dict() | changed)


@pytest.mark.parametrize(
    "options", [{"batch_size": 0}, {"window": 0}, {"shard": (2, 2)}, {"shard": (-1, 2)}, {"shard": (0, 0)}], ids=str
)
def test_numbers_out_of_range_are_refused(lake, options):
    with pytest.raises(ValueError, match=r"batch_size|shard"):
        lake.shuffled_batches(**{"batch_size": 5, "seed": 1} | options)


def test_a_dataset_without_rows_has_no_batches(tmp_path):
    pq.write_table(pa.table({"n": pa.array([], pa.int64())}), tmp_path / "x.parquet")
    for window in (None, 1024):
        batches = parquetext.dataset(tmp_path).shuffled_batches(10, 1, window=window)
        assert (list(batches), len(batches)) == ([], 0)


@pytest.mark.parametrize("window", [None, 1024])
@pytest.mark.parametrize("count", [14, 10, 6])
@pytest.mark.parametrize("changed", range(3))
def test_a_file_that_was_replaced_after_its_rows_were_counted_is_an_error(tmp_path, changed, count, window):
    def write(number: int, numbers: range) -> None:
        pq.write_table(pa.table({"n": numbers}), tmp_path / f"{number}.parquet")

    for number in range(3):
        write(number, range(10 * number, 10 * number + 10))
    dataset = parquetext.dataset(tmp_path)
    dataset.take([0])
    write(changed, range(1000, 1000 + count))
    with pytest.raises(ChangedFile, match=f"{changed}.parquet"):
        numbers(dataset.shuffled_batches(5, 1, window=window))


def test_a_file_that_is_replaced_while_matching_rows_are_found_is_an_error(lake, monkeypatch):
    scan = parquetext.Dataset.to_batches
    monkeypatch.setattr(parquetext.Dataset, "to_batches", lambda *given, **how: list(scan(*given, **how))[1:])
    with pytest.raises(ChangedFile, match="5000 rows were counted"):
        lake.filter(pc.field("n") > 5).shuffled_batches(5, 1)
