"""`pip install '.[spark]'` in a fresh environment: everything for `session()` and for Spark's own scans."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from install.test_wheels import fresh, run

ROOT = Path(__file__).parents[2]
# The seconds of the fastest query with and without our scan, in turns, and the sums that they found.
PROGRAM = """
import json, sys, time
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
import parquetext
from parquetext import spark as jobs

folder = Path("lake")
folder.mkdir()
table = pa.table({f"c{number}": range(number, number + 100) for number in range(10_000)})
pq.write_table(table, folder / "0.parquet", row_group_size=10)
parquetext.upgrade(folder / "0.parquet", form="flat")
for number in range(1, 4):
    (folder / f"{number}.parquet").hardlink_to(folder / "0.parquet")
spark = jobs.session(master="local[2]", driver_memory="3g")
spark.read.parquet("lake").createOrReplaceTempView("lake")
seconds, sums = {"true": [], "false": []}, {"true": [], "false": []}
for column in range(0, 10_000, 250):  # the JVM compiles during the first ones
    for switch in seconds:
        spark.conf.set("spark.parquetext.scan.enabled", switch)
        begin = time.perf_counter()
        sums[switch].append(spark.sql(f"SELECT sum(c{column}) FROM lake").first()[0])
        seconds[switch].append(time.perf_counter() - begin)
print(json.dumps([min(seconds["true"]), min(seconds["false"]), sums["true"] == sums["false"], sum(sums["true"])]))
"""


@pytest.fixture
def checkout(tmp_path) -> Path:
    """Return a copy of the sources without what an earlier build has made."""
    ignored = shutil.ignore_patterns("build", "built", "*.so", "*.a", "jars", "__pycache__", "*.egg-info", ".git")
    return shutil.copytree(ROOT, tmp_path / "checkout", ignore=ignored)


@pytest.mark.skipif(not shutil.which("javac"), reason="needs javac")
def test_plain_sql_is_at_least_eight_times_faster(long, checkout, tmp_path):
    installed = fresh(tmp_path / "environment")
    run(installed, "-m", "pip", "install", "-q", f"{checkout}[spark]", cwd=tmp_path)
    done = subprocess.run([installed, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
    assert "parquetext" not in done.stderr, done.stderr  # such as a warning that there is no jar
    ours, stock, are_equal, total = json.loads(done.stdout.splitlines()[-1])
    print(f"one column of 4 files of 10,000 x 10: {ours:.3f} s, without our scan {stock:.3f} s", file=sys.stderr)
    assert are_equal and total == sum(4 * (100 * column + 4950) for column in range(0, 10_000, 250))
    assert stock / ours >= 8
