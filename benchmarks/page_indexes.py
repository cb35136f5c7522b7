"""Compare adding a page index to a large file with reading and writing the file's bytes."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import parquetext

from .cases import OURS, Row, rows_of
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["measure"]

ROWS = 128_000_000  # 1 GB of int64
PIECE = 1 << 22  # bytes


def measure(workspace: Workspace, rounds: int, rows: int = ROWS) -> list[Row]:
    """Compare both kinds of commit: in place, which writes the end of the file, and the atomic replacement."""
    path = workspace.written(f"numbers-{rows}", partial(_write, rows))
    in_place, replaced = (path.with_suffix(f".{name}") for name in ("in-place", "replaced"))
    copy = path.with_suffix(".copy")
    for file in (in_place, replaced):
        shutil.copyfile(path, file)
    os.sync()

    def restore(file: Path) -> None:
        parquetext.strip(file, in_place=True)
        os.sync()

    contenders = [
        Contender(
            f"{OURS}, in place",
            lambda _: parquetext.add_page_index(in_place, in_place=True),
            settle=partial(restore, in_place),
        ),
        Contender(OURS, lambda _: parquetext.add_page_index(replaced), settle=partial(restore, replaced)),
        Contender("reading and writing", lambda _: _copy(path, copy), settle=os.sync),
    ]
    timings = compare(contenders, rounds)
    for file in (in_place, replaced, copy):
        file.unlink()
    subject = f"{path.stat().st_size:,} B"
    return list(rows_of("page index", subject, timings, {"reading and writing": 2.0}, ours=f"{OURS}, in place"))


def _write(rows: int, path: str) -> None:
    """Write random numbers, with bounds in the page headers and no page index."""
    numbers = np.random.default_rng(rows).integers(0, 1 << 62, rows)
    options = {"use_dictionary": False, "compression": "none", "write_page_index": False}
    pq.write_table(pa.table({"n": numbers}), path, **options)


def _copy(path: Path, copy: Path) -> None:
    """Read and write the bytes of a file; the system flushes them later."""
    with open(path, "rb") as source, open(copy, "wb") as sink:
        while piece := source.read(PIECE):
            sink.write(piece)
