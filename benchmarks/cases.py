"""The measurements, one function each: every function returns rows that make one comparison in one run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow.parquet as pq

from parquetext import edits, footer, kernels
from parquetext import open as open_file
from parquetext.arrow.writing.writer import write_table

from . import memory, peers
from .shapes import Shape, make_table
from .timing import Contender, Timing, compare
from .workspace import Subject, Workspace

__all__ = [
    "OURS",
    "PALLETJACK",
    "STRIDE",
    "Row",
    "builds",
    "bytes_of_footers",
    "checksums",
    "compared",
    "footers",
    "held_memory",
    "rows_of",
    "upgrades",
    "values",
    "writes",
]

OURS = "parquetext"
PALLETJACK = "palletjack (own environment)"
CACHE_LINE = 64  # bytes
STRIDE = 7919  # a prime: consecutive calls touch columns far apart


@dataclass(frozen=True, slots=True)
class Row:
    """One contender in one comparison.

    `value` is the median over rounds, `minimum` the best of them (times only). `ratio` is the factor by which ours is
    better than this contender's median (time, or bytes for sizes and memory), `minimum_ratio` that of the best rounds;
    `target` is the minimum of `ratio` (or the maximum, with `at_most`).
    """

    case: str
    subject: str
    contender: str
    value: float
    unit: str
    ratio: float | None = None
    target: float | None = None
    at_most: bool = False
    minimum: float | None = None
    minimum_ratio: float | None = None

    @property
    def met(self) -> bool | None:
        if self.target is None or self.ratio is None:
            return None
        ratio = round(self.ratio, 2)  # as it is shown
        return ratio <= self.target if self.at_most else ratio >= self.target

    def as_dict(self) -> dict:
        return {**asdict(self), "met": self.met}


def compared(column: Any, operator: str, value: object) -> Any:
    """Return the condition of a filter with the operator ``==`` or ``>=``, for any library's columns."""
    return column == value if operator == "==" else column >= value


def rows_of(
    case: str,
    subject: str,
    timings: dict[str, Timing],
    targets: dict[str, float],
    ours: str = OURS,
    over: Callable[[Timing, Timing], tuple[float, float]] = Timing.over,
) -> Iterator[Row]:
    """Return our row first, then the others with their ratios to ours."""
    base = timings[ours]
    for name, timing in sorted(timings.items(), key=lambda item: item[0] != ours):
        ratios = (None, None) if name == ours else over(timing, base)
        yield Row(
            case,
            subject,
            name,
            timing.median,
            "s",
            ratios[0],
            targets.get(name),
            minimum=timing.minimum,
            minimum_ratio=ratios[1],
        )


def footers(
    subject: Subject, rounds: int, targets: dict[str, float], tick: Callable[[], None] | None = None
) -> list[Row]:
    """Measure reading the whole Thrift footer, from path to memory."""
    contenders = [Contender(OURS, lambda _: footer.scan(subject.plain), calls=5)]
    contenders += [Contender(name, run) for name, run in peers.footer_readers(subject.plain).items()]
    return list(rows_of("whole Thrift footer", subject.name, compare(contenders, rounds, tick), targets))


def values(
    subject: Subject,
    rounds: int,
    targets: dict[str, float],
    *,
    palletjack: str | None = None,
    tick: Callable[[], None] | None = None,
) -> list[Row]:
    """Measure reading one column's values, from path to table."""
    names = subject.top_level_names
    count = len(names)

    def ours(call: int) -> object:
        with open_file(subject.flat) as file:
            return file.read(columns=[names[call * STRIDE % count]])

    contenders = [Contender(OURS, ours, calls=100)]
    contenders += [Contender(name, run) for name, run in peers.values_readers(subject.plain, names).items()]
    timings = compare(contenders, rounds, tick)
    rows = list(rows_of("one column's values", subject.name, timings, targets))
    side = peers.palletjack_seconds(
        subject.plain, subject.plain + ".palletjack", len(subject.leaf_names), rounds * 5, palletjack
    )
    if side:
        median, best = side.over(timings[OURS])
        rows.append(
            Row(
                "one column's values",
                subject.name,
                PALLETJACK,
                side.median,
                "s",
                median,
                targets.get(PALLETJACK),
                minimum=side.minimum,
                minimum_ratio=best,
            )
        )
    return rows


def held_memory(subject: Subject, limit: int) -> list[Row]:
    """Measure the memory held after opening and reading one column, each in a separate process."""
    ours = memory.held_by_parquetext(subject.flat, subject.leaf_names[len(subject.leaf_names) // 2])
    theirs = memory.held_by_pyarrow(subject.plain)
    return [
        Row("memory held", subject.name, OURS, ours, "B", ours / limit, 1.0, at_most=True),
        Row("memory held", subject.name, "pyarrow", theirs, "B", theirs / max(ours, 1)),
    ]


def checksums(rounds: int) -> list[Row]:
    """Measure CRC-32 of 1 MiB and of the sizes that look-ups check, at any alignment, as in files."""
    from zlib_ng import zlib_ng

    rows = []
    best = kernels.checksum.crc32_implementations()[0]
    for size in (256, 1536, 4096, 1 << 20):
        data = memoryview(os.urandom(size + CACHE_LINE))
        views = [data[start : start + size] for start in range(CACHE_LINE)]
        timings = compare(
            [
                Contender(name, lambda call, crc32=crc32, views=views: crc32(views[call % CACHE_LINE]), CACHE_LINE)
                for name, crc32 in ((OURS, kernels.checksum.crc32), ("zlib-ng", zlib_ng.crc32))
            ],
            rounds,
        )
        rows += rows_of("CRC-32", f"{size:,} B, {best}", timings, {"zlib-ng": 1.0 if size >= 4096 else 0.9})
    return rows


def bytes_of_footers(subject: Subject, target: float | None, index_target: float | None = None) -> list[Row]:
    """Compare the size of the flat block and the index with that of the Thrift footer."""
    thrift = pq.read_metadata(subject.plain).serialized_size
    flat, index = (os.path.getsize(path) - os.path.getsize(subject.plain) for path in (subject.flat, subject.index))
    return [
        Row("footer bytes", subject.name, "Thrift", thrift, "B"),
        Row("footer bytes", subject.name, "flat block", flat, "B", flat / thrift, target, at_most=True),
        Row("footer bytes", subject.name, "index", index, "B", index / thrift, index_target, at_most=True),
    ]


def builds(subject: Subject, rounds: int, target: float | None) -> list[Row]:
    """Compare building the flat block from a scan, and the footer from the block, with a plain scan."""
    scan = footer.scan(subject.plain)
    payload = kernels.flat.write(scan)
    contenders = [
        Contender("plain scan", lambda _: kernels.scan.scan_plainly(scan.data)),
        Contender("flat block built", lambda _: kernels.flat.write(scan)),
        Contender("Thrift rebuilt", lambda _: kernels.flat.to_thrift(payload)),
    ]
    targets = {"flat block built": target} if target else {}
    rows = rows_of("build", subject.name, compare(contenders, rounds), targets, ours="plain scan")
    return [replace(row, at_most=True) for row in rows]


def upgrades(subject: Subject, rounds: int, target: float | None) -> list[Row]:
    """Compare an upgrade with copying, flushing and reading the footer with pyarrow on the same disk."""
    copy, working = subject.plain + ".copy", subject.plain + ".working"

    def copy_flush_read(_: int) -> None:
        shutil.copyfile(subject.plain, copy)
        with open(copy, "rb+") as handle:
            os.fsync(handle.fileno())
        pq.read_metadata(copy)

    def upgrade(call: int) -> None:
        edits.upgrade(f"{working}.{call}.parquet", form="flat")

    calls = range(rounds + 1)
    for call in calls:
        shutil.copyfile(subject.plain, f"{working}.{call}.parquet")
    os.sync()
    timings = compare([Contender(OURS, upgrade), Contender("copy, flush, read_metadata", copy_flush_read)], rounds)
    for path in (copy, *(f"{working}.{call}.parquet" for call in calls)):
        os.unlink(path)
    return list(rows_of("upgrade", subject.name, timings, {"copy, flush, read_metadata": target} if target else {}))


def writes(workspace: Workspace, shape: Shape, rounds: int, target: float | None) -> list[Row]:
    """Compare writing a table with a flat footer, flushed, with pyarrow's writer, which does not flush."""
    table, path = make_table(shape), str(workspace.folder / f"{shape.name}.written")
    options = {"row_group_size": shape.rows_per_group}
    os.sync()  # flush the data of other programs first
    timings = compare(
        [
            Contender(OURS, lambda _: write_table(table, path, form="flat", **options)),
            Contender("pyarrow", lambda _: pq.write_table(table, path + ".pyarrow", **options), settle=os.sync),
        ],
        2 * rounds,  # disks are less even than memory
    )
    for written in (path, path + ".pyarrow"):
        os.unlink(written)
    subject, theirs = f"{shape.name}, {table.num_rows * table.num_columns:,} values", timings["pyarrow"]
    rows = []
    for name, timing in timings.items():
        slower, slower_at_best = timing.over(theirs)
        rows.append(
            Row(
                "write_table",
                subject,
                name,
                timing.median,
                "s",
                slower,
                target if name == OURS else None,
                at_most=True,
                minimum=timing.minimum,
                minimum_ratio=slower_at_best,
            )
        )
    return rows
