"""Spark Connect: a real service in the JVM of the session that is there, and a client of it."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

import parquetext
from parquetext import spark as jobs
from parquetext.errors import Unsupported

pytestmark = pytest.mark.slow

pytest.importorskip("grpc")

IMPORTED_FROM = str(Path(parquetext.__file__).parents[1])

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


def test_functions_that_need_a_classic_session_raise_and_change_nothing(connect, lake):
    with pytest.raises(Unsupported, match=r"watch needs a classic Spark session.*spark-submit"):
        jobs.watch(connect, lake)
    assert [path.name for path in lake.iterdir()] == ["x.parquet"]
    assert (lake / "x.parquet").read_bytes() == ORIGINAL


def test_jobs_run_on_the_server_and_their_state_counts(connect, lake, tmp_path_factory, capfd):
    (lake / "bad.parquet").write_bytes(b"this is no Parquet file")
    state = str(tmp_path_factory.mktemp("state"))
    rows = jobs.upgrade(connect, lake, form="flat", state=state)
    assert {row.outcome: row.error for row in rows.collect()} == {"upgraded": None, "failed": "Malformed"}
    assert re.search("upgrade: 2 files: 1 (upgraded, 1 failed|failed, 1 upgraded)", capfd.readouterr().err)
    with parquetext.open(lake / "x.parquet") as file:
        assert file.form == "flat"
    again = jobs.upgrade(connect, lake, form="flat", state=state, progress=False)
    assert {row.outcome for row in again.collect()} == {"skipped", "failed"}
    assert jobs.strip(connect, lake / "x.parquet", state=state, progress=False).first().outcome == "stripped"
    assert (lake / "x.parquet").read_bytes() == ORIGINAL


def test_a_catalog_is_made_on_the_server_and_read_by(connect, lake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalog")
    chunks = jobs.build_catalog(connect, lake, state=str(folder / "state"), progress=False)
    assert {row.outcome for row in chunks.files.collect()} == {"read"}
    chunks.write.parquet(str(folder / "stored"))
    found = jobs.read(connect, lake, ["a"], [("a", ">=", 200)], catalog=folder / "stored")
    assert found.count() == 100


def test_a_dataset_is_written_and_read_back(connect, tmp_path):
    written = jobs.write(connect.range(10), tmp_path / "new", form="flat")
    assert written.rows == 10
    assert sorted(row.id for row in jobs.read(connect, tmp_path / "new").collect()) == [*range(10)]


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("local[2]").getOrCreate()
from parquetext import spark as jobs

rows = jobs.verify(spark, sys.argv[2], state=sys.argv[3], progress=False).collect()
print([(row.outcome, row.implementation) for row in rows], jobs.read(spark, sys.argv[2]).count())
"""


def test_a_server_without_the_package_gets_it_as_an_artifact(long, run_driver, lake, tmp_path_factory, java_home):
    """From a client that has it on its own path alone; workers run the compiled kernels, as the client does."""
    state = tmp_path_factory.mktemp("state")
    out = run_driver(PROGRAM, IMPORTED_FROM, lake, state, PYTHONPATH="", JAVA_HOME=java_home)
    assert f"[('ok', '{parquetext.implementation()}')] {TABLE.num_rows}" in out


def test_scans_of_a_clients_queries_are_sliced(connect, spark, needed_scan_jar, tmp_path):
    path = str(tmp_path / "wide.parquet")
    pq.write_table(pa.table({f"c{number}": [number] * 10 for number in range(40)}), path)
    parquetext.upgrade(path, "flat")
    assert connect.read.parquet(path).selectExpr("sum(c7)").collect()[0][0] == 70
    spark._jsc.sc().listenerBus().waitUntilEmpty()
    store = spark._jsparkSession.sharedState().statusStore()
    last = store.executionsList().last()
    metrics = [last.metrics().apply(position) for position in range(last.metrics().size())]
    values = store.executionMetrics(last.executionId())
    found = [values.get(metric.accumulatorId()) for metric in metrics if metric.name() == "footers sliced"]
    assert {value.get() for value in found if value.isDefined()} == {"1"}


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
