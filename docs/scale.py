"""Compute the cost of a job over 100 million files from measured costs of one file and a simulated scheduler.

python docs/scale.py             the tables of scale.md, from scale.json
python docs/scale.py measure     measures the costs of one file again (needs parquetext[spark,test])
"""

from __future__ import annotations

import heapq
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
COSTS = HERE / "scale.json"

FILES = 100_000_000
MEAN_BYTES = 100e6  # 10 PB in all; sizes lognormal, the largest 10 GB
DRAWN = 2_000_000  # files whose times are drawn, in tasks; the others' tasks are drawn from these

# Amazon S3 user guide, "Performance guidelines" and "Optimizing performance": 100 to 200 ms for small objects, 85 to
# 90 MB/s for one request, 3,500 writing and 5,500 reading requests a second for each partitioned prefix.
LATENCY, LATENCY_SPREAD = 0.12, 0.5  # seconds (median), sigma of the lognormal
STALLED, STALL = 0.002, 3.0  # a request of 500 takes so many seconds longer
COPY_RATE = 85e6  # bytes a second and part; parts of 1 GiB, eight at once
WRITES, READS = 3_500, 5_500
NETWORK_RATE = 10e9 / 8  # bytes a second and node
# Amazon S3 pricing, us-east-1, Standard; EC2 m6i.2xlarge on demand (8 vCPU).
DOLLARS_WRITE, DOLLARS_READ, DOLLARS_NODE_HOUR = 5e-6, 0.4e-6, 0.384
# The same by class: dollars for a request that writes, one that reads, a gigabyte retrieved, a gigabyte kept a month.
CLASSES = {
    "Standard": (DOLLARS_WRITE, DOLLARS_READ, 0.0, 0.021),
    "Intelligent-Tiering, frequent": (DOLLARS_WRITE, DOLLARS_READ, 0.0, 0.021),
    "Standard-IA": (10e-6, 1e-6, 0.01, 0.0125),
    "Glacier Instant Retrieval": (20e-6, 10e-6, 0.03, 0.004),
}
# K. Shvachko, HDFS scalability: the limits to growth (;login: 35(2), 2010): operations of one name node per second.
NAME_NODE_READS, NAME_NODE_WRITES = 126_119, 5_600
HDFS_LATENCY = 0.004
HDFS_COPIES = 3  # of each block, the first one on the node that writes it

NODES, SLOTS_OF_NODE = 100, 8
SLOW_SLOTS, SLOWNESS = 0.02, 5.0  # stragglers: so many slots take so many times as long
DYING = 0.002  # tasks that die half-way and are run again
FILES_PER_TASK, AT_ONCE = 2_000, 8  # as parquetext.spark's
FILE_WEIGHT, TASK_WEIGHT = (
    4 << 20,
    16 << 30,
)  # likewise: the weight of a file without the bytes it moves, and the maximum of a task
SPECULATED = 1.5  # spark.speculation.multiplier: a copy after so many medians


@dataclass
class Cost:
    """Costs of one file: requests, bytes through the executor, CPU seconds, bytes that the store copies."""

    writes: float
    reads: float
    received: float
    sent: float
    cpu: float
    copied: float = 0.0
    moves: bool = False  # if its size counts in the weight of a task


@dataclass
class Run:
    """Result of a simulated job over all files."""

    hours: float
    ideal: float  # hours, if all slots were busy all the time and nothing was throttled
    throttled: float  # share of the tasks that waited for the store
    tail: float  # hours between the first idle slot and the end
    cpu: float  # share of the ideal time that is CPU
    network: float  # and network


def simulate(
    cost: Cost, prefixes: int, writes: float = WRITES, reads: float = READS, latency: float = LATENCY, seed: int = 1
) -> Run:
    """Simulate tasks on slots: heaviest first, a shared limit of requests, stragglers, deaths, second copies."""
    random = np.random.default_rng(seed)
    per_task = _files_per_task(cost)
    sizes = _sizes(random, DRAWN // per_task * per_task).reshape(-1, per_task)
    requests = cost.writes + cost.reads
    waits = random.lognormal(np.log(latency), LATENCY_SPREAD, sizes.shape) * requests
    waits += random.binomial(max(round(requests), 1), STALLED, sizes.shape) * STALL
    if cost.copied:
        waits += np.minimum(sizes, 1 << 30) / COPY_RATE * np.ceil(sizes / (8 << 30))
    cpu = cost.cpu * per_task
    network = (cost.received + cost.sent) * SLOTS_OF_NODE / NETWORK_RATE * per_task
    seconds = np.maximum(waits.sum(axis=1) / AT_ONCE, waits.max(axis=1)) + cpu + network
    seconds = random.choice(seconds, FILES // per_task)
    seconds *= np.where(random.random(len(seconds)) < DYING, 1.5, 1.0)
    seconds[::-1].sort()
    slots = NODES * SLOTS_OF_NODE
    slowness = np.where(random.random(slots) < SLOW_SLOTS, SLOWNESS, 1.0)
    ends, throttled = _schedule(
        seconds, slowness, cost.writes * per_task / (writes * prefixes), cost.reads * per_task / (reads * prefixes)
    )
    return Run(
        hours=max(ends) / 3600,
        ideal=seconds.sum() / slots / 3600,
        throttled=throttled,
        tail=(max(ends) - min(ends)) / 3600,
        cpu=cpu * len(seconds) / seconds.sum(),
        network=network * len(seconds) / seconds.sum(),
    )


def _files_per_task(cost: Cost) -> int:
    """Return the files of a task, as `parquetext.spark.balance.pack` makes tasks."""
    return min(FILES_PER_TASK, round(TASK_WEIGHT / (FILE_WEIGHT + MEAN_BYTES * cost.moves)))


def _sizes(random: np.random.Generator, count: int) -> np.ndarray:
    sizes = random.lognormal(0.0, 1.5, count)
    return np.minimum(sizes * (MEAN_BYTES / sizes.mean()), 10e9)


def _schedule(seconds: np.ndarray, slowness: np.ndarray, *budgets: float) -> tuple[list[float], float]:
    """Return the time at which each slot becomes free, and the share of the tasks that limits have delayed.

    Each of `budgets` is the share of one task in a common limit, in seconds.
    """
    free = [(0.0, slot) for slot in range(len(slowness))]
    limits = [0.0] * len(budgets)
    held = 0
    running: list[tuple[float, float, float]] = []
    for taken in seconds:
        start, slot = free[0]
        limits = [max(limit, start) + budget for limit, budget in zip(limits, budgets, strict=True)]
        alone = start + taken * slowness[slot]
        end = max(alone, *limits)
        held += end > alone
        heapq.heapreplace(free, (end, slot))
        if slowness[slot] > 1:
            running.append((end, start, taken))
    return _with_copies([end for end, _ in free], running, float(np.median(seconds))), held / len(seconds)


def _with_copies(ends: list[float], running: list[tuple[float, float, float]], median: float) -> list[float]:
    """Give slow tasks that run while slots are idle a second copy; the first one to end counts."""
    ends = sorted(ends)
    for end, start, taken in sorted(running, reverse=True)[: len(ends)]:
        if end != ends[-1]:
            continue
        copied = max(ends[0], start + SPECULATED * median) + taken
        if copied >= end:
            break
        ends[0] = ends[-1] = copied
        ends.sort()
    return ends


# --- the tables -------------------------------------------------------------------------------------------------------

JOBS = ("upgrade", "upgrade, index form", "sidecars", "catalog", "verify")


def tables() -> str:
    """Return the Markdown tables, computed from the measured costs."""
    measured = json.loads(COSTS.read_text())
    s3, hdfs = (
        {name: Cost(**cost, moves=name.startswith("upgrade")) for name, cost in measured[store].items()}
        for store in ("s3", "hdfs")
    )
    return "\n\n".join([_per_file(s3), _on_s3(s3), _without_boto3(s3), _by_class(s3), _on_hdfs(hdfs)]) + "\n"


def _table(headings: str, rows: list[str]) -> str:
    return "\n".join([headings, "|" + "---|" * (headings.count("|") - 1), *rows])


def _per_file(costs: dict[str, Cost]) -> str:
    rows = [
        f"| {name} | {cost.writes:.2g} | {cost.reads:.2g} | {cost.received / 1e3:,.0f} | {cost.sent / 1e3:,.0f} | "
        f"{cost.cpu * 1e3:.1f} |"
        for name, cost in costs.items()
        if name in JOBS
    ]
    return _table("| one file | requests that write | that read | KB received | KB sent | CPU ms |", rows)


def _on_s3(costs: dict[str, Cost]) -> str:
    rows = []
    for name in JOBS:
        cost = costs[name]
        one, many = simulate(cost, 1), simulate(cost, 50)
        moved = FILES * (cost.received + cost.sent) / 1e12
        rows.append(
            f"| {name} | {cost.writes * FILES / 1e6:,.0f} / {cost.reads * FILES / 1e6:,.0f} | {moved:,.1f} | "
            f"{one.hours:.1f} | {many.hours:.1f} | {many.ideal:.1f} | {_dollars(cost, many)} | "
            f"{_limit(many)} |"
        )
    headings = (
        "| 100 million files on S3 | million requests, write / read | TB through executors | hours, 1 prefix | "
        "hours, 50 prefixes | without limits | dollars: requests + nodes | limit |"
    )
    return _table(headings, rows)


def _without_boto3(costs: dict[str, Cost]) -> str:
    """Return the cost without boto3: the object passes through the executor twice, and the store copies it."""
    cost = replace(costs["upgrade without boto3"], received=MEAN_BYTES, sent=MEAN_BYTES, copied=1)
    run = simulate(cost, 50)
    return (
        f"Without boto3 every object passes through an executor twice: {2 * FILES * MEAN_BYTES / 1e15:,.0f} PB, "
        f"{run.hours:,.0f} hours, {_dollars(cost, run)} dollars; {_limit(run)} limits."
    )


def _by_class(costs: dict[str, Cost]) -> str:
    """Return the bills of storage classes; S3 counts bytes that it copies itself as read from the class."""
    rows = []
    for name, (write, read, retrieval, month) in CLASSES.items():
        bills = []
        for job, copied in (("upgrade", MEAN_BYTES), ("catalog", 0)):
            cost = costs[job]
            requests = FILES * (cost.writes * write + cost.reads * read)
            bills.append(f"{requests:,.0f} + {FILES * (copied + cost.received) / 1e9 * retrieval:,.0f}")
        rows.append(f"| {name} | {' | '.join(bills)} | {FILES * MEAN_BYTES / 1e9 * month:,.0f} |")
    headings = (
        "| storage class | upgrade: requests + retrieval | catalog: requests + retrieval | old versions, a month |"
    )
    return _table(headings, rows)


def _on_hdfs(costs: dict[str, Cost]) -> str:
    rows = []
    for name in JOBS:
        cost = costs[name]
        if name.startswith("upgrade"):  # the whole file: in, out, and from node to node once more for each further copy
            cost = replace(cost, received=MEAN_BYTES, sent=MEAN_BYTES * (HDFS_COPIES - 1))
        run = simulate(cost, 1, NAME_NODE_WRITES, NAME_NODE_READS, HDFS_LATENCY)
        moved = MEAN_BYTES * FILES / 1e15 if cost.received else 0
        rows.append(
            f"| {name} | {cost.writes * FILES / 1e6:,.0f} / {cost.reads * FILES / 1e6:,.0f} | "
            f"{moved:.0f} / {moved:.0f} | {run.hours:.1f} | {run.ideal:.1f} | "
            f"{run.hours * NODES * DOLLARS_NODE_HOUR:,.0f} | {_limit(run, 'the name node')} |"
        )
    headings = (
        "| 100 million files on HDFS | million name node operations, write / read | PB read / written | hours | "
        "without limits | dollars: nodes | limit |"
    )
    return _table(headings, rows)


def _dollars(cost: Cost, run: Run) -> str:
    requests = FILES * (cost.writes * DOLLARS_WRITE + cost.reads * DOLLARS_READ)
    return f"{requests:,.0f} + {run.hours * NODES * DOLLARS_NODE_HOUR:,.0f}"


def _limit(run: Run, store: str = "the store's limit of requests") -> str:
    if run.throttled > 0.5:
        return store
    return "CPU" if run.cpu > 0.5 else "the network" if run.network > 0.5 else "the store's latency"


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        from scale_costs import measure

        COSTS.write_text(json.dumps(measure(), indent=1) + "\n")
    print(tables(), end="")
