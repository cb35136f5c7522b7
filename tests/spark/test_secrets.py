"""Secrets of URLs in Spark's jobs: nothing that is stored or shown has one, and files are found again all the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE, parquet_bytes
from support.served_files import Ranged, served

import parquetext
from parquetext.masking import without_secrets
from parquetext.spark import build_catalog, build_sidecars, list_files, read, tasks, upgrade, verify
from parquetext.spark.crashes import Doing
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.folders import FILES
from parquetext.spark.jobs import JobFailed
from parquetext.spark.results import JOB_FILE, Row, as_table
from parquetext.spark.state import done_before, split
from parquetext.spark.tasks import Work
from parquetext.storage import resolve

pytestmark = pytest.mark.slow

QUERY = "?sig=SECRET&X-Amz-Signature=SECRET#access_token=SECRET"
PARTS = "SECRET", "pa%2Fss", "pa/ss"
NAME = "memory://secrets/x.parquet?sig=…"


@pytest.fixture
def lake() -> list[str]:
    """URLs of two files that differ only in the masked part; the driver sees them, and no task does."""
    names = [f"/secrets/x.parquet?sig=SECRET{number}" for number in (1, 2)]
    for name in names:
        fsspec.filesystem("memory").pipe_file(name, parquet_bytes())
    return [f"memory:/{name}" for name in names]


@pytest.fixture
def work(tmp_path, monkeypatch) -> Iterator[Work]:
    """A job over a file of a web server, whose tasks run in this process; each is a second attempt, which takes notes.

    `Filesystems` would open it by fsspec, whose HTTP needs aiohttp.
    """
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "x.parquet").write_bytes(parquet_bytes())
    (tmp_path / "state" / "run").mkdir(parents=True)
    (tmp_path / "state" / "run" / JOB_FILE).write_text("{}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(tasks, "_attempt", lambda: 1)
    monkeypatch.setattr(Filesystems, "target", lambda self, url: resolve(url))
    with served(tmp_path / "served", Ranged) as (url, _):
        work = Work("verify", {}, "verify", str(tmp_path / "state" / "run"), Filesystems())
        work.url = f"http://user:pa%2Fss@{url.removeprefix('http://')}/x.parquet{QUERY}"
        yield work


def check_folder(folder: Path) -> list[pa.Table]:
    """See that no file of a folder has a secret in its name or its values; its Parquet files as tables."""
    tables = []
    for path in folder.rglob("*"):
        message = [str(path)]
        if path.is_file():
            message.append(path.read_bytes().decode("latin-1"))
        if path.suffix == ".parquet":
            tables.append(pq.read_table(path))
            message.append(json.dumps(tables[-1].to_pylist(), default=str))
        assert not [part for part in PARTS for text in message if part in text], path
    assert tables
    return tables


@pytest.mark.parametrize("job", [upgrade, verify, build_sidecars])
def test_no_job_stores_or_shows_a_secret(spark, lake, tmp_path, capfd, job):
    results = job(spark, lake, state=str(tmp_path / "state")).collect()
    assert sorted((row.path, row.outcome) for row in results) == [(NAME, "failed"), (f"{NAME}#2", "failed")]
    check_folder(tmp_path / "state")
    assert "SECRET" not in f"{results} {''.join(capfd.readouterr())}"


def test_a_job_that_raises_shows_no_secret(spark, lake):
    with pytest.raises(JobFailed) as error:
        verify(spark, lake, on_error="raise", progress=False)
    assert NAME in str(error.value) and "SECRET" not in f"{error.value!r} {error.value}"
    for path in (f"nosuch://user:pa%2Fss@host/*{QUERY}", f"nosuch://user:pa%2Fss@host/x{QUERY}"):
        for paths in (path, spark.createDataFrame([(path,)], "path string")):
            with pytest.raises((OSError, ValueError), match="Protocol not known: nosuch") as error:
                list_files(spark, paths)
            assert not [part for part in PARTS if part in f"{error.value!r} {error.value}"]


def test_a_catalog_of_such_urls_has_no_secrets_and_finds_the_files(spark, lake, tmp_path):
    rows = build_catalog(spark, lake, state=str(tmp_path / "state"), progress=False)
    names = parquetext.catalog.names_of(list_files(spark, lake)["path"].to_pylist())
    assert {row.file for row in rows.collect()} == names.keys() == {NAME, f"{NAME}#2"}
    assert sorted(names.values()) == lake
    check_folder(tmp_path / "state")


def test_a_catalog_without_secrets_plans_no_file_by_a_name(spark, lake, tmp_path):
    stored = str(tmp_path / "catalog.parquet")
    pq.write_table(pa.Table.from_batches(parquetext.catalog.batches_of(lake)), stored)
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "x.parquet").write_bytes(parquet_bytes())
    options = {"filters": [("a", ">=", 0)], "catalog": stored}
    assert read(spark, str(tmp_path / "lake"), **options).count() == TABLE.num_rows
    with pytest.raises(Exception, match="a catalog stores no credentials of URLs") as error:
        read(spark, "memory://secrets", **options, listing=False).count()
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize("action", ["verify", "build_catalog", "build_sidecars", "upgrade"])
def test_a_task_stores_and_notes_no_secret(work, tmp_path, action, monkeypatch):
    noted = []
    tell = Doing._tell
    monkeypatch.setattr(Doing, "_tell", lambda self: (noted.append(self._mine.file), tell(self)))
    work.action, name = action, without_secrets(work.url)
    files = pa.Table.from_pylist(
        [{"path": work.url, "size": len(parquet_bytes()), "modified": 7, "etag": "e", "table": ""}], schema=FILES
    )
    left, _ = split(files, done_before(work.filesystems, str(tmp_path / "state"), "verify"))
    [part] = work(0, iter([list(zip(*(column.to_pylist() for column in left.columns), strict=True))]))
    assert "SECRET" not in str(part) and noted == [name, ""]
    stored = [table for table in check_folder(tmp_path / "state") if "outcome" in table.column_names]
    outcome = {"verify": "ok", "build_catalog": "read"}.get(action, "failed")  # nothing is written over HTTP
    assert [(row["path"], row["outcome"]) for table in stored for row in table.to_pylist()] == [(name, outcome)]
    left, known = split(files, done_before(work.filesystems, str(tmp_path / "state"), "verify"))
    assert known.num_rows == (outcome != "failed") and left["path"].to_pylist() == [work.url] * (outcome == "failed")


@pytest.mark.parametrize(
    ("path", "tag", "same"),
    [
        ("https://host/x?sig=SECRET", "e", True),
        ("https://host/x?sig=SECRET", "", False),  # which file it is the query may say
        ("https://user:SECRET@host/x", "", True),
        ("https://host/x", "", True),
    ],
)
def test_a_file_is_known_again_by_its_name_without_secrets(path, tag, same):
    other = path.replace("SECRET", "renewed")
    files = pa.Table.from_pylist([{"path": other, "size": 5, "modified": 7, "etag": tag, "table": ""}], schema=FILES)
    stored = parquetext.masking.without_secrets(path)
    records = as_table([Row(stored, "upgraded", size=5, modified=7, etag=tag)])
    left, known = split(files, records)
    assert (left.num_rows, known.num_rows) == ((0, 1) if same else (1, 0))
    assert left["path"].to_pylist() == [other] * (not same)
