"""Run existing readers on one file, each in its own process, so that a crash affects only one."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ..records import frozen

TIMEOUT_SECONDS = 240


def _pyarrow(path: str, columns: list[str] | None) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(path).read(columns=columns).to_pylist()


def _polars(path: str, columns: list[str] | None) -> Any:
    import polars

    return polars.read_parquet(path, columns=columns).rows()


def _duckdb(path: str, columns: list[str] | None) -> Any:
    import duckdb

    names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns) if columns else "*"
    rows: Any = duckdb.sql(f"SELECT {names} FROM read_parquet(?)", params=[path])
    return rows.to_arrow_table().to_pylist()


def _fastparquet(path: str, columns: list[str] | None) -> Any:
    import fastparquet

    return fastparquet.ParquetFile(path).to_pandas(columns=columns).to_dict("list")


def _spark(path: str, columns: list[str] | None) -> Any:
    from ..spark import session

    spark = session(master="local[1]", sql_session_timeZone="UTC", driver_memory="2g", log_level="OFF")
    frame = spark.read.parquet(path)
    if columns:
        frame = frame.select(*(f"`{name}`" for name in columns))
    return [row.asDict(recursive=True) for row in frame.collect()]


READERS: dict[str, tuple[str, Callable[[str, list[str] | None], object]]] = {
    "pyarrow": ("pyarrow", _pyarrow),
    "polars": ("polars", _polars),
    "duckdb": ("duckdb", _duckdb),
    "spark": ("pyspark", _spark),
    "fastparquet": ("fastparquet", _fastparquet),
}


@frozen
class Outcome:
    """The result of a reader for a file: a digest of its rows, or its error message."""

    reader: str
    digest: str | None
    rows: int | None
    seconds: float | None
    message: str = ""

    @property
    def ok(self) -> bool:
        return self.digest is not None


def installed_readers() -> list[str]:
    """Return the readers that can be imported here."""
    return [name for name, (package, _) in READERS.items() if importlib.util.find_spec(package)]


def read_many_with(reader: str, paths: list[str], columns: list[str] | None = None) -> list[Outcome]:
    """Read files with one reader in a process. After a crash, the remaining files count as crashed."""
    command = [sys.executable, "-m", "parquetext.demo.readers", reader, json.dumps(columns), *paths]
    timeout = TIMEOUT_SECONDS * len(paths)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        last_line = (done.stderr.strip().splitlines() or [""])[-1]
        output, reason = done.stdout, f"its process ended with {done.returncode}: {last_line}"
    except subprocess.TimeoutExpired:
        output, reason = "", f"nothing within {TIMEOUT_SECONDS} s"
    outcomes = [Outcome(**json.loads(line)) for line in output.splitlines() if line.startswith('{"reader"')]
    return outcomes + [Outcome(reader, None, None, None, reason) for _ in paths[len(outcomes) :]]


def main(reader: str, columns: str, *paths: str) -> None:
    """Read each file and print its outcome as a line of JSON."""
    read = READERS[reader][1]
    for path in paths:
        start = time.perf_counter()
        try:
            rows: Any = read(path, json.loads(columns))
        except Exception as error:  # whatever a foreign reader raises is its answer
            outcome = Outcome(reader, None, None, None, f"{type(error).__name__}: {error}"[:500])
        else:
            count = len(rows) if isinstance(rows, list) else len(next(iter(rows.values()), []))
            digest = hashlib.sha256(repr(rows).encode()).hexdigest()
            outcome = Outcome(reader, digest, count, time.perf_counter() - start)
        sys.stdout.write(json.dumps(asdict(outcome)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
