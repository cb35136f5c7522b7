"""Read tables as a child process: read each request from standard input, and print its time and rows.

    python reading_process.py READER PATH

The file imports nothing from `benchmarks`, so that it runs by its path and measures the installed package.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable

Columns = list[str] | None
Filters = list[tuple] | None


def _parquetext(path: str, columns: Columns, filters: Filters) -> object:
    from parquetext.arrow.tables import read_table

    return read_table(path, columns, filters)


def _pyarrow(path: str, columns: Columns, filters: Filters) -> object:
    import pyarrow.parquet as pq

    return pq.read_table(path, columns=columns, filters=filters)


def _parquet_file(path: str, columns: Columns, filters: Filters) -> object:
    import pyarrow.parquet as pq

    if filters is not None:
        raise ValueError("ParquetFile.read takes no filters")
    return pq.ParquetFile(path).read(columns=columns)


def _polars(path: str, columns: Columns, filters: Filters) -> object:
    import operator

    import polars

    if filters is None:
        return polars.read_parquet(path, columns=columns)
    compare = {"<": operator.lt, ">=": operator.ge}
    wanted = [compare[how](polars.col(name), value) for name, how, value in filters]
    frame = polars.scan_parquet(path).filter(*wanted)
    return (frame if columns is None else frame.select(columns)).collect()


READERS: dict[str, Callable[[str, Columns, Filters], object]] = {
    "parquetext": _parquetext,
    "pyarrow": _pyarrow,
    "ParquetFile": _parquet_file,
    "polars": _polars,
}


def main(reader: str, path: str) -> None:
    """Read each request from standard input, and print the seconds of a call and the rows of the last one."""
    read = READERS[reader]
    gc.disable()
    for line in sys.stdin:
        asked = json.loads(line)
        filters = asked["filters"] and [tuple(part) for part in asked["filters"]]
        taken = 0.0
        for columns in asked["work"]:
            start = time.perf_counter()
            table = read(path, columns, filters)
            taken += time.perf_counter() - start
            rows = table.shape[0]
            del table
        gc.collect()
        sys.stdout.write(json.dumps({"seconds": taken / len(asked["work"]), "rows": rows}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
