"""All rows in a random order, batch by batch, as an iterable dataset of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.utils.data

from ..arrow.datasets.shuffled_batches import ShuffledBatches
from .sharding import Shard, process_group, turns_after, worker
from .source import Source
from .tensors import Fill, Values


class ShuffledDataset(torch.utils.data.IterableDataset):  # type: ignore[misc, unused-ignore]
    """All rows of Parquet files in a random order, batch by batch: dictionaries of columns, as in `MapDataset`.

    Use it as ``DataLoader(dataset, batch_size=None, num_workers=4)``, because its elements are batches. Ranks of the
    default process group and workers of the loader share the batches of an epoch. The dataset can be pickled, and used
    in forked processes.

    Parameters
    ----------
    source, columns, filter, fill
        As in `MapDataset`.
    batch_size : int
    seed : int
        Equal seeds give equal orders. Each epoch has another order.
    window : int or None
        Blocks of 1,024 consecutive rows are read in random order, and rows are shuffled within windows of about so many
        rows, which are held in memory. If None, each row is placed at random, which reads slower.
    drop_last : bool
        If True, leave out the last batch if it has fewer rows, and batches that not all ranks have. Without it, the
        numbers of batches of ranks differ by at most one.
    ranks : (int, int), optional
        The rank of this process and the number of ranks; by default those of the process group, if it is initialized.

    Raises
    ------
    ValueError
        If a number is out of range.
    ColumnError, Unsupported
        As in `MapDataset`.

    Notes
    -----
    Call `set_epoch` before each epoch, as for `torch.utils.data.distributed.DistributedSampler`: each iteration has
    the order of the epoch that was set last.

    Examples
    --------
    >>> from torch.utils.data import DataLoader
    >>> from parquetext.torch import ShuffledDataset
    >>> batches = ShuffledDataset("wide.parquet", 100, columns=["price"], seed=1)
    >>> [len(batch["price"]) for batch in DataLoader(batches, batch_size=None, num_workers=2)]
    [100, 100, 100]
    """

    def __init__(
        self,
        source: Any,
        batch_size: int,
        *,
        seed: int = 0,
        columns: Sequence[str] | None = None,
        filter: object = None,
        fill: Fill = None,
        window: int | None = 1 << 16,
        drop_last: bool = False,
        ranks: Shard | None = None,
    ):
        self._source, self._drop_last, self._ranks = Source(source, columns, filter, fill), drop_last, ranks
        self._all = ShuffledBatches(self._source, batch_size, seed, window=window, drop_last=drop_last)
        self._of_rank()  # which checks the ranks
        # The epoch, and the number of its batches to skip: shared with workers that live for several epochs.
        self._begin = torch.zeros(2, dtype=torch.int64).share_memory_()
        self._resumed: Mapping[str, int] | None = None
        self._current: ShuffledBatches | None = None

    @property
    def epoch(self) -> int:
        """The number of the epoch that the next iteration reads."""
        return int(self._begin[0])

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch of the next iteration, also of workers that are running."""
        if epoch != self.epoch:
            self.resume(epoch, 0)

    def __len__(self) -> int:
        """Return the number of batches of an epoch of this rank, by all of its workers."""
        return len(self._of_rank())

    def __iter__(self) -> Iterator[dict[str, Values]]:
        """Yield the batches of this process."""
        resumed, self._resumed = self._resumed, None
        self._current = self._of_worker()
        if resumed is not None:
            self._current.load_state_dict(resumed)
        return map(self._source.tensors, self._current)

    def state_dict(self) -> dict[str, int]:
        """Return the position of this process, after the last batch that it yielded.

        Each worker has its own. torchdata's `StatefulDataLoader` saves and loads those of all workers. For a
        `DataLoader` with workers, count its batches, and use `resume`.
        """
        if self._resumed is not None:
            return dict(self._resumed)
        return (self._of_worker() if self._current is None else self._current).state_dict()

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Let the next iteration go on after the batch at which `state_dict` was called, with equal parameters.

        An error of the iteration says if they differ, or if there is another number of ranks or workers.
        """
        self.resume(state["epoch"], 0)
        self._resumed = dict(state)

    def resume(self, epoch: int, batches: int) -> None:
        """Let iterations of a `DataLoader` go on after some batches of an epoch, until `set_epoch` chooses another one.

        Parameters
        ----------
        epoch : int
        batches : int
            The number of batches that a loader of this rank has returned in the epoch, with the same number of workers
            and in order.
        """
        if batches < 0:
            raise ValueError(f"batches is at least 0: {batches}")
        self._resumed = self._current = None
        self._begin.copy_(torch.tensor([epoch, batches]))

    def _of_rank(self) -> ShuffledBatches:
        return self._all.part(self._ranks or process_group(), equal=self._drop_last)

    def _of_worker(self) -> ShuffledBatches:
        """Return the batches of this worker, which takes the part of the worker whose turn it is."""
        number, count = worker()
        parts = [self._of_rank().part((other, count)) for other in range(count)]
        turn = turns_after([len(part) for part in parts], int(self._begin[1]))[number]
        batches = parts[turn.worker]
        batches.load_state_dict(batches.state_dict() | {"epoch": self.epoch, "done": turn.done})
        return batches

    def __getstate__(self) -> dict[str, Any]:
        # A process that is spawned has no process group, and its position is its own.
        return self.__dict__ | {"_ranks": self._ranks or process_group(), "_current": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin.share_memory_()
