"""However the driver came by the package, executors import the same: real clusters, real wheels."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pyspark
import pytest

from parquetext import _native, kernels

ROOT = Path(__file__).parents[2]
VERSION = "0.1.0+shipped"  # no other copy of the package has it
SUBMIT = f"{pyspark.__path__[0]}/bin/spark-submit"
SETTINGS = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.log.level": "ERROR",
            "spark.scheduler.minRegisteredResourcesRatio": 1}

# What the driver imports, then what workers do, as (version, implementation, folder of the executor).
PROGRAM = """
import json, time
from pyspark.sql import SparkSession
import parquetext
from parquetext.spark import ship

spark = SparkSession.builder.getOrCreate()
ship(spark)

def imported(_):
    import os, parquetext
    time.sleep(0.3)  # long enough for the other executor to take its share
    yield parquetext.__version__, parquetext.implementation(), os.getcwd()

workers = spark.sparkContext.parallelize(range(6), 6).mapPartitions(imported).collect()
print(json.dumps([parquetext.__version__, parquetext.__file__, workers]))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("program") / "main.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel of this package, under a version of its own, with the compiled modules that the tests run."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    for name in ("parquetext", "pyspark_parquetext", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        source, copy = ROOT / name, folder / name
        shutil.copytree(source, copy, ignore=ignored) if source.is_dir() else shutil.copy(source, copy)
    public = folder / "parquetext/__init__.py"
    public.write_text(public.read_text().replace('__version__ = "0.1.0"', f'__version__ = "{VERSION}"'))
    subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel"], cwd=folder, check=True,
                   env=os.environ | {"PARQUETEXT_PURE": "1"}, capture_output=True)
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


def submit(program: Path, master: str, java_home: str, *options: object, **environment: str) -> list:
    """What the program prints; nothing finds the package but by what spark-submit is told."""
    settings = [word for name, value in SETTINGS.items() for word in ("--conf", f"{name}={value}")]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PY")}
    variables = clean | {"JAVA_HOME": java_home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run([SUBMIT, "--master", master, *settings, *map(str, options), program], capture_output=True,
                          text=True, cwd=program.parent, env=variables | environment)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout.splitlines()[-1])


def check(said: list, executors: int = 2) -> None:
    """Driver and workers import the wheel's content, and all executors took part on the same kernels."""
    version, _, workers = said
    assert version == VERSION
    assert {worker_version for worker_version, _, _ in workers} == {VERSION}
    assert {implementation for _, implementation, _ in workers} == {kernels.implementation()}
    assert len({folder for _, _, folder in workers}) == executors


def test_a_wheel_in_py_files_reaches_executors_and_runs_compiled(program, wheel, standalone, java_home):
    said = submit(program, standalone, java_home, "--py-files", wheel)
    assert ".whl/" in said[1]
    check(said)


def test_a_package_installed_for_the_driver_alone_reaches_executors(program, environment, standalone, java_home):
    python = environment / "bin" / "python"
    said = submit(program, standalone, java_home, PYSPARK_DRIVER_PYTHON=str(python))
    assert said[1].startswith(str(environment))
    check(said)


def test_a_packed_environment_in_archives_works(program, environment, standalone, java_home, tmp_path):
    archive = tmp_path / "env.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(environment, ".")
    said = submit(program, standalone, java_home, "--archives", f"{archive}#env", PYSPARK_PYTHON="./env/bin/python",
                  PYSPARK_DRIVER_PYTHON=str(environment / "bin" / "python"))
    check(said)


def test_a_zip_in_py_files_reaches_executors_of_a_local_cluster(program, wheel, java_home, tmp_path):
    archive = shutil.copy(wheel, tmp_path / "parquetext.zip")
    said = submit(program, "local-cluster[2,1,1024]", java_home, "--py-files", archive)
    assert ".zip/" in said[1]
    check(said)
