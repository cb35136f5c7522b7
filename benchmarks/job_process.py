"""Upgrade and strip a lake as a child process with its own Spark session.

    python job_process.py MASTER LAKE

For each line of standard input, upgrade and strip the lake once, and print the seconds of the upgrade without listing.
"""

from __future__ import annotations

import os
import sys
import time


def _serve(master: str, lake: str) -> None:
    from parquetext.spark import session, strip, upgrade
    from parquetext.spark.filesystems import Filesystems
    from parquetext.spark.listing import listed

    spark = session(master=master, driver_memory="1g")
    filesystems = Filesystems.of(spark)
    for _ in sys.stdin:
        os.sync()  # unflushed data of other rounds must not count in this one
        start = time.perf_counter()
        listed(spark, filesystems, lake)
        listing = time.perf_counter() - start
        upgrade(spark, lake, "flat", progress=False, on_error="raise")
        seconds = time.perf_counter() - start - 2 * listing
        strip(spark, lake, progress=False, on_error="raise")  # before the answer: the other session goes on then
        print(seconds, flush=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
