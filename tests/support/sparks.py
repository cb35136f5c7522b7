"""Versions of Spark, each in a folder of its own, from PyPI: 450 MB each, kept for the next run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["OLDER", "installed_spark"]

OLDER = ["4.0", "4.1", "4.2"]  # beside the one that all tests run on


def installed_spark(version: str) -> Path:
    """A folder for PYTHONPATH that holds pyspark and py4j."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "parquetext-ci-sparks")
    folder = cache / version
    if not folder.exists():
        unfinished = cache / f"{version}.{os.getpid()}"
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", unfinished, f"pyspark=={version}.*"]
        subprocess.run(command, check=True)
        unfinished.rename(folder)
    return folder
