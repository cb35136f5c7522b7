"""Compare `read_table` with other readers: few and many columns, filters, and many row groups."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .cases import OURS, STRIDE, Row, rows_of
from .peers import installed
from .processes import Reading, compare_readings
from .shapes import ROWS_PER_GROUP, Shape
from .workspace import Subject, Workspace

__all__ = ["LONG_ROWS", "ROWS", "measure"]

ROWS, LONG_ROWS = 500_000, 5_000_000
TALL_COLUMNS, TALL_GROUPS = 100, 10
WIDE_COLUMNS = 10_000
SHARE = 0.01  # of the rows, that a filter keeps
KEY_VALUE_BYTES = 64 << 10
MANY_GROUPS = Shape(20, 5_000)
FILES, FILE_ROWS = 500, 1_000
SEED = 16
# The number of columns, the number of calls in a round, and the target of the ratio.
WIDE = (
    (1, 50, {}),
    (10, 20, {"pyarrow": 50.0, "polars": 30.0}),
    (100, 5, {"pyarrow": 6.0, "polars": 3.0}),
    (1_000, 2, {"pyarrow": 4.5, "polars": 2.0}),
    (WIDE_COLUMNS, 1, {"pyarrow": 4.0, "polars": 1.0}),
)
TALL = ((1, 5), (10, 2), (TALL_COLUMNS, 1))
OTHER_CODECS = ("zstd", "lz4")
TALL_TARGETS = {"pyarrow": 1.0, "polars": 0.9}
FILTER_TARGETS = {"pyarrow": 1.0, "polars": 1.0}


def measure(workspace: Workspace, rounds: int, rows: int = ROWS) -> Iterator[list[Row]]:
    """Make all comparisons; the tables of 100 columns have so many rows."""
    wide = workspace.of_shape(Shape(WIDE_COLUMNS, TALL_GROUPS))
    for count, calls, targets in WIDE:
        workspace.progress(f"{count:,} of {WIDE_COLUMNS:,} columns")
        yield _columns(wide, wide.top_level_names, count, calls, rounds, targets)
    for kind, described, targets in _described(workspace, wide):
        workspace.progress(f"1 of {WIDE_COLUMNS:,} columns, {kind}")
        yield _columns(described, wide.top_level_names, 1, 50, rounds, targets, f", {kind}")
    tall = workspace.of_table(f"tall-{rows}", lambda: _tall(rows), rows // TALL_GROUPS)
    for count, calls in TALL:
        workspace.progress(f"{count} of {TALL_COLUMNS} columns × {rows:,} rows")
        yield _columns(tall, tall.top_level_names, count, calls, rounds, TALL_TARGETS)
    for codec in OTHER_CODECS:
        some = workspace.of_table(f"tall-{rows}-{codec}", lambda: _tall(rows), rows // TALL_GROUPS, codec)
        workspace.progress(f"all of {TALL_COLUMNS} columns × {rows:,} rows, {codec}")
        yield _columns(some, some.top_level_names, TALL_COLUMNS, 1, rounds, TALL_TARGETS, f", {codec}")
    group = rows // TALL_GROUPS
    few = int(rows * SHARE)
    for case, filters in (
        ("1 of 10 row groups", [("id", ">=", 4 * group), ("id", "<", 5 * group)]),
        ("1 % of rows, one after the other", [("id", ">=", 4 * group), ("id", "<", 4 * group + few)]),
        ("1 % of rows, scattered", [("chance", "<", SHARE)]),
    ):
        workspace.progress(f"a filter that keeps {case}")
        timings = compare_readings(_readings(tall), rounds, lambda _: None, filters)
        yield list(rows_of(f"read_table, filter: {case}", tall.name, timings, FILTER_TARGETS))
    folder = _folder(workspace)
    workspace.progress(f"a folder of {FILES:,} files")
    readings = [Reading(name, name, folder) for name in (OURS, "pyarrow", "polars") if name in (OURS, *installed())]
    for case, filters, targets in (("", None, {"pyarrow": 1.0}), (", a filter: 1 % of rows", [("x1", "<", SHARE)], {})):
        timings = compare_readings(readings, rounds, lambda _: None, filters)
        yield list(rows_of(f"read_table, a folder{case}", f"{FILES} files of {FILE_ROWS:,} rows", timings, targets))
    many = workspace.of_shape(MANY_GROUPS)
    workspace.progress(f"{MANY_GROUPS.row_groups:,} row groups")
    for form, path in (("index form", many.index), ("no form of ours", many.plain)):
        readings = [Reading(OURS, OURS, path), Reading("ParquetFile.read", "ParquetFile", many.plain)]
        timings = compare_readings(readings, rounds, lambda _: None)
        yield list(rows_of(f"read_table, all columns, {form}", many.name, timings, {"ParquetFile.read": 1.0}))


def _columns(
    subject: Subject, names: list[str], count: int, calls: int, rounds: int, targets: dict[str, float], of: str = ""
) -> list[Row]:
    """Measure so many columns, others in each call, or all; `of` describes the rest of the file."""
    step = len(names) // count

    def columns(call: int) -> list[str] | None:
        if count == len(names):
            return None
        return [names[(call * STRIDE + part * step) % len(names)] for part in range(count)]

    timings = compare_readings(_readings(subject), rounds, columns, calls=calls)
    return list(rows_of(f"read_table, {count:,} columns{of}", subject.name, timings, targets))


def _described(workspace: Workspace, wide: Subject) -> Iterator[tuple[str, Subject, dict[str, float]]]:
    """Measure the wide table with key-values, and as written by pandas, which describes every column in them."""
    noted = workspace.of_table(
        "wide-noted",
        lambda: pq.read_table(wide.plain).replace_schema_metadata({"notes": "x" * KEY_VALUE_BYTES}),
        ROWS_PER_GROUP,
    )
    yield "64 KiB of key-values", noted, {"pyarrow": 400.0}
    if importlib.util.find_spec("pandas"):
        framed = workspace.of_table(
            "wide-pandas", lambda: pa.Table.from_pandas(pq.read_table(wide.plain).to_pandas()), ROWS_PER_GROUP
        )
        yield "pandas' description of all columns", framed, {}


def _readings(subject: Subject) -> list[Reading]:
    """Return our reading by the flat footer, and the others by the file as pyarrow wrote it."""
    others = [name for name in ("pyarrow", "polars") if name in installed()]
    return [Reading(OURS, OURS, subject.flat), *(Reading(name, name, subject.plain) for name in others)]


def _folder(workspace: Workspace) -> str:
    """Measure many small files of 20 columns, as pyarrow writes them."""
    folder = workspace.folder / "files"
    if folder.exists():
        return str(folder)
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(exist_ok=True)
    chance = np.random.default_rng(SEED)
    for number in range(FILES):
        whole = {f"n{column}": chance.integers(0, 100, FILE_ROWS) for column in range(10)}
        others = {f"x{column}": chance.random(FILE_ROWS) for column in range(10)}
        pq.write_table(pa.table(whole | others), unfinished / f"{number:05d}.parquet")
    unfinished.rename(folder)
    return str(folder)


def _tall(rows: int) -> pa.Table:
    """Return 100 columns: ascending numbers, random ones, and by turns doubles, integers, texts, doubles with nulls."""
    chance = np.random.default_rng(SEED)
    words = pa.array([f"word {number:05d}" for number in range(5_000)])
    makers = (
        lambda: pa.array(chance.random(rows)),
        lambda: pa.array(chance.integers(0, 10**9, rows)),
        lambda: pa.array(chance.integers(0, 1_000, rows).astype("int32")),
        lambda: words.take(pa.array(chance.integers(0, len(words), rows))),
        lambda: pa.array(chance.random(rows), mask=chance.random(rows) < 0.1),
    )
    columns = {"id": pa.array(np.arange(rows)), "chance": pa.array(chance.random(rows))}
    columns |= {f"c{number}": makers[number % len(makers)]() for number in range(TALL_COLUMNS - len(columns))}
    return pa.table(columns)
