"""`df.write.format("parquetext")`: the same files and the same promises as `parquetext.spark.write`."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import functions as F

import parquetext
from parquetext.spark import ship

pytestmark = pytest.mark.slow


@pytest.fixture
def numbers(spark):
    ship(spark)
    return spark.range(1000, numPartitions=2).withColumn("a", F.col("id") % 3).withColumn("b", F.lit("x y"))


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def test_append_and_overwrite_with_partitions_and_options(spark, numbers, tmp_path):
    data = tmp_path / "data"
    writer = numbers.write.format("parquetext").mode("append").option("partitionBy", "a, b").option("form", "flat")
    writer.option("maxRecordsPerFile", 100).option("compression", "zstd").option("sidecar", True).save(str(data))
    assert names(data) == ["_SUCCESS", "a=0", "a=1", "a=2"]
    found = sorted(data.rglob("part-*.zstd.parquet"))
    assert len(found) == 12
    for path in found:
        with parquetext.open(path) as file:
            assert file.form == "flat" and file.num_rows <= 100
        assert path.with_name(f"_{path.name}.pm").exists()
    back = spark.read.parquet(str(data)).select(F.col("id"), F.col("a").cast("long"), "b")
    assert sorted(back.collect()) == sorted(numbers.collect())
    numbers.write.format("parquetext").mode("append").option("partitionBy", "a,b").save(str(data))
    assert spark.read.parquet(str(data)).count() == 2000
    numbers.limit(7).write.format("parquetext").mode("overwrite").save(str(data))
    assert spark.read.parquet(str(data)).count() == 7
    assert names(tmp_path) == ["data"]


def test_a_failing_job_leaves_nothing(numbers, tmp_path):
    failing = numbers.withColumn("b", F.when(F.col("id") < 999, "x").otherwise(F.raise_error(F.lit("on purpose"))))
    with pytest.raises(Exception, match="on purpose"):
        failing.write.format("parquetext").mode("overwrite").save(str(tmp_path / "data"))
    assert names(tmp_path) == []


def test_mistakes_of_a_user_are_reported(numbers, tmp_path):
    with pytest.raises(Exception, match="unknown option colour"):
        numbers.write.format("parquetext").mode("append").option("colour", "red").save(str(tmp_path / "data"))
    with pytest.raises(Exception, match="a path is missing"):
        numbers.write.format("parquetext").mode("append").save()
    assert names(tmp_path) == []


def test_spark_finds_the_data_source_by_itself():
    """By the program that Spark runs to look for data sources that nobody has registered."""
    import io
    import pkgutil

    if all(module.name != "pyspark_parquetext" for module in pkgutil.iter_modules()):
        pytest.skip("Spark does not list the modules of an editable installation")

    from pyspark.serializers import CPickleSerializer, UTF8Deserializer, read_int
    from pyspark.sql.worker.lookup_data_sources import _main

    from parquetext.spark.source import ParquetextSource

    answer = io.BytesIO()
    _main(io.BytesIO(), answer)
    answer.seek(0)
    found = {
        UTF8Deserializer().loads(answer): CPickleSerializer()._read_with_length(answer) for _ in range(read_int(answer))
    }
    assert found["parquetext"] is ParquetextSource


@pytest.mark.parametrize(
    "use",
    [
        lambda writer: writer.mode("errorifexists"),
        lambda writer: writer.mode("ignore"),
        lambda writer: writer.mode("append").partitionBy("a"),
    ],
    ids=["errorifexists", "ignore", "partitionBy"],
)
def test_spark_itself_rejects_other_modes_and_partition_by(numbers, tmp_path, use):
    """As the documentation says: `parquetext.spark.write` has them."""
    with pytest.raises(Exception, match=r"does not support|not supported|UNSUPPORTED|columns do not match"):
        use(numbers.write.format("parquetext")).save(str(tmp_path / "data"))
