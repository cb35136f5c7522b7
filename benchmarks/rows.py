"""Compare reads of single rows and selective filters with Lance, Vortex, Polars and pyarrow."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import parquetext

from . import page_indexes, row_shapes, small_files
from .cases import OURS, Row, compared, rows_of
from .peers import is_installed
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["measure"]

FEW, MANY = 100, 10_000  # random rows
NUMBER, TEXT, KEY = "random0", "url0", "id"
SEED = 8

Take = Callable[[np.ndarray, "list[str] | None"], Any]


def measure(workspace: Workspace, rounds: int, rows: int = row_shapes.ROWS) -> Iterator[list[Row]]:
    """Make all comparisons on one table, in files of every reader's own format."""
    workspace.progress("writing the files")
    folder = workspace.folder / f"rows-{rows}"
    files = _Files(folder, rows)
    _load(folder)
    subject = f"{rows:,} rows × {len(files.names)} columns"
    yield _sizes(files, subject)
    for count, targets in ((1, {"lance": 1.5}), (2, {"lance": 1.5}), (len(files.names), {"lance": 1.3})):
        workspace.progress(f"{FEW} random rows of {count} columns")
        yield _takes(files, subject, count, FEW, rounds, targets)
    workspace.progress(f"{MANY:,} random rows")
    yield _takes(files, subject, 2, MANY, rounds, {"reading everything": 1.0})
    workspace.progress(f"{FEW} random rows of an ordinary file")
    yield _ordinary(files, subject, rounds)
    workspace.progress("filters")
    yield from _filters(files, subject, rounds)
    workspace.progress("whole scans")
    yield from _scans(files, subject, rounds)
    yield from _texts(workspace, files, rounds)
    yield from small_files.measure(workspace, rounds)
    workspace.progress("a page index of a large file")
    yield page_indexes.measure(workspace, min(rounds, 3))


class _Files:
    """One table in several files and formats, which are written once and kept."""

    def __init__(self, folder: Path, rows: int):
        folder.mkdir(parents=True, exist_ok=True)
        self.rows = rows
        self.random_access, self.scan, self.ordinary, self.lance, self.vortex = (
            str(folder / name)
            for name in ("random_access.parquet", "scan.parquet", "ordinary.parquet", "lance", "rows.vortex")
        )
        table = None
        for path, write in (
            (self.random_access, lambda table, path: parquetext.write_table(table, path, optimize_for="random_access")),
            (self.scan, parquetext.write_table),
            (self.ordinary, pq.write_table),
            (self.lance, _write_lance if is_installed("lance") else None),
            (self.vortex, _write_vortex if is_installed("vortex") else None),
        ):
            if write is not None and not os.path.exists(path):
                table = row_shapes.table(rows) if table is None else table
                write(table, path)
        self.names = parquetext.read_schema(self.ordinary).names

    def columns(self, count: int) -> list[str] | None:
        return None if count == len(self.names) else [NUMBER, TEXT][:count]


def _load(folder: Path) -> None:
    """Read all files once, so that the system's cache has them for every reader."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.read_bytes()


def _write_lance(table: pa.Table, path: str) -> None:
    import lance

    lance.write_dataset(table, path)


def _write_vortex(table: pa.Table, path: str) -> None:
    import vortex

    vortex.io.write(table, path)


def _sizes(files: _Files, subject: str) -> list[Row]:
    sizes = {name: os.path.getsize(getattr(files, name)) for name in ("random_access", "scan", "ordinary")}
    rows = [Row("file size", subject, name, size, "B") for name, size in sizes.items() if name != "random_access"]
    ratio = sizes["random_access"] / sizes["ordinary"]
    return [*rows, Row("file size", subject, "random_access", sizes["random_access"], "B", ratio, 1.05, at_most=True)]


def _of_random(files: _Files, count: int, columns: list[str] | None, take: Take) -> Callable[[int], Any]:
    def run(call: int) -> Any:
        return take(np.random.default_rng([SEED, call]).integers(0, files.rows, count), columns)

    return run


def _takers(files: _Files, path: str) -> dict[str, Take]:
    """Return readers of rows by number; each call opens its file."""

    def ours(rows: np.ndarray, columns: list[str] | None) -> pa.Table:
        return parquetext.read_table(path, columns, rows=rows)

    takers: dict[str, Take] = {OURS: ours}
    if is_installed("lance"):
        import lance

        takers["lance"] = lambda rows, columns: lance.dataset(files.lance).take(rows, columns=columns)
    if is_installed("vortex"):
        import vortex

        def by_vortex(rows: np.ndarray, columns: list[str] | None) -> Any:
            indices = vortex.array(pa.array(np.unique(rows)))
            return vortex.open(files.vortex).scan(columns, indices=indices).read_all().to_arrow_table()

        takers["vortex"] = by_vortex
    return takers


def _takes(files: _Files, subject: str, count: int, rows: int, rounds: int, targets: dict[str, float]) -> list[Row]:
    columns = files.columns(count)
    takers = _takers(files, files.random_access)
    with parquetext.open(files.random_access) as file:
        takers["parquetext, open file"] = file.take
        if rows == MANY:
            takers["reading everything"] = lambda rows, names: parquetext.read_table(
                files.random_access, names, engine="parquetext"
            ).take(pa.array(rows))
        contenders = [Contender(name, _of_random(files, rows, columns, take), 3) for name, take in takers.items()]
        timings = compare(contenders, rounds)
    return list(rows_of(f"{rows:,} random rows, {count} columns", subject, timings, targets))


def _ordinary(files: _Files, subject: str, rounds: int) -> list[Row]:
    columns = files.columns(2)
    takers = {OURS: _takers(files, files.ordinary)[OURS]}
    takers["pyarrow"] = lambda rows, names: pq.read_table(files.ordinary, columns=names).take(pa.array(rows))
    contenders = [Contender(name, _of_random(files, FEW, columns, take)) for name, take in takers.items()]
    case = f"{FEW} random rows, 2 columns, ordinary file"
    return list(rows_of(case, subject, compare(contenders, rounds), {"pyarrow": 1.6}))


def _filters(files: _Files, subject: str, rounds: int) -> Iterator[list[Row]]:
    numbers = pq.read_table(files.ordinary, columns=[NUMBER])[NUMBER]
    limit = float(np.partition(numbers.to_numpy(), -200)[-200])
    chance = np.random.default_rng(SEED)
    keys = pq.read_table(files.ordinary, columns=[KEY])[KEY].take(pa.array(chance.integers(0, files.rows, FEW)))
    several, one = keys.to_pylist(), keys[0].as_py()
    cases = (
        ("a filter that keeps 200 rows", [(NUMBER, ">=", limit)], [TEXT], {"lance": 1.5, "vortex": 1.5}),
        (f"{FEW} ids", [(KEY, "in", several)], [NUMBER, TEXT], {"lance": 2.0}),
        ("one id", [(KEY, "==", one)], None, {"vortex": 3.0, "polars": 10.0}),
    )
    for case, filters, columns, targets in cases:
        yield _filter(
            files, subject, f"{case}, file for random access", files.random_access, filters, columns, rounds, targets
        )
    case, filters, columns, _ = cases[0]
    yield _filter(files, subject, f"{case}, ordinary file", files.ordinary, filters, columns, rounds, {"polars": 1.0})


def _filter(
    files: _Files,
    subject: str,
    case: str,
    path: str,
    filters: list[tuple],
    columns: list[str] | None,
    rounds: int,
    targets: dict[str, float],
) -> list[Row]:
    [(name, operator, value)] = filters
    contenders = [
        Contender(OURS, lambda _: parquetext.read_table(path, columns, filters)),
        Contender("pyarrow", lambda _: pq.read_table(path, columns=columns, filters=filters)),
    ]
    if is_installed("polars"):
        import polars as pl

        condition = pl.col(name).is_in(value) if operator == "in" else compared(pl.col(name), operator, value)
        contenders.append(
            Contender("polars", lambda _: pl.scan_parquet(path).filter(condition).select(columns or pl.all()).collect())
        )
    if is_installed("lance"):
        import lance

        text = f"({', '.join(map(str, value))})" if operator == "in" else repr(value)
        sql = f"{name} {operator} {text}"
        contenders.append(
            Contender("lance", lambda _: lance.dataset(files.lance).to_table(columns=columns, filter=sql))
        )
    if is_installed("vortex") and operator != "in":
        import vortex
        import vortex.expr as ve

        expression = compared(ve.column(name), operator, value)
        contenders.append(
            Contender(
                "vortex",
                lambda _: vortex.open(files.vortex).scan(columns, expr=expression).read_all().to_arrow_table(),
            )
        )
    return list(rows_of(case, subject, compare(contenders, rounds), targets))


def _scans(files: _Files, subject: str, rounds: int) -> Iterator[list[Row]]:
    """Compare whole reads of the file for random access with those of the file for scans."""
    schema = parquetext.read_schema(files.ordinary)
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    numbers = [field.name for field in schema if field.name not in texts]
    for what, columns, target in (("all columns", None, 0.7), ("texts", texts, 0.55), ("numbers", numbers, 0.9)):
        contenders = [
            Contender(OURS, lambda _, columns=columns: parquetext.read_table(files.random_access, columns)),
            Contender("file for scans", lambda _, columns=columns: parquetext.read_table(files.scan, columns)),
        ]
        yield list(rows_of(f"whole scan, {what}", subject, compare(contenders, rounds), {"file for scans": target}))


def _texts(workspace: Workspace, files: _Files, rounds: int) -> Iterator[list[Row]]:
    """Compare the CPU time of a whole string column with that of decompressing its pages."""
    for name, has_dictionary in (("plain", False), ("dictionary", True)):
        options = {"compression": "zstd", "use_dictionary": has_dictionary}
        path = workspace.written(
            f"texts-{name}-{files.rows}",
            lambda path, options=options: pq.write_table(
                pq.read_table(files.ordinary, columns=[TEXT]), path, **options
            ),
        )
        contenders = [
            Contender(OURS, lambda _, path=path: parquetext.read_table(path, use_threads=False)),
            Contender("zstd", _decompression(path)),
            Contender("pyarrow", lambda _, path=path: pq.read_table(path, use_threads=False)),
        ]
        timings = compare(contenders, rounds, clock=time.process_time)
        subject = f"{files.rows:,} texts, one thread"
        yield list(rows_of(f"CPU time of a string column, {name}", subject, timings, {"zstd": 0.83}))


def _decompression(path: Path) -> Callable[[int], None]:
    """Return a function that decompresses each page of the only column of a zstd file."""
    with parquetext.open(path) as file:
        pages = file.pages(TEXT).select(["offset", "header_size", "compressed_size", "uncompressed_size"]).to_pylist()
    data, codec = pa.py_buffer(path.read_bytes()), pa.Codec("zstd")

    def run(_: int) -> None:
        for page in pages:
            body = data.slice(page["offset"] + page["header_size"], page["compressed_size"])
            codec.decompress(body, page["uncompressed_size"])

    return run
