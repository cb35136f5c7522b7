"""Scans that Spark's own Parquet format does not do alone: formats that extend it, and keys for encrypted files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_jars import compiled_jar

import parquetext

ROWS = 100
PROGRAM = """
    import json, sys
    from pathlib import Path
    from parquetext.spark import session
    from support.spark_scans import footers, formats

    jar, folder = sys.argv[1], Path(sys.argv[2])
    spark = session(master="local[1]", driver_memory="1g", jars=jar)
    foreign, keys = spark._jvm.ForeignParquet, spark._jvm.OneKey

    def scanned(read, **options):
        frame = read.options(**options).load(f"{folder}/lake").where("c3 > 30").select("c7")
        rows = sorted(row.c7 for row in frame.collect())
        return {"rows": rows, "formats": formats(frame), **footers(frame)}

    def told_with_keys():
        keys.asked()
        told = []
        for merged in ("false", "true"):
            told.append(scanned(spark.read.format("parquet"), mergeSchema=merged))
            told[-1]["asked"] = sorted(keys.asked().splitlines())
        return told

    told = {"own": scanned(spark.read.format("parquet")), "foreign": scanned(spark.read.format("ForeignParquet"))}
    told["calls"] = [foreign.INFERRED, foreign.READERS]
    spark.conf.set("parquet.crypto.factory.class", "OneKey")
    (plain,) = (folder / "lake").glob("*.parquet")
    spark.read.parquet(str(plain)).coalesce(1).write.parquet(f"{folder}/encrypted")
    (written,) = (folder / "encrypted").glob("part-*.parquet")
    written.rename(folder / "lake" / "encrypted.parquet")
    told["with keys"] = told_with_keys()
    spark.conf.set("spark.parquetext.scan.enabled", "false")
    told["stock"] = told_with_keys()
    print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Path:
    """A folder with an upgraded file, whose name comes before the one that the program encrypts."""
    folder = tmp_path_factory.mktemp("foreign") / "lake"
    folder.mkdir()
    path = folder / "a.parquet"
    pq.write_table(pa.table({f"c{number}": np.arange(ROWS) * number for number in range(40)}), path)
    parquetext.upgrade(str(path), "flat")
    return folder


@pytest.fixture(scope="module")
def told(run_driver, needed_scan_jar, lake, tmp_path_factory, request) -> dict:
    """Return one session's results for all of these scans."""
    jar = compiled_jar(tmp_path_factory.mktemp("classes"), "ForeignParquet", "OneKey")
    paths = f"{Path(parquetext.__file__).parents[1]}:{request.path.parents[1]}"
    return json.loads(run_driver(PROGRAM, jar, lake.parent, PYTHONPATH=paths).splitlines()[-1])


EXPECTED = [number * 7 for number in range(11, ROWS)]


def test_a_format_that_extends_sparks_is_left_alone(told):
    assert told["own"] == {"rows": EXPECTED, "formats": ["SlicingFormat"], **told["own"]} and told["own"]["sliced"] == 1
    assert told["foreign"] == {"rows": EXPECTED, "formats": ["ForeignParquet"]}
    assert told["calls"] == [1, 1]


def test_with_keys_for_encrypted_files_every_file_is_read_as_it_is(told, lake):
    """The factory that gives the keys is asked for the same files as ever, by their own names."""
    assert (lake / "encrypted.parquet").read_bytes().endswith(b"PARE")
    assert len(told["with keys"]) == 2
    for ours, stock in zip(told["with keys"], told["stock"], strict=True):
        assert ours["rows"] == stock["rows"] == sorted(EXPECTED * 2)
        assert ours["asked"] == stock["asked"] == [f"file:{lake}/a.parquet", f"file:{lake}/encrypted.parquet"]
        assert not ours.get("sliced") and not ours.get("whole")
