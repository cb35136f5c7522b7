"""How many bytes of texts all threads together decode before they are out of proportion to what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock
from typing import TypeVar

from ...encoding.pages import OutOfProportion

__all__ = ["Share", "TextBudget"]

R = TypeVar("R")


class Share:
    """What a thread may decode, and what it has decoded.

    Attributes
    ----------
    most : int
        Bytes of texts.
    used : int
        How many of them it keeps; the others are given back.
    is_part : bool
        Whether there may be more for a thread that waits for the other ones: `TextBudget.rest`.
    """

    __slots__ = ("is_part", "most", "used")

    def __init__(self, most: int, *, is_part: bool):
        self.most, self.is_part, self.used = most, is_part, 0


class TextBudget:
    """Bytes of texts that may still be decoded.

    Parameters
    ----------
    most : int
        All of them.
    workers : int
        How many threads share them.
    """

    def __init__(self, most: int, workers: int = 1):
        self._left, self._workers = most, workers
        self._lock = Lock()
        self._changed, self._out, self._waits_for_rest = Condition(self._lock), 0, 0

    @contextmanager
    def share(self) -> Iterator[Share]:
        """What is left, divided by the threads that have no share yet."""
        share = self._share()
        try:
            yield share
        finally:
            self._give_back(share)

    @contextmanager
    def rest(self) -> Iterator[Share]:
        """All that is left when no other thread has a share: for what does not fit into one. Not within a share."""
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
        """What `decode` gives of a share, or of the rest where a share is not enough.

        Parameters
        ----------
        decode : callable
            Takes how many bytes it may decode; gives a result, and how many they are.

        Raises
        ------
        OutOfProportion
            The rest is not enough either.
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
