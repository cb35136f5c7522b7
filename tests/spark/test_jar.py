"""The jar of Spark's scan: its path in an installation, and the classes that a checkout compiles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest
from support.sparks import OLDER, installed_spark

from parquetext.spark import jar_build

ROOT = Path(__file__).parents[2]
needs_javac = pytest.mark.skipif(
    shutil.which("javac") is None and os.environ.get("PARQUETEXT_REQUIRE_JAR") != "1", reason="there is no javac"
)


@pytest.fixture
def installed(tmp_path) -> Path:
    """The folder of `parquetext.spark` in an installation, which has no sources of Java."""
    folder = tmp_path / "site" / "parquetext" / "spark"
    folder.mkdir(parents=True)
    shutil.copy(jar_build.__file__, folder)
    return folder


def say_where(folder: Path) -> subprocess.CompletedProcess:
    """Run the module alone, in a Python that sees no installed package."""
    return subprocess.run([sys.executable, "-I", "-S", folder / "jar_build.py"], capture_output=True, text=True)


def test_an_installation_prints_the_path_of_its_jar(installed):
    path = installed / "jars" / jar_build.JAR
    path.parent.mkdir()
    path.write_bytes(b"as it was built")
    assert say_where(installed).stdout == f"{path}\n"
    assert path.read_bytes() == b"as it was built"


def test_an_installation_without_a_jar_explains_how_to_get_one(installed):
    message = say_where(installed)
    assert message.returncode == 1 and message.stdout == ""
    assert "jvm/build.sh" in message.stderr


@needs_javac
def test_a_checkout_compiles_the_jar_without_spark_and_always_to_the_same_bytes(installed):
    for name in ("src", "stubs"):
        shutil.copytree(ROOT / "jvm" / name, installed.parents[1] / "jvm" / name)
    path = installed / "jars" / jar_build.JAR
    built = []
    for _ in range(2):
        message = say_where(installed)
        assert message.stdout == f"{path}\n", message.stderr
        built.append(path.read_bytes())
        path.unlink()
    assert built[0] == built[1]


def classes_of(folder: Path, libraries: str | None = None) -> dict[str, bytes]:
    jar_build.compile_classes(ROOT / "jvm", folder, libraries)
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.class")}


def check_stubs(folder: Path, home: Path) -> None:
    """Compare the classes that javac makes with the stubs, and with the jars of a Spark."""
    ours, real = classes_of(folder / "stubs"), classes_of(folder / "real", f"{home}/jars/*")
    assert "dev/parquetext/spark/Extensions.class" in ours
    assert not [name for name in ours if not name.startswith("dev/parquetext/")]
    assert sorted(ours) == sorted(real)
    assert [name for name in ours if ours[name] != real[name]] == []


@needs_javac
def test_the_stubs_give_the_same_classes_as_the_installed_spark(tmp_path):
    check_stubs(tmp_path, Path(pyspark.__path__[0]))


@needs_javac
@pytest.mark.parametrize("version", OLDER)
def test_the_stubs_give_the_same_classes_as_each_spark_4(long, tmp_path, version):
    check_stubs(tmp_path, installed_spark(version) / "pyspark")


def test_a_build_without_javac_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    (tmp_path / "src" / "dev" / "parquetext").mkdir(parents=True)
    with pytest.raises(jar_build.CannotBuild, match="no javac on PATH"):
        jar_build.build(tmp_path / "small.jar", tmp_path)
    assert not (tmp_path / "small.jar").exists()
