"""Shuffled batches: each row once among all workers and ranks, in the same order after an interruption."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="needs torch")

from torch.utils.data import DataLoader  # noqa: E402

import parquetext  # noqa: E402
from parquetext.errors import ParquetextError  # noqa: E402
from parquetext.torch import ShuffledDataset  # noqa: E402
from parquetext.torch.sharding import turns_after  # noqa: E402

from .conftest import ROWS  # noqa: E402

pytestmark = pytest.mark.usefixtures("impatient")


def shuffled(lake, batch_size: int = 100, **options) -> ShuffledDataset:
    return ShuffledDataset(lake, batch_size, **{"columns": ["n", "text"], "window": 1024, "seed": 3} | options)


def loader(dataset: ShuffledDataset, workers: int = 0, **options) -> DataLoader:
    return DataLoader(dataset, batch_size=None, num_workers=workers, **options)


def numbers(batches) -> list[list[int]]:
    return [batch["n"].tolist() for batch in batches]


def joined(batches: list[list[int]]) -> list[int]:
    return [number for batch in batches for number in batch]


@pytest.mark.parametrize("window", [None, 1024, 1 << 16])
@pytest.mark.parametrize("workers", [0, 1, 3])
def test_an_epoch_has_each_row_once(lake, workers, window):
    batches = loader(shuffled(lake, 70, window=window), workers)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Length of IterableDataset")  # if there are more batches
        expected, found = len(batches), list(batches)
    assert len(found) == expected == 43
    assert sorted(len(batch["n"]) for batch in found) == [60] + [70] * 42
    assert joined(numbers(found)) != sorted(joined(numbers(found))) == list(range(ROWS))
    assert all(batch["text"] == [f"row {row}" for row in batch["n"].tolist()] for batch in found)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_workers_that_live_for_several_epochs_read_the_one_that_is_set(lake, method):
    dataset = pickle.loads(pickle.dumps(shuffled(lake)))
    batches = loader(dataset, 2, persistent_workers=True, multiprocessing_context=method)
    epochs = []
    for epoch in (0, 1, 1):
        dataset.set_epoch(epoch)
        epochs.append(numbers(batches))
    assert epochs[0] != epochs[1] == epochs[2]
    assert [sorted(joined(epoch)) for epoch in epochs] == [list(range(ROWS))] * 3


def test_the_order_depends_on_the_seed_and_the_epoch(lake):
    dataset = shuffled(lake)
    first = numbers(dataset)
    assert numbers(dataset) == first
    dataset.set_epoch(1)
    assert numbers(dataset) != first
    assert numbers(shuffled(lake, seed=4)) != first


@pytest.mark.parametrize("workers", [0, 2])
def test_ranks_share_the_rows(lake, workers):
    parts = [numbers(loader(shuffled(lake, ranks=(rank, 3)), workers)) for rank in range(3)]
    assert [len(part) for part in parts] == [10, 10, 10]
    assert sorted(joined(joined(parts))) == list(range(ROWS))


def test_ranks_have_equal_numbers_of_batches_if_the_last_ones_are_left_out(lake):
    parts = [shuffled(lake, 128, ranks=(rank, 4), drop_last=True) for rank in range(4)]
    assert [len(part) for part in parts] == [5] * 4
    found = [numbers(loader(part, 2)) for part in parts]
    assert {len(batch) for part in found for batch in part} == {128}
    assert len({*joined(joined(found))}) == 4 * 5 * 128


GROUP = """if True:
    import sys
    import torch.distributed as dist
    from torch.utils.data import DataLoader
    from parquetext.torch import ShuffledDataset

    if __name__ == "__main__":
        lake, meeting, rank, method = sys.argv[1:]
        dataset = ShuffledDataset(lake, 100, columns=["n"], seed=3)
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=int(rank), world_size=2)
        loader = DataLoader(dataset, batch_size=None, num_workers=1, multiprocessing_context=method)
        print(*[number for batch in loader for number in batch["n"].tolist()])
        dist.destroy_process_group()
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no torch.distributed")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_ranks_are_those_of_the_process_group(lake, tmp_path, method):
    program = tmp_path / "train.py"
    program.write_text(GROUP)
    commands = [[sys.executable, program, lake, tmp_path / "meeting", str(rank), method] for rank in range(2)]
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    parts = [[int(number) for number in rank.communicate()[0].split()] for rank in ranks]
    assert [len(part) for part in parts] == [ROWS // 2] * 2
    assert sorted(parts[0] + parts[1]) == list(range(ROWS))


@pytest.mark.parametrize("stop", [0, 1, 11, 30])
def test_another_dataset_goes_on_in_the_middle_of_an_epoch(lake, stop):
    dataset = shuffled(lake)
    dataset.set_epoch(5)
    whole = numbers(dataset)
    begun = iter(dataset)
    before = numbers(next(begun) for _ in range(stop))
    other = pickle.loads(pickle.dumps(shuffled(lake)))
    other.load_state_dict(dataset.state_dict())
    assert other.epoch == 5
    assert before + numbers(loader(other)) == whole
    assert numbers(other) == whole


def test_the_state_before_an_iteration_is_its_beginning(lake):
    dataset = shuffled(lake)
    dataset.set_epoch(2)
    other = shuffled(lake)
    other.load_state_dict(dataset.state_dict())
    assert numbers(other) == numbers(dataset)


def test_the_state_after_an_epoch_is_the_beginning_of_the_next_one(lake):
    dataset, other = shuffled(lake), shuffled(lake)
    list(dataset)
    other.load_state_dict(dataset.state_dict())
    dataset.set_epoch(1)
    assert other.epoch == 1
    assert numbers(other) == numbers(dataset)


def test_a_loaded_state_is_the_state_until_an_iteration_or_another_epoch(lake):
    dataset, other = shuffled(lake), shuffled(lake)
    next(iter(dataset))
    state = dataset.state_dict()
    assert state["done"] == 1
    other.load_state_dict(state)
    assert other.state_dict() == state
    list(other)
    other.set_epoch(5)
    assert (other.state_dict()["epoch"], other.state_dict()["done"]) == (5, 0)


def test_a_reader_without_batches_has_a_state(lake):
    dataset = shuffled(lake, filter=[("n", "<", 0)])
    assert list(dataset) == []
    assert dataset.state_dict()["epoch"] == 1


def test_another_epoch_begins_at_its_beginning(lake):
    dataset = shuffled(lake)
    dataset.resume(epoch=1, batches=7)
    dataset.set_epoch(2)
    assert len(numbers(dataset)) == 30


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("stop", [0, 5, 41, 43])
def test_a_loader_goes_on_after_the_batches_that_it_has_returned(lake, workers, stop):
    dataset = shuffled(lake, 70)
    dataset.set_epoch(4)
    whole = numbers(loader(dataset, workers))
    other = shuffled(lake, 70)
    other.resume(epoch=4, batches=stop)
    assert numbers(loader(other, workers)) == whole[stop:]


def test_workers_that_live_for_several_epochs_go_on_if_requested(lake):
    dataset = shuffled(lake)
    batches = loader(dataset, 2, persistent_workers=True)
    whole = numbers(batches)
    dataset.resume(epoch=0, batches=13)
    assert numbers(batches) == whole[13:]
    dataset.set_epoch(1)
    assert len(numbers(batches)) == 30


@given(lengths=st.lists(st.integers(0, 5), min_size=1, max_size=5), data=st.data())
def test_workers_go_on_in_the_order_of_their_turns(lengths, data):
    order = [worker for turn in range(5) for worker, length in enumerate(lengths) if turn < length]
    count = data.draw(st.integers(0, len(order)))
    turns = turns_after(lengths, count)
    assert sorted(turns) == [(worker, order[:count].count(worker)) for worker in range(len(lengths))]
    left = [lengths[turn.worker] - turn.done for turn in turns]
    goes_on = [turns[at].worker for turn in range(5) for at, length in enumerate(left) if turn < length]
    assert goes_on == order[count:]


@pytest.mark.parametrize("stop", [1, 7, 20])
def test_a_stateful_loader_of_torchdata_goes_on(lake, stop):
    stateful = pytest.importorskip("torchdata.stateful_dataloader", reason="needs torchdata")

    def made() -> stateful.StatefulDataLoader:
        dataset = shuffled(lake)
        dataset.set_epoch(1)
        return stateful.StatefulDataLoader(dataset, batch_size=None, num_workers=2)

    whole = numbers(made())
    begun = made()
    batches = iter(begun)
    before = numbers(next(batches) for _ in range(stop))
    other = made()
    other.load_state_dict(pickle.loads(pickle.dumps(begun.state_dict())))
    assert before + numbers(other) == whole


@pytest.mark.parametrize("other", [{"seed": 1}, {"batch_size": 9}, {"window": None}, {"ranks": (0, 2)}], ids=str)
def test_a_state_of_other_parameters_is_refused(lake, other):
    dataset = shuffled(lake, **other)
    dataset.load_state_dict(shuffled(lake).state_dict())
    with pytest.raises(ParquetextError, match="the state is of another order"):
        iter(dataset)


def test_a_state_of_one_process_is_refused_in_workers(lake):
    dataset = shuffled(lake)
    dataset.load_state_dict(dataset.state_dict())
    with pytest.raises(ParquetextError, match="the state is of another order"):
        list(loader(dataset, 2))


def test_a_batch_that_is_changed_does_not_change_the_others(tmp_path):
    for key in (1, 2):
        (tmp_path / f"key={key}").mkdir()
        parquetext.write_table(pa.table({"n": [key] * 50}), tmp_path / f"key={key}" / "x.parquet")
    found = []
    for batch in ShuffledDataset(tmp_path, 10):
        found += zip(batch["n"].tolist(), batch["key"].tolist(), strict=True)
        batch["n"] *= 0
        batch["key"] *= 0
    assert sorted(found) == [(1, 1)] * 50 + [(2, 2)] * 50


def test_a_filter_chooses_the_rows(lake):
    dataset = shuffled(lake, filter=[("n", ">=", 2500)])
    assert sorted(joined(numbers(loader(dataset, 2)))) == list(range(2500, ROWS))


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_names_the_file(damaged, workers):
    with pytest.raises((ParquetextError, OSError), match=r"damaged\.parquet"):
        list(loader(ShuffledDataset(damaged, 100), workers))


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"window": 0}, {"ranks": (2, 2)}, {"ranks": (0, 0)}], ids=str)
def test_numbers_out_of_range_are_refused(lake, options):
    with pytest.raises(ValueError, match=r"batch_size|shard"):
        shuffled(lake, **options)
    with pytest.raises(ValueError, match="batches"):
        shuffled(lake).resume(0, -1)
