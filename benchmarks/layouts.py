"""Compare files that are written for scans, for access to single rows, or to be small."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext.arrow.tables import read_table
from parquetext.arrow.writing.writer import write_table
from parquetext.edits.options import OPTIMIZED_FOR, RANDOM_ACCESS, SCAN

from . import row_shapes
from .cases import Row
from .timing import Contender, Timing, compare
from .workspace import Workspace

__all__ = ["measure"]

PYARROW = "pyarrow"
WRITE_ROUNDS = 3
BYTES_TARGET = 1.05  # of pyarrow's file
TEXTS = ["url0", "url1", "url2"]


def measure(workspace: Workspace, rounds: int, rows: int = row_shapes.ROWS) -> Iterator[list[Row]]:
    """Write a table with each value of `optimize_for` and by pyarrow; compare bytes, times of writing, and of scans."""
    workspace.progress(f"making {rows:,} rows")
    table = row_shapes.table(rows)
    subject = f"{rows:,} rows × {table.num_columns} columns"
    files = {use: workspace.folder / f"layout-{use}-{rows}.parquet" for use in (*OPTIMIZED_FOR, PYARROW)}
    workspace.progress("writing")
    written = compare(_writing(table, files), min(rounds, WRITE_ROUNDS), warm_up=0)
    yield _sizes(subject, files)
    yield _timed("written for a use", subject, written, {})
    numbers = [
        field.name for field in table.schema if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    ]
    del table
    for columns, case, target in ((None, "all columns", 0.7), (TEXTS, "strings", 0.55), (numbers, "numbers", 0.9)):
        workspace.progress(f"scans, {case}")
        contenders = [Contender(use, functools.partial(_read, path, columns)) for use, path in files.items()]
        timings = compare(contenders, rounds, alternating=True)
        yield _timed(f"written for a use, then read whole: {case}", subject, timings, {RANDOM_ACCESS: target})


def _writing(table: pa.Table, files: dict[str, Path]) -> list[Contender]:
    def ours(use: str) -> Callable[[int], object]:
        return lambda _: write_table(table, files[use], optimize_for=use)

    contenders = [Contender(use, ours(use)) for use in OPTIMIZED_FOR]
    return [*contenders, Contender(PYARROW, lambda _: pq.write_table(table, files[PYARROW]))]


def _read(path: Path, columns: list[str] | None, _: int) -> pa.Table:
    return read_table(path, columns)


def _sizes(subject: str, files: dict[str, Path]) -> list[Row]:
    """Return the bytes of the files; the ratio is that to pyarrow's file."""
    sizes = {use: path.stat().st_size for use, path in files.items()}
    targets = {RANDOM_ACCESS: BYTES_TARGET}
    return [
        Row("bytes by use", subject, use, size, "B", size / sizes[PYARROW], targets.get(use), at_most=True)
        for use, size in sizes.items()
    ]


def _timed(case: str, subject: str, timings: dict[str, Timing], targets: dict[str, float]) -> list[Row]:
    """Return the times; the ratio is the speed compared with the file for scans."""
    scan, found = timings[SCAN], []
    for use, timing in timings.items():
        ratio, best = scan.over_by_rounds(timing)
        row = Row(case, subject, use, timing.median, "s", ratio, targets.get(use), False, timing.minimum, best)
        found.append(row)
    return found
