"""However the driver came by the package, executors import the same: real clusters, real wheels."""

from __future__ import annotations

import codecs
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from support.parquet_bytes import parquet_bytes

from parquetext import _native, edits, kernels

ROOT = Path(__file__).parents[2]
VERSION = "0.1.0+shipped"  # no other copy of the package has it
SUBMIT = f"{pyspark.__path__[0]}/bin/spark-submit"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.cores.max": 2,
    "spark.scheduler.minRegisteredResourcesRatio": 1,  # both executors are waited for
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "600s",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
}

# The driver's imports; for each master the workers' results, as (version, implementation, folder of the executor,
# Python); the data source's result on the first master, where it gets a file.
PROGRAM = """
import json, os, sys
from pyspark.sql import SparkSession
import parquetext
from parquetext.spark import ship

def imported(_):
    import os, sys, parquetext
    yield parquetext.__version__, parquetext.implementation(), os.getcwd(), sys.prefix

file, *masters = sys.argv[1:]
workers, found = {}, None
for master in masters:
    spark = SparkSession.builder.master(master).getOrCreate()
    ship(spark)
    workers[master] = spark.sparkContext.parallelize(range(4), 4).mapPartitions(imported).collect()
    if not os.path.exists(spark.sparkContext.pythonExec):
        os.symlink(sys.prefix, "env")  # the driver's JVM plans by a Python of that name, too
    if file and found is None:
        found = [row.id for row in spark.read.format("parquetext").load(file).where("id > 97").collect()]
    spark.stop()
print(json.dumps([parquetext.__version__, parquetext.__file__, workers, found]))
"""
LOCAL_CLUSTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel of this package, under a version of its own, with the compiled modules that the tests run."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    for name in ("parquetext", "pyspark_parquetext", "jvm", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        source, copy = ROOT / name, folder / name
        shutil.copytree(source, copy, ignore=ignored) if source.is_dir() else shutil.copy(source, copy)
    public = folder / "parquetext/__init__.py"
    public.write_text(public.read_text().replace('__version__ = "0.1.0"', f'__version__ = "{VERSION}"'))
    subprocess.run(
        [sys.executable, "setup.py", "-q", "bdist_wheel"],
        cwd=folder,
        check=True,
        env=os.environ | {"PARQUETEXT_PURE": "1"},
        capture_output=True,
    )
    (built,) = (folder / "dist").iterdir()
    platform = sysconfig.get_platform().replace("-", "_")
    wheel = built.rename(built.with_name(built.name.replace("py3-none-any", f"cp311-abi3-{platform}")))
    with zipfile.ZipFile(wheel, "a") as archive:
        for module in Path(_native.__path__[0]).glob("*.so"):
            archive.write(module, f"parquetext/_native/{module.name}")
    return wheel


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheel) -> Path:
    """A virtual environment with the wheel installed; the packages that it needs it takes from this one."""
    folder = tmp_path_factory.mktemp("environment") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site_packages)
    (site_packages / "needed.pth").write_text(sysconfig.get_paths()["purelib"])
    return folder


@pytest.fixture
def submit(java_home, tmp_path):
    """Run PROGRAM by spark-submit on one kind of master after the other, and return its output.

    The package is found only through the arguments of spark-submit.
    """
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def run(masters: list[str], *options: object, file: str = "", **environment: str) -> list:
        settings = [word for name, value in SETTINGS.items() for word in ("--conf", f"{name}={value}")]
        command = [SUBMIT, "--master", masters[0], *settings, *options, program, file, *masters]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=clean(java_home) | environment)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture
def data(tmp_path) -> str:
    """A file for the data source: ids from 0 to 99."""
    pq.write_table(pa.table({"id": range(100)}), tmp_path / "data.parquet")
    return str(tmp_path / "data.parquet")


def clean(java_home: str) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PY")}
    return variables | {"JAVA_HOME": java_home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}


def check(said: list) -> None:
    """Driver and workers import the wheel's content, and all executors took part on the same kernels."""
    version, _, masters, _ = said
    assert version == VERSION
    for master, workers in masters.items():
        assert {worker_version for worker_version, *_ in workers} == {VERSION}
        assert {implementation for _, implementation, *_ in workers} == {kernels.implementation()}
        assert len({folder for _, _, folder, _ in workers}) == (1 if master == "local[2]" else 2)


def test_a_wheel_in_py_files_reaches_executors_and_runs_compiled(long, submit, standalone, wheel, data):
    said = submit([standalone, LOCAL_CLUSTER], "--py-files", wheel, file=data)
    assert said[3] == [98, 99]
    assert ".whl/" in said[1]
    check(said)


def test_a_zip_in_py_files_reaches_executors_of_a_local_cluster(long, submit, wheel, tmp_path):
    said = submit([LOCAL_CLUSTER], "--py-files", shutil.copy(wheel, tmp_path / "parquetext.zip"))
    assert ".zip/" in said[1]
    check(said)


def test_a_package_installed_for_the_driver_alone_reaches_executors(long, submit, standalone, environment):
    said = submit([standalone], PYSPARK_DRIVER_PYTHON=str(environment / "bin" / "python"))
    assert said[1].startswith(str(environment))
    check(said)


def test_a_packed_environment_in_archives_works_on_all_masters(long, submit, standalone, environment, data, tmp_path):
    archive = tmp_path / "env.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(environment, ".")
    said = submit(
        [standalone, LOCAL_CLUSTER, "local[2]"],
        "--archives",
        f"{archive}#env",
        file=data,
        PYSPARK_PYTHON="./env/bin/python",
        PYSPARK_DRIVER_PYTHON=str(environment / "bin" / "python"),
    )
    check(said)
    assert said[3] == [98, 99]
    for workers in said[2].values():
        assert all(prefix == f"{folder}/env" for _, _, folder, prefix in workers)


@pytest.mark.slow
def test_the_readmes_main_job_file_runs_by_a_wheel_with_a_bar_in_its_terminal(wheel, java_home, tmp_path):
    page = (ROOT / "README.md").read_text()
    shown = re.search(r"^    (spark-submit .*?) +# .*main\.py:\n\n```py\n(.*?)```", page, re.MULTILINE | re.DOTALL)
    _, option, _, name, job, _ = shlex.split(shown[1])
    (tmp_path / name).write_text(f"import parquetext\nprint(parquetext.__version__, flush=True)\n{shown[2]}")
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / "x.parquet").write_bytes(parquet_bytes())
    terminal, stderr = pty.openpty()
    submit = subprocess.Popen(
        [SUBMIT, "--master", "local[2]", "--driver-memory", "512m", option, wheel, name, job, lake, "--form", "flat"],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        cwd=tmp_path,
        env=clean(java_home) | {"TERM": "xterm"},
    )
    os.close(stderr)
    message = "".join(read_all(terminal))
    said, _ = submit.communicate()
    assert (submit.returncode, said.splitlines()[0]) == (0, VERSION), message
    assert "━" in message
    assert "upgrade: 1 files: 1 upgraded (" in message
    assert edits.upgrade(lake / "x.parquet", form="flat").outcome == "unchanged"


def read_all(terminal: int) -> Iterator[str]:
    """Return the terminal's output until it is closed."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    try:
        while data := os.read(terminal, 1 << 16):
            yield decode(data)
    except OSError:
        return
