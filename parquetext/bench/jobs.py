"""What a second slot is worth to a job: the same upgrade on local[1] and local[2], round by round.

Each session lives in a process of its own; as a program it is such a process: master and lake as arguments, one
upgrade and one strip for every line that it reads, the seconds of the upgrade as its answer.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from .shapes import Shape, write

__all__ = ["make_files", "upgrade_seconds"]

SHAPE = Shape(columns=100, row_groups=5)
FILES = 1000
MASTERS = ("local[1]", "local[2]")


def make_files(folder: Path, files: int = FILES, shape: Shape = SHAPE) -> Path:
    """A lake of equal files."""
    first = folder / "00000.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    write(shape, first)
    for number in range(1, files):
        shutil.copyfile(first, folder / f"{number:05d}.parquet")
    return folder


def upgrade_seconds(lake: Path, rounds: int = 5, masters: tuple[str, ...] = MASTERS) -> dict[str, list[float]]:
    """Seconds of an upgrade of the lake in warm sessions, by master; the rounds take turns."""
    workers = {master: subprocess.Popen([sys.executable, "-m", __spec__.name, master, lake], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
               for master in masters}
    try:
        for worker in workers.values():
            _asked(worker)  # the first one starts the workers
        seconds: dict[str, list[float]] = {master: [] for master in masters}
        for _ in range(rounds):
            for master, worker in workers.items():
                seconds[master].append(_asked(worker))
        return seconds
    finally:
        for worker in workers.values():
            worker.communicate()


def _asked(worker: subprocess.Popen) -> float:
    worker.stdin.write("\n")
    worker.stdin.flush()
    answer = worker.stdout.readline()
    if not answer:
        raise RuntimeError("a Spark session for the comparison has ended")
    return float(answer)


def _serve(master: str, lake: str) -> None:
    from ..spark import session, strip, upgrade

    spark = session(master=master)
    for _ in sys.stdin:
        start = time.perf_counter()
        upgrade(spark, lake, progress=False, on_error="raise")
        print(time.perf_counter() - start, flush=True)
        strip(spark, lake, progress=False, on_error="raise")


if __name__ == "__main__":
    _serve(*sys.argv[1:])
