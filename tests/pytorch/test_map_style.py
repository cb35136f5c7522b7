"""Rows by number: a loader reads a batch by one request, in this process or in workers."""

from __future__ import annotations

import pickle
import warnings

import pyarrow as pa
import pyarrow.compute as pc
import pytest

torch = pytest.importorskip("torch", reason="needs torch")

from torch.utils.data import ConcatDataset, DataLoader, Subset  # noqa: E402

import parquetext  # noqa: E402
from parquetext.arrow.datasets.row_positions import RowPositions  # noqa: E402
from parquetext.errors import ColumnError, ParquetextError, Unsupported  # noqa: E402
from parquetext.torch import MapDataset  # noqa: E402

from .conftest import ROWS  # noqa: E402

pytestmark = pytest.mark.usefixtures("impatient")

COLUMNS = ["n", "half", "text", "pair"]


def numbers(batches) -> list[int]:
    return [number for batch in batches for number in batch["n"].tolist()]


@pytest.mark.parametrize("method", [None, "fork", "spawn"])
def test_a_loader_returns_columns_of_each_row_once(lake, method):
    rows = MapDataset(lake, columns=COLUMNS)
    workers = {"num_workers": 2, "multiprocessing_context": method} if method else {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batches = list(DataLoader(rows, batch_size=256, shuffle=True, **workers))
    assert len(rows) == ROWS
    assert [len(batch["n"]) for batch in batches] == [256] * 11 + [184]
    assert numbers(batches) != sorted(numbers(batches)) == list(range(ROWS))
    for batch in batches:
        assert type(batch) is dict and list(batch) == COLUMNS
        assert batch["half"].dtype == torch.float32 and torch.equal(batch["half"], batch["n"] / 2)
        assert batch["text"] == [f"row {row}" for row in batch["n"].tolist()]
        assert torch.equal(batch["pair"], torch.stack([batch["n"], -batch["n"]], 1))


def test_a_batch_is_read_by_one_request(lake, monkeypatch):
    rows, requests = MapDataset(lake, columns=["n"]), []
    take = parquetext.Dataset.take

    def counted(self, rows, *arguments, **options):
        requests.append(len(rows))
        return take(self, rows, *arguments, **options)

    monkeypatch.setattr(parquetext.Dataset, "take", counted)
    list(DataLoader(rows, batch_size=1000, shuffle=True))
    assert requests == [1000] * 3


@pytest.mark.parametrize("workers", [0, 1])
def test_the_rows_of_files_are_counted_once(lake, monkeypatch, workers):
    rows = MapDataset(lake, columns=["n"])
    monkeypatch.setattr(RowPositions, "__init__", None)
    assert len(list(DataLoader(rows, batch_size=1000, num_workers=workers))) == 3


def test_a_row_is_a_dictionary(lake):
    rows = MapDataset(lake, columns=COLUMNS)
    assert rows[7]["n"] == 7 and rows[7]["n"].shape == () and rows[7]["text"] == "row 7"
    assert rows[-1]["pair"].tolist() == [ROWS - 1, 1 - ROWS]
    for number in (ROWS, -ROWS - 1):
        with pytest.raises(IndexError, match="no row"):
            rows[number]


def test_rows_of_a_request_are_a_sequence(lake):
    some = MapDataset(lake, columns=COLUMNS).__getitems__([5, 3, 5])
    assert [row["text"] for row in some] == ["row 5", "row 3", "row 5"]
    assert some[-1]["n"] == 5 and [row["n"] for row in some[1:]] == [3, 5]
    with pytest.raises(IndexError):
        some[3]


def test_parts_of_structs_are_rows_too(tmp_path):
    path = tmp_path / "x.parquet"
    parquetext.write_table(pa.table({"s": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}), path)
    assert MapDataset(path)[1] == {"s": {"a": 2, "b": "y"}}


def test_subsets_and_joined_datasets_have_the_same_batches(lake):
    rows = MapDataset(lake, columns=COLUMNS)
    (some,) = DataLoader(Subset(rows, [9, 4]), batch_size=2)
    (joined,) = DataLoader(Subset(ConcatDataset([rows, rows]), [9, ROWS + 4]), batch_size=2)
    for batch in (some, joined):
        assert batch["n"].tolist() == [9, 4] and batch["text"] == ["row 9", "row 4"]
        assert batch["pair"].tolist() == [[9, -9], [4, -4]]


def test_a_function_of_the_user_gets_rows_or_their_columns(lake):
    rows = MapDataset(lake, columns=COLUMNS)
    (batch,) = DataLoader(Subset(rows, [1, 2]), batch_size=2, collate_fn=lambda rows: rows.batch["n"] * 10)
    assert batch.tolist() == [10, 20]
    (texts,) = DataLoader(Subset(rows, [1, 2]), batch_size=2, collate_fn=lambda rows: [row["text"] for row in rows])
    assert texts == ["row 1", "row 2"]


@pytest.mark.parametrize("filter", [pc.field("n") >= 2990, [("n", ">=", 2990)]], ids=["expression", "list"])
def test_a_filter_numbers_the_rows_that_match(lake, filter):
    rows = MapDataset(lake, columns=["text"], filter=filter)
    assert len(rows) == 10
    assert rows[0]["text"] == "row 2990"
    filtered = MapDataset(parquetext.dataset(lake).filter(filter), columns=["text"])
    assert [row["text"] for row in filtered.__getitems__([9, 1])] == ["row 2999", "row 2991"]


def test_a_filter_without_matches_has_no_rows(lake):
    rows = MapDataset(lake, filter=[("n", "<", 0)], fill=0)
    assert (len(rows), list(DataLoader(rows, batch_size=4))) == (0, [])


def test_a_value_replaces_nulls(lake):
    with pytest.raises(ParquetextError, match=r"column 'maybe': 1 of 1 .* fill="):
        MapDataset(lake)[1]
    assert MapDataset(lake, fill={"maybe": -1})[1]["maybe"] == -1


def test_a_pickled_dataset_has_the_same_rows(lake):
    rows = pickle.loads(pickle.dumps(MapDataset(lake, columns=["n"], filter=[("n", ">", 5)])))
    assert (len(rows), rows[0]["n"]) == (ROWS - 6, 6)


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_names_the_file(damaged, workers):
    with pytest.raises((ParquetextError, OSError), match=r"damaged\.parquet"):
        list(DataLoader(MapDataset(damaged), batch_size=100, num_workers=workers))


def test_a_file_that_changes_during_an_epoch_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    parquetext.write_table(pa.table({"n": range(100)}), path)
    batches = iter(DataLoader(MapDataset(path), batch_size=10, num_workers=1, prefetch_factor=1))
    next(batches)
    parquetext.write_table(pa.table({"n": range(90)}), path)
    with pytest.raises(ParquetextError, match=r"x\.parquet"):
        list(batches)


def test_columns_and_types_are_checked_at_once(lake, tmp_path):
    with pytest.raises(ColumnError, match="nn"):
        MapDataset(lake, columns=["nn"])
    path = tmp_path / "x.parquet"
    parquetext.write_table(pa.table({"x": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8()))}), path)
    with pytest.raises(Unsupported, match="column 'x'"):
        MapDataset(path)


def test_data_in_memory_are_refused():
    with pytest.raises(TypeError, match="expected Parquet files or a dataset of them"):
        MapDataset(pa.table({"x": [1]}))
