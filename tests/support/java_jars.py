"""A jar of the tests' own Java classes, compiled against Spark's jars."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pyspark

__all__ = ["compiled_jar"]

SOURCES = Path(__file__).parent / "java"


def compiled_jar(folder: Path) -> Path:
    """Return a jar of the classes of `tests/support/java`, made in an empty folder."""
    jars = f"{pyspark.__path__[0]}/jars/*"
    subprocess.run(
        ["javac", "-nowarn", "-Xlint:none", "-classpath", jars, "-d", folder, *SOURCES.glob("*.java")], check=True
    )
    with zipfile.ZipFile(folder / "tests.jar", "w") as jar:
        for path in folder.glob("*.class"):
            jar.write(path, path.name)
    return folder / "tests.jar"
