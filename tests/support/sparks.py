"""Versions of Spark, each in a folder of its own, from PyPI: 450 MB each, kept for the next run.

As a program (`.ci/readers`) it installs the oldest one, with `--long` all. It needs only the standard library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["OLDER", "OLDEST", "environment_of", "installed_spark", "spark_folder"]

OLDEST = "3.5.9"
OLDER = ["4.0.5", "4.1.4", "4.2.1"]  # beside the one that all tests run on

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "parquetext-ci-sparks")


def spark_folder(version: str) -> Path:
    """The folder for PYTHONPATH that has pyspark and py4j if the version is installed."""
    return _CACHE / version


def installed_spark(version: str) -> Path:
    """The same folder; the version is installed if it is missing."""
    folder = spark_folder(version)
    if not folder.exists():
        unfinished = _CACHE / f"{version}.{os.getpid()}"
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", unfinished, f"pyspark=={version}"]
        subprocess.run(command, check=True)
        unfinished.rename(folder)
    return folder


def environment_of(version: str) -> dict[str, str]:
    """The variables with which programs import that version of pyspark, this package, and the modules of the tests."""
    import pyspark

    import parquetext

    paths, environment = [Path(parquetext.__file__).parents[1], Path(__file__).parents[1]], {}
    if version != pyspark.__version__:
        paths.insert(0, spark_folder(version))  # before a pyspark beside this package
        environment["SPARK_HOME"] = str(spark_folder(version) / "pyspark")
    return {"PYTHONPATH": os.pathsep.join(map(str, paths)), **environment}


if __name__ == "__main__":
    for each in [OLDEST, *(OLDER if "--long" in sys.argv[1:] else ())]:
        installed_spark(each)
