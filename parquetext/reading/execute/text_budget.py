"""Limit the bytes of texts that all threads together decode, in proportion to the stored bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Condition, Lock
from typing import TypeVar

import pyarrow as pa

from ...errors import OutOfProportion

TEXT_BYTES = 1 << 22  # of a batch whose texts are repeated by a few bytes
TEXT_ROWS = 1 << 12  # maximal number of rows of such a batch that are read together
MOST_TEXT_BYTES = 1 << 24  # maximal bytes of texts in these rows
MOST_CONCATENATED = 1 << 30  # bytes: the texts of one array must be smaller than 2^31


def growing_batches(read: Callable[[int], Iterator[pa.RecordBatch]], rows: int, step: int) -> Iterator[pa.RecordBatch]:
    """Yield batches of `step` rows, or fewer if their texts are long: a few bytes may repeat a text of any length."""
    held: list[pa.RecordBatch] = []
    few, left, held_rows, held_bytes = 1, rows, 0, 0
    while left:
        count = min(few, left, step - held_rows)
        some = list(read(count))
        grown = sum(batch.nbytes for batch in some)
        held, left, held_rows, held_bytes = held + some, left - count, held_rows + count, held_bytes + grown
        if not left or held_bytes >= TEXT_BYTES or held_rows == step:
            # Table.combine_chunks fails on names that are not UTF-8.
            yield from [pa.concat_batches(held)] if held and held_bytes < MOST_CONCATENATED else held
            held, held_rows, held_bytes = [], 0, 0
        few = max(1, min(4 * count, TEXT_ROWS, count * TEXT_BYTES // max(grown, 1)))


def is_text(type: pa.DataType) -> bool:
    return pa.types.is_string(type) or pa.types.is_binary(type)


R = TypeVar("R")


class Share:
    """The number of bytes that a thread may decode, and the number it keeps.

    Attributes
    ----------
    most : int
        The maximal number of bytes of texts.
    used : int
        The number of bytes that are kept; the remaining bytes are returned to the budget.
    is_part : bool
        True if a thread may get more by waiting for the others: `TextBudget.rest`.
    """

    __slots__ = ("is_part", "most", "used")

    def __init__(self, most: int, *, is_part: bool):
        self.most, self.is_part, self.used = most, is_part, 0


class TextBudget:
    """A budget of bytes of texts that may still be decoded.

    Parameters
    ----------
    most : int
        The total number of bytes.
    workers : int
        Number of threads that share the budget.
    """

    def __init__(self, most: int, workers: int = 1):
        self._left, self._workers = most, workers
        self._lock = Lock()
        self._changed, self._out, self._waits_for_rest = Condition(self._lock), 0, 0

    @contextmanager
    def share(self) -> Iterator[Share]:
        """Take the remaining bytes, divided by the number of threads without a share."""
        share = self._share()
        try:
            yield share
        finally:
            self._give_back(share)

    @contextmanager
    def rest(self) -> Iterator[Share]:
        """Wait until no other thread has a share, and take all remaining bytes. Do not call this within a share."""
        with self._lock:
            self._waits_for_rest += 1
        try:
            with self._lock:
                while self._out:
                    self._changed.wait()
                share = self._take(self._left, is_part=False)
            try:
                yield share
            finally:
                self._give_back(share)
        finally:
            with self._lock:
                self._waits_for_rest -= 1
                self._changed.notify_all()

    def spend(self, decode: Callable[[int], tuple[R, int]]) -> R:
        """Return the result of `decode` with a share, or with the rest if a share is not enough.

        Parameters
        ----------
        decode : callable
            Takes the maximal number of bytes to decode. Returns a result and the number of bytes decoded.

        Raises
        ------
        OutOfProportion
            If the rest is not enough either.
        """
        share = self._share()
        try:
            found, share.used = decode(share.most)
            return found
        except OutOfProportion:
            if not share.is_part:
                raise
        finally:
            self._give_back(share)
        with self.rest() as share:
            found, share.used = decode(share.most)
            return found

    def _share(self) -> Share:
        with self._lock:
            while self._waits_for_rest:
                self._changed.wait()
            without = max(self._workers - self._out, 1)
            return self._take(self._left // without, is_part=self._workers > 1)

    def _take(self, most: int, *, is_part: bool) -> Share:
        self._left -= most
        self._out += 1
        return Share(most, is_part=is_part)

    def _give_back(self, share: Share) -> None:
        with self._lock:
            self._left += max(share.most - share.used, 0)
            self._out -= 1
            if self._waits_for_rest:
                self._changed.notify_all()


def texts_of(rows_of: Callable[[Callable], tuple[list, R]], made: Callable, most: int) -> tuple[tuple[list, R], int]:
    """Return rows of texts with their dictionary, and the number of bytes of the texts."""
    found = rows_of(partial(made, most_bytes=most))
    return found, sum(len(part.values) for part in found[0])
