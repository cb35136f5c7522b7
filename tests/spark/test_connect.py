"""Spark Connect: a real service in the JVM of the session that is there, and a client of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.parquet_bytes import TABLE, parquet_bytes

from parquetext import spark as jobs
from parquetext.errors import Unsupported

pytest.importorskip("grpc")

ORIGINAL = parquet_bytes()


@pytest.fixture(scope="module")
def connect(spark):
    """A session of Spark Connect."""
    from pyspark.sql.connect.session import SparkSession

    jvm, context = spark._jvm, spark._jsc.sc()
    for name, value in (("port", "0"), ("address", "127.0.0.1")):
        context.conf().set(f"spark.connect.grpc.binding.{name}", value)
    service = getattr(getattr(jvm, "org.apache.spark.sql.connect.service.SparkConnectService$"), "MODULE$")
    service.start(context)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{service.localPort()}").create()
    yield session
    session.stop()
    jvm.org.apache.spark.sql.connect.service.SparkConnectService.stop(
        jvm.scala.Option.empty(), jvm.scala.Option.empty()
    )


@pytest.fixture
def lake(tmp_path) -> Path:
    (tmp_path / "x.parquet").write_bytes(ORIGINAL)
    return tmp_path


def test_what_needs_a_classic_session_says_so_and_touches_nothing(connect, lake):
    needing = [
        *(
            getattr(jobs, verb)
            for verb in ("upgrade", "strip", "finalize", "restore", "verify", "build_sidecars", "catalog", "watch")
        ),
        lambda spark, path: jobs.ship(spark),
        lambda spark, path: jobs.write(spark.range(1), path / "new"),
    ]
    for call in needing:
        with pytest.raises(Unsupported, match=r"classic Spark session.*spark-submit"):
            call(connect, lake)
    assert [path.name for path in lake.iterdir()] == ["x.parquet"]
    assert (lake / "x.parquet").read_bytes() == ORIGINAL


def test_listing_and_the_data_source_work_there(connect, lake):
    assert jobs.list_files(connect, lake)["size"].to_pylist() == [len(ORIGINAL)]
    assert connect.read.format("parquetext").load(str(lake)).count() == TABLE.num_rows


def test_reads_have_the_sessions_parallelism(connect, tmp_path):
    """Which the server tells: a client has no context to ask."""
    for number in range(12):
        (tmp_path / f"{number}.parquet").write_bytes(ORIGINAL)

    def partitions() -> int:
        frame = jobs.read(connect, tmp_path, columns=["a"], filters=[("a", "<", 300)], openCostInBytes=1)
        return frame.selectExpr("spark_partition_id() AS part").distinct().count()

    assert jobs.read(connect, tmp_path, columns=["b"], filters=[("a", ">=", 200)]).count() == 12 * 100
    assert partitions() == 2  # of local[2]
    for setting, count in (("spark.sql.leafNodeDefaultParallelism", 4), ("spark.sql.files.minPartitionNum", 6)):
        connect.conf.set(setting, count)
        assert partitions() == count
