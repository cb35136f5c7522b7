"""All rows of a dataset in a random order, batch by batch, with a position from which another process goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa

from ...errors import ParquetextError
from ...reading.request.taking import take_rows
from .matching_rows import RowsByNumber
from .permutation import Permutation
from .scans import Columns

if TYPE_CHECKING:
    import numpy as np

BLOCK_ROWS = 1 << 10


class Resumable:
    """A random order of rows with a position, from which another process goes on."""

    def _identity(self) -> dict[str, int]:
        """Return the numbers that are equal if the order of the rows is."""
        raise NotImplementedError

    def _go_on(self, epoch: int, done: int) -> None:
        raise NotImplementedError

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Go on where `state_dict` was called, with equal parameters.

        Raises
        ------
        ParquetextError
            If a parameter that determines the order, or the number of rows, differs.
        """
        for name, value in self._identity().items():
            if state[name] != value:
                raise ParquetextError(f"the state is of another order: {name} was {state[name]}, and is {value}")
        self._go_on(state["epoch"], state["done"])


class ShuffledBatches(Resumable):
    """The rows of a dataset in random order, made by `Dataset.shuffled_batches`. Each iteration is one epoch.

    It can be pickled, and used in a process that was forked.

    Attributes
    ----------
    epoch : int
        The number of the epoch that the next iteration begins or continues.
    """

    def __init__(
        self,
        rows: RowsByNumber,
        batch_size: int,
        seed: int,
        *,
        columns: Columns = None,
        window: int | None = None,
        shard: tuple[int, int] = (0, 1),
        drop_last: bool = False,
        as_numpy: bool = False,
    ):
        if batch_size < 1 or (window is not None and window < 1):
            raise ValueError(f"batch_size and window are at least 1: {batch_size}, {window}")
        self._rows = rows
        self._batch_size, self._seed, self._window = batch_size, seed, window
        self._columns, self._as_numpy = columns, as_numpy
        self._total = self._rows.count_rows()
        batches = range(self._total // batch_size if drop_last else -(-self._total // batch_size))
        self._batches = share(batches, shard, equal=drop_last)
        self.epoch, self._done = 0, 0  # batches of the epoch that were yielded

    def part(self, shard: tuple[int, int], *, equal: bool = False) -> ShuffledBatches:
        """Return the beginning of an epoch with a share of these batches, for one of several readers.

        If `equal` is True, batches that not all readers have are left out.
        """
        some = object.__new__(type(self))
        some.__dict__.update(self.__dict__, _batches=share(self._batches, shard, equal=equal), _done=0)
        return some

    def __len__(self) -> int:
        """Return the number of batches of an epoch."""
        return len(self._batches)

    def __iter__(self) -> Iterator[pa.Table | dict[str, np.ndarray]]:
        """Yield the batches of the current epoch that were not yielded yet; then the next epoch begins."""
        for batch in self._tables():
            self._done += 1
            if self._as_numpy:
                yield {name: column.to_numpy() for name, column in zip(batch.column_names, batch.columns, strict=True)}
            else:
                yield batch
        self.epoch, self._done = self.epoch + 1, 0

    def state_dict(self) -> dict[str, int]:
        """Return the position after the last batch that was yielded."""
        return self._identity() | {"epoch": self.epoch, "done": self._done}

    def _go_on(self, epoch: int, done: int) -> None:
        self.epoch, self._done = epoch, done

    def _identity(self) -> dict[str, int]:
        return {
            "seed": self._seed,
            "rows": self._total,
            "batch_size": self._batch_size,
            "window": self._window or 0,
            "first_batch": self._batches.start,
            "stop_batch": self._batches.stop,
        }

    def _tables(self) -> Iterator[pa.Table]:
        """Yield the batches that were not yielded yet, window by window."""
        size = self._batch_size
        windows = max((self._window or 1) // size, 1)  # in batches
        for begin in range(self._batches.start, self._batches.stop, windows):
            some = range(begin, min(begin + windows, self._batches.stop))
            done = max(self._batches.start + self._done - begin, 0)
            if done >= len(some):
                continue
            table = self._read(range(begin * size, min(some.stop * size, self._total)), done * size)
            for first in range(0, table.num_rows, size):
                yield table.slice(first, size)

    def _read(self, positions: range, skipped: int) -> pa.Table:
        """Read a window, given by the positions of its rows in the order of the epoch, without its first rows."""
        if self._window is None:
            order = Permutation(self._total, (self._seed, self.epoch))
            return self._taken([order[position] for position in positions[skipped:]])
        rows = sorted(row for block in self._blocks(positions) for row in block)
        shuffled = list(range(len(rows)))
        Random(f"{self._seed} {self.epoch} {positions.start}").shuffle(shuffled)
        return take_rows(self._taken(rows), pa.array(shuffled[skipped:], pa.int64()))

    def _taken(self, rows: Sequence[int]) -> pa.Table:
        return self._rows.take(rows, columns=self._columns)

    def _blocks(self, positions: range) -> Iterator[range]:
        """Yield the rows at some positions, if blocks of rows are shuffled. The last, shorter block keeps its place."""
        whole = self._total // BLOCK_ROWS
        order = Permutation(whole, (self._seed, self.epoch))
        for number in range(positions.start // BLOCK_ROWS, -(-positions.stop // BLOCK_ROWS)):
            begin = number * BLOCK_ROWS
            block = order[number] if number < whole else number
            inside = range(max(positions.start - begin, 0), min(positions.stop - begin, BLOCK_ROWS))
            yield range(block * BLOCK_ROWS + inside.start, block * BLOCK_ROWS + inside.stop)


def share(batches: range, shard: tuple[int, int], *, equal: bool) -> range:
    """Return the share of one of several readers; their lengths are equal or differ by one.

    Raises
    ------
    ValueError
        If there is no such reader.
    """
    number, count = shard
    if not 0 <= number < count:
        raise ValueError(f"shard is (number, count), with a number below the count: {shard}")
    shared = len(batches) - len(batches) % count if equal else len(batches)
    return batches[shared * number // count : shared * (number + 1) // count]
