"""`python -m parquetext.spark` in a session that is there; test_clusters.py submits it."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console
from support.parquet_bytes import TABLE, parquet_bytes
from support.typer_runner import CliRunner

from parquetext.spark import JavaNotFound, progress, starting, upgrade
from parquetext.spark.__main__ import app

pytestmark = pytest.mark.slow

ORIGINAL = parquet_bytes()


@pytest.fixture
def lake(tmp_path) -> Path:
    lake = tmp_path / "lake"
    (lake / "day=1").mkdir(parents=True)
    (lake / "day=1" / "x.parquet").write_bytes(ORIGINAL)
    return lake


@pytest.fixture
def run(spark):
    """Run the command in the session that is there."""
    return lambda *arguments: CliRunner().invoke(app, [str(each) for each in arguments])


def test_a_job_prints_rows_and_a_last_line_and_saves(spark, run, lake, tmp_path):
    done = run("upgrade", lake, "--form", "index", "--json", "--save", tmp_path / "rows", "--state", tmp_path / "state")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["form_after"] == "index"
    assert spark.read.parquet(str(tmp_path / "rows")).count() == 1
    again = run("upgrade", lake, "--form", "index", "--json", "--state", tmp_path / "state")
    assert json.loads(again.stdout)["outcome"] == "skipped"


def test_a_state_from_a_shell_counts_in_python_too(spark, run, lake, tmp_path):
    assert run("upgrade", lake, "--form", "flat", "--state", tmp_path / "state").exit_code == 0
    assert [row.outcome for row in upgrade(spark, lake, state=tmp_path / "state", form="flat").collect()] == ["skipped"]


def test_a_confirmed_finalize_is_done_and_a_dry_run_needs_no_confirmation(run, lake):
    assert json.loads(run("finalize", lake, "--dry-run", "--json").stdout)["outcome"] == "would-finalize"
    assert json.loads(run("finalize", lake, "--yes", "--json").stdout)["outcome"] == "finalized"


def test_rows_give_the_reason_for_unchanged_files(run, lake):
    row = json.loads(run("upgrade", lake, "--json").stdout)
    assert (row["outcome"], row["message"][:18]) == ("unchanged", "nothing is gained:")


def test_a_catalog_is_saved_with_unreadable_files(spark, run, lake, tmp_path):
    (lake / "bad.parquet").write_bytes(b"not at all, not at all")
    done = run("build_catalog", lake, "--save", tmp_path / "catalog", "--json")
    assert (done.exit_code, "bad.parquet: not a Parquet file" in done.stderr) == (1, True), done.output
    assert sorted(json.loads(line)["outcome"] for line in done.stdout.splitlines()) == ["failed", "read"]
    metadata = pq.read_metadata(lake / "day=1" / "x.parquet")
    chunks = pq.read_table(tmp_path / "catalog")
    assert chunks["error"].null_count == chunks.num_rows - 1 == metadata.num_columns * metadata.num_row_groups


def test_names_of_files_end_no_line_and_no_job(run, lake):
    """Line ends, escape codes, markup, and bytes that are not UTF-8; only the last of these fails."""
    odd = ["x\nok forged.parquet", "red \x1b[31m.parquet", "[b]bold[b].parquet", os.fsdecode(b"byte \xff.parquet")]
    for name in odd:
        (lake / name).write_bytes(b"not at all, not at all")
    done = run("verify", lake, "--json")
    assert done.exit_code == 1, done.output
    rows = {Path(row["path"]).name: row["outcome"] for row in map(json.loads, done.stdout.splitlines())}
    assert rows == dict.fromkeys(odd[:3], "findings") | {"byte \\udcff.parquet": "failed", "x.parquet": "ok"}
    message = [line for line in done.stderr.splitlines() if line.startswith(str(lake))]
    assert len(message) == 4 and "\x1b" not in done.output and "/x\\nok forged.parquet: tail: not a" in "".join(message)


def test_exit_codes_distinguish_failed_files_from_a_job_that_could_not_run(run, lake):
    (lake / "bad.parquet").write_bytes(b"not at all, not at all")
    done = run("verify", lake, "--pages")
    assert done.exit_code == 1
    assert "bad.parquet: tail: not a Parquet file" in done.stderr
    assert "verify: 2 files: 1 ok, 1 findings (" in done.stderr
    for arguments, why in (
        (["nothing", lake], "no such job"),
        (["strip", lake, "--form", "flat"], "form"),
        (["upgrade", lake, "--form", "none"], "Invalid value for '--form'"),
        (["upgrade", lake, "--form", "par3"], "the footer form 'par3' cannot be written here: use one of"),
        (["finalize", lake], "only parquetext reads a finalized file, until restore; give --yes"),
        (["finalize", lake, "--watch"], "give --yes to go on"),
        (["verify", lake, "--yes"], "confirm"),
        (["build_catalog", lake], "--save"),
        (["build_catalog", lake, "--save", lake.parent], "replace"),
        (["upgrade", lake, "--watch", "--save", "rows"], "no --state, --save"),
        (["upgrade", lake, lake, "--watch"], "only one path"),
        (["upgrade", ""], "not a path"),
        (["upgrade", lake, "--checkpoint", "x"], "--watch"),
        (["verify", lake / "none*", "--save", lake / "rows"], f"no Parquet files in {lake}/none*"),
        (["upgrade", lake, "--state", ""], "not a path"),
        (["upgrade", lake, "--conf", "spark.x"], "NAME=VALUE"),
    ):
        done = run(*arguments)
        assert (done.exit_code, why in done.stderr) == (2, True), done.output


def test_files_of_a_table_are_reported_and_fail_only_if_named(run, lake):
    table = lake / "table"
    (table / "_delta_log").mkdir(parents=True)
    for name in "ab":
        (table / f"{name}.parquet").write_bytes(ORIGINAL)
    done = run("upgrade", lake, "--form", "flat")
    assert done.exit_code == 0, done.output
    assert f"refused: 2 files: it belongs to the Delta Lake table at {table}" in done.stderr
    assert "upgrade: 3 files: 2 refused, 1 upgraded (" in done.stderr
    done = run("upgrade", lake, table / "a.parquet", "--form", "flat")
    assert done.exit_code == 1
    assert f"{table / 'a.parquet'}: it belongs to the Delta Lake table" in done.stderr
    assert "refused: 1 files" in done.stderr


def test_no_java_and_no_network_are_jobs_that_could_not_run(run, lake, monkeypatch):
    for error in (JavaNotFound("no Java"), ConnectionRefusedError("no store")):

        def fail(error=error, **conf):
            raise error

        monkeypatch.setattr(starting, "session", fail)
        done = run("verify", lake)
        assert (done.exit_code, done.stderr) == (2, f"{type(error).__name__}: {error}\n")


@pytest.fixture
def signals_that_end_no_call():
    """As Polars sets SIGINT up: system calls go on after it."""
    signal.siginterrupt(signal.SIGINT, False)
    yield
    signal.siginterrupt(signal.SIGINT, True)


@pytest.mark.usefixtures("signals_that_end_no_call")
@pytest.mark.parametrize("moment", ["in the middle", "as it begins"])
def test_an_interrupt_ends_the_job_shortly_and_leaves_files_whole(spark, run, lake, tmp_path, monkeypatch, moment):
    file, state = lake / "day=1" / "x.parquet", tmp_path / "state"
    tracker, over = spark.sparkContext.statusTracker(), threading.Event()

    def interrupt() -> None:
        while not over.wait(0.05):
            if list(state.glob("run=*")) and tracker.getActiveStageIds():  # a stage may be an earlier test's
                os.kill(os.getpid(), signal.SIGINT)
                return

    def submit(pool, action, submit=ThreadPoolExecutor.submit):
        submit(pool, action)
        monkeypatch.undo()
        raise KeyboardInterrupt

    if moment == "as it begins":
        monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)
    else:
        threading.Thread(target=interrupt).start()
    with file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # the job waits for it
        done = run("upgrade", lake, "--quiet", "--state", state)
        over.set()
        assert not list(state.glob("run=*/part-*"))  # it has not come to its end
        while tracker.getActiveJobsIds():
            time.sleep(0.05)
    assert (done.exit_code, done.stderr.splitlines()) == (
        130,
        ["upgrade: interrupted; every file is whole, and run again the job does the rest"],
    )
    # Spark lets a Python go on for some seconds, which may do the file yet.
    assert pq.read_table(file, partitioning=None).equals(TABLE)


def test_the_progress_fits_a_terminal_of_80_columns():
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80)
    counts = progress.Counts(files=1_234, bytes=120_000_000, tasks_done=3, tasks_running=2)
    looks, stop = iter([False, True]), threading.Event()
    stop.wait = lambda seconds: next(looks)
    progress._bar(terminal, "upgrade", 3_000, lambda: counts, stop)
    message = " ".join(terminal.file.getvalue().split())  # broken wherever the rate has room
    assert "━" * 20 in message
    assert re.search(r"1,234 of 3,000 files, 120\.0 MB, [\d,]+ files/s, .*/s; tasks: 3 done, 2 running", message)


def test_without_a_terminal_progress_is_printed_in_lines(capfd, monkeypatch):
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.01)
    looked = threading.Event()

    def look() -> progress.Counts:
        looked.set()
        return progress.Counts(files=300, bytes=5_000_000, tasks_done=2, tasks_running=1)

    with progress.shown("upgrade", 1000, look) as say:
        looked.wait()
    say("done")
    message = capfd.readouterr().err
    assert re.search(r"upgrade: 300 of 1,000 files, 5\.0 MB, [\d,]+ files/s, .*/s; tasks: 2 done, 1 running", message)
    assert message.endswith("done\n")
