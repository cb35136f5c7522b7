"""The jar of Spark's scan: its path in an installation, and the classes a checkout is built against."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from parquetext.spark import jar


@pytest.fixture
def installed(tmp_path) -> Path:
    """The folder of `parquetext.spark` in an installation, which has no sources of Java."""
    folder = tmp_path / "site" / "parquetext" / "spark"
    folder.mkdir(parents=True)
    shutil.copy(jar.__file__, folder)
    return folder


def say_where(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-P", folder / "jar.py"], capture_output=True, text=True)


def test_an_installation_prints_the_path_of_its_jar(installed):
    path = installed / "jars" / jar.JAR
    path.parent.mkdir()
    path.write_bytes(b"as it was built")
    assert say_where(installed).stdout == f"{path}\n"
    assert path.read_bytes() == b"as it was built"


def test_an_installation_without_a_jar_explains_how_to_get_one(installed):
    message = say_where(installed)
    assert message.returncode == 1 and message.stdout == ""
    assert "jvm/build.sh" in message.stderr


SPARK_BY_PATH = {"Spark's own download": "jars", "PyPI": "lib/python3.11/site-packages/pyspark/jars"}


@pytest.mark.parametrize("jars", SPARK_BY_PATH.values(), ids=SPARK_BY_PATH.keys())
def test_a_build_finds_the_spark_whose_scripts_are_on_the_path(tmp_path, monkeypatch, jars):
    """Neither `python -m build` nor a copied download says otherwise where Spark is."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    script, library = tmp_path / "bin" / "spark-submit", tmp_path / jars / "scala-library-2.13.17.jar"
    for path in (script, library):
        path.parent.mkdir(parents=True)
        path.touch()
    script.chmod(0o755)
    assert jar._spark_jars() == library.parent
    library.unlink()
    with pytest.raises(jar.CannotBuild, match="no Spark 4"):
        jar._spark_jars()


@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no javac")
def test_an_isolated_build_finds_the_spark_of_the_environment_it_builds_for(tmp_path, monkeypatch):
    """pip hides installed packages from a build."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: found(name) if name == "javac" else None)
    source = tmp_path / "sources" / "Small.java"
    source.parent.mkdir()
    source.write_text("final class Small { scala.Anything any; }\n")
    with pytest.raises(jar.CannotBuild, match="no Spark 4"):
        jar.build(tmp_path / "small.jar", source.parent)
    library = tmp_path / "pyspark" / "jars" / "scala-library-2.13.17.jar"
    library.parent.mkdir(parents=True)
    with zipfile.ZipFile(library, "w") as archive:
        archive.writestr("scala/Anything.java", "package scala; public class Anything {}")
    built = jar.build(tmp_path / "small.jar", source.parent)
    assert "Small.class" in zipfile.ZipFile(built).namelist()


def test_a_build_without_javac_or_spark_names_the_missing_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    (tmp_path / "sources").mkdir()
    with pytest.raises(jar.CannotBuild, match="no javac on PATH"):
        jar.build(tmp_path / "small.jar", tmp_path / "sources")
    assert not (tmp_path / "small.jar").exists()
