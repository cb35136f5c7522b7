"""Executors import the driver's own package."""

from __future__ import annotations

import parquetext
import parquetext.spark


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


def test_no_public_name_is_hidden_by_a_module_of_that_name():
    from importlib import resources

    modules = {path.name.removesuffix(".py") for path in resources.files("parquetext.spark").iterdir()}
    assert modules.isdisjoint(parquetext.spark.__all__)
