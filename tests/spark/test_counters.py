"""A job's counts where Spark shows metrics: in the table of accumulators on its stages' pages."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest
from support.parquet_bytes import parquet_bytes

from parquetext import spark as jobs
from parquetext.spark.counters import StagePage, Tally


@pytest.fixture
def lake(tmp_path):
    for number in range(12):
        (tmp_path / f"{number}.parquet").write_bytes(parquet_bytes())
    (tmp_path / "bad.parquet").write_bytes(b"this is no Parquet file")
    return tmp_path


def shown(spark) -> list[dict[str, str]]:
    """Return the text of the pages of stages, stage by stage."""
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    pages, convert = [], spark.sparkContext._jvm.scala.jdk.javaapi.CollectionConverters.asJava
    store = context.statusStore()
    tracker = spark.sparkContext.statusTracker()
    for job in tracker.getJobIdsForGroup("the group of this test"):
        for number in tracker.getJobInfo(job).stageIds:
            page = store.lastStageAttempt(number).accumulatorUpdates()
            pages.append({each.name(): each.value() for each in convert(page)})
    return pages


def test_files_bytes_and_outcomes_are_on_the_stages_page(spark, lake):
    spark.sparkContext.setJobGroup("the group of this test", "")
    try:
        jobs.upgrade(spark, lake, form="flat", progress=False)
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    size = 12 * len(parquet_bytes()) + len(b"this is no Parquet file")
    wanted = {
        "parquetext files": "13",
        "parquetext bytes": str(size),
        "parquetext upgraded": "12",
        "parquetext failed": "1",
    }
    assert wanted in shown(spark)


def test_a_spark_without_the_accumulator_page_is_reported_once(spark, caplog, monkeypatch):
    caplog.set_level("INFO", "parquetext")
    page = StagePage(spark.sparkContext, "a tag")
    monkeypatch.setattr(StagePage, "_put", lambda self, counts: counts.no_such_thing)
    for _ in range(2):
        page(Counter(files=1))
    assert [record.getMessage() for record in caplog.records] == [
        "no counts in Spark's UI: 'Counter' object has no attribute 'no_such_thing'"
    ]


def test_tasks_add_and_the_driver_alone_shows():
    message = []
    tally = Tally(message.append)
    there = pickle.loads(pickle.dumps(tally))
    more = there.addInPlace(there.zero(Counter()), Counter(files=1, bytes=0))
    assert message == [] and more == {"files": 1}
    assert tally.addInPlace(Counter(files=2), more) == {"files": 3} and message == [{"files": 3}]
