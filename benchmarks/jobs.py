"""Measure the speed-up of a job by a second core: the same upgrade on local[1] and local[2], round by round."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

from .timing import Timing

__all__ = ["ONE_CORE", "TWO_CORES", "upgrades"]

ONE_CORE, TWO_CORES = "local[1]", "local[2]"
PROCESS = Path(__file__).with_name("job_process.py")


def upgrades(lake: Path, rounds: int, warm_up: int = 1) -> dict[str, Timing]:
    """Measure an upgrade of the lake in sessions that take turns, by master, after uncounted rounds."""
    sessions = {
        master: subprocess.Popen(
            [sys.executable, PROCESS, master, lake],
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
