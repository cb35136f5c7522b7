"""The jar of Spark's scan: its path in an installation, and the classes that a checkout compiles."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest
from support.maven import maven_jars
from support.sparks import OLDER, OLDEST, installed_spark

from parquetext.spark import NoJar, jar, jar_build

ROOT = Path(__file__).parents[2]
needs_javac = pytest.mark.skipif(
    shutil.which("javac") is None and os.environ.get("PARQUETEXT_REQUIRE_JAR") != "1", reason="there is no javac"
)


@pytest.fixture
def copied(tmp_path) -> Path:
    """The folder `parquetext/spark` of a checkout that has nothing but the jar's sources and the module that builds."""
    folder = tmp_path / "checkout" / "parquetext" / "spark"
    folder.mkdir(parents=True)
    shutil.copy(jar_build.__file__, folder)
    shutil.copytree(ROOT / "jvm", tmp_path / "checkout" / "jvm")
    return folder


def run_build(folder: Path, **environment: str) -> subprocess.CompletedProcess:
    """Run the module alone, in a Python that sees no installed package."""
    command = [sys.executable, "-I", "-S", folder / "jar_build.py"]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


@pytest.mark.slow
@needs_javac
def test_a_checkout_compiles_the_jar_without_spark_and_always_to_the_same_bytes(copied, needed_scan_jar):
    message = run_build(copied)
    assert message.stdout == f"{copied / 'jars' / jar_build.JAR}\n"
    assert (copied / "jars" / jar_build.JAR).read_bytes() == needed_scan_jar.read_bytes()


def test_a_build_without_javac_takes_a_jar_of_the_same_sources(copied, needed_scan_jar, tmp_path):
    shutil.copytree(needed_scan_jar.parent, copied / "jars")
    assert run_build(copied, PATH=str(tmp_path)).returncode == 0


def test_a_build_without_javac_packages_the_sources_in_place_of_an_older_jar(copied, tmp_path):
    (copied / "jars").mkdir()
    (copied / "jars" / jar_build.JAR).write_bytes(b"an older one")
    message = run_build(copied, PATH=str(tmp_path))
    assert message.returncode == 1 and message.stderr.count("\n") == 1
    assert "there is no javac: install a JDK" in message.stderr
    assert [path.name for path in (copied / "jars").iterdir()] == [jar_build.SOURCES]
    names = zipfile.ZipFile(copied / "jars" / jar_build.SOURCES).namelist()
    assert {"src/dev/parquetext/spark/Extensions.java", "stubs/scala/Function1.java"} <= set(names)
    folders = {path.name for path in (ROOT / "jvm").iterdir() if path.is_dir()}
    assert {name.partition("/")[0] for name in names} == folders - {"test"}


@pytest.fixture
def without_jar(tmp_path) -> dict[str, str]:
    """An installation that was built without javac: the environment of programs that import it."""
    package = Path(jar_build.__file__).parents[1]
    copy = shutil.copytree(
        package, tmp_path / "site" / "parquetext", ignore=shutil.ignore_patterns("jars", "__pycache__")
    )
    sources = {str(path.relative_to(ROOT / "jvm")): path.read_bytes() for path in (ROOT / "jvm").rglob("*.java")}
    (copy / "spark" / "jars").mkdir()
    (copy / "spark" / "jars" / jar_build.SOURCES).write_bytes(jar_build.zipped(sorted(sources.items())))
    (tmp_path / "private").mkdir()
    return {"PYTHONPATH": str(copy.parent), "TMPDIR": str(tmp_path / "private"), "JAVA_HOME": ""}


def ask_for_jar(environment: dict[str, str], **more: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-P", "-m", "parquetext.spark.scan_jar"]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment | more)


@needs_javac
def test_an_installation_without_a_jar_compiles_it_once_in_a_private_directory(without_jar, needed_scan_jar, tmp_path):
    compiled = ask_for_jar(without_jar)
    path = Path(compiled.stdout.strip())
    assert path.is_relative_to(tmp_path / "private"), compiled.stderr
    assert path.parent.stat().st_mode & 0o077 == 0
    assert path.read_bytes() == needed_scan_jar.read_bytes()
    assert ask_for_jar(without_jar, PATH=str(tmp_path)).stdout == compiled.stdout  # which needs no javac


def test_javac_is_found_beside_the_java_of_the_session_and_its_error_takes_one_line(without_jar, tmp_path):
    script = b"#!/bin/sh\necho 'Note: one' >&2\necho 'A.java:1: error: two' >&2\necho three >&2\nexit 1\n"
    jdk = fake_javac(tmp_path / "jdk", script)
    message = ask_for_jar(without_jar, PATH=str(tmp_path), JAVA_HOME=str(jdk))
    assert message.returncode == 1 and message.stderr.count("\n") == 1
    assert f"{jdk}/bin/javac fails: A.java:1: error: two" in message.stderr


def fake_javac(folder: Path, script: bytes) -> Path:
    """Write a program `bin/javac` that is not a compiler; return the folder of its JDK."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "javac").write_bytes(script)
    (folder / "bin" / "javac").chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (b"", "cannot be run (Exec format error)"),
        (b"#!/nonexistent/sh\n", "cannot be run (No such file or directory)"),
        (b"#!/bin/sh\nprintf 'ung\\374ltig\\n' >&2\nexit 1\n", "fails: ung\ufffdltig"),
        (b"#!/bin/sh\necho 'javac: invalid flag: --release' >&2\nexit 2\n", "fails: javac: invalid flag: --release"),
        (b"#!/bin/sh\n", "made no classes"),
    ],
    ids=["no-program", "no-interpreter", "not-utf-8", "ancient", "idle"],
)
def test_a_javac_that_does_not_work_gives_one_line_with_a_remedy(copied, tmp_path, script, reason):
    jdk = fake_javac(tmp_path / "jdk", script)
    message = run_build(copied, PATH=f"{jdk}/bin", PYTHONUTF8="1")
    assert message.returncode == 1 and message.stderr.count("\n") == 1, message.stderr
    assert f"{jdk}/bin/javac {reason}: install a JDK, 17 or later" in message.stderr
    assert [path.name for path in (copied / "jars").iterdir()] == [jar_build.SOURCES]


@needs_javac
def test_a_javac_of_java_home_that_is_too_old_gives_way_to_the_one_on_path(without_jar, tmp_path):
    jdk = fake_javac(tmp_path / "jdk", b"#!/bin/sh\nexit 2\n")
    compiled = ask_for_jar(without_jar, JAVA_HOME=str(jdk))
    assert compiled.returncode == 0 and Path(compiled.stdout.strip()).is_file(), compiled.stderr


def test_a_private_directory_that_others_may_enter_gives_one_line(without_jar, tmp_path):
    (tmp_path / "private" / f"parquetext-{os.geteuid()}").mkdir(mode=0o755)
    message = ask_for_jar(without_jar)
    assert message.returncode == 1 and message.stderr.count("\n") == 1, message.stderr
    assert "cannot be read or written" in message.stderr and "set TMPDIR to another folder" in message.stderr


def test_an_installation_without_a_jar_and_a_jdk_says_in_one_line_what_is_missing(without_jar, tmp_path):
    message = ask_for_jar(without_jar, PATH=str(tmp_path))
    assert message.returncode == 1 and message.stdout == ""
    assert message.stderr.count("\n") == 1 and "there is no javac: install a JDK, 17 or later" in message.stderr


@pytest.fixture
def placed(tmp_path, monkeypatch, needed_scan_jar) -> Path:
    """Return a copy of the package's jars in a folder whose name Spark does not take."""
    package = Path(jar_build.__file__).parents[1]
    (tmp_path / "it's a, folder").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    copy = tmp_path / "it's a, folder/parquetext"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy / "spark/jars"


def test_a_jar_in_a_folder_that_spark_does_not_take_is_copied(placed, needed_scan_jar, tmp_path):
    """Spark separates jars by commas, and `ADD JAR` escapes spaces twice."""
    (tmp_path / "private").mkdir()
    asked = ask_for_jar({"PYTHONPATH": str(placed.parents[2]), "TMPDIR": str(tmp_path / "private")})
    path = Path(asked.stdout.strip())
    assert path.is_relative_to(tmp_path / "private"), asked.stderr
    assert path.name == jar_build.JAR and path.read_bytes() == needed_scan_jar.read_bytes()


@pytest.mark.parametrize("size", [0, 1000])
def test_a_truncated_jar_gives_one_line_with_a_remedy(placed, size):
    (placed / jar_build.JAR).write_bytes((placed / jar_build.JAR).read_bytes()[:size])
    asked = ask_for_jar({"PYTHONPATH": str(placed.parents[2])})
    assert (asked.returncode, asked.stdout) == (1, "")
    assert asked.stderr.endswith("is damaged in this installation: install parquetext again\n")
    assert asked.stderr.count("\n") == 1


def test_a_removed_jar_gives_one_line_with_a_remedy(placed):
    (placed / jar_build.JAR).unlink()
    asked = ask_for_jar({"PYTHONPATH": str(placed.parents[2])})
    assert (asked.returncode, asked.stdout, asked.stderr.count("\n")) == (1, "", 1)
    assert asked.stderr.endswith("no sources of it, either: install parquetext again\n")


def test_a_jar_without_permission_to_read_it_gives_the_reason(monkeypatch):
    def refused(package, name):
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr("pkgutil.get_data", refused)
    with pytest.raises(NoJar, match=r"cannot be read or written: .*Permission denied: 'jars/parquetext-spark\.jar'"):
        jar()


def check_stubs(served: str, scala: str, libraries: Path) -> None:
    """Compare the classes that the stubs give with those that a real Spark gives."""
    classes = jar_build.SETS[served, scala]
    ours = jar_build.compiled(classes, ROOT / "jvm")
    real = jar_build.compiled(classes, ROOT / "jvm", libraries=f"{libraries}/*")
    assert "dev/parquetext/spark/Extensions.class" in ours
    assert not [name for name in ours if not name.startswith("dev/parquetext/")]
    assert sorted(ours) == sorted(real)
    assert [name for name in ours if ours[name] != real[name]] == []


@pytest.mark.slow
@needs_javac
def test_the_stubs_give_the_same_classes_as_the_installed_spark():
    check_stubs("4", "2.13", Path(pyspark.__path__[0], "jars"))


@needs_javac
@pytest.mark.parametrize("version", OLDER)
def test_the_stubs_give_the_same_classes_as_each_spark_4(long, version):
    check_stubs("4", "2.13", installed_spark(version) / "pyspark" / "jars")


@needs_javac
def test_the_stubs_give_the_same_classes_as_spark_3_5_for_scala_2_12(long):
    check_stubs("3.5", "2.12", installed_spark(OLDEST) / "pyspark" / "jars")


@needs_javac
def test_the_stubs_give_the_same_classes_as_spark_3_5_for_scala_2_13(long):
    check_stubs("3.5", "2.13", maven_jars(f"org.apache.spark:spark-sql_2.13:{OLDEST}"))


@pytest.mark.slow
@needs_javac
def test_classes_of_several_sets_are_equal_in_all_of_them():
    sets = [jar_build.compiled(each, ROOT / "jvm") for each in jar_build.SETS.values()]
    shared = set.intersection(*map(set, sets))
    assert {"dev/parquetext/footer/Slicer.class", "dev/parquetext/spark/Extensions.class"} <= shared
    assert [name for name in sorted(shared) if len({each[name] for each in sets}) > 1] == []
    assert sum(map(len, sets)) - 2 * len(shared) == len(set.union(*map(set, sets)))  # the others are in one set


@needs_javac
def test_the_jar_contains_bytecode_of_java_8(needed_scan_jar):
    archive = zipfile.ZipFile(needed_scan_jar)
    assert {archive.read(each)[6:8] for each in archive.namelist() if each.endswith(".class")} == {b"\0\x34"}


def test_the_jar_has_a_set_of_classes_for_each_spark_and_scala_and_shares_the_others(needed_scan_jar):
    names = zipfile.ZipFile(needed_scan_jar).namelist()
    sets = {name.split("/")[3] for name in names if name.startswith("dev/parquetext/spark/scan")}
    assert sets == {"scan", "scan_2_12", "scan_2_13"}
    assert names.count("dev/parquetext/footer/Slicer.class") == 1
