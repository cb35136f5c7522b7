"""The record of finished files: a rerun processes only new and changed files."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from support.parquet_bytes import TABLE, parquet_bytes

from parquetext import edits
from parquetext.errors import ParquetextError
from parquetext.inspection.integrity.inspection import inspect
from parquetext.spark import tasks, upgrade, verify
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.folders import FILES, NOT_THERE
from parquetext.spark.results import JOB_FILE, Row, as_table
from parquetext.spark.state import as_skipped, split
from parquetext.spark.tasks import File, Work, _identity_if_known
from parquetext.storage import Target

pytestmark = pytest.mark.slow

ORIGINAL = parquet_bytes()
OTHER = parquet_bytes(TABLE.slice(0, 200))


@pytest.fixture
def lake(tmp_path) -> Path:
    lake = tmp_path / "lake"
    lake.mkdir()
    for name in ("a", "b"):
        (lake / f"{name}.parquet").write_bytes(ORIGINAL)
    (lake / "bad.parquet").write_bytes(b"not at all, not at all")
    return lake


@pytest.fixture
def rows(spark, lake, tmp_path):
    """Run a job with a state; its rows by name."""

    def run(job=upgrade, **options) -> dict:
        options = {"form": "flat", **options} if job is upgrade else options
        results = job(spark, lake, state=str(tmp_path / "state"), progress=False, **options).collect()
        assert len(results) == len({row.path for row in results})
        return {Path(row.path).stem: row for row in results}

    return run


def outcomes(rows: dict) -> dict[str, str]:
    return {name: row.outcome for name, row in rows.items()}


def test_files_that_a_machine_cannot_see_fail_alone_and_are_retried(lake, tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "_attempt", lambda: 0)
    work = Work("verify", {}, "verify", str(tmp_path), Filesystems())
    there = str(lake / "a.parquet")
    files = [File("nosuch://x/b.parquet", 5, 7, "", ""), File(there, len(ORIGINAL), 7, "", "")]
    rows = [row for row, _ in work._rows(0, files)]
    assert [(row.outcome, row.error) for row in rows] == [("failed", "Unsupported"), ("ok", None)]
    listed = pa.Table.from_pylist([file._asdict() for file in files], schema=FILES)
    assert split(listed, as_table(rows).append_column("part", pa.array([""] * 2)))[0]["path"].to_pylist() == [
        "nosuch://x/b.parquet"
    ]


def test_a_rerun_changes_the_placement_of_an_earlier_version(rows, lake):
    assert outcomes(rows(placement="in-struct")) == {"a": "upgraded", "b": "upgraded", "bad": "failed"}
    assert {inspect(lake / f"{name}.parquet").placement for name in "ab"} == {"in-struct"}
    assert outcomes(rows()) == {"a": "upgraded", "b": "upgraded", "bad": "failed"}
    assert {inspect(lake / f"{name}.parquet").placement for name in "ab"} == {"aside"}
    assert outcomes(rows())["a"] == "skipped"


def test_the_label_of_a_job_has_its_placement_and_form_defaults_included(spark, lake, tmp_path):
    upgrade(spark, lake, state=str(tmp_path / "state"), progress=False).collect()
    [label] = {json.loads(file.read_text())["job"] for file in (tmp_path / "state").glob(f"*/{JOB_FILE}")}
    assert label == 'upgrade {"form": "auto", "placement": "aside"}'


def test_a_rerun_processes_only_new_and_changed_files(rows, lake):
    assert outcomes(rows()) == {"a": "upgraded", "b": "upgraded", "bad": "failed"}
    (lake / "new.parquet").write_bytes(ORIGINAL)
    (lake / "b.parquet").write_bytes(OTHER)
    again = rows()
    assert outcomes(again) == {"a": "skipped", "b": "upgraded", "new": "upgraded", "bad": "failed"}
    skipped, size = again["a"], (lake / "a.parquet").stat().st_size
    assert (skipped.form_before, skipped.form_after, skipped.task) == ("flat", "flat", -1)
    assert (skipped.bytes_before, skipped.bytes_after, skipped.bytes_read, skipped.bytes_written) == (size, size, 0, 0)
    assert outcomes(rows()) == {"a": "skipped", "b": "skipped", "new": "skipped", "bad": "failed"}


def test_a_state_folder_within_the_dataset_is_not_data(spark, lake):
    for outcome in ("upgraded", "skipped"):
        results = upgrade(spark, lake, state=str(lake / "state"), progress=False, form="flat").collect()
        assert {Path(row.path).stem: row.outcome for row in results} == {"a": outcome, "b": outcome, "bad": "failed"}


def test_a_folder_of_other_files_is_no_state(spark, lake):
    with pytest.raises(ParquetextError, match=r"lake/.*\.parquet: no record of a job"):
        upgrade(spark, lake / "a.parquet", state=str(lake), progress=False, form="flat")
    assert sorted(path.name for path in lake.iterdir()) == ["a.parquet", "b.parquet", "bad.parquet"]
    assert (lake / "a.parquet").read_bytes() == ORIGINAL


def test_bytes_that_failed_are_not_tried_again_until_they_change(rows, lake):
    first = rows()["bad"]
    again = rows()["bad"]
    assert (again.task, again.error, again.message) == (-1, first.error, first.message)
    (lake / "bad.parquet").write_bytes(ORIGINAL)
    assert outcomes(rows())["bad"] == "upgraded"


def test_a_file_that_was_refused_is_tried_again(rows, lake):
    os.link(lake / "a.parquet", lake / "other.name")
    assert rows()["a"].error == "Refused"
    (lake / "other.name").unlink()
    assert rows()["a"].outcome == "upgraded"


def test_another_job_or_other_options_have_a_separate_record(rows, lake):
    rows()
    assert outcomes(rows(verify)) == {"a": "ok", "b": "ok", "bad": "findings"}
    assert outcomes(rows(form="index"))["a"] == "upgraded"
    assert outcomes(rows(form="index"))["a"] == outcomes(rows(form="index", timeout=1))["a"] == "skipped"
    assert outcomes(rows())["a"] == "upgraded"
    assert outcomes(rows(verify)) == {"a": "ok", "b": "ok", "bad": "findings"}
    assert outcomes(rows(verify)) == {"a": "skipped", "b": "skipped", "bad": "findings"}


def test_findings_that_were_skipped_still_raise(rows):
    from parquetext.spark import JobFailed

    rows(verify)
    with pytest.raises(JobFailed, match="bad"):
        rows(verify, on_error="raise")


def test_the_record_is_parquet_that_spark_reads(spark, rows, lake, tmp_path):
    rows()
    rows()
    records = spark.read.parquet(str(tmp_path / "state")).collect()
    message = {Path(record.path).stem: (record.outcome, record.size, record.modified) for record in records}
    assert len(records) == 3
    assert message["a"] == ("upgraded", (lake / "a.parquet").stat().st_size, (lake / "a.parquet").stat().st_mtime_ns)


def test_a_record_is_whole_or_not_there(rows, lake, tmp_path):
    rows()
    for part in (tmp_path / "state").glob("run=*/part-*"):
        part.rename(part.with_name(f".{part.name}.parquetext-new"))
    assert Counter(outcomes(rows()).values()) == {"unchanged": 2, "failed": 1}


S = 10**9


@pytest.mark.parametrize(
    ("recorded", "found", "same"),
    [
        ((5, 7 * S + 3, ""), (5, 7 * S + 3, ""), True),
        ((5, 7 * S + 3, ""), (5, 7 * S + 4, ""), False),
        ((5, 7 * S + 3, ""), (6, 7 * S + 3, ""), False),
        ((5, 7 * S, ""), (5, 7 * S + 4, ""), True),  # an object store's seconds
        ((5, 7 * S, ""), (5, 8 * S, ""), False),
        ((5, 7 * S, "x"), (5, 9 * S, "x"), True),
        ((5, 7 * S, "x"), (5, 7 * S, "y"), False),
        ((5, 7 * S, "x"), (5, 7 * S, ""), True),
        ((5, 0, ""), (5, 0, ""), False),  # nothing to go by
    ],
)
def test_a_file_is_the_same_by_size_and_etag_or_time(recorded, found, same):
    files = pa.Table.from_pylist(
        [{"path": "s3://x/a", "size": found[0], "modified": found[1], "etag": found[2], "table": ""}], schema=FILES
    )
    size, modified, etag = recorded
    records = as_table([Row("s3://x/a", "upgraded", size=size, modified=modified, etag=etag)] * 2)
    left, known = split(files, records)
    assert (left.num_rows, known.num_rows) == ((0, 1) if same else (1, 0))
    assert as_skipped(known)["outcome"].to_pylist() == ["skipped"] * same


def test_a_file_changed_since_has_no_identity(lake):
    target = Target(str(lake / "a.parquet"))
    assert _identity_if_known(target, len(ORIGINAL)) == (len(ORIGINAL), os.stat(target.path).st_mtime_ns, "")
    assert _identity_if_known(target, len(ORIGINAL) + 1)[0] == NOT_THERE


def test_a_concurrent_change_is_not_recorded_as_done(rows, lake):
    rows()
    edits.strip(lake / "a.parquet")
    assert outcomes(rows())["a"] == "upgraded"
