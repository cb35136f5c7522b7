"""Spark's reader checks Hadoop's checksum files: it reads files that we changed, and still detects damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hadoop import crc_of

import parquetext
from parquetext import edits
from parquetext.inspection import integrity
from parquetext.spark import jobs

pytestmark = pytest.mark.slow


@pytest.fixture
def lake(spark, tmp_path) -> Path:
    """Files that Spark has written, each with its checksums."""
    lake = tmp_path / "lake"
    spark.range(3000).selectExpr("id", "cast(id as string) as text").repartition(2).write.parquet(str(lake))
    assert all(crc_of(path).exists() for path in lake.glob("*.parquet"))
    return lake


def total(spark, lake: Path) -> int:
    return spark.read.parquet(str(lake)).selectExpr("sum(id)").head()[0]


def test_spark_reads_files_after_every_change(spark, lake):
    expected = total(spark, lake)
    files = sorted(lake.glob("*.parquet"))
    original = {path: path.read_bytes() for path in files}
    jobs.upgrade(spark, str(lake), form="flat", progress=False)
    assert total(spark, lake) == expected
    for path in files:
        assert edits.strip(path, in_place=True).outcome == "stripped"
    assert total(spark, lake) == expected
    for path in files:
        edits.finalize(path, confirm=True)
        edits.restore(path, "thrift", in_place=True)
    assert total(spark, lake) == expected
    assert {path: path.read_bytes() for path in files} == original
    for path in files:
        parquetext.write_table(parquetext.read_table(path), path)
    assert total(spark, lake) == expected


def test_damage_from_before_a_change_is_seen_after_it(spark, lake):
    path = max(lake.glob("*.parquet"))
    damaged = bytearray(path.read_bytes())
    damaged[100] ^= 1
    path.write_bytes(damaged)
    assert edits.upgrade(path, "flat").outcome == "upgraded"
    with pytest.raises(Exception, match="ChecksumException"):
        total(spark, lake)


@pytest.mark.parametrize(
    ("content", "reads"),
    [
        (lambda good: good + b"more", True),
        (lambda good: good[:-4], False),
        (lambda good: b"", False),
        (lambda good: b"something else", False),
    ],
    ids=["more", "fewer", "empty", "something else"],
)
def test_spark_takes_checksum_files_as_verify_does(spark, lake, content, reads):
    path = max(lake.glob("*.parquet"))
    crc_of(path).write_bytes(content(crc_of(path).read_bytes()))
    assert integrity.verify(path).ok is reads
    if reads:
        assert total(spark, lake) == sum(range(3000))
    else:
        with pytest.raises(Exception, match=r"FAILED_READ_FILE|ChecksumException"):
            total(spark, lake)
