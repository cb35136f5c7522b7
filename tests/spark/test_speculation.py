"""Spark's own speculation: a second attempt at a task while the first one still runs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyspark
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

import parquetext

ORIGINAL = parquet_bytes()
FILES = 20

# The first who gives the slow file its name waits for four seconds.
SITECUSTOMIZE = """
import os, time

rename = os.rename

def renamed(old, new, **options):
    if os.path.basename(new) == "slow.parquet":
        try:
            os.close(os.open(os.path.join(os.environ["MARKS"], "slow"), os.O_CREAT | os.O_EXCL))
            time.sleep(4)
        except FileExistsError:
            pass
    rename(old, new, **options)

os.rename = renamed
"""

# The rows, and how many attempts were speculative.
PROGRAM = """
import json, sys
from parquetext import spark as jobs

master, lake, hook, marks = sys.argv[1:]
spark = jobs.session(**{
    "spark.master": master, "spark.driver.host": "127.0.0.1", "spark.executor.memory": "512m",
    "spark.scheduler.minRegisteredResourcesRatio": 1,
    "spark.executorEnv.PYTHONPATH": hook, "spark.executorEnv.MARKS": marks, "spark.speculation": "true",
    "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.2",
    "spark.speculation.minTaskRuntime": "500ms"})
rows = [[row.path, row.outcome] for row in jobs.upgrade(spark, lake, progress=False).collect()]
attempts = spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(
    spark._jsc.sc().statusStore().taskList(0, 0, 1000))
print(json.dumps([rows, sum(attempt.speculative() for attempt in attempts)]))
"""


@pytest.fixture
def other_host(long, request, java_home, tmp_path):
    """The cluster with a worker of another address: Spark makes no second attempt on the host of the first one."""
    standalone = request.getfixturevalue("standalone")  # which takes its time, only where it is wanted
    command = [f"{pyspark.__path__[0]}/bin/spark-class", "org.apache.spark.deploy.worker.Worker", "--host",
               "127.0.0.2", "--port", "0", "--webui-port", "0", "--cores", "2", "--memory", "1g", "--work-dir",
               str(tmp_path / "work"), standalone]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"JAVA_HOME": java_home, "SPARK_LOCAL_IP": "127.0.0.2"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path,
                          env=environment) as worker:
        next(line for line in worker.stdout if "Successfully registered" in line)
        yield standalone
        worker.terminate()
        worker.communicate()


def test_a_speculative_attempt_ends_with_one_whole_file_and_one_row(run_driver, other_host, tmp_path):
    lake, hook, marks = (tmp_path / name for name in ("lake", "hook", "marks"))
    for folder in (lake, hook, marks):
        folder.mkdir()
    (hook / "sitecustomize.py").write_text(SITECUSTOMIZE)
    for name in ("slow", *map(str, range(FILES))):
        (lake / f"{name}.parquet").write_bytes(ORIGINAL)
    rows, speculative = json.loads(run_driver(PROGRAM, other_host, lake, hook, marks).splitlines()[-1])
    assert speculative > 0
    assert sorted(path for path, _ in rows) == sorted(map(str, lake.iterdir()))
    assert {outcome for _, outcome in rows} <= {"upgraded", "unchanged"}
    for path in lake.iterdir():
        assert parquetext.read_table(path).equals(TABLE), path
        assert Path(path).stat().st_size > len(ORIGINAL)
