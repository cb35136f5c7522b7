"""Plan a query over many files: CPU time from a directory to the row groups that one predicate leaves."""

from __future__ import annotations

import importlib.util
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from parquetext import edits, sidecar
from parquetext.arrow.datasets.dataset import dataset
from parquetext.arrow.datasets.discovery import discover
from parquetext.catalog import batches_of
from parquetext.catalog.cover import Cover
from parquetext.pruning import predicate_of

from .cases import OURS, Row, rows_of
from .shapes import Shape, make_table
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["plans"]

SHAPE = Shape(100, 5)
COLUMN = 1  # an int64
ORDER, CATALOG_ROWS = ("column", "file", "row_group"), 1 << 16
TARGETS = {"polars": 25, "pyarrow.dataset": 60}


def plans(workspace: Workspace, files: int, rounds: int) -> list[Row]:
    """Measure an equality that one row group of one file meets: by sidecars, flat and Thrift footers, and others.

    Polars has no separate plan: it also reads the one row.
    """
    plain, flat, planned, stored = _folders(workspace.folder, files)
    column = make_table(SHAPE).column_names[COLUMN]
    wanted = files // 2 * SHAPE.rows_per_group * SHAPE.row_groups
    expression, listed = pc.field(column) == wanted, [(column, "=", wanted)]

    def ours(folder: str, filter) -> int:
        return sum(len(fragment.row_groups) for fragment in dataset(folder).get_fragments(filter))

    def by_catalog(_: int) -> int:
        found = discover(plain, sizes=True)
        cover = Cover(stored, found.paths, found.sizes, found.modified)
        return len(cover.left(predicate_of(listed), {column: pa.int64()}))

    def pyarrows(_: int) -> int:
        fragments = ds.dataset(plain, partitioning="hive").get_fragments(expression)
        return sum(len(fragment.subset(expression).row_groups) for fragment in fragments)

    contenders = [
        Contender(OURS, lambda _: ours(planned, listed)),
        Contender(f"{OURS}, a catalog", by_catalog),
        Contender(f"{OURS}, flat", lambda _: ours(flat, listed)),
        Contender(f"{OURS}, an expression", lambda _: ours(flat, expression)),
        Contender(f"{OURS}, Thrift", lambda _: ours(plain, listed)),
        Contender("pyarrow.dataset", pyarrows),
    ]
    if importlib.util.find_spec("polars"):
        import polars

        contenders.append(
            Contender(
                "polars",
                lambda _: (
                    polars.scan_parquet(f"{plain}/*.parquet")
                    .filter(polars.col(column) == wanted)
                    .select(column)
                    .collect()
                ),
            )
        )
    timings = compare(contenders, rounds, clock=time.process_time)
    return list(rows_of("plan, CPU", f"{files:,} files of {SHAPE.name}", timings, TARGETS))


def _folders(folder: Path, files: int) -> tuple[str, str, str, str]:
    """Write the same files plain, with flat footers, and with sidecars; the column continues from file to file.

    Also return the catalog of the plain files.
    """
    plain, flat, planned = (folder / f"{files}-{name}" for name in ("plain", "flat", "sidecars"))
    stored = folder / f"{files}-catalog.parquet"
    if planned.exists():
        return str(plain), str(flat), str(planned), str(stored)
    unfinished = planned.with_suffix(".unfinished")
    for each in (plain, flat, unfinished):
        shutil.rmtree(each, ignore_errors=True)
        each.mkdir()
    table, rows = make_table(SHAPE), SHAPE.rows_per_group * SHAPE.row_groups
    for number in range(files):
        values = pa.array(range(number * rows, (number + 1) * rows), pa.int64())
        name = f"{number:06}.parquet"
        pq.write_table(
            table.set_column(COLUMN, table.column_names[COLUMN], values),
            plain / name,
            row_group_size=SHAPE.rows_per_group,
        )
        for folder in (flat, unfinished):
            shutil.copyfile(plain / name, folder / name)
        edits.upgrade(str(flat / name), form="flat")
        sidecar.build(str(unfinished / name))
    chunks = pa.Table.from_batches(batches_of(sorted(map(str, plain.iterdir()))))
    pq.write_table(chunks.sort_by([(name, "ascending") for name in ORDER]), stored, row_group_size=CATALOG_ROWS)
    unfinished.rename(planned)
    return str(plain), str(flat), str(planned), str(stored)
