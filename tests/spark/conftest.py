"""Sessions for the tests: one local one that they share, drivers in processes of their own, a real cluster."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from support.java_jars import compiled_jar
from support.sparks import OLDEST, spark_folder

import parquetext

pytest.importorskip("pyspark")

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
}
# The folder to import the package from: the source tree, or where it is installed.
IMPORTED_FROM = str(Path(parquetext.__file__).parents[1])


@pytest.fixture(scope="session")
def scan_jar() -> Path | None:
    """The jar of the package, built first in a source tree; None if it cannot be."""
    from parquetext.spark import NoJar, jar, jar_build

    try:
        if jar_build.checkout():
            jar_build.build_or_package()
        return Path(jar())
    except (NoJar, jar_build.CannotBuild):
        return None


@pytest.fixture(scope="session")
def needed_scan_jar(scan_jar) -> Path:
    """The same for tests that are about it: they are skipped without it, or fail where it must be there."""
    if scan_jar is None:
        message = "the jar cannot be built here: no javac"
        if os.environ.get("PARQUETEXT_REQUIRE_JAR") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return scan_jar


@pytest.fixture(scope="session")
def own_classes(tmp_path_factory, quick_java) -> Path | None:
    """Return a jar of the tests' own Java classes; None if there is no javac."""
    return compiled_jar(tmp_path_factory.mktemp("classes")) if shutil.which("javac") else None


@pytest.fixture(scope="session")
def needed_own_classes(own_classes) -> None:
    """Skip the test if the session does not have these classes."""
    if own_classes is None:
        pytest.skip("needs javac")


@pytest.fixture(scope="session")
def spark(tmp_path_factory, quick_java, scan_jar, own_classes):
    """The local[2] session of the whole run: nobody stops it or changes its settings for good."""
    from parquetext.spark import session

    jars = {"spark.jars": own_classes} if own_classes else {}
    spark = session(master="local[2]", sql_warehouse_dir=tmp_path_factory.mktemp("warehouse"), **jars, **SETTINGS)
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def java_home(quick_java) -> str:
    """A Java for programs that are not started by `session`."""
    from parquetext.spark import find_java_home

    return find_java_home()


@pytest.fixture
def oldest() -> str:
    """The oldest supported Spark; without it, which `.ci/readers` installs, tests are skipped, or fail if required."""
    if not spark_folder(OLDEST).exists():
        message = f"pyspark {OLDEST} is not installed: .ci/readers"
        if os.environ.get("PARQUETEXT_REQUIRE_READERS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return OLDEST


@pytest.fixture(scope="session")
def start_driver(tmp_path_factory, quick_java):
    """Start a driver program in a separate process, for tests that kill it or need another master.

    `start_driver(program, *arguments, **environment)` gives the Popen of `python program.py arguments`.
    """

    def start(program: str, *arguments: object, **environment: str) -> subprocess.Popen:
        path = tmp_path_factory.mktemp("driver") / "program.py"
        path.write_text(textwrap.dedent(program))
        return subprocess.Popen(
            [sys.executable, path, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=path.parent,
            env=os.environ | {"PYTHONPATH": IMPORTED_FROM} | environment,
        )

    return start


@pytest.fixture(scope="session")
def run_driver(start_driver):
    """The same, run to its end: its standard output; it must succeed."""

    def run(program: str, *arguments: object, **environment: str) -> str:
        process = start_driver(program, *arguments, **environment)
        out, err = process.communicate()
        assert process.returncode == 0, f"{out}\n{err[-10_000:]}"
        return out

    return run


@pytest.fixture(scope="session")
def standalone(tmp_path_factory, java_home):
    """The address of a standalone master on loopback that has two workers with a core each."""
    folder = tmp_path_factory.mktemp("standalone")
    daemons = []
    try:
        master = _start_daemon("master.Master", folder / "master", java_home, daemons)
        address = _logged(folder / "master", r"Starting Spark master at (\S+)", master)
        for name in ("worker-1", "worker-2"):
            options = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / name), address]
            worker = _start_daemon("worker.Worker", folder / f"{name}.log", java_home, daemons, *options)
            _logged(folder / f"{name}.log", r"(Successfully registered)", worker)
        yield address
    finally:
        for daemon in daemons:
            daemon.terminate()
        for daemon in daemons:
            daemon.wait()


def _start_daemon(name: str, log: Path, java_home: str, daemons: list, *options: str) -> subprocess.Popen:
    import pyspark

    command = [
        f"{pyspark.__path__[0]}/bin/spark-class",
        f"org.apache.spark.deploy.{name}",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--webui-port",
        "0",
        *options,
    ]
    environment = os.environ | {"JAVA_HOME": java_home, "SPARK_LOCAL_IP": "127.0.0.1"}
    # Executors inherit it from their worker: they import only the modules that a driver sends.
    environment.pop("PYTHONPATH", None)
    with log.open("w") as stream:
        daemons.append(subprocess.Popen(command, stdout=stream, stderr=stream, env=environment, cwd=log.parent))
    return daemons[-1]


def _logged(log: Path, pattern: str, daemon: subprocess.Popen) -> str:
    """The text that a daemon logs when it is ready."""
    while daemon.poll() is None:
        if found := re.search(pattern, log.read_text()):
            return found[1]
        try:
            daemon.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(log.read_text())
