"""Reading by a stored catalog: the rows of a read without it, from the files and row groups that it leaves."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from parquetext import spark as jobs
from parquetext.catalog import batches_of
from parquetext.errors import ParquetextError
from parquetext.spark.source import read_shares as listing
from parquetext.spark.source.partition_reader import Reader
from parquetext.spark.source.reader_options import Options

LONG_AGO = 1_600_000_000_000_000_001
SCHEMA = StructType([StructField("n", LongType()), StructField("day", IntegerType())])


def write(path: Path, number: int) -> None:
    """100 rows in 10 row groups."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table({"n": range(number * 100, number * 100 + 100)})
    pq.write_table(table, path, row_group_size=10, compression="none", use_dictionary=False)  # all of one size
    os.utime(path, ns=(0, LONG_AGO + number))


@pytest.fixture
def lake(tmp_path) -> Path:
    lake = tmp_path / "lake"
    for number in range(20):
        write(lake / f"day={number % 4}" / f"{number:02}.parquet", number)
    return lake


@pytest.fixture
def catalog(lake, tmp_path) -> Path:
    """As one machine stores it."""
    path = tmp_path / "catalog.parquet"
    pq.write_table(pa.Table.from_batches(batches_of(sorted(map(str, lake.rglob("*.parquet"))))), path)
    return path


def reader(lake: Path, catalog: Path, prune: list, **options) -> Reader:
    given = {"path": str(lake), "catalog": str(catalog), "prune": json.dumps(prune), **options}
    return Reader(Options.of(given), SCHEMA)


def planned(reader: Reader) -> list[str]:
    return sorted({Path(piece.file.path).stem for share in reader.partitions() for piece in share.pieces})


def rows(reader: Reader) -> list[int]:
    return sorted(n for share in reader.partitions() for batch in reader.read(share) for n in batch["n"].to_pylist())


@pytest.mark.slow
def test_a_read_by_a_catalog_of_sparks_gives_the_rows_of_one_without(spark, lake, tmp_path):
    stored = str(tmp_path / "catalog")
    jobs.build_catalog(spark, lake, progress=False).sort("column", "file", "row_group").write.parquet(stored)
    for filters in ([("n", "=", 707)], [("n", ">", 1500), ("day", "=", 2)], [[("n", "<", 3)], [("day", "=", 9)]]):
        by_catalog = jobs.read(spark, lake, ["n", "day"], filters, catalog=stored)
        assert sorted(by_catalog.collect()) == sorted(jobs.read(spark, lake, ["n", "day"], filters).collect())
        assert by_catalog.count()
    unlisted = jobs.read(spark, lake, ["n"], [("n", ">=", 1990)], catalog=stored, listing=False)
    assert [row.n for row in unlisted.sort("n").collect()] == list(range(1990, 2000))


def test_excluded_files_are_not_opened(lake, catalog):
    for path in lake.rglob("*.parquet"):
        if path.stem != "07":
            status = path.stat()
            path.write_bytes(b"x" * status.st_size)
            os.utime(path, ns=(0, status.st_mtime_ns))
    found = reader(lake, catalog, [["n", "=", 707]])
    assert planned(found) == ["07"]
    assert rows(found) == list(range(700, 710))


def test_new_and_changed_files_are_read_and_files_that_are_gone_are_not_missed(lake, catalog):
    size = (lake / "day=0" / "00.parquet").stat().st_size
    shutil.copyfile(lake / "day=3" / "07.parquet", lake / "day=0" / "00.parquet")
    assert (lake / "day=0" / "00.parquet").stat().st_size == size
    write(lake / "day=1" / "new.parquet", 7)
    os.remove(lake / "day=3" / "07.parquet")
    found = reader(lake, catalog, [["n", "=", 707]])
    assert planned(found) == ["00", "new"]
    assert rows(found) == sorted([*range(700, 710)] * 2)


def test_a_file_that_is_replaced_after_the_plan_loses_no_row(lake, catalog):
    found = reader(lake, catalog, [["n", ">=", 700], ["n", "<", 800]], openCostInBytes="1", minPartitionNum="7")
    shares = found.partitions()
    assert len(shares) > 1
    write(lake / "day=3" / "07.parquet", 7)
    assert sorted(n for share in shares for batch in found.read(share) for n in batch["n"].to_pylist()) == [
        *range(700, 800)
    ]


def test_tasks_are_made_for_the_row_groups_that_are_left(lake, catalog):
    few = reader(lake, catalog, [["n", "in", [705, 795]]], openCostInBytes="1", minPartitionNum="50").partitions()
    assert len(few) == 2
    assert [len(list(share.pieces)) for share in few] == [1, 1]


def test_without_a_listing_the_files_are_those_of_the_catalog(lake, catalog, monkeypatch):
    write(lake / "day=1" / "new.parquet", 7)

    def no_listing(*_, **__):
        raise AssertionError("listed")

    monkeypatch.setattr(listing, "discover", no_listing)
    found = reader(lake, catalog, [["n", "=", 707]], listing="false")
    assert planned(found) == ["07"] and rows(found) == list(range(700, 710))
    everything = reader(lake / "day=2", catalog, [["n", ">=", 0]], listing="false", basePath=str(lake))
    assert planned(everything) == ["02", "06", "10", "14", "18"]
    with pytest.raises(ParquetextError, match="a catalog has to say which files"):
        Options.of({"path": str(lake), "listing": "false"})


def test_a_column_of_another_case_rules_nothing_out(lake, catalog):
    schema = StructType([StructField("N", LongType())])
    options = Options.of({"path": str(lake), "catalog": str(catalog), "prune": '[["N", "=", 707]]'})
    assert len(planned(Reader(options, schema))) == 20


def test_days_of_an_old_calendar_are_found(lake, tmp_path):
    """Stored as Julian days, of which bounds tell something else than Spark compares."""
    path, catalog = tmp_path / "old.parquet", tmp_path / "catalog.parquet"
    table = pa.table({"n": [1], "born": pa.array([-200_000], pa.int32()).cast(pa.date32())})
    pq.write_table(table.replace_schema_metadata({"org.apache.spark.version": "2.4.8"}), path)
    os.utime(path, ns=(0, LONG_AGO))
    pq.write_table(pa.Table.from_batches(batches_of([str(path)])), catalog)
    from pyspark.sql.types import DateType

    schema = StructType([StructField("n", LongType()), StructField("born", DateType())])
    plain = Reader(Options.of({"path": str(path)}), schema)
    (batch,) = [batch for share in plain.partitions() for batch in plain.read(share)]
    born = batch["born"].to_pylist()[0]
    prune = json.dumps([["born", "=", {"date": born.isoformat()}]])
    options = {"path": str(path), "catalog": str(catalog), "prune": prune}
    assert rows(Reader(Options.of(options), schema)) == [1]
