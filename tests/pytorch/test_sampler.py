"""A sampler: each number once among all ranks, in the same order after an interruption."""

from __future__ import annotations

import pickle
from itertools import islice

import pytest

torch = pytest.importorskip("torch", reason="needs torch")

from torch.utils.data import DataLoader  # noqa: E402

from parquetext.errors import ParquetextError  # noqa: E402
from parquetext.torch import MapDataset, ShuffledSampler  # noqa: E402

from .conftest import ROWS  # noqa: E402

ITEMS = range(1000)


def numbers(batches) -> list[int]:
    return [number for batch in batches for number in batch["n"].tolist()]


def test_an_epoch_has_each_number_once():
    sampler = ShuffledSampler(ITEMS, seed=1)
    first = list(sampler)
    assert len(sampler) == 1000 and first != sorted(first) == list(ITEMS)
    assert list(sampler) == first == list(ShuffledSampler(ITEMS, seed=1))
    sampler.set_epoch(1)
    assert sorted(sampler) == list(ITEMS) and list(sampler) != first
    assert list(ShuffledSampler(ITEMS, seed=2)) != first


@pytest.mark.parametrize("drop_last", [False, True])
def test_ranks_share_the_numbers(drop_last):
    parts = [ShuffledSampler(ITEMS, ranks=(rank, 3), drop_last=drop_last) for rank in range(3)]
    assert [len(list(part)) for part in parts] == [len(part) for part in parts]
    assert [len(part) for part in parts] == ([333] * 3 if drop_last else [333, 333, 334])
    assert len({number for part in parts for number in part}) == sum(map(len, parts))


@pytest.mark.parametrize("stop", [0, 1, 999, 1000])
def test_another_sampler_goes_on(stop):
    sampler = ShuffledSampler(ITEMS, seed=1)
    sampler.set_epoch(7)
    whole = list(sampler)
    before = list(islice(iter(sampler), stop))
    other = pickle.loads(pickle.dumps(ShuffledSampler(ITEMS, seed=1)))
    other.load_state_dict(sampler.state_dict() if stop else sampler.state_dict() | {"done": 0})
    assert before + list(other) == whole == list(other)


def test_a_loader_goes_on_after_the_batches_that_it_has_returned(lake):
    rows = MapDataset(lake, columns=["n"])
    whole = numbers(DataLoader(rows, batch_size=256, sampler=ShuffledSampler(rows, seed=1)))
    assert sorted(whole) == list(range(ROWS))
    sampler = ShuffledSampler(rows, seed=1)
    sampler.resume(epoch=0, rows=5 * 256)
    assert numbers(DataLoader(rows, batch_size=256, sampler=sampler, num_workers=2)) == whole[5 * 256 :]
    sampler.resume(epoch=0, rows=5)
    sampler.set_epoch(1)
    assert len(list(sampler)) == ROWS


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_stateful_loader_of_torchdata_goes_on(lake, shuffle):
    """Also with the sampler of PyTorch itself."""
    stateful = pytest.importorskip("torchdata.stateful_dataloader", reason="needs torchdata")

    def made() -> stateful.StatefulDataLoader:
        torch.manual_seed(1)
        rows = MapDataset(lake, columns=["n"])
        order = {"shuffle": True} if shuffle else {"sampler": ShuffledSampler(rows, seed=1)}
        return stateful.StatefulDataLoader(rows, batch_size=100, num_workers=2, **order)

    whole = numbers(made())
    begun = made()
    before = numbers(islice(iter(begun), 7))
    other = made()
    other.load_state_dict(pickle.loads(pickle.dumps(begun.state_dict())))
    assert before + numbers(other) == whole


@pytest.mark.parametrize("other", [{"seed": 3}, {"ranks": (0, 2)}], ids=str)
def test_a_state_of_another_order_is_refused(other):
    with pytest.raises(ParquetextError, match="the state is of another order"):
        ShuffledSampler(ITEMS, **other).load_state_dict(ShuffledSampler(ITEMS).state_dict())


def test_numbers_out_of_range_are_refused():
    with pytest.raises(ValueError, match="shard"):
        ShuffledSampler(ITEMS, ranks=(3, 3))
    with pytest.raises(ValueError, match="rows"):
        ShuffledSampler(ITEMS).resume(0, -1)
