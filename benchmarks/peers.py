"""The same work with other readers, each only if it is installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import pyarrow.parquet as pq

from .timing import Timing

__all__ = [
    "bounds_by_pyarrow",
    "footer_readers",
    "installed",
    "is_installed",
    "one_column_of_pyarrow",
    "palletjack_seconds",
    "values_readers",
]

PEERS = ("pyarrow", "polars", "duckdb", "fastparquet", "palletjack")


def is_installed(name: str) -> bool:
    """Return True if a package can be imported here."""
    return importlib.util.find_spec(name) is not None


def installed() -> dict[str, str]:
    """Return the peers that can be imported here, with their versions."""
    found = {}
    for name in PEERS:
        if is_installed(name):
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = "unknown"
    return found


def footer_readers(path: str) -> dict[str, Callable[[int], object]]:
    """Return the readers from a path to the whole footer in memory."""
    readers: dict[str, Callable[[int], object]] = {"pyarrow": lambda _: pq.read_metadata(path)}
    peers = installed()
    if "polars" in peers:
        import polars

        readers["polars"] = lambda _: polars.read_parquet_metadata(path)
    if "duckdb" in peers:
        import duckdb

        connection = duckdb.connect()
        readers["duckdb"] = lambda _: connection.execute("SELECT * FROM parquet_file_metadata(?)", [path]).fetchall()
    if "fastparquet" in peers:
        import fastparquet

        readers["fastparquet"] = lambda _: fastparquet.ParquetFile(path)
    return readers


def one_column_of_pyarrow(path: str, leaf: int) -> list[tuple]:
    """Open the file and read one leaf's placement and statistics in all row groups, with pyarrow."""
    return bounds_by_pyarrow(pq.read_metadata(path), leaf)


def bounds_by_pyarrow(metadata: pq.FileMetaData, leaf: int) -> list[tuple]:
    """Read the same from metadata in memory."""
    fields = []
    for row_group in range(metadata.num_row_groups):
        chunk = metadata.row_group(row_group).column(leaf)
        statistics = chunk.statistics
        fields.append(
            (
                chunk.data_page_offset,
                chunk.total_compressed_size,
                statistics.null_count if statistics else None,
                statistics.min if statistics and statistics.has_min_max else None,
            )
        )
    return fields


def values_readers(path: str, names: list[str]) -> dict[str, Callable[[int], object]]:
    """Return the readers from a path to one column's values; every call reads another column."""
    count = len(names)
    readers: dict[str, Callable[[int], object]] = {
        "pyarrow": lambda call: pq.ParquetFile(path).read(columns=[names[call * 7919 % count]]),
    }
    if "polars" in installed():
        import polars

        readers["polars"] = lambda call: polars.read_parquet(path, columns=[names[call * 7919 % count]])
    return readers


_PALLETJACK = """
import json, sys, time
import palletjack as pj, pyarrow.parquet as pq
path, index, leaves, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
pj.generate_metadata_index(path, index)
schema = pq.read_metadata(path).schema
names = [schema.column(leaf).path for leaf in range(leaves)]
best = []
for call in range(rounds):
    start = time.perf_counter()
    metadata = pj.read_metadata(index, column_names=[names[call * 7919 % leaves]])
    pq.ParquetFile(path, metadata=metadata).read()
    best.append(time.perf_counter() - start)
print(json.dumps({"minimum": min(best[1:]), "median": sorted(best[1:])[len(best[1:]) // 2]}))
"""


def palletjack_seconds(path: str, index: str, leaves: int, rounds: int, python: str | None = None) -> Timing | None:
    """Measure one column's values by PalletJack's side file, run by `python` (PalletJack needs another pyarrow)."""
    if python is None and "palletjack" not in installed():
        return None
    command = [python or sys.executable, "-c", _PALLETJACK, path, index, str(leaves), str(rounds + 1)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"PalletJack failed: {done.stderr.strip().splitlines()[-1:]}")
    return Timing(**json.loads(done.stdout), calls=rounds)
