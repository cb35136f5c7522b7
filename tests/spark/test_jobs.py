"""Jobs over datasets: one row per file, done once, whatever is among the files."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections import Counter
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.foreign_sidecars import build_foreign
from support.parquet_bytes import TABLE, parquet_bytes

import parquetext
from parquetext import edits, sidecar
from parquetext import spark as jobs
from parquetext.catalog import batches_of
from parquetext.errors import ParquetextError, outcome_of
from parquetext.inspection import integrity
from parquetext.spark import tasks
from parquetext.spark.counters import Tally
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.owner import Owner
from parquetext.spark.results import ROWS, begin, put
from parquetext.spark.tasks import Work

ORIGINAL = parquet_bytes()


@pytest.fixture
def lake(tmp_path) -> Path:
    lake = tmp_path / "lake"
    for day in range(3):
        (lake / f"day={day}").mkdir(parents=True)
        (lake / f"day={day}" / "x.parquet").write_bytes(ORIGINAL)
    (lake / "day=1" / "bad.parquet").write_bytes(b"not at all, not at all")
    return lake


def outcomes(results) -> Counter:
    return Counter(row.outcome for row in results.select("outcome").collect())


def quietly(job, *arguments, **options):
    return job(*arguments, progress=False, **options)


@pytest.fixture(scope="module")
def corpus_lake(request, corpus, expected, tmp_path_factory) -> Path:
    """A sixth of the corpus, with files of each class; all of it with --long."""
    step = 1 if request.config.getoption("--long") else 6
    lake = tmp_path_factory.mktemp("corpus")
    for number, known in enumerate(expected):
        folder = lake / f"class={known['class']}"
        if number % step and folder.exists():
            continue
        folder.mkdir(exist_ok=True)
        shutil.copyfile(corpus / known["file"], folder / f"{number:04d}.parquet")
    return lake


def contents(lake: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in lake.rglob("*.parquet")}


OPTIONS = {"upgrade": {"form": "flat"}, "finalize": {"confirm": True}}


@pytest.mark.parametrize("verbs", [("upgrade", "strip"), ("finalize", "restore", "strip")], ids=" ".join)
def test_the_corpus_goes_through_every_change_as_single_files_do(spark, corpus_lake, tmp_path, verbs):
    alone = tmp_path / "alone"
    shutil.copytree(corpus_lake, alone)
    before = contents(corpus_lake)
    for verb in verbs:
        options = OPTIONS.get(verb, {})
        results = quietly(getattr(jobs, verb), spark, corpus_lake, **options)
        rows = {Path(row.path).name: row for row in results.collect()}
        assert len(rows) == len(before)
        for path, result, error in edits.many(alone, getattr(edits, verb), **options):
            row = rows[Path(path).name]
            if error:
                assert (row.outcome, row.error, row.offset) == (
                    outcome_of(error),
                    type(error).__name__,
                    getattr(error, "offset", None),
                )
                assert row.message == getattr(error, "message", str(error)).replace(str(alone), str(corpus_lake))
            else:
                message = (
                    result.outcome,
                    result.form_before,
                    result.form_after,
                    result.bytes_before,
                    result.bytes_after,
                    result.bytes_read,
                    result.bytes_written,
                )
                assert message == (
                    row.outcome,
                    row.form_before,
                    row.form_after,
                    row.bytes_before,
                    row.bytes_after,
                    row.bytes_read,
                    row.bytes_written,
                )
        assert contents(corpus_lake) == contents(alone)
    assert contents(corpus_lake) == before


def test_the_corpus_is_verified_and_gets_sidecars_as_single_files_do(spark, corpus_lake):
    for row in quietly(jobs.verify, spark, corpus_lake).collect():
        report = integrity.verify(row.path)
        assert (row.outcome == "ok", row.bytes_read) == (report.ok, report.bytes_read), row
        assert all(str(finding) in row.message for finding in report.findings[:10])
    built = quietly(jobs.build_sidecars, spark, corpus_lake).collect()
    done = {row.path for row in built if row.outcome == "built"}
    assert {row.path for row in built if row.error is None} == done
    assert len(done) > 0.55 * len(contents(corpus_lake))
    for path in sorted(done)[::20]:
        assert [str(finding) for finding in sidecar.compare(path)] == []


@pytest.mark.slow
def test_foreign_sidecars_are_refused_with_a_reason(spark, tmp_path):
    for name in ("a.parquet", "data.parquet"):
        (tmp_path / name).write_bytes(ORIGINAL)
    theirs = build_foreign(tmp_path / "data.parquet", tmp_path / "_data.parquet.pm")
    before = theirs.read_bytes()
    results = quietly(jobs.build_sidecars, spark, tmp_path, on_error="raise").collect()
    rows = {Path(row.path).name: row for row in results}
    assert (rows["a.parquet"].outcome, rows["data.parquet"].outcome) == ("built", "refused")
    assert "ignore 'foreign-sidecar'" in rows["data.parquet"].message and theirs.read_bytes() == before
    rows = quietly(jobs.build_sidecars, spark, tmp_path, ignore="foreign-sidecar").collect()
    assert {row.outcome for row in rows} == {"built"}
    with pytest.raises(ParquetextError, match="no such refusal"):
        jobs.build_sidecars(spark, tmp_path, ignore="nonsense")


def test_the_corpus_has_a_catalog_despite_bad_files(spark, corpus_lake):
    paths = sorted(map(str, corpus_lake.rglob("*.parquet")))
    alone = pa.Table.from_batches(batches_of(paths))
    found = jobs.build_catalog(spark, corpus_lake).select("file", "error").toArrow()
    assert Counter(found["file"].to_pylist()) == Counter(alone["file"].to_pylist())
    assert {*found["error"].to_pylist()} == {*alone["error"].to_pylist()} > {None}


def test_the_last_line_counts_tasks_by_kernels(spark, lake, capfd):
    jobs.verify(spark, lake)
    line = capfd.readouterr().err.splitlines()[-1]
    assert line == f"verify: 4 files: 3 ok, 1 findings ({parquetext.implementation()} kernels in 4 tasks)"


def test_results_have_one_row_per_file(spark, lake):
    results = quietly(jobs.upgrade, spark, lake, form="flat")
    assert results.columns == ROWS.names
    rows = {row.path: row for row in results.collect()}
    good, bad = rows[f"{lake}/day=0/x.parquet"], rows[f"{lake}/day=1/bad.parquet"]
    size = (lake / "day=0" / "x.parquet").stat().st_size
    assert (good.outcome, good.form_before, good.form_after, good.error) == ("upgraded", "thrift", "flat", None)
    assert (good.bytes_before, good.bytes_after, good.bytes_written) == (len(ORIGINAL), size, size)
    assert 0 < good.bytes_read < len(ORIGINAL)
    assert good.milliseconds > 0
    assert good.implementation == parquetext.implementation()
    assert (bad.outcome, bad.error, bad.bytes_before) == ("failed", "Malformed", 22)
    assert pq.read_table(good.path, partitioning=None).equals(TABLE)


def test_a_job_runs_once_before_the_call_returns(spark, lake):
    results = quietly(jobs.upgrade, spark, lake, form="flat")
    assert edits.upgrade(lake / "day=0" / "x.parquet", form="flat").outcome == "unchanged"
    edits.strip(lake / "day=0" / "x.parquet")
    assert outcomes(results) == outcomes(results) == {"upgraded": 3, "failed": 1}
    assert edits.strip(lake / "day=0" / "x.parquet").outcome == "unchanged"


def test_failed_files_raise_at_the_end_on_request(spark, lake):
    with pytest.raises(jobs.JobFailed, match=r"bad\.parquet: not a Parquet file") as caught:
        quietly(jobs.upgrade, spark, lake, form="flat", on_error="raise")
    assert outcomes(caught.value.results) == {"upgraded": 3, "failed": 1}
    with pytest.raises(jobs.JobFailed, match="bad"):
        quietly(jobs.verify, spark, lake, on_error="raise")
    assert outcomes(quietly(jobs.verify, spark, lake / "day=0", on_error="raise")) == {"ok": 1}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"form": "none"}, "unknown footer form"),
        ({"ignore": ["nothing"]}, "no such refusal"),
        ({"on_error": "ignore"}, "no such choice"),
    ],
)
def test_options_that_no_verb_takes_fail_before_any_file_is_touched(spark, lake, options, error):
    with pytest.raises(ParquetextError, match=error):
        quietly(jobs.upgrade, spark, lake, **options)
    with pytest.raises(TypeError, match="unknown"):
        quietly(jobs.strip, spark, lake, unknown=1)
    assert contents(lake)["x.parquet"] == ORIGINAL


def test_nothing_is_finalized_unless_it_is_confirmed(spark, lake):
    for finalize in (jobs.finalize, jobs.watch):
        with pytest.raises(parquetext.errors.Refused, match="only parquetext reads"):
            finalize(spark, str(lake), **({"action": "finalize"} if finalize is jobs.watch else {}))
    assert contents(lake)["x.parquet"] == ORIGINAL


def test_options_reach_every_file(spark, lake):
    rows = quietly(jobs.upgrade, spark, lake / "day=*" / "x.parquet", "index").collect()
    assert {row.form_after for row in rows} == {"index"}
    assert outcomes(quietly(jobs.strip, spark, lake / "day=0", dry_run=True)) == {"would-strip": 1}


def one_task(spark, folder: Path, count: int) -> tuple[list[tuple], Work]:
    """Return files as a listing returns them, and the work of one task that upgrades them."""
    files = [(str(folder / "lake" / f"{number}.parquet"), len(ORIGINAL), 0, "", "") for number in range(count)]
    (folder / "lake").mkdir()
    for path, *_ in files:
        Path(path).write_bytes(ORIGINAL)
    results = begin(spark, Filesystems(), str(folder / "results"), "upgrade")
    done = spark.sparkContext.accumulator(Counter(), Tally())
    return files, Work("upgrade", {"form": "flat", "timeout": 60}, "upgrade", results, Filesystems(), done)


def test_a_task_comes_last_to_the_file_that_an_earlier_attempt_was_at_and_passes_it_over_if_that_has_died(
    spark, tmp_path
):
    files, work = one_task(spark, tmp_path, 3)
    dead = dataclasses.replace(Owner.this(), started=0)
    put(
        Filesystems(),
        f"{work.folder}/_doing-00000-1.json",
        json.dumps({"owner": str(dead), "file": files[0][0], "beat": 1}).encode(),
    )

    def second_retry(_):
        with mock.patch.object(tasks, "_attempt", lambda: 2):
            yield from work(0, iter([files]))

    (part,) = spark.sparkContext.parallelize(range(1), 1).mapPartitions(second_retry).collect()
    rows = pq.read_table(part.url, partitioning=None).to_pylist()
    assert [(row["path"], row["error"]) for row in rows] == [
        (files[1][0], None),
        (files[2][0], None),
        (files[0][0], "Crashed"),
    ]
    assert Path(files[0][0]).read_bytes() == ORIGINAL


@pytest.mark.parametrize("first", [0, 1])
def test_two_attempts_at_one_task_at_the_same_time_end_with_whole_files(spark, tmp_path, first):
    """As in speculation: each attempt finds the files done that the other one did, and has a row for each file."""
    from pyspark import BarrierTaskContext

    context, (files, work) = spark.sparkContext, one_task(spark, tmp_path, 40)

    def attempt(number, _):
        with mock.patch.object(tasks, "_attempt", lambda: first + number):
            BarrierTaskContext.get().barrier()  # both are there
            yield from work(0, iter([files]))

    parts = context.parallelize(range(2), 2).barrier().mapPartitionsWithIndex(attempt).collect()
    # Each attempt leaves the file on which the other one is working for last.
    message = [pq.read_table(part.url, partitioning=None).sort_by("path").to_pylist() for part in parts]
    assert [[row["path"] for row in rows] for rows in message] == [sorted(path for path, *_ in files)] * 2
    assert {tuple(sorted((one["outcome"], other["outcome"]))) for one, other in zip(*message, strict=True)} == {
        ("unchanged", "upgraded")
    }
    assert all(pq.read_table(path).equals(TABLE) for path, *_ in files)
    assert sorted(path.name for path in (tmp_path / "lake").iterdir()) == sorted(Path(path).name for path, *_ in files)


def test_files_of_a_table_are_refused_as_single_ones_are(spark, lake):
    (lake / "_delta_log").mkdir()
    rows = quietly(jobs.upgrade, spark, lake, form="flat").collect()
    assert {(row.outcome, row.error) for row in rows} == {("refused", "Refused")}
    with pytest.raises(parquetext.errors.Refused) as refused:
        edits.upgrade(lake / "day=0" / "x.parquet", form="flat")
    assert {row.message for row in rows} == {refused.value.message}
    assert contents(lake)["x.parquet"] == ORIGINAL
    ignored = quietly(jobs.upgrade, spark, lake, form="flat", ignore="table-format")
    assert outcomes(ignored) == {"upgraded": 3, "failed": 1}


def test_a_table_gets_sidecars_only_on_request(spark, tmp_path):
    (tmp_path / "_delta_log").mkdir()
    path = tmp_path / "x.parquet"
    path.write_bytes(ORIGINAL)
    [row] = quietly(jobs.build_sidecars, spark, tmp_path).collect()
    with pytest.raises(parquetext.errors.Refused) as refused:
        sidecar.build(path)
    assert (row.outcome, row.message) == ("refused", refused.value.message)
    assert not sidecar.exists(sidecar.sidecar_path(path))
    for ignore in ("table-format", ()):  # then one is there already
        assert outcomes(quietly(jobs.build_sidecars, spark, tmp_path, ignore=ignore)) == {"built": 1}


def test_a_file_with_a_foreign_sidecar_is_refused(spark, tmp_path):
    (tmp_path / "day=1").mkdir()
    path = tmp_path / "day=1" / "data.parquet"
    path.write_bytes(ORIGINAL)
    position = build_foreign(path)
    [row] = quietly(jobs.upgrade, spark, tmp_path, form="flat").collect()
    assert row.outcome == "refused" and row.message.startswith(str(position))
    assert path.read_bytes() == ORIGINAL
    [row] = quietly(jobs.upgrade, spark, tmp_path, form="flat", ignore="table-format").collect()
    assert row.outcome == "upgraded" and f"{position}, which parquetext has not made" in row.message


def test_files_below_a_summary_are_not_rewritten(spark, tmp_path):
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=1" / "x.parquet").write_bytes(ORIGINAL)
    (tmp_path / "_metadata").write_bytes(ORIGINAL)
    [upgraded] = quietly(jobs.upgrade, spark, tmp_path, form="flat").collect()
    columns = {"a": "delta_binary_packed"}
    [row] = quietly(jobs.encode, spark, tmp_path, columns, on_error="raise").collect()
    assert (upgraded.outcome, row.outcome, row.error) == ("upgraded", "refused", "Refused")
    assert f"{tmp_path}/_metadata has the places of its column chunks" in row.message
    [row] = quietly(jobs.encode, spark, tmp_path, columns, ignore="summary").collect()
    assert row.outcome == "encoded" and "write it anew" in row.message


def test_nothing_there_is_no_error(spark, tmp_path):
    assert quietly(jobs.upgrade, spark, tmp_path).count() == 0
    assert outcomes(quietly(jobs.upgrade, spark, tmp_path / "absent.parquet")) == {"failed": 1}
