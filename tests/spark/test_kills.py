"""Jobs killed half-way: whatever dies, the files are whole, and the next attempt finishes the rest."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from support.parquet_bytes import TABLE, parquet_bytes

import parquetext
from parquetext.spark import upgrade

pytestmark = pytest.mark.slow

ORIGINAL = parquet_bytes()
FILES = 40
IMPORTED_FROM = str(Path(parquetext.__file__).parents[1])

# Loaded by every Python of the cluster: the first to give a file its name dies before or after it, or waits, and
# whoever comes to the poison dies of it; with HOLD
# all but the first part of the results wait.
SITECUSTOMIZE = """
import os, signal, time

rename, replace = os.rename, os.replace

def first(what):
    try:
        os.close(os.open(os.path.join(os.environ["MARKS"], what), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True

def renamed(old, new, *, by=rename, **options):
    name = os.path.basename(new)
    if name == "poison.parquet" or name == "before.parquet" and first("before"):
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("part-"):
        if "HOLD" in os.environ:
            first("part") or time.sleep(600)
        elif first("part"):
            os.kill(os.getpid(), signal.SIGKILL)
    if name == "slow.parquet" and first("slow"):
        time.sleep(float(os.environ["SLOW_SECONDS"]))
    by(old, new, **options)
    if name == "after.parquet" and first("after"):
        os.kill(os.getpid(), signal.SIGKILL)

def replaced(old, new, **options):
    renamed(old, new, by=replace, **options)

os.rename, os.replace = renamed, replaced
"""

CLUSTER = """
import json, sys, threading
from parquetext import spark as jobs

lake, both, slow, hook, marks, executors = sys.argv[1:]
spark = jobs.session(**{
    "spark.master": f"local-cluster[{executors},2,1024]",
    "spark.executorEnv.PYTHONPATH": hook, "spark.executorEnv.MARKS": marks,
    "spark.executorEnv.SLOW_SECONDS": "4", "spark.scheduler.mode": "FAIR", "spark.speculation": "true",
    "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.2", "spark.driver.memory": "512m",
    "spark.speculation.minTaskRuntime": "500ms", "spark.sql.shuffle.partitions": "2"})

def rows(path):
    results = jobs.upgrade(spark, path, "flat", progress=False)
    return [[row.path, row.outcome, row.form_after, row.message] for row in results.collect()]


told = {"killed": rows(lake), "slow": rows(slow)}
threads = [threading.Thread(target=lambda name=name: told.update({name: rows(both)})) for name in ("one", "other")]
for thread in threads: thread.start()
for thread in threads: thread.join()
told["read"] = [spark.read.parquet(path).toArrow().num_rows for path in (lake, both, slow)]
print(json.dumps(told))
"""

DRIVER = """
import sys
from parquetext import spark as jobs

spark = jobs.session(master="local[2]", driver_memory="512m")
jobs.upgrade(spark, sys.argv[1], "flat", state=sys.argv[2], progress=False)
"""


def make_lake(lake: Path, *names: str) -> Path:
    for number in range(FILES):
        path = lake / f"day={number % 3}" / f"{number:04d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ORIGINAL)
    for name in names:
        (lake / "day=1" / name).write_bytes(ORIGINAL)
    return lake


@pytest.fixture(scope="module")
def hook(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hook")
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE)
    return folder


@pytest.fixture(scope="module")
def told(request, run_driver, hook, tmp_path_factory) -> dict:
    """Return the output of cluster jobs, some of whose Python processes were killed."""
    folder = tmp_path_factory.mktemp("cluster")
    lakes = [
        make_lake(folder / "lake", "before.parquet", "after.parquet", "poison.parquet"),
        make_lake(folder / "both"),
        make_lake(folder / "slow", "slow.parquet"),
    ]
    (folder / "marks").mkdir()
    executors = 2 if request.config.getoption("--long") else 1
    out = run_driver(CLUSTER, *lakes, hook, folder / "marks", executors)
    assert sorted(path.name for path in (folder / "marks").iterdir()) == ["after", "before", "part", "slow"]
    leftovers = [path.name for path in folder.rglob("*") if path.name.endswith("parquetext-new")]
    assert leftovers == [".poison.parquet.parquetext-new"]
    return json.loads(out.splitlines()[-1])


def test_an_executor_that_dies_within_a_commit_is_made_good_by_the_next_attempt(told):
    outcomes = {Path(path).name: (outcome, form) for path, outcome, form, _ in told["killed"]}
    assert len(told["killed"]) == len(outcomes) == FILES + 3
    assert outcomes.pop("poison.parquet") == ("failed", "")
    assert {form for _, form in outcomes.values()} == {"flat"}
    assert outcomes["before.parquet"] == ("upgraded", "flat")
    assert outcomes["after.parquet"] == ("unchanged", "flat")
    assert told["read"][0] == (FILES + 3) * TABLE.num_rows


def test_a_file_that_kills_its_task_fails_alone(told):
    told = {Path(path).name: (outcome, message) for path, outcome, _, message in told["killed"]}
    assert told.pop("poison.parquet") == ("failed", "the Python that did it died, and is not risked again")
    assert {outcome for outcome, _ in told.values()} <= {"upgraded", "unchanged"}


def test_a_slow_file_is_awaited_if_speculation_has_no_other_host(told):
    # Speculative attempts are tested in test_speculation.
    assert len(told["slow"]) == FILES + 1
    assert {(outcome, form) for _, outcome, form, _ in told["slow"]} <= {("upgraded", "flat"), ("unchanged", "flat")}
    assert told["read"][2] == (FILES + 1) * TABLE.num_rows


def test_two_jobs_on_one_dataset_do_each_file_once(told):
    one, other = ({path: outcome for path, outcome, *_ in told[name]} for name in ("one", "other"))
    assert len(one) == len(other) == FILES
    assert {tuple(sorted((one[path], other[path]))) for path in one} == {("unchanged", "upgraded")}
    assert told["read"][1] == FILES * TABLE.num_rows


def test_a_killed_driver_leaves_a_record_and_the_rerun_finishes_the_rest(spark, start_driver, hook, tmp_path):
    lake, state = make_lake(tmp_path / "lake"), tmp_path / "state"
    driver = start_driver(DRIVER, lake, state, HOLD="1", MARKS=str(tmp_path), PYTHONPATH=f"{hook}:{IMPORTED_FROM}")
    while not any(state.glob("run=*/part-*")):
        assert driver.poll() is None, driver.communicate()[1][-3000:]
        time.sleep(0.01)
    kill_with_children(driver.pid)
    driver.communicate()
    recorded = spark.read.parquet(str(state)).count()
    assert 0 < recorded < FILES
    results = upgrade(spark, lake, state=str(state), progress=False, form="flat").collect()
    outcomes = Counter(row.outcome for row in results)
    assert outcomes["skipped"] == recorded
    assert sum(outcomes.values()) == len({row.path for row in results}) == FILES
    assert set(outcomes) <= {"skipped", "upgraded", "unchanged"}
    assert {row.form_after for row in results} == {"flat"}
    assert spark.read.parquet(str(lake)).toArrow().num_rows == FILES * TABLE.num_rows
    again = upgrade(spark, lake, state=str(state), progress=False, form="flat").collect()
    assert Counter(row.outcome for row in again) == {"skipped": FILES}


def kill_with_children(pid: int) -> None:
    """Kill a process and all that it has started; it starts, and ends, nothing more meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    for child in children(pid):
        kill_with_children(child)
    os.kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    return [int(child) for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]
