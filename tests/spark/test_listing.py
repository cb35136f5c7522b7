"""Which files paths stand for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.lakes import NAMES
from support.parquet_bytes import parquet_bytes

from parquetext.errors import ParquetextError, Unsupported
from parquetext.spark import list_files, listing
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.listing import BY_THE_DRIVER

pytestmark = pytest.mark.slow

ORIGINAL = parquet_bytes()


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Path:
    lake = tmp_path_factory.mktemp("lake")
    for name in NAMES:
        (lake / name).parent.mkdir(exist_ok=True)
        (lake / name).write_bytes(ORIGINAL)
    (lake / "README").write_text("no magic")
    (lake / "day=1" / "back").symlink_to(lake)
    (lake / "day=1" / ".loop").symlink_to(".loop")
    return lake


@pytest.fixture(scope="module")
def names(spark, lake):
    def names(*paths: object) -> list[str]:
        found = list_files(spark, paths)["path"].to_pylist()
        return [path.removeprefix(f"{lake}/") for path in found]

    return names


@pytest.fixture(scope="module")
def tasks_run(spark):
    """How many tasks the stages of a call had, by Spark's status tracker."""
    context = spark.sparkContext

    def count(group: str, call) -> tuple[int, object]:
        context.setJobGroup(group, group)
        try:
            result = call()
        finally:
            context.setLocalProperty("spark.jobGroup.id", None)
        context._jsc.sc().listenerBus().waitUntilEmpty()  # by what it has told the tracker goes
        tracker = context.statusTracker()
        stages = {stage for job in tracker.getJobIdsForGroup(group) for stage in tracker.getJobInfo(job).stageIds}
        return sum(info.numCompletedTasks for stage in stages if (info := tracker.getStageInfo(stage))), result

    return count


def test_a_directory_means_the_parquet_files_below_it(names, lake):
    assert names(lake) == ["000000_0", "_part=3/d.parq", "day=1/a.parquet", "day=1/b.parquet", "day=2/c.PARQUET"]


def test_a_glob_skips_hidden_files(names, lake):
    assert names(lake / "day=1" / "*") == ["day=1/a.parquet", "day=1/b.parquet"]
    assert names(f"{lake}/**/*.parquet") == ["day=1/a.parquet", "day=1/b.parquet"]
    assert names(f"{lake}/day=*") == ["day=1/a.parquet", "day=1/b.parquet", "day=2/c.PARQUET"]
    assert names(f"{lake}/day=[!2]/[a-z].parquet") == ["day=1/a.parquet", "day=1/b.parquet"]
    assert names(f"{lake}/nothing*") == []


def test_a_file_comes_once_and_one_that_is_named_in_full_is_taken(names, lake):
    assert names(lake / "day=1", lake / "day=1" / "b.parquet", f"file://{lake}/.hidden.parquet", lake / "absent") == [
        ".hidden.parquet",
        "absent",
        "day=1/a.parquet",
        "day=1/b.parquet",
    ]


def test_sizes_and_times_are_listed(spark, lake):
    path = lake / "day=1" / "a.parquet"
    assert list_files(spark, [path, lake / "absent"]).to_pylist() == [
        {"path": str(lake / "absent"), "size": -1, "modified": 0, "etag": "", "table": ""},
        {"path": str(path), "size": len(ORIGINAL), "modified": path.stat().st_mtime_ns, "etag": "", "table": ""},
    ]


def test_a_data_frame_of_paths_is_listed_by_the_cluster(spark, lake):
    paths = spark.createDataFrame([(f"file:{lake}/day=1",), (str(lake / "000000_0"),)], "path string")
    found = list_files(spark, paths)["path"].to_pylist()
    assert [path.removeprefix(f"{lake}/") for path in found] == ["000000_0", "day=1/a.parquet", "day=1/b.parquet"]
    with pytest.raises(ParquetextError, match="has a column 'path'"):
        list_files(spark, paths.selectExpr("path AS one", "path AS two"))
    with pytest.raises(ParquetextError, match="not a path or URL: ''"):
        list_files(spark, ["", lake])
    with pytest.raises(ParquetextError, match="not int"):
        list_files(spark, spark.range(1).selectExpr("CAST(id AS int) AS path"))
    for nothing in (None, 3):
        with pytest.raises(ParquetextError, match=f"not {nothing}"):
            list_files(spark, nothing)


def test_listing_errors_of_the_cluster_equal_those_of_the_driver(spark, lake):
    def raised(paths: object) -> tuple[type, str]:
        with pytest.raises((ParquetextError, OSError)) as caught:
            list_files(spark, paths)
        return caught.type, str(caught.value)

    too_long = str(lake / ("x" * 300))
    for path in (None, "", too_long, "nothing://x/y"):
        paths = spark.createDataFrame([(str(lake),), (path,)], "path string")
        assert raised(paths) == raised([lake, path]), path
    assert raised([too_long])[0] is OSError


def test_relative_paths_in_a_data_frame_are_seen_from_the_drivers_directory(spark, lake, monkeypatch):
    monkeypatch.chdir(lake / "day=1")
    paths = spark.createDataFrame([("../day=2",), ("a.parquet",)], ["the `path` column"])
    assert list_files(spark, paths)["path"].to_pylist() == [f"{lake}/day=1/a.parquet", f"{lake}/day=2/c.PARQUET"]


def test_many_partitions_are_listed_by_tasks_and_few_by_the_driver(spark, tmp_path, tasks_run, monkeypatch):
    for day in range(BY_THE_DRIVER + 20):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "x.parquet").touch()
    ran, found = tasks_run("many partitions", lambda: list_files(spark, tmp_path))
    assert (ran > 0, found.num_rows) == (True, BY_THE_DRIVER + 20)
    ran, found = tasks_run("few partitions", lambda: list_files(spark, [f"{tmp_path}/day=1*"]))
    assert (ran, found.num_rows) == (0, 11)
    monkeypatch.setattr(listing, "FILES_BY_THE_DRIVER", 5)
    ran, found = tasks_run("many files in few partitions", lambda: list_files(spark, [f"{tmp_path}/day=1*"]))
    assert (ran > 0, found.num_rows) == (True, 11)


LOGS = {
    "Delta": ["_delta_log/0.json"],
    "Hudi": [".hoodie/hoodie.properties"],
    "Iceberg": ["metadata/v1.metadata.json"],
    "Spark Structured Streaming": ["_spark_metadata/0"],
    "Paimon": ["snapshot/snapshot-1", "schema/schema-0"],
    "GreptimeDB": ["manifest/_last_checkpoint"],
    "QuestDB": ["_txn", "_meta"],
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_tables_are_detected_at_their_root(spark, tmp_path, log):
    inside, outside = "lake/table/day=1/x.parquet", "lake/other/x.parquet"
    for name in (*(f"lake/table/{name}" for name in log), "lake/_txn", inside, outside):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for paths in (tmp_path, [tmp_path / "lake" / "table" / "day=1", tmp_path / outside]):
        message = {row["path"]: row["table"] for row in list_files(spark, paths).to_pylist()}
        assert f"table at {tmp_path}/lake/table," in message[str(tmp_path / inside)]
        assert message[str(tmp_path / outside)] == ""


def test_a_filesystem_that_is_not_there_is_a_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "hdfs_native", None)
    monkeypatch.delitem(sys.modules, "parquetext.storage.backends.hdfs_handler", raising=False)
    with pytest.raises(Unsupported, match=r"hdfs-native .*libhdfs"):
        Filesystems().target("hdfs://nobody:8020/lake")
    with pytest.raises(Unsupported, match=r"nosuch://x.*nosuch"):
        Filesystems().target("nosuch://x/lake")


def test_any_filesystem_of_fsspec_is_taken(spark):
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe_file("/lake/day=1/x.parquet", ORIGINAL)
    memory.pipe_file("/lake/_temporary/y.parquet", ORIGINAL)
    assert list_files(spark, "memory://lake")["path"].to_pylist() == ["memory://lake/day=1/x.parquet"]
