"""Jobs and sliced scans in every supported Spark: the oldest in every run, and all with `--long`.

One process of each version runs both. The other tests of this folder run the jobs of the newest version.
"""

from __future__ import annotations

import datetime
import functools
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from support.maven import maven_jars
from support.spark_scans import check_compared_scans, compared_scans, make_scanned_files
from support.sparks import OLDER, environment_of, installed_spark, spark_folder

ROWS, FILES = 100, 3
PROGRAM = """
    import json, sys
    import parquetext
    from parquetext import spark as jobs
    from parquetext.spark.versions import has_data_source
    from support.spark_scans import compared_scans

    folder = sys.argv[1]
    lake, text = f"{folder}/lake", {}
    spark = jobs.session(master="local[2]", driver_memory="1g", sql_shuffle_partitions=2, sql_session_timeZone="UTC")

    def outcomes(rows):
        return sorted(row.outcome for row in rows.collect())

    def rows(frame):
        return sorted(map(repr, frame.collect()))

    def same(one, other):
        return one.schema == other.schema and rows(one) == rows(other)

    def watched():
        query = jobs.watch(spark, lake, "verify", checkpoint=f"{folder}/seen", trigger={"availableNow": True})
        assert query.awaitTermination(120)
        return spark.read.parquet(f"{folder}/seen/results")

    text["version"] = spark.version
    text["verify"] = outcomes(jobs.verify(spark, lake, progress=False))
    text["upgrade"] = outcomes(jobs.upgrade(spark, lake, form="flat", state=f"{folder}/state"))
    text["upgrade again"] = outcomes(jobs.upgrade(spark, lake, form="flat", state=f"{folder}/state", progress=False))
    text["read"] = [
        list(row) for row in jobs.read(spark, lake, ["n", "day"], [("n", ">", 297), ("text", "!=", "298")]).collect()
    ]
    text["read is equal"] = same(jobs.read(spark, lake), spark.read.parquet(lake))
    text["read in another case"] = jobs.read(spark, lake, ["N"], MAXPARTITIONBYTES="16k").count()
    text["read without columns"] = jobs.read(spark, lake, []).count()
    spark.read.parquet(lake).selectExpr("*", "make_dt_interval(1, 2, 3, n) i").write.parquet(f"{folder}/by spark")
    text["read of Spark's files is equal"] = same(
        jobs.read(spark, f"{folder}/by spark"), spark.read.parquet(f"{folder}/by spark")
    )
    if has_data_source():
        text["format is equal"] = same(spark.read.format("parquetext").load(lake), spark.read.parquet(lake))
    written = jobs.write(jobs.read(spark, lake), f"{folder}/new", partition_by="day", form="flat")
    text["write"] = [written.files, written.rows, same(spark.read.parquet(f"{folder}/new"), spark.read.parquet(lake))]
    chunks = jobs.build_catalog(spark, lake, progress=False)
    text["plan"] = [len(parquetext.plan(chunks, [("n", ">", 297)])), len(parquetext.plan(chunks, [("n", ">", 999)]))]
    paths = spark.createDataFrame([(lake,)], "path string")
    text["list"] = [jobs.list_files(spark, each).num_rows for each in (paths, paths.where("path = ''"))]
    text["watch"] = outcomes(watched())
    text["strip"] = outcomes(jobs.strip(spark, lake, progress=False))
    print(json.dumps([text, compared_scans(spark, f"{folder}/wide", "--long" in sys.argv)], default=str))
"""


def make_lake(lake: Path) -> Path:
    """Write files by day, with types whose conversion differs between versions of Spark."""
    for number in range(FILES):
        numbers = range(number * ROWS, number * ROWS + ROWS)
        moments = [datetime.datetime(2020, 1, 1, 1, number, each % 60, 5) for each in numbers]
        columns = {
            "n": numbers,
            "text": [str(each) for each in numbers],
            "double": [each / 2 for each in numbers],
            "money": pa.array([Decimal(each) for each in numbers], pa.decimal128(12, 2)),
            "instant": pa.array(moments, pa.timestamp("us", "UTC")),
            "local": pa.array(moments, pa.timestamp("us")),
            "list": [[each, None] for each in numbers],
            "struct": [{"a": each, "t": moments[0]} for each in numbers],
            "map": pa.array([[(str(each), each)] for each in numbers], pa.map_(pa.string(), pa.int64())),
            "bytes": [str(each).encode() for each in numbers],
        }
        path = lake / f"day=2024-01-0{number + 1}" / "part.parquet"
        path.parent.mkdir(parents=True)
        pq.write_table(pa.table(columns), path, row_group_size=ROWS // 4)
    return lake


@pytest.fixture(scope="module")
def told(request, run_driver, tmp_path_factory):
    """Return a function that runs jobs and scans in a version of Spark once, and returns their results."""

    long = ["--long"] if request.config.getoption("--long") else []

    @functools.cache
    def run(version: str, **environment: str) -> tuple[dict, dict]:
        folder = tmp_path_factory.mktemp("version")
        lake = make_lake(folder / "lake")
        make_scanned_files(folder / "wide")
        originals = {path: path.read_bytes() for path in lake.rglob("*.parquet")}
        said = run_driver(PROGRAM, folder, *long, **environment_of(version) | environment)
        jobs, scans = json.loads(said.splitlines()[-1])
        jobs["restored"] = {path: path.read_bytes() for path in lake.rglob("*.parquet")} == originals
        return jobs, scans

    return run


def check_jobs(told: tuple[dict, dict], version: str) -> None:
    jobs = {"format is equal": True} | told[0]  # which the oldest does not have
    assert jobs == {
        "format is equal": True,
        "restored": True,
        "version": version,
        "verify": ["ok"] * FILES,
        "upgrade": ["upgraded"] * FILES,
        "upgrade again": ["skipped"] * FILES,
        "read": [[299, "2024-01-03"]],
        "read is equal": True,
        "read of Spark's files is equal": True,
        "read in another case": FILES * ROWS,
        "read without columns": FILES * ROWS,
        "write": [FILES, FILES * ROWS, True],
        "plan": [1, 0],
        "list": [FILES, 0],
        "watch": ["ok"] * FILES,
        "strip": ["stripped"] * FILES,
    }


def test_jobs_run_on_the_newest_spark(long, told):
    """Without --long, the other tests of this folder show it."""
    check_jobs(told(pyspark.__version__), pyspark.__version__)


@pytest.mark.slow
def test_jobs_run_on_the_oldest_spark(told, oldest):
    check_jobs(told(oldest), oldest)


@pytest.mark.parametrize("version", OLDER)
def test_jobs_run_on_every_other_spark(long, told, version):
    installed_spark(version)
    check_jobs(told(version), version)


@pytest.mark.slow
def test_a_jar_serves_the_newest_spark(spark, needed_scan_jar, tmp_path, request):
    make_scanned_files(tmp_path / "wide")
    assert spark.version == pyspark.__version__
    check_compared_scans(compared_scans(spark.newSession(), str(tmp_path / "wide"), request.config.getoption("--long")))


@pytest.mark.slow
def test_a_jar_serves_spark_3_5_whose_schemas_are_inferred_from_whole_footers(told, needed_scan_jar, oldest):
    check_compared_scans(told(oldest)[1], infers_by_slices=False)


@pytest.mark.parametrize("version", OLDER)
def test_a_jar_serves_every_other_spark(long, told, needed_scan_jar, version):
    installed_spark(version)
    check_compared_scans(told(version)[1])


def test_a_jar_serves_spark_3_5_for_scala_2_13(long, told, needed_scan_jar, oldest, tmp_path):
    """PyPI has it only for Scala 2.12: pyspark's scripts start Spark's jars from Maven."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "bin").symlink_to(spark_folder(oldest) / "pyspark" / "bin")
    (home / "jars").symlink_to(maven_jars(f"org.apache.spark:spark-sql_2.13:{oldest}"))
    check_compared_scans(told(oldest, SPARK_HOME=str(home))[1], infers_by_slices=False)
