"""Executors import the driver's own package."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
import parquetext.spark
from parquetext.spark import column_reads, jobs, shipping, writing
from parquetext.spark.source import ParquetextSource


def _what_workers_import(spark) -> list[tuple[str, str]]:
    def imported(_):
        import parquetext

        yield parquetext.__file__, parquetext.implementation()

    return spark.sparkContext.parallelize(range(2), 2).mapPartitions(imported).collect()


def test_workers_of_a_local_session_import_the_drivers_package(spark):
    assert {implementation for _, implementation in _what_workers_import(spark)} == {parquetext.implementation()}


def test_shipping_again_sends_nothing(spark):
    before = spark.sparkContext.listFiles
    parquetext.spark.ship(spark)
    assert spark.sparkContext.listFiles == before


def test_a_second_session_gets_the_data_source_too(spark, tmp_path):
    pq.write_table(pa.table({"n": [1]}), tmp_path / "t.parquet")

    class Unheard(ParquetextSource):
        """Under a name that Spark does not find by itself."""

        @classmethod
        def name(cls):
            return "unheard"

    beside = spark.newSession()
    for session in (spark, beside):
        shipping._register(session, Unheard)
    assert beside.read.format("unheard").load(str(tmp_path)).columns == ["n"]


def test_no_public_name_is_hidden_by_a_module_of_that_name():
    from importlib import resources

    modules = {path.name.removesuffix(".py") for path in resources.files("parquetext.spark").iterdir()}
    assert modules.isdisjoint(parquetext.spark.__all__)


def test_every_job_ships_by_itself_before_it_does_anything(spark, tmp_path, monkeypatch):
    class Shipped(Exception):
        """Whoever ships gets no further."""

    def ship(session):
        raise Shipped

    for module in (jobs, column_reads, writing):
        monkeypatch.setattr(module, "ship", ship)
    calls = [
        getattr(parquetext.spark, verb)
        for verb in ("upgrade", "strip", "restore", "verify", "build_sidecars", "catalog", "read")
    ]
    for call in [
        *calls,
        lambda spark, path: parquetext.spark.finalize(spark, path, confirm=True),
        lambda spark, path: parquetext.spark.write(spark.range(1), path),
    ]:
        with pytest.raises(Shipped):
            call(spark, str(tmp_path / "lake"))
    assert list(tmp_path.iterdir()) == []


def test_a_session_is_quiet(spark):
    assert spark._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel().toString() == "ERROR"
