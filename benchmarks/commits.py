"""Measure a commit's cost in a sidecar: one row group after ten others, and after a thousand."""

from __future__ import annotations

import mmap
import time
from pathlib import Path

from parquetext import footer, kernels
from parquetext.sidecar.header import describe
from parquetext.sidecar.store_commit import next_commit
from parquetext.sidecar.token import Token
from parquetext.storage import LocalSource

from .cases import OURS, Row
from .shapes import Shape
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["commits"]

SHAPE = Shape(1_000, 1)
FEW, MANY = 10, 1_000
ENTRY_BYTES = 4


def commits(workspace: Workspace, rounds: int, target: float | None) -> list[Row]:
    """Measure the sidecar's part of a commit, from mapping it to the bytes that are appended.

    CPU time, without the Parquet file's new footer, its checksum, and waiting for the disk.
    """
    plain = workspace.of_shape(SHAPE).plain
    scan = footer.scan(plain)
    before = {count: _sidecar(workspace.folder / f"commits-{count}.pm", scan, count) for count in (FEW, MANY)}
    with LocalSource(plain) as data:

        def commit(count: int) -> bytes:
            return _commit(before[count], scan, count, data)

        names = {count: f"{SHAPE.columns:,} columns, {count:,} row groups before" for count in (FEW, MANY)}
        contenders = [Contender(names[count], lambda _, count=count: commit(count), calls=10) for count in names]
        timings = compare(contenders, rounds, clock=time.process_time)
        sizes = {count: len(commit(count)) for count in names}
    few, many = (timings[name] for name in names.values())
    slower, slower_at_best = many.over(few)
    entries = (MANY - FEW) * ENTRY_BYTES
    return [
        Row("commit, sidecar, CPU", names[FEW], OURS, few.median, "s", minimum=few.minimum),
        Row(
            "commit, sidecar, CPU",
            names[MANY],
            OURS,
            many.median,
            "s",
            slower,
            target,
            at_most=True,
            minimum=many.minimum,
            minimum_ratio=slower_at_best,
        ),
        Row("commit, sidecar bytes", names[FEW], OURS, sizes[FEW], "B"),
        Row(
            "commit, sidecar bytes",
            names[MANY],
            "but for 4 each",
            sizes[MANY] - entries,
            "B",
            (sizes[MANY] - entries) / sizes[FEW],
            target and 1.001,
            at_most=True,
        ),
    ]


def _sidecar(path: Path, scan, count: int) -> Path:
    """Return a sidecar of so many row groups, each of them the only one of `scan`."""
    header = describe(scan)
    writer = kernels.sidecar.Writer(header.columns)
    for _ in range(count):
        writer.add_scan(scan)
    path.write_bytes(writer.finish(4, len(scan.data)))
    return path


def _commit(path: Path, scan, count: int, data: LocalSource) -> bytes:
    with path.open("rb") as file:
        sidecar = kernels.sidecar.Reader(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), verify=False)
    return next_commit(sidecar, sidecar.footer.size, scan, [count], data, Token(2, 0, 12), (4, len(scan.data)), 0, [])
