"""Jars of Java classes that tests bring, compiled against Spark's own jars."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pyspark
import pytest

__all__ = ["compiled_jar"]

SOURCES = Path(__file__).parent / "java"


def compiled_jar(folder: Path, *names: str) -> Path:
    """A jar of classes of `tests/support/java`; skips without javac."""
    if not shutil.which("javac"):
        pytest.skip("needs javac")
    jars = f"{pyspark.__path__[0]}/jars/*"
    sources = [SOURCES / f"{name}.java" for name in names]
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-classpath", jars, "-d", folder, *sources], check=True)
    with zipfile.ZipFile(folder / f"{names[0]}.jar", "w") as jar:
        for path in folder.glob("*.class"):
            jar.write(path, path.name)
    return folder / f"{names[0]}.jar"
