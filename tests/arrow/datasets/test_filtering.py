"""Small files are filtered together: rows, order, types and errors are those of files filtered one by one."""

from __future__ import annotations

import decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.datasets import filtering, fragment_rows, small_files


@pytest.fixture
def calls(monkeypatch) -> list[int]:
    """The rows of each table that a filter is applied to, if the kernels do not read the files together."""
    monkeypatch.setattr(small_files, "FEWEST_FILES", 1000)
    seen = []
    filtered = filtering.filtered

    def noted(table, predicate, **options):
        seen.append(table.num_rows)
        return filtered(table, predicate, **options)

    monkeypatch.setattr(filtering, "filtered", noted)
    return seen


def some_rows(number: int, count: int = 100) -> pa.Table:
    ids = np.arange(number * count, (number + 1) * count)
    return pa.table(
        {
            "id": ids,
            "text": [None if i % 7 == 0 else f"row {i}" for i in ids],
            "price": pa.array([decimal.Decimal(int(i)) / 100 for i in ids], pa.decimal128(12, 2)),
            "flag": ids % 2 == 0,
        }
    )


@pytest.fixture
def folder(tmp_path):
    for number in range(20):
        pq.write_table(some_rows(number), tmp_path / f"{number:02}.parquet", row_group_size=40)
    return tmp_path


def test_small_files_are_filtered_by_one_call(folder, calls):
    table = parquetext.dataset(folder).to_table(filter=pc.field("flag"))
    assert calls == [2000]
    assert table.equals(pq.read_table(folder, filters=pc.field("flag")))


def test_files_of_more_rows_are_filtered_one_by_one(folder, calls, monkeypatch):
    monkeypatch.setattr(fragment_rows, "JOINED_ROWS", 99)
    table = parquetext.dataset(folder).to_table(filter=pc.field("flag"))
    assert calls == []  # while they are read
    assert table.equals(pq.read_table(folder, filters=pc.field("flag")))


@pytest.mark.parametrize("bound", ["ROWS_TOGETHER", "BYTES_TOGETHER"])
def test_no_more_is_filtered_together_than_bounds_allow(folder, calls, monkeypatch, bound):
    monkeypatch.setattr(filtering, bound, 500 if bound == "ROWS_TOGETHER" else 10_000)
    table = parquetext.dataset(folder).to_table(filter=[("id", ">", 55)], columns=["text", "id"])
    assert len(calls) > 3 and max(calls) < 600
    assert table.equals(pq.read_table(folder, filters=[("id", ">", 55)], columns=["text", "id"]))


def test_long_texts_count_for_the_bound(tmp_path, calls, monkeypatch):
    for number in range(6):
        pq.write_table(pa.table({"id": [number], "text": ["x" * 10_000]}), tmp_path / f"{number}.parquet")
    monkeypatch.setattr(filtering, "BYTES_TOGETHER", 15_000)
    assert parquetext.dataset(tmp_path).to_table(filter=pc.field("text") > "a").num_rows == 6
    assert calls == [2, 2, 2]


def test_dictionaries_stay_those_of_their_files(tmp_path, calls):
    for number in range(3):
        texts = pa.array([f"{number}", "same", None]).dictionary_encode()
        pq.write_table(pa.table({"id": [1, 2, 3], "text": texts}), tmp_path / f"{number}.parquet")
    filters = pc.field("id") > 1
    table = parquetext.dataset(tmp_path).to_table(filter=filters)
    assert calls == [3, 3, 3]
    theirs = pq.read_table(tmp_path, filters=filters)
    assert table.schema == theirs.schema and table.to_pylist() == theirs.to_pylist()


def test_a_filter_of_no_column_keeps_the_count(folder):
    assert parquetext.dataset(folder).to_table(columns=[], filter=pc.scalar(True)).num_rows == 2000


def test_an_error_of_a_filter_names_the_file_whose_rows_are_the_cause(tmp_path):
    for number in range(3):
        pq.write_table(pa.table({"text": ["1", "x" if number == 1 else "2"]}), tmp_path / f"{number}.parquet")
    with pytest.raises(pa.ArrowInvalid, match=r"1\.parquet"):
        parquetext.dataset(tmp_path).to_table(filter=pc.field("text").cast(pa.int64()) > 0)
