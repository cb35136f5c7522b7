"""Mode overwrite with partitionOverwriteMode: the partitions that Spark's own Parquet writer replaces, and no other."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import functions as F
from support.objects import names, s3_server

from parquetext.errors import ParquetextError
from parquetext.spark import ship, write
from parquetext.spark.output import committing
from parquetext.spark.output.committing import OVERWRITE_PARTITIONS
from parquetext.spark.output.staging import Folder, Staging

pytestmark = pytest.mark.slow

SETTING = "spark.sql.sources.partitionOverwriteMode"


@pytest.fixture
def first(spark):
    """Twelve rows in six partitions of two levels, of which some are of null."""
    ship(spark)
    return spark.range(12, numPartitions=1).select(
        "id", F.expr("if(id % 3 = 0, null, id % 3)").alias("a"), F.expr("if(id % 2 = 0, 'x/y', null)").alias("b")
    )


@pytest.fixture
def second(first):
    """Rows of two of these partitions, and of a new one."""
    return (
        first.where("(id < 4 and b is null) or id = 10")
        .withColumn("id", F.col("id") + 100)
        .withColumn("a", F.when(F.col("id") == 110, 7).otherwise(F.col("a")))
    )


def by_spark(frame, path, keys, **options):
    frame.write.mode("overwrite").options(**options).partitionBy(keys).parquet(str(path))


def by_write(frame, path, keys, **options):
    write(frame, path, mode="overwrite", partition_by=keys, **options)


def by_source(frame, path, keys, **options):
    writer = frame.write.format("parquetext").mode("overwrite").options(**options)
    writer.option("partitionBy", ",".join(keys)).save(str(path))


def listing(path: Path) -> Counter:
    """How many files there are in each directory, and the marker of success."""
    return Counter(
        str(found.parent.relative_to(path)) if found.name.startswith("part-") else found.name
        for found in path.rglob("*")
        if found.is_file() and not found.name.endswith(".crc")
    )


def content(spark, path: Path) -> list:
    return sorted(spark.read.parquet(str(path)).select("id", "a", "b").collect(), key=repr)


@pytest.mark.parametrize(
    ("setting", "options"),
    [
        ("dynamic", {}),
        ("static", {"partitionOverwriteMode": "dynamic"}),
        ("STATIC", {}),
        ("DYNAMIC", {"partitionoverwritemode": "static"}),
    ],
)
def test_the_same_partitions_are_replaced_as_by_sparks_own_writer(spark, first, second, tmp_path, setting, options):
    message = {}
    by_spark(first.coalesce(1), tmp_path / "first", ["a", "b"])
    for writer in (by_spark, by_write, by_source):
        path = tmp_path / writer.__name__
        shutil.copytree(tmp_path / "first", path)
        before = {found: found.read_bytes() for found in path.rglob("part-*")}
        (path / "a=2/b=x%2Fy/_note").write_text("in a partition that stays, if any does")
        (path / "a=1/b=__HIVE_DEFAULT_PARTITION__/_note").write_text("in one that is replaced")
        spark.conf.set(SETTING, setting)
        try:
            writer(second.coalesce(1), path, ["a", "b"], **options)
        finally:
            spark.conf.unset(SETTING)
        kept = {
            str(found.parent.relative_to(path))
            for found, data in before.items()
            if found.exists() and found.read_bytes() == data
        }
        message[writer.__name__] = listing(path), kept, content(spark, path)
    assert message["by_write"] == message["by_spark"] and message["by_source"] == message["by_spark"]
    dynamic = "static" not in options.values() and (setting == "dynamic" or bool(options))
    assert len(message["by_spark"][1]) == (4 if dynamic else 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*message, "first"])


def test_without_rows_nothing_is_replaced_as_by_sparks_own_writer(spark, first, tmp_path):
    message = {}
    by_spark(first.coalesce(1), tmp_path / "first", ["a", "b"])
    for writer in (by_spark, by_write, by_source):
        path = tmp_path / writer.__name__
        shutil.copytree(tmp_path / "first", path)
        writer(first.where("id < 0"), path, ["a", "b"], partitionOverwriteMode="dynamic")
        message[writer.__name__] = listing(path), content(spark, path)
    assert message["by_write"] == message["by_spark"] and message["by_source"] == message["by_spark"]
    assert len(message["by_spark"][1]) == 12


def test_without_partition_columns_all_is_replaced(spark, first, tmp_path):
    for writer in (by_spark, by_write, by_source):
        path = tmp_path / writer.__name__
        writer(first, path, ["a", "b"])
        if writer is by_spark:
            first.limit(3).write.mode("overwrite").option("partitionOverwriteMode", "dynamic").parquet(str(path))
        else:
            writer(first.limit(3), path, [], partitionOverwriteMode="dynamic")
        assert not [found for found in path.iterdir() if found.is_dir()]
        assert spark.read.parquet(str(path)).count() == 3


def test_a_dataset_that_is_not_there_is_written_whole(spark, first, tmp_path):
    for writer in (by_write, by_source):
        path = tmp_path / writer.__name__
        writer(first, path, ["a", "b"], partitionOverwriteMode="dynamic")
        assert len(content(spark, path)) == 12 and (path / "_SUCCESS").exists()


def test_another_value_is_rejected_before_anything_is_done(first, tmp_path):
    with pytest.raises(ParquetextError, match="partitionOverwriteMode 'often': static or dynamic expected"):
        by_write(first, tmp_path / "data", ["a"], partitionOverwriteMode="often")
    assert not any(tmp_path.iterdir())


def test_an_object_store_keeps_the_other_partitions():
    with s3_server() as filesystem:
        dataset = Folder(filesystem, "lake/data")
        for name in ("k=0/old", "k=0/deeper/old", "k=01/old", "k=1/old", "_SUCCESS"):
            with filesystem.open_output_stream(f"{dataset.path}/{name}") as stream:
                stream.write(b"old")
        new = Staging.new(dataset, beside=False)
        with filesystem.open_output_stream(f"{new.attempts.path}/0-a/k=0/new") as stream:
            stream.write(b"new")
        committing.commit(new, dataset, [("0-a/k=0/new", "k=0/new")], OVERWRITE_PARTITIONS)
        assert names(filesystem, dataset.path) == ["_SUCCESS", "k=0/new", "k=01/old", "k=1/old"]
