"""How sessions get the jar: by `session`, beside the user's own settings, and by `ship` where one is there already."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.flat_files import with_flat_footer
from support.later_layouts import with_later_layout

import parquetext
from parquetext.spark import NoJar
from parquetext.spark.scan_settings import add_scan, scan_settings

ASK = """
    import json, os, sys
    import pyspark.sql
    from parquetext.spark import session, ship
    from support.spark_scans import footers, formats

    path, how = sys.argv[1:3]
    if how == "ship":
        builder = pyspark.sql.SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g")
        spark = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
        ship(spark)
        ship(spark)
    else:
        spark = session(master="local[2]", driver_memory="1g", spark_sql_extensions="no.such.Extension")
    frame = spark.read.parquet(path).where("c3 > 30").select("c7")
    rows = len(frame.collect())
    for folder in sys.argv[3:]:  # of two files that are read as they are
        for _ in range(2):
            assert spark.read.schema("c7 long").parquet(folder).selectExpr("sum(c7)").first()[0] == 2 * 7 * 4950
    print(json.dumps([rows, formats(frame), footers(frame)["sliced"], spark.conf.get("spark.sql.extensions", "")]))
"""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("upgraded") / "x.parquet")
    pq.write_table(pa.table({f"c{number}": np.arange(100) * number for number in range(40)}), path)
    parquetext.upgrade(path, form="flat")
    return path


@pytest.fixture
def damaged(upgraded, tmp_path) -> str:
    """A folder of two files whose flat footers are broken."""
    content = bytearray(Path(upgraded).read_bytes())
    thrift = len(content) - 8 - pq.read_metadata(upgraded).serialized_size
    content[thrift - 3000 : thrift - 2000] = bytes(1000)  # of the flat footer, in front of the Thrift footer
    folder = tmp_path / "damaged"
    folder.mkdir()
    for name in ("a.parquet", "b.parquet"):
        (folder / name).write_bytes(content)
    return str(folder)


@pytest.fixture
def later(upgraded, tmp_path) -> str:
    """A folder of two files whose flat footers are in a layout of a later version."""
    folder = tmp_path / "later"
    folder.mkdir()
    stripped = folder / "a.parquet"
    shutil.copy(upgraded, stripped)
    parquetext.strip(str(stripped))
    content = with_later_layout(with_flat_footer(stripped.read_bytes()), "flat")
    for name in ("a.parquet", "b.parquet"):
        (folder / name).write_bytes(content)
    return str(folder)


@pytest.fixture
def oddly_placed(tmp_path) -> Path:
    """Return a folder with a copy of the package, whose name is none that Spark takes as the folder of a jar."""
    folder = tmp_path / "it's a, folder"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(parquetext.__path__[0], folder / "parquetext", ignore=ignored)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("how", ["ship", "session"])
def test_sessions_slice_however_they_came_about(
    start_driver, needed_scan_jar, oddly_placed, upgraded, damaged, later, request, how
):
    """And Spark's log has one line for each reason to read files as they are, if not the quiet one of `session`."""
    paths = f"{oddly_placed}:{request.path.parents[1]}"
    process = start_driver(ASK, upgraded, how, damaged, later, PYTHONPATH=paths)
    said, log = process.communicate()
    assert process.returncode == 0, f"{said}\n{log[-10_000:]}"
    assert log.count("is read by its whole footer") == 2 * (how == "ship")
    assert log.count("is read by its whole footer (a flat footer of another layout)") == (how == "ship")
    rows, formats, sliced, extensions = json.loads(said.splitlines()[-1])
    assert (rows, formats) == (89, ["SlicingFormat"])
    assert sliced == (how == "session")  # Spark clones plans of strategies, so their scans show the clone's metrics
    assert extensions == ("" if how == "ship" else "no.such.Extension,dev.parquetext.spark.Extensions")


def test_settings_of_the_user_stay(needed_scan_jar, tmp_path, monkeypatch):
    ours, name = "dev.parquetext.spark.Extensions", "parquetext-spark.jar"
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert scan_settings({})["spark.sql.extensions"] == ours
    (tmp_path / "spark-defaults.conf").write_text(f"spark.jars  /a.jar\nspark.sql.extensions={ours},x.Y\n")
    settings = scan_settings({})
    assert settings["spark.sql.extensions"] == f"{ours},x.Y"
    assert settings["spark.jars"].startswith("/a.jar,") and settings["spark.jars"].endswith(name)
    settings = scan_settings({"spark.jars": "/b.jar, /c.jar", "spark.sql.extensions": "x.Z"})
    assert settings["spark.sql.extensions"] == f"x.Z,{ours}"
    assert settings["spark.jars"].startswith("/b.jar,/c.jar,")


def test_a_session_without_a_jar_gives_the_reason_once(monkeypatch):
    def missing():
        raise NoJar("there is none for this test")

    monkeypatch.setattr("parquetext.spark.scan_settings.jar", missing)
    with pytest.warns(UserWarning, match="parse whole footers: there is none for this test") as warned:
        assert scan_settings({}) == scan_settings({}) == {}
    assert len(warned) == 1


def test_a_jar_that_spark_does_not_load_is_a_warning(needed_scan_jar, monkeypatch):
    java_gateway = pytest.importorskip("py4j.java_gateway")
    missing = java_gateway.JavaPackage("dev.parquetext.spark.Extensions", None)
    monkeypatch.setattr("parquetext.spark.scan_settings._jars_of", lambda spark: [])
    monkeypatch.setattr("parquetext.spark.scan_settings._in_jar", lambda spark: missing)
    session = MagicMock(version="4.3.0")
    session.conf.get.return_value = session.sparkContext.getConf().get.return_value = ""
    with pytest.warns(UserWarning, match=f"parse whole footers: Spark has not loaded {needed_scan_jar}"):
        add_scan(session)
