"""The archive of Java's classes that makes tests start quickly: without it they run all the same."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import pytest
from support.quick_java import PLAIN, java_options


def java_that(folder: Path, does: str) -> str:
    """A folder for JAVA_HOME whose Java does that."""
    java = folder / "bin/java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\n{does}\n")
    java.chmod(0o755)
    return str(folder)


def test_a_failed_training_is_reported_and_not_repeated(tmp_path):
    home, kept = java_that(tmp_path, f"echo started >> {tmp_path}/starts; exit 1"), tmp_path / "kept"
    kept.mkdir()
    for _ in range(2):
        with pytest.warns(UserWarning, match="start slowly, without an archive of classes: the program that trains it"):
            assert java_options(kept, home) == PLAIN
    assert (tmp_path / "starts").read_text().count("started") <= 2  # Spark's launcher is a Java of its own
    assert not [path.name for path in kept.iterdir() if path.suffix == ".jsa" or path.is_dir()]


def test_a_training_that_takes_too_long_is_ended_with_its_java(tmp_path):
    home, started = java_that(tmp_path, f"echo $$ > {tmp_path}/pid; exec sleep 6000"), tmp_path / "pid"
    for patience in (2, 20, 200):  # until its Java has started, on any machine
        kept = tmp_path / f"kept {patience}"
        kept.mkdir()
        with pytest.warns(UserWarning, match="timed out after"):
            assert java_options(kept, home, patience) == PLAIN
        if started.exists():
            break
    process = started.read_text().strip()
    state = subprocess.run(["ps", "-o", "stat=", "-p", process], capture_output=True, text=True).stdout
    assert not state.strip() or state.startswith("Z")


def test_the_archive_of_another_process_is_used_as_soon_as_it_exists(tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = java_options(tmp_path, java_that(tmp_path, "exit 1"))
    assert f"-XX:SharedArchiveFile={tmp_path}/" in options


def test_java_ignores_an_archive_that_does_not_exist_yet(tmp_path, java_home):
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = java_options(tmp_path, java_home)
    java = subprocess.run([f"{java_home}/bin/java", *options.split(), "-version"], capture_output=True, text=True)
    assert (java.returncode, java.stdout) == (0, ""), java.stderr
