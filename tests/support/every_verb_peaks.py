"""The memory that every verb takes for small files at its peak, each in a process of its own forked from a warm one.

    python -m support.every_verb_peaks STEP GOOD FILE...

prints for each file and verb: bytes beyond those of the verb on a good file, seconds of processor, the outcome, the
verb, the file. With a STEP of 3 each file is given to a third of the verbs, and each verb gets a third of the files.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from parquetext.errors import ParquetextError

from .every_verb import VERBS, CommandFailed
from .resident import most_taken

__all__ = ["MOST_SECONDS"]

MOST_SECONDS = 60
ADDRESS_SPACE = 8 << 30
# Their threads do not come along into a forked process.
WITH_THREADS = "scan_polars", "register_duckdb"


def _outcome(verb: str, path: str, folder: Path) -> str:
    try:
        VERBS[verb](path, folder)
    except (ParquetextError, CommandFailed, pa.ArrowException, OSError) as error:
        is_ours = not isinstance(error, MemoryError)
        return "refused" if is_ours else f"memory: {error}"
    except Exception as error:
        is_engines = verb == "register_duckdb" and type(error).__module__.startswith(("duckdb", "_duckdb"))
        return "refused" if is_engines else f"{type(error).__name__}: {error}"
    return "done"


def _measure(verb: str, good: str, path: str, folder: Path) -> None:
    """Print a line, from a process of its own."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            print(0, 0, f"killed by {status}", verb, path, sep="\t", flush=True)
        return
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    signal.alarm(MOST_SECONDS)
    if verb in WITH_THREADS:
        _outcome(verb, good, folder)
    start = time.process_time()
    taken, outcome = most_taken(lambda: _outcome(verb, path, folder))
    seconds = round(time.process_time() - start, 2)
    print(taken, seconds, " ".join(outcome.split()), verb, path, sep="\t", flush=True)
    os._exit(0)


def main(step: str, good: str, *paths: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, verb in enumerate(VERBS):
            if verb not in WITH_THREADS:
                own = Path(folder, f"good {number}")
                own.mkdir()
                _outcome(verb, good, own)
        for number, path in enumerate(paths):
            for other, verb in enumerate(VERBS):
                if (number + other) % int(step):
                    continue
                own = Path(folder, f"{number} {other}")
                own.mkdir()
                _measure(verb, good, path, own)


if __name__ == "__main__":
    main(*sys.argv[1:])
