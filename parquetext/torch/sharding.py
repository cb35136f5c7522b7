"""The reader that this process is: its rank in a process group, and its number among the workers of a loader."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import torch.distributed
from torch.utils.data import get_worker_info

Shard = tuple[int, int]  # the number of a reader, and the number of readers


class Turn(NamedTuple):
    """A worker of a loader, and the number of batches that it has returned."""

    worker: int
    done: int


def process_group() -> Shard:
    """Return the rank of this process and the number of ranks, if the default process group is initialized."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def worker() -> Shard:
    """Return the number of this worker of a `DataLoader` and the number of its workers."""
    info = get_worker_info()
    return (0, 1) if info is None else (info.id, info.num_workers)


def turns_after(lengths: Sequence[int], count: int) -> list[Turn]:
    """Return the workers of a `DataLoader` in the order of their next batches, after it has returned some.

    A loader takes batches from its workers in turns, and skips those that have no more.

    Parameters
    ----------
    lengths : sequence of int
        The numbers of batches of all workers.
    count : int
        The number of batches that the loader has returned.
    """

    def place(worker: int, batch: int) -> int:
        """Return how many batches are returned before a batch of a worker."""
        return sum(min(length, batch + (other < worker)) for other, length in enumerate(lengths))

    def done(worker: int) -> int:
        return bisect_left(range(lengths[worker]), count, key=lambda batch: place(worker, batch))

    turns = [Turn(worker, done(worker)) for worker in range(len(lengths))]
    return sorted(turns, key=lambda turn: place(turn.worker, turn.done))
