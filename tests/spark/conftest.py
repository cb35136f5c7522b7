"""Sessions for the tests: one local one that they share, and drivers in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.memory": "1g",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """The local[2] session of the whole run: nobody stops it or changes its settings for good."""
    from parquetext.spark import session

    warehouse = tmp_path_factory.mktemp("warehouse")
    spark = session(master="local[2]", sql_warehouse_dir=warehouse, **SETTINGS)
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def start_driver(tmp_path_factory):
    """Start a driver program in a process of its own: what kills it, or needs another master, happens there.

    `start_driver(program, *arguments, **environment)` gives the Popen of `python program.py arguments`.
    """

    def start(program: str, *arguments: object, **environment: str) -> subprocess.Popen:
        path = tmp_path_factory.mktemp("driver") / "program.py"
        path.write_text(textwrap.dedent(program))
        root = str(Path(__file__).parents[2])
        return subprocess.Popen(
            [sys.executable, path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=path.parent, env=os.environ | {"PYTHONPATH": root} | environment,
        )

    return start


@pytest.fixture(scope="session")
def run_driver(start_driver):
    """The same, run to its end: its standard output; it must succeed."""

    def run(program: str, *arguments: object, **environment: str) -> str:
        process = start_driver(program, *arguments, **environment)
        out, err = process.communicate()
        assert process.returncode == 0, f"{out}\n{err[-10_000:]}"
        return out

    return run
