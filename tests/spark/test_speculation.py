"""Spark's own speculation: a second attempt at a task while the first one still runs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

import parquetext

ORIGINAL = parquet_bytes()
FILES = 20

# The first who gives the slow file its name waits until somebody else wants its lock; of the retried one the first
# dies, and the second waits. Each address is a machine.
SITECUSTOMIZE = """
import fcntl, os, signal, socket, time

flock, rename = fcntl.flock, os.rename

def mark(what):
    return os.path.join(os.environ["MARKS"], what)

def first(what):
    try:
        os.close(os.open(mark(what), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True

def locked(file, *how):
    try:
        return flock(file, *how)
    except BlockingIOError:
        first("wanted " + os.path.basename(os.readlink(f"/proc/self/fd/{file}")))
        raise

def renamed(old, new, **options):
    name = os.path.basename(new)
    if name == "retried.parquet" and first("killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    if name in ("slow.parquet", "retried.parquet") and first(name):
        while not os.path.exists(mark("wanted " + name)):
            time.sleep(0.05)
    rename(old, new, **options)

fcntl.flock, os.rename = locked, renamed
socket.gethostname = lambda: os.environ["SPARK_LOCAL_IP"]
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
rows = [[row.path, row.outcome, row.message] for row in jobs.upgrade(spark, lake, "flat", progress=False).collect()]
attempts = spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(
    spark._jsc.sc().statusStore().taskList(0, 0, 1000))
print(json.dumps([rows, sum(attempt.speculative() for attempt in attempts)]))
"""


@pytest.fixture
def three_hosts(long, request, java_home, tmp_path):
    """The cluster with workers of other addresses: Spark makes no attempt by speculation where there has been one."""
    standalone = request.getfixturevalue("standalone")  # which takes its time, only where it is wanted
    with ExitStack() as workers:
        for host in ("127.0.0.2", "127.0.0.3"):
            workers.enter_context(worker(host, standalone, java_home, tmp_path))
        yield standalone


@contextmanager
def worker(host: str, master: str, java_home: str, folder: Path) -> Iterator[None]:
    command = [
        f"{pyspark.__path__[0]}/bin/spark-class",
        "org.apache.spark.deploy.worker.Worker",
        "--host",
        host,
        "--port",
        "0",
        "--webui-port",
        "0",
        "--cores",
        "1",
        "--memory",
        "1g",
        "--work-dir",
        str(folder / host),
        master,
    ]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"JAVA_HOME": java_home, "SPARK_LOCAL_IP": host}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=environment
    ) as process:
        try:
            next(line for line in process.stdout if "Successfully registered" in line)
            yield
        finally:
            process.terminate()
            process.communicate()


@pytest.fixture
def lake(tmp_path) -> Path:
    lake = tmp_path / "lake"
    lake.mkdir()
    for name in ("slow", "retried", *map(str, range(FILES))):
        (lake / f"{name}.parquet").write_bytes(ORIGINAL)
    return lake


def test_a_speculative_attempt_ends_with_one_file_and_one_row_even_if_the_first_died(
    run_driver, three_hosts, lake, tmp_path
):
    hook, marks = tmp_path / "hook", tmp_path / "marks"
    hook.mkdir()
    marks.mkdir()
    (hook / "sitecustomize.py").write_text(SITECUSTOMIZE)
    rows, speculative = json.loads(run_driver(PROGRAM, three_hosts, lake, hook, marks).splitlines()[-1])
    assert speculative >= 2
    assert {path.name for path in marks.iterdir()} == {
        "killed",
        "slow.parquet",
        "retried.parquet",
        "wanted slow.parquet",
        "wanted retried.parquet",
    }
    assert sorted(path for path, *_ in rows) == sorted(map(str, lake.iterdir()))
    assert {outcome for _, outcome, _ in rows} <= {"upgraded", "unchanged"}, [message for *_, message in rows]
    for path in lake.iterdir():
        assert parquetext.read_table(path).equals(TABLE), path
        assert Path(path).stat().st_size > len(ORIGINAL)
