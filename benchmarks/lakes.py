"""Comparisons on Spark, in one warm session: Spark's scan, our data source, jobs over a thousand files."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext.catalog import SCHEMA

from . import scans
from .cases import OURS, Row, rows_of
from .jobs import ONE_CORE, TWO_CORES, upgrades
from .shapes import Shape, make_table
from .timing import Contender, compare
from .workspace import Workspace

__all__ = ["on_spark", "rows_by_metadata"]

SPARKS = "spark.read.parquet"
METADATA = "pyarrow read_metadata"
FILES = Shape(100, 5)
LONG_ROWS = 10_000_000
WARM_UP = 3  # rounds: the JVM compiles what it has interpreted so far
CORES_ROUNDS = 3  # for each of the others: single rounds on two cores of a virtual machine vary
ONE_COLUMN_TARGET, JOB_TARGET, CORES_TARGET, LONG_LIMIT = 3.0, 5.0, 1.5, 1 / 3


def on_spark(workspace: Workspace, rounds: int, files: int = 1_000) -> Iterator[list[Row]]:
    """Make all comparisons in one `local[2]` session, and `upgrade` in separate processes."""
    from parquetext.spark import session

    lake = _lake(workspace, files)
    workspace.progress("starting Spark")
    spark = session(master="local[2]", driver_memory="3g", sql_shuffle_partitions=2)
    try:
        yield from scans.measure(workspace, spark, rounds)
        spark.conf.set(scans.SWITCH, "false")  # the data source is for users who cannot add the jar
        yield _one_column(workspace, spark, rounds)
        yield _long(workspace, spark, rounds)
        yield from _jobs(workspace, spark, lake, files, rounds)
    finally:
        spark.stop()
    yield _cores(workspace, lake, files, rounds)


def _one_column(workspace: Workspace, spark, rounds: int) -> list[Row]:
    """Measure one column of a very wide file with a given schema."""
    subject = workspace.of_shape(Shape(10_000, 10))
    workspace.progress("one column of 10,000")
    names = [name for name in subject.top_level_names if int(name[-8:]) % 7 == 1]

    def reads(reader: str) -> Callable[[int], None]:
        def read(call: int) -> None:
            name = names[call * 37 % len(names)]
            scans.drain(spark.read.format(reader).schema(f"`{name}` bigint").load(subject.flat).select(name))

        return read

    contenders = [Contender(OURS, reads("parquetext")), Contender(SPARKS, reads("parquet"))]
    timings = compare(contenders, rounds, warm_up=WARM_UP)
    return list(rows_of("Spark, one column", subject.name, timings, {SPARKS: ONE_COLUMN_TARGET}))


def _long(workspace: Workspace, spark, rounds: int) -> list[Row]:
    """Measure many rows of two columns."""
    path = workspace.folder / "long.parquet"
    if not path.exists():
        workspace.progress(f"writing {LONG_ROWS:,} rows")
        rows = pa.array(range(LONG_ROWS), pa.int64())
        pq.write_table(pa.table({"a": rows, "b": pa.compute.multiply(rows, 7919)}), path)
    workspace.progress(f"{LONG_ROWS:,} rows")
    contenders = [
        Contender(
            name,
            lambda _, reader=reader: scans.drain(
                spark.read.format(reader).schema("a bigint, b bigint").load(str(path))
            ),
        )
        for name, reader in ((OURS, "parquetext"), (SPARKS, "parquet"))
    ]
    timings = compare(contenders, rounds, warm_up=WARM_UP)
    return list(rows_of("Spark, all rows", f"{LONG_ROWS:,} × 2 int64", timings, {SPARKS: LONG_LIMIT}))


def _jobs(workspace: Workspace, spark, lake: Path, files: int, rounds: int) -> Iterator[list[Row]]:
    """Compare the jobs that read every footer with a job of pyarrow's metadata."""
    from parquetext.spark import catalog, verify

    paths = [str(path) for path in sorted(lake.iterdir())]
    theirs = Contender(METADATA, lambda _: scans.drain(_metadata_job(spark, paths)))
    for name, ours, targets in (
        ("catalog", lambda _: catalog(spark, str(lake), progress=False), {METADATA: JOB_TARGET}),
        ("catalog, and its rows read again", lambda _: scans.drain(catalog(spark, str(lake), progress=False)), {}),
        ("verify", lambda _: scans.drain(verify(spark, str(lake), progress=False)), {METADATA: JOB_TARGET}),
    ):
        workspace.progress(f"{name} over {files:,} files")
        timings = compare([Contender(OURS, ours), theirs], rounds, warm_up=WARM_UP)
        yield list(rows_of(f"Spark, {name}", f"{files:,} files of {FILES.name}", timings, targets))


def _metadata_job(spark, paths: list[str]):
    """Return the rows of the catalog as `pyarrow.parquet.read_metadata` contains them."""
    from pyspark.sql.pandas.types import from_arrow_schema

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path in batch.column(0).to_pylist():
                yield pa.RecordBatch.from_pylist(list(rows_by_metadata(path)), schema=SCHEMA)

    listed = spark.createDataFrame(pa.table({"path": paths})).repartition(8)
    return listed.mapInArrow(read, from_arrow_schema(SCHEMA))


def rows_by_metadata(path: str) -> Iterator[dict]:
    """Yield a catalog's rows of one file, as far as pyarrow has the values."""
    metadata = pq.read_metadata(path)
    for number in range(metadata.num_row_groups):
        row_group = metadata.row_group(number)
        for leaf in range(metadata.num_columns):
            chunk, column = row_group.column(leaf), metadata.schema.column(leaf)
            statistics = chunk.statistics
            known = statistics is not None and statistics.has_min_max
            low, high = (statistics.min_raw, statistics.max_raw) if known else (None, None)
            is_number = isinstance(low, (int, float))
            yield {
                "file": path,
                "row_group": number,
                "row_group_rows": row_group.num_rows,
                "leaf": leaf,
                "column": chunk.path_in_schema,
                "depth": chunk.path_in_schema.count(".") + 1,
                "max_repetition_level": column.max_repetition_level,
                "physical_type": chunk.physical_type,
                "logical_type": str(column.logical_type),
                "codec": chunk.compression,
                "encodings": list(chunk.encodings),
                "num_values": chunk.num_values,
                "null_count": statistics.null_count if statistics is not None else None,
                "total_compressed_size": chunk.total_compressed_size,
                "total_uncompressed_size": chunk.total_uncompressed_size,
                "data_page_offset": chunk.data_page_offset,
                "dictionary_page_offset": chunk.dictionary_page_offset,
                "min_integer": int(low) if is_number else None,
                "max_integer": int(high) if is_number else None,
                "min": low if isinstance(low, bytes) else None,
                "max": high if isinstance(high, bytes) else None,
            }


def _cores(workspace: Workspace, lake: Path, files: int, rounds: int) -> list[Row]:
    """Compare `upgrade` on two cores and on one, in separate sessions, on one copy."""
    workspace.progress(f"upgrading {files:,} files on one core and on two")
    copy = workspace.folder / "upgraded"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(lake, copy)
    timings = upgrades(copy, CORES_ROUNDS * rounds, WARM_UP)
    return list(
        rows_of("Spark, upgrade", f"{files:,} files of {FILES.name}", timings, {ONE_CORE: CORES_TARGET}, ours=TWO_CORES)
    )


def _lake(workspace: Workspace, files: int) -> Path:
    lake = workspace.folder / f"lake-{files}"
    if not lake.exists():
        workspace.progress(f"writing {files:,} files")
        unfinished = lake.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        first = unfinished / "000000.parquet"
        pq.write_table(make_table(FILES), first, row_group_size=FILES.rows_per_group)
        for number in range(1, files):
            shutil.copyfile(first, unfinished / f"{number:06}.parquet")
        unfinished.rename(lake)
    return lake
