"""What a second core is worth to a job: the same upgrade on local[1] and local[2], round by round.

Each session lives in a process of its own; as a program it is such a process: master and lake as arguments, one
upgrade and one strip for every line that it reads, the seconds of the upgrade, listing aside, as its answer.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from .timing import Timing

__all__ = ["ONE_CORE", "TWO_CORES", "upgrades"]

ONE_CORE, TWO_CORES = "local[1]", "local[2]"


def upgrades(lake: Path, rounds: int, warm_up: int = 1) -> dict[str, Timing]:
    """An upgrade of the lake in sessions that take turns, by master, after rounds to warm up that do not count."""
    sessions = {
        master: subprocess.Popen(
            [sys.executable, "-m", __spec__.name, master, lake],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for master in (TWO_CORES, ONE_CORE)
    }
    try:
        taken = [{master: _asked(session) for master, session in sessions.items()} for _ in range(warm_up + rounds)]
    finally:
        for session in sessions.values():
            session.communicate()
    seconds = {master: [each[master] for each in taken[warm_up:]] for master in sessions}
    return {master: Timing(min(each), statistics.median(each), rounds) for master, each in seconds.items()}


def _asked(session: subprocess.Popen) -> float:
    session.stdin.write("\n")
    session.stdin.flush()
    answer = session.stdout.readline()
    if not answer:
        raise RuntimeError("a Spark session of the comparison has ended")
    return float(answer)


def _serve(master: str, lake: str) -> None:
    from ..spark import session, strip, upgrade
    from ..spark.filesystems import Filesystems
    from ..spark.listing import listed

    spark = session(master=master, driver_memory="1g")
    filesystems = Filesystems.of(spark)
    for _ in sys.stdin:
        os.sync()  # what is left to be flushed of other rounds is not this one's work
        start = time.perf_counter()
        listed(spark, filesystems, lake)
        listing = time.perf_counter() - start
        upgrade(spark, lake, "flat", progress=False, on_error="raise")
        seconds = time.perf_counter() - start - 2 * listing
        strip(spark, lake, progress=False, on_error="raise")  # before the answer: the other session goes on then
        print(seconds, flush=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
