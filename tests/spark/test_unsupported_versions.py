"""Versions on which nothing runs are refused in one line that names the supported ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import parquetext
from parquetext.errors import Unsupported
from parquetext.spark.versions import check_version

IMPORTED_FROM = str(Path(parquetext.__file__).parents[1])


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    paths = os.pathsep.join([*environment.values(), IMPORTED_FROM])
    environment = os.environ | {"PYTHONPATH": paths}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=False)


@pytest.fixture
def old_pyspark(tmp_path) -> str:
    """A folder with a pyspark that has nothing but its version."""
    package = tmp_path / "old" / "pyspark"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "3.4.4"')
    return str(package.parent)


def test_an_old_spark_is_refused_in_one_line(old_pyspark, tmp_path):
    done = run("-m", "parquetext.spark", "verify", str(tmp_path), first=old_pyspark)
    assert done.returncode == 2
    assert done.stderr == "Unsupported: parquetext.spark supports Spark 3.5 and 4.0 to 4.3; this is pyspark 3.4\n"


@pytest.mark.parametrize("name", ["read", "write", "session", "upgrade", "watch"])
def test_no_verb_is_imported_with_an_old_spark(old_pyspark, name):
    done = run("-c", f"from parquetext.spark import {name}", first=old_pyspark)
    assert "this is pyspark 3.4" in done.stderr.splitlines()[-1]


def test_a_missing_pyspark_is_an_import_error_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(ImportError, match=r"jobs need pyspark: pip install 'parquetext\[spark\]'"):
        check_version()


def test_a_driver_without_typer_names_the_packages_to_install_in_one_line(tmp_path):
    (tmp_path / "parquetext").symlink_to(Path(IMPORTED_FROM) / "parquetext")
    command = [sys.executable, "-S", "-m", "parquetext.spark", "verify", "lake"]  # -S: without the installed packages
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "No module named 'typer': pip install pyarrow 'pandas<3' rich typer" in done.stderr


def test_spark_3_5_without_distutils_names_setuptools(monkeypatch):
    monkeypatch.setattr("pyspark.__version__", "3.5.9")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"pyspark 3\.5 needs setuptools on Python 3\.12 or later"):
        check_version()
    monkeypatch.setattr("pyspark.__version__", "4.0.5")
    check_version()


def test_an_old_python_is_refused_in_one_line():
    done = run("-c", "import sys; sys.version_info = (3, 10, 13, 'final', 0); import parquetext")
    said = done.stderr.splitlines()[-1]
    assert said == "ImportError: parquetext needs Python 3.11 or later; this is Python 3.10"


def test_spark_finds_no_data_source_that_its_version_cannot_have(tmp_path):
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "__init__.py").write_text('__version__ = "4.0.5"')
    done = run("-c", "import pyspark_parquetext as found; print(hasattr(found, 'DefaultSource'))", first=str(tmp_path))
    assert (done.stdout, done.stderr) == ("False\n", "")
