"""Files put together into tasks of like weight."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

__all__ = ["pack"]

TASKS_PER_SLOT = 4  # so that a slow machine gets fewer of them
FILES_PER_TASK = 2_000  # a task's description travels with it
WEIGHT_PER_TASK = 16 << 30  # so that a task that dies has not much to do again


def pack(weights: Sequence[int], slots: int) -> list[list[int]]:
    """Positions of `weights`, as tasks: the heaviest first, each one's positions in order.

    Each weight goes to the task that is lightest so far, heavy ones before light ones (Graham's rule of the longest
    processing time), so no task is heavier than the mean plus one weight, and a weight above the mean is alone.

    Parameters
    ----------
    weights : sequence of int
        What each file costs, in any unit; not negative.
    slots : int
        How many tasks run at the same time.

    Notes
    -----
    O(n log n).
    """
    if not weights:
        return []
    count = max(slots * TASKS_PER_SLOT, -(-len(weights) // FILES_PER_TASK), -(-sum(weights) // WEIGHT_PER_TASK))
    tasks: list[list[int]] = [[] for _ in range(min(count, len(weights)))]
    lightest = [(0, 0, number) for number in range(len(tasks))]
    for position in sorted(range(len(weights)), key=weights.__getitem__, reverse=True):
        weight, files, number = lightest[0]
        tasks[number].append(position)
        heapq.heapreplace(lightest, (weight + weights[position], files + 1, number))
    totals = {number: weight for weight, _, number in lightest}
    heaviest = sorted(range(len(tasks)), key=totals.__getitem__, reverse=True)
    return [sorted(tasks[number]) for number in heaviest]
