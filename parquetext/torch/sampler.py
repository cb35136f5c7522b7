"""The numbers of all rows in a random order, as a sampler of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Sized

import torch.utils.data

from ..arrow.datasets.permutation import Permutation
from ..arrow.datasets.shuffled_batches import Resumable, share
from .sharding import Shard, process_group


class ShuffledSampler(Resumable, torch.utils.data.Sampler):  # type: ignore[misc, unused-ignore]
    """The numbers of the rows of a `MapDataset` in a random order, which ranks share and which can go on anywhere.

    In place of `torch.utils.data.RandomSampler` and `DistributedSampler`, which hold the order of all rows in memory.

    Parameters
    ----------
    rows : MapDataset
        Or another object with a length.
    seed : int
        Equal seeds give equal orders. Each epoch has another order.
    drop_last : bool
        If True, leave out rows that not all ranks have. Without it, the numbers of rows of ranks differ by at most one.
    ranks : (int, int), optional
        The rank of this process and the number of ranks; by default those of the process group, if it is initialized.

    Attributes
    ----------
    epoch : int
        The epoch that an iteration reads.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from parquetext.torch import MapDataset, ShuffledSampler
    >>> rows = MapDataset("wide.parquet", columns=["price"])
    >>> sampler = ShuffledSampler(rows, seed=1)
    >>> sampler.resume(epoch=3, rows=200)
    >>> [len(batch["price"]) for batch in DataLoader(rows, batch_size=100, sampler=sampler)]
    [100]
    """

    def __init__(self, rows: Sized, *, seed: int = 0, drop_last: bool = False, ranks: Shard | None = None):
        self._seed, self._total = seed, len(rows)
        self._share = share(range(self._total), ranks or process_group(), equal=drop_last)
        self.epoch, self._done, self._resumed = 0, 0, 0

    def __len__(self) -> int:
        """Return the number of rows of an epoch of this rank."""
        return len(self._share)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch of the next iteration."""
        if epoch != self.epoch:
            self.resume(epoch, 0)

    def __iter__(self) -> Iterator[int]:
        """Yield the numbers of the rows of this rank."""
        order = Permutation(self._total, (self._seed, self.epoch))
        self._done, self._resumed = self._resumed, 0
        for position in self._share[self._done :]:
            self._done += 1
            yield order[position]

    def state_dict(self) -> dict[str, int]:
        """Return the position after the last number that was yielded, which a loader requests ahead of its batches.

        torchdata's `StatefulDataLoader` saves the position that belongs to its last batch. For a `DataLoader`, count
        its batches, and use `resume`.
        """
        return self._identity() | {"epoch": self.epoch, "done": self._done}

    def _go_on(self, epoch: int, done: int) -> None:
        self.resume(epoch, done)

    def resume(self, epoch: int, rows: int) -> None:
        """Let the next iteration go on after some rows of an epoch, such as those of the batches of a `DataLoader`."""
        if rows < 0:
            raise ValueError(f"rows is at least 0: {rows}")
        self.epoch, self._resumed = epoch, rows

    def _identity(self) -> dict[str, int]:
        first, stop = self._share.start, self._share.stop
        return {"seed": self._seed, "rows": self._total, "first_row": first, "stop_row": stop}
