"""Scans that Spark's own Parquet format does not do alone: formats that extend it, and keys for encrypted files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.spark_scans import footers, formats

import parquetext

ROWS = 100


@pytest.fixture
def session(spark, needed_scan_jar, needed_own_classes):
    """Return a session whose settings a test may change."""
    return spark.newSession()


@pytest.fixture
def lake(tmp_path) -> Path:
    """Make a folder with an upgraded file, whose name comes before the one that a test encrypts."""
    folder = tmp_path / "lake"
    folder.mkdir()
    path = folder / "a.parquet"
    pq.write_table(pa.table({f"c{number}": np.arange(ROWS) * number for number in range(40)}), path)
    parquetext.upgrade(str(path), "flat")
    return folder


def scanned(read, lake: Path, **options: str) -> dict:
    frame = read.options(**options).load(str(lake)).where("c3 > 30").select("c7")
    rows = sorted(row.c7 for row in frame.collect())
    return {"rows": rows, "formats": formats(frame), **footers(frame)}


def told_with_keys(session, lake: Path) -> list[dict]:
    """Return the results of scans without and with merged schemas, and the files for which they requested keys."""
    keys, told = session._jvm.OneKey, []
    keys.asked()
    for merged in ("false", "true"):
        told.append(scanned(session.read.format("parquet"), lake, mergeSchema=merged))
        told[-1]["asked"] = sorted(keys.asked().splitlines())
    return told


EXPECTED = [number * 7 for number in range(11, ROWS)]


def test_a_format_that_extends_sparks_is_left_alone(session, lake):
    own = scanned(session.read.format("parquet"), lake)
    assert own == {"rows": EXPECTED, "formats": ["SlicingFormat"], **own} and own["sliced"] == 1
    foreign = session._jvm.ForeignParquet
    before = foreign.INFERRED, foreign.READERS
    assert scanned(session.read.format("ForeignParquet"), lake) == {"rows": EXPECTED, "formats": ["ForeignParquet"]}
    assert (foreign.INFERRED - before[0], foreign.READERS - before[1]) == (1, 1)


def test_with_keys_for_encrypted_files_every_file_is_read_as_it_is(session, lake, tmp_path):
    """The factory that gives the keys is asked for the same files as ever, by their own names."""
    session.conf.set("parquet.crypto.factory.class", "OneKey")
    session.read.parquet(str(lake / "a.parquet")).coalesce(1).write.parquet(str(tmp_path / "encrypted"))
    (written,) = (tmp_path / "encrypted").glob("part-*.parquet")
    written.rename(lake / "encrypted.parquet")
    assert (lake / "encrypted.parquet").read_bytes().endswith(b"PARE")
    told = told_with_keys(session, lake)
    session.conf.set("spark.parquetext.scan.enabled", "false")
    for ours, stock in zip(told, told_with_keys(session, lake), strict=True):
        assert ours["rows"] == stock["rows"] == sorted(EXPECTED * 2)
        assert ours["asked"] == stock["asked"] == [f"file:{lake}/a.parquet", f"file:{lake}/encrypted.parquet"]
        assert not ours.get("sliced") and not ours.get("whole")
