"""Compare reads of many small files with Polars and pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import parquetext

from . import row_shapes
from .cases import OURS, Row, compared, rows_of
from .peers import is_installed
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["measure"]

FILES, ROWS = 1000, 1000
NUMBER, KEY = "random0", "id"
ALL, SOME = {"polars": 1.0}, {"polars": 1.5}  # targets


def measure(workspace: Workspace, rounds: int, files: int = FILES) -> Iterator[list[Row]]:
    """Read a folder of small files whole, and through filters that keep rows of all files or of one file."""
    workspace.progress("writing small files")
    folder = workspace.folder / f"small-{files}"
    keys, limit = _write(folder, files)
    subject = f"{files:,} files × {ROWS:,} rows"
    for case, filter, targets in (
        ("all rows", None, ALL),
        ("1 % of the rows", (NUMBER, ">=", limit), SOME),
        ("one id", (KEY, "==", keys[len(keys) // 2]), SOME),
    ):
        workspace.progress(f"small files, {case}")
        yield list(rows_of(f"small files, {case}", subject, compare(_contenders(folder, filter), rounds), targets))


def _write(folder: Path, files: int) -> tuple[list, float]:
    """Write the files, unless they are there; return all keys, and the limit above which 1 % of the numbers are."""
    table = row_shapes.table(files * ROWS)
    if not folder.exists():
        folder.mkdir(parents=True)
        for number in range(files):
            pq.write_table(table.slice(number * ROWS, ROWS), folder / f"{number:06}.parquet")
    return table[KEY].to_pylist(), float(np.quantile(table[NUMBER].to_numpy(), 0.99))


def _contenders(folder: Path, filter: tuple[str, str, Any] | None) -> list[Contender]:
    name, operator, value = filter or ("", "", None)

    def by(dataset: Callable[[str], Any]) -> Callable[[int], Any]:
        condition = compared(ds.field(name), operator, value) if filter else None
        return lambda _: dataset(str(folder)).to_table(filter=condition)

    contenders = [Contender(OURS, by(parquetext.dataset)), Contender("pyarrow", by(ds.dataset))]
    if is_installed("polars"):
        import polars as pl

        def by_polars(_: int) -> Any:
            frame = pl.scan_parquet(folder / "*.parquet")
            return (frame.filter(compared(pl.col(name), operator, value)) if filter else frame).collect()

        contenders.append(Contender("polars", by_polars))
    return contenders
