"""Versions of Spark, each in a folder of its own, from PyPI: 450 MB each, kept for the next run.

As a program (`.ci/readers`) it installs the oldest one, with `--long` all. It needs only the standard library.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["OLDER", "OLDEST", "installed_spark", "spark_folder"]

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


if __name__ == "__main__":
    for each in [OLDEST, *(OLDER if "--long" in sys.argv[1:] else ())]:
        installed_spark(each)
