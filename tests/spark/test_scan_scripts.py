"""Sliced scans through Spark's scripts, set up as docs/spark.md describes; footers are counted from an event log."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

import parquetext
from parquetext.spark.jar_build import EXTENSION

SPARK = Path(pyspark.__path__[0])
ROWS = 100
TOTAL = 7 * sum(range(11, ROWS))
SHELL = """
println("total: " + spark.read.parquet("PATH").where("c3 > 30").selectExpr("sum(c7)").head.getLong(0))
System.exit(0)
"""
SUBMITTED = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print("total:", spark.read.parquet("PATH").where("c3 > 30").selectExpr("sum(c7)").first()[0])
"""


class Setup:
    """A folder in which Spark's scripts run, with all settings in `spark-defaults.conf` or as options."""

    def __init__(self, folder: Path, java_home: str, jar: Path):
        self.folder, self.java_home, self.jar = folder, java_home, jar
        (folder / "events").mkdir()
        (folder / "conf").mkdir()

    @property
    def own(self) -> dict[str, str]:
        """The lines that docs/spark.md gives."""
        return {"spark.jars": str(self.jar), "spark.sql.extensions": EXTENSION}

    @property
    def options(self) -> list[str]:
        """The same as options of a script."""
        return ["--jars", str(self.jar), "--conf", f"spark.sql.extensions={EXTENSION}"]

    def write_defaults(self, **more: str) -> None:
        settings = {
            "spark.master": "local[1]",
            "spark.driver.memory": "512m",
            "spark.driver.host": "127.0.0.1",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file:{self.folder}/events",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
            "spark.sql.warehouse.dir": f"file:{self.folder}/warehouse",
        }
        lines = [f"{name} {value}" for name, value in (settings | more).items()]
        (self.folder / "conf" / "spark-defaults.conf").write_text("\n".join(lines))

    @property
    def environment(self) -> dict[str, str]:
        folders = {f"SPARK_{name}_DIR": str(self.folder / name.lower()) for name in ("CONF", "LOG", "PID")}
        own = {"JAVA_HOME": self.java_home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        return os.environ | folders | own | {"SPARK_HOME": str(SPARK)}

    def run(self, *command: str | Path, **options) -> str:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            **options,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-5000:]}"
        return done.stdout

    @contextmanager
    def server(self, ready: str, *command: str | Path):
        """Run a server until the block ends, and yield the groups of `ready` in its log."""
        log = self.folder / "server.log"
        with log.open("w") as stream:
            process = subprocess.Popen(
                command,
                stdout=stream,
                stderr=stream,
                cwd=self.folder,
                env=self.environment | {"SPARK_NO_DAEMONIZE": "1"},
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # scripts start Java as a child
            )
        try:
            while not (found := re.search(ready, log.read_text())):
                assert process.poll() is None, log.read_text()[-5000:]
                time.sleep(0.2)
            yield found[1]
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()

    def footers(self) -> Counter:
        """Return the values that tasks added to the scans' metrics."""
        counted = Counter()
        (log,) = (self.folder / "events").iterdir()
        for line in log.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] != "SparkListenerTaskEnd":
                continue
            for metric in event["Task Info"]["Accumulables"]:
                if metric.get("Name") in ("footers sliced", "footers whole", "files that fell back"):
                    counted[metric["Name"]] += int(metric["Update"])
        return counted


@pytest.fixture
def scripts(long, java_home, needed_scan_jar, tmp_path) -> Setup:
    return Setup(tmp_path, java_home, needed_scan_jar)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("lake") / "x.parquet")
    pq.write_table(pa.table({f"c{number}": np.arange(ROWS) * number for number in range(40)}), path)
    parquetext.upgrade(path, "flat")
    return path


def query(path: str) -> str:
    return f"SELECT sum(c7) FROM parquet.`{path}` WHERE c3 > 30"


SLICED = {"footers sliced": 1}


@pytest.mark.parametrize("by", ["options", "spark-defaults.conf"])
def test_spark_sql(scripts, path, by):
    scripts.write_defaults(**scripts.own if by == "spark-defaults.conf" else {})
    options = scripts.options if by == "options" else []
    assert str(TOTAL) in scripts.run(SPARK / "bin" / "spark-sql", *options, "-e", query(path)).split()
    assert +scripts.footers() == SLICED


def test_without_the_settings_nothing_is_sliced(scripts, path):
    scripts.write_defaults()
    assert str(TOTAL) in scripts.run(SPARK / "bin" / "spark-sql", "-e", query(path)).split()
    assert not scripts.footers()


def test_spark_shell(scripts, path):
    scripts.write_defaults()
    program = scripts.folder / "program.scala"
    program.write_text(SHELL.replace("PATH", path))
    assert f"total: {TOTAL}" in scripts.run(SPARK / "bin" / "spark-shell", *scripts.options, "-i", program)
    assert +scripts.footers() == SLICED


def test_spark_submit(scripts, path):
    scripts.write_defaults()
    program = scripts.folder / "program.py"
    program.write_text(SUBMITTED.replace("PATH", path))
    assert f"total: {TOTAL}" in scripts.run(SPARK / "bin" / "spark-submit", *scripts.options, program)
    assert +scripts.footers() == SLICED


def test_a_connect_server(scripts, path):
    """Its clients have neither the jar nor a setting."""
    pytest.importorskip("grpc")
    from pyspark.sql.connect.session import SparkSession

    scripts.write_defaults(
        **{"spark.connect.grpc.binding.port": "0", "spark.connect.grpc.binding.address": "127.0.0.1"}
    )
    start = SPARK / "sbin" / "start-connect-server.sh"
    with scripts.server(r"Spark Connect server started at: \S+?:(\d+)", start, *scripts.options) as port:
        client = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        try:
            assert client.read.parquet(path).where("c3 > 30").selectExpr("sum(c7)").first()[0] == TOTAL
            assert client.sql(query(path)).first()[0] == TOTAL
        finally:
            client.stop()
    assert +scripts.footers() == {"footers sliced": 2}


def test_a_thrift_server(scripts, path):
    """Started as `sbin/start-thriftserver.sh` does, which PyPI's pyspark lacks; asked by beeline."""
    scripts.write_defaults()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    name = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
    command = [SPARK / "sbin" / "spark-daemon.sh", "submit", name, "1", "--name", "Thrift JDBC/ODBC Server"]
    bound = [f"hive.server2.thrift.port={port}", "hive.server2.thrift.bind.host=127.0.0.1"]
    asked = [argument for setting in bound for argument in ("--hiveconf", setting)]
    with scripts.server(r"(HiveThriftServer2 started)", *command, *scripts.options, *asked):
        beeline = [SPARK / "bin" / "beeline", "-u", f"jdbc:hive2://127.0.0.1:{port}", "-n", "any"]
        assert str(TOTAL) in scripts.run(*beeline, "--outputformat=csv2", "-e", query(path)).split()
    assert +scripts.footers() == SLICED
