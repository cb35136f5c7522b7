"""Demonstrate everything on one wide table: write it, upgrade it, read it fast, and read it with other readers."""

from __future__ import annotations

import decimal
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .. import edits
from .. import open as open_file
from ..footer.forms import WRITABLE
from ..inspection import integrity
from ..inspection.integrity.inspection import inspect
from ..records import frozen
from .readers import installed_readers, read_many_with

COLUMNS, ROW_GROUPS, ROWS_PER_GROUP = 5_000, 4, 600
SAMPLE_COLUMNS = 20
REPEATS = 5


def column_names(count: int) -> list[str]:
    """Return names of 20 characters, as warehouses have them."""
    return [f"measurement_{index:08d}" for index in range(count)]


@frozen
class Step:
    """One line of the demonstration's table."""

    what: str
    seconds: float | None = None
    before_seconds: float | None = None
    detail: str = ""
    ok: bool = True


def _arrays(rows: int, seed: int) -> list[pa.Array]:
    """Return arrays of common types with values that compress badly."""
    chance = random.Random(seed)
    integers = pa.array([chance.getrandbits(62) for _ in range(rows)], pa.int64())
    return [
        pa.array([chance.getrandbits(31) for _ in range(rows)], pa.int32()),
        integers,
        pa.array([chance.gauss(0, 1e6) for _ in range(rows)], pa.float64()),
        pa.array(
            [f"{chance.getrandbits(60):015x}" if chance.random() > 0.05 else None for _ in range(rows)], pa.string()
        ),
        pa.array([1_600_000_000_000_000 + chance.getrandbits(47) for _ in range(rows)], pa.timestamp("us", tz="UTC")),
        pa.array([decimal.Decimal(chance.getrandbits(50)).scaleb(-2) for _ in range(rows)], pa.decimal128(18, 2)),
        pa.array([chance.random() < 0.3 for _ in range(rows)], pa.bool_()),
    ]


def make_file(path: str, columns: int, row_groups: int, progress: Callable[[], None]) -> None:
    """Write the wide table; `progress` is called after each row group."""
    names = column_names(columns)
    writer: Any = None
    for row_group in range(row_groups):
        pools = [_arrays(ROWS_PER_GROUP, 97 * row_group + variant) for variant in range(16)]
        arrays = [pools[index // 7 % 16][index % 7] for index in range(columns)]
        table = pa.Table.from_arrays(arrays, names=names)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="snappy")
        writer.write_table(table)
        progress()
    writer.close()


def _best(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return the shortest of a few runs, and the last result."""
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def run(
    folder: str,
    columns: int = COLUMNS,
    row_groups: int = ROW_GROUPS,
    *,
    say: Callable[..., Callable[[], None]] = lambda what, total=None: lambda: None,
    readers: Sequence[str] | None = None,
) -> Iterator[Step]:
    """Run the demonstration in `folder`, which is created if it is missing, and yield each step when it is done.

    `say(step, total)` announces a step and its number of parts, and returns a function to call after each part.
    """
    os.makedirs(folder, exist_ok=True)
    original, path = str(Path(folder, "wide.parquet")), str(Path(folder, "wide-upgraded.parquet"))
    advance = say(f"writing {columns:,} columns × {row_groups} row groups", row_groups)
    start = time.perf_counter()
    make_file(original, columns, row_groups, advance)
    size = os.path.getsize(original)
    yield Step("write the table (pyarrow)", time.perf_counter() - start, detail=f"{size:,} bytes")
    shutil.copyfile(original, path)

    say("upgrading")
    start = time.perf_counter()
    form = next(iter(WRITABLE))
    edits.upgrade(path, form=form)
    added = os.path.getsize(path) - size
    seconds, placement = time.perf_counter() - start, inspect(path).placement
    yield Step(f"upgrade: add the {form} footer", seconds, detail=f"+{added:,} bytes ({added / size:.1%}), {placement}")

    say("verifying")
    start = time.perf_counter()
    report = integrity.verify(path)
    detail = "; ".join(map(str, report.findings)) or "no findings"
    yield Step("verify", time.perf_counter() - start, detail=detail, ok=report.ok)

    yield from _read_one_column(original, path, column_names(columns)[columns // 2])
    yield from _let_others_read(original, path, column_names(columns), say, readers or installed_readers())

    edits.strip(path)
    same = Path(path).read_bytes() == Path(original).read_bytes()
    yield Step("strip: the original file again", detail="byte for byte" if same else "the bytes differ", ok=same)


def _read_one_column(original: str, path: str, name: str) -> Iterator[Step]:
    def bounds_by_parquetext() -> tuple:
        with open_file(path) as file:
            column = file.column(name)
            return list(column.data_page_offset), list(column.null_count)

    def bounds_by_pyarrow() -> tuple:
        metadata = pq.read_metadata(original)
        leaf = metadata.schema.names.index(name)
        chunks = [metadata.row_group(index).column(leaf) for index in range(metadata.num_row_groups)]
        return [chunk.data_page_offset for chunk in chunks], [chunk.statistics.null_count for chunk in chunks]

    def values_of_parquetext() -> pa.Table:
        with open_file(path) as file:
            return file.read(columns=[name])

    before, theirs = _best(bounds_by_pyarrow)
    after, ours = _best(bounds_by_parquetext)
    same = ours == theirs
    yield Step("open, one column's statistics", after, before, "equal" if same else "different", same)
    before, theirs = _best(lambda: pq.ParquetFile(original).read(columns=[name]))
    after, ours = _best(values_of_parquetext)
    same = ours.equals(theirs)
    yield Step("open, one column's values", after, before, "equal" if same else "different", same)


def _let_others_read(
    original: str, path: str, names: list[str], say: Callable, readers: Sequence[str]
) -> Iterator[Step]:
    sample = names[:: max(1, len(names) // SAMPLE_COLUMNS)]
    for reader in readers:
        say(f"{reader} reads both files")
        before, after = read_many_with(reader, [original, path], sample)
        if after.ok and before.digest == after.digest:
            ok, detail = True, f"{after.rows:,} rows, equal"
        elif reader == "fastparquet" and before.ok:
            ok, detail = True, "no, as expected: long-form field ids"
        else:
            ok, detail = False, (after.message or before.message or "different rows")[:160]
        yield Step(f"{reader} reads the upgraded file", detail=detail, ok=ok)
