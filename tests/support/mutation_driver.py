"""Try verbs on mutants of small files, in a process of its own.

    python mutation_driver.py FOLDER PROGRESS IMPLEMENTATION NUMBERS [VERB...]

Each mutant has a number, by which it is made. NUMBERS are numbers and ranges of them, such as 17,40-99. The mutant and
verb being tried are written to PROGRESS, so that the caller can name them if the process crashes or does not end. Ends
with 1 and prints the fault if a verb raises anything other than an error of the package, of Arrow or of the system.
"""

from __future__ import annotations

import faulthandler
import resource
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import polars as pl
import pyarrow as pa
from support.mutants import mutant, originals
from support.verbs import CHANGES, READS

from parquetext import kernels
from parquetext.errors import ParquetextError

ALLOWED = (ParquetextError, pa.ArrowException, OSError, duckdb.Error, pl.exceptions.PolarsError)
MEMORY = 4 << 30  # bytes of address space, of which an idle process takes a quarter
SECONDS = 120  # for one verb and one file of 10 KB, on any machine


def main(folder: str, progress: str, implementation: str, numbers: str, *chosen: str) -> int:
    kernels.use(implementation)
    pa.set_cpu_count(1)
    warnings.simplefilter("ignore")
    files = list(originals(Path(folder)).items())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    path, faults = Path(folder, "mutant.parquet"), 0
    with open(progress, "w", buffering=1) as trying:
        for number in _numbers(numbers):
            name, original = files[number % len(files)]
            data = mutant(original, Random(number))
            for verb, call in (READS | CHANGES).items():
                if chosen and verb not in chosen:
                    continue
                trying.seek(0)
                trying.write(f"{number:9} {name}: {verb:40}")
                trying.flush()
                if verb in CHANGES or verb == next(iter(chosen or READS)):
                    path.write_bytes(data)
                faulthandler.dump_traceback_later(SECONDS, exit=True)
                if (fault := _fault(call, path)) is not None:
                    faults += 1
                    print(f"mutant {number} ({name}), {verb}:", file=sys.stderr)
                    traceback.print_exception(fault, limit=-6)
    return 1 if faults else 0


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _fault(call, path: Path) -> BaseException | None:
    """Return the error of a call that is not one of the allowed errors."""
    try:
        call(path)
    except MemoryError as error:
        return None if isinstance(error, ParquetextError) else error
    except ALLOWED:
        return None
    except BaseException as error:
        return error
    return None


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
