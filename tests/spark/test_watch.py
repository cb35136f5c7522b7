"""Files that arrive are done as they come."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

from parquetext import edits
from parquetext.errors import ParquetextError
from parquetext.spark import watch

pytestmark = pytest.mark.slow

ORIGINAL = parquet_bytes()
NOW = {"availableNow": True}


def arrive(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}")
        hidden.write_bytes(ORIGINAL if "bad" not in name else b"not at all, not at all")
        hidden.rename(path)


def outcomes(spark, folder: Path, action: str = "upgrade") -> Counter:
    records = spark.read.parquet(f"{folder}/_parquetext/{action}/results").collect()
    return Counter((Path(record.path).name, record.outcome) for record in records)


def test_existing_files_are_processed_once_and_later_ones_by_the_next_run(spark, tmp_path):
    lake = tmp_path / "lake of files"
    arrive(lake, "day=1/a.parquet", "deep/folder/b.parquet", "day=1/bad.parquet", "_temporary/c.parquet", "notes.txt")
    watch(spark, str(lake), form="flat", trigger=NOW).awaitTermination()
    first = {("a.parquet", "upgraded"): 1, ("b.parquet", "upgraded"): 1, ("bad.parquet", "failed"): 1}
    assert outcomes(spark, lake) == first
    arrive(lake, "day=3/d.parquet")
    watch(spark, str(lake), form="flat", trigger=NOW).awaitTermination()
    assert outcomes(spark, lake) == {**first, ("d.parquet", "upgraded"): 1}
    assert edits.upgrade(lake / "day=3" / "d.parquet", form="flat").outcome == "unchanged"
    assert (lake / "_temporary" / "c.parquet").read_bytes() == ORIGINAL
    assert pq.read_table(lake / "day=1" / "a.parquet", partitioning=None).equals(TABLE)


def test_a_running_query_processes_arriving_files_by_the_drivers_paths(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arrive(tmp_path / "lake", "a.parquet")
    query = watch(spark, "lake", "verify", checkpoint="_watched")
    try:
        query.processAllAvailable()
        arrive(tmp_path / "lake", "b.parquet")
        query.processAllAvailable()
        records = spark.read.parquet(str(tmp_path / "_watched" / "results")).collect()
        assert {(Path(record.path).name, record.outcome) for record in records} == {
            ("a.parquet", "ok"),
            ("b.parquet", "ok"),
        }
    finally:
        query.stop()


def test_unsupported_jobs_and_forms_are_refused_at_once(spark, tmp_path):
    for action in ("nothing", "build_catalog"):  # a catalog's rows have no place there
        with pytest.raises(ParquetextError, match=f"no such job for files that arrive: '{action}'"):
            watch(spark, str(tmp_path), action)
    with pytest.raises(ParquetextError, match="unknown footer form"):
        watch(spark, str(tmp_path), form="none")
