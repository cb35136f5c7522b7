"""Measure contenders in interleaved rounds, so that a slow moment affects all of them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Contender", "Timing", "compare"]


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to measure: `run` gets the number of the call, so that each call can touch another column.

    `settle` is called after each of its rounds and not measured, so that its unfinished work does not affect others.
    """

    name: str
    run: Callable[[int], object]
    calls: int = 1
    settle: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds per call; `rounds` contains those of each round, in order, if `compare` has measured them."""

    minimum: float
    median: float
    calls: int
    rounds: tuple[float, ...] = ()

    def over(self, other: Timing) -> tuple[float, float]:
        """Return how many times as long as `other` this took: by medians, by minima."""
        return self.median / other.median, self.minimum / other.minimum

    def over_by_rounds(self, other: Timing) -> tuple[float, float]:
        """Return the same, the first as the median of the ratios of single rounds, because a busy moment slows both."""
        ratios = [mine / theirs for mine, theirs in zip(self.rounds, other.rounds, strict=True)]
        return statistics.median(ratios), self.minimum / other.minimum


def _one_round(contender: Contender, first_call: int, clock: Callable[[], float]) -> float:
    run, calls = contender.run, contender.calls
    start = clock()
    for call in range(first_call, first_call + calls):
        run(call)
    return (clock() - start) / calls


def compare(
    contenders: list[Contender],
    rounds: int,
    progress: Callable[[], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
    warm_up: int = 1,
    alternating: bool = False,
) -> dict[str, Timing]:
    """Measure every contender once per round, after rounds to warm up that do not count.

    With `time.process_time` as `clock` the CPU time of all threads is measured. `alternating` reverses the order in
    every other round, so that no contender is always first.
    """
    seconds: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    with _quiet_collector():
        for number in range(warm_up + rounds):
            for contender in reversed(contenders) if alternating and number % 2 else contenders:
                elapsed = _one_round(contender, number * contender.calls, clock)
                if contender.settle:
                    contender.settle()
                if number >= warm_up:
                    seconds[contender.name].append(elapsed)
            if progress:
                progress()
    return {
        contender.name: Timing(min(taken), statistics.median(taken), rounds * contender.calls, tuple(taken))
        for contender in contenders
        for taken in [seconds[contender.name]]
    }


class _quiet_collector:
    """Collect garbage before a measurement, not during it."""

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.collect()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_on:
            gc.enable()
