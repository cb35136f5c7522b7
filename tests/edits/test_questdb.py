"""Files of a QuestDB database, which records their sizes, are left unchanged; a ignored change is reported."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.foreign_sidecars import build_foreign
from support.parquet_bytes import parquet_bytes

from parquetext import edits, sidecar
from parquetext.errors import Refused, outcome_of

ORIGINAL = parquet_bytes()


@pytest.fixture
def partition(tmp_path) -> Path:
    """The Parquet file of one day of a table, as QuestDB lays them out."""
    table = tmp_path / "db" / "trades~12"
    (table / "2026-11-01.3").mkdir(parents=True)
    for name in ("_txn", "_meta", "_cv"):
        (table / name).write_bytes(bytes(64))
    path = table / "2026-11-01.3" / "data.parquet"
    path.write_bytes(ORIGINAL)
    return path


def refusal(action, path) -> Refused:
    with pytest.raises(Refused) as caught:
        action(path)
    assert outcome_of(caught.value) == "refused"
    return caught.value


@pytest.mark.parametrize("verb", ["upgrade", "strip", "finalize", "restore"])
@pytest.mark.parametrize("options", [{}, {"in_place": True}, {"dry_run": True}], ids=str)
def test_every_change_of_a_partition_is_refused(partition, verb, options):
    confirmed = {"confirm": True} if verb == "finalize" else {}
    error = refusal(lambda path: getattr(edits, verb)(path, **confirmed, **options), partition)
    assert f"QuestDB table at {partition.parents[1]}, whose log records its size" in str(error)
    assert error.ignore == "table-format" and error.file == str(partition)
    assert partition.read_bytes() == ORIGINAL and os.listdir(partition.parent) == ["data.parquet"]


def test_a_forced_change_of_a_partition_is_made(partition):
    assert edits.upgrade(partition, "flat", ignore="table-format").outcome == "upgraded"


@pytest.mark.parametrize("gone", ["_txn", "_meta"])
def test_a_folder_with_one_of_the_two_files_is_no_table(partition, gone):
    (partition.parents[1] / gone).unlink()
    assert edits.upgrade(partition, "flat").outcome == "upgraded"


def test_a_linked_partition_is_refused(partition, tmp_path):
    (tmp_path / "link.parquet").symlink_to(partition)
    assert "QuestDB table" in str(refusal(edits.upgrade, tmp_path / "link.parquet"))


def test_a_partition_on_another_filesystem_is_refused(partition, tmp_path):
    filesystem = pafs.PyFileSystem(pafs.FSSpecHandler(__import__("fsspec").filesystem("memory")))
    for name in ("t/_txn", "t/_meta", "t/day/data.parquet", "u/_txn", "u/day/data.parquet"):
        filesystem.create_dir(f"/{Path(name).parent}")
        with filesystem.open_output_stream(f"/{name}") as stream:
            stream.write(ORIGINAL)
    assert "QuestDB table at /t" in str(refusal(edits.upgrade, (filesystem, "/t/day/data.parquet")))
    assert edits.upgrade((filesystem, "/u/day/data.parquet"), "flat").outcome == "upgraded"


@pytest.mark.parametrize(("name", "verb"), [("data.parquet", "upgrade"), ("x.parquet", "strip")])
def test_a_file_with_a_foreign_sidecar_is_refused(tmp_path, name, verb):
    path = tmp_path / name
    path.write_bytes(ORIGINAL)
    position = build_foreign(path)
    error = refusal(getattr(edits, verb), path)
    assert f"{position}, which parquetext has not made, records its size" in str(error)
    assert path.read_bytes() == ORIGINAL


@pytest.mark.parametrize("options", [{}, {"dry_run": True}], ids=["", "dry run"])
def test_a_forced_change_reports_that_the_foreign_sidecar_is_stale(tmp_path, options):
    path = tmp_path / "data.parquet"
    path.write_bytes(ORIGINAL)
    position = build_foreign(path)
    before = position.read_bytes()
    result = edits.upgrade(path, "flat", ignore="table-format", **options)
    assert (
        f"{position}, which parquetext has not made" in result.message and "stale after this change" in result.message
    )
    assert position.read_bytes() == before
    again = edits.upgrade(path, "flat", ignore="table-format", **options)
    assert ("stale" in again.message) is bool(options)


def test_a_file_with_our_sidecar_is_changed_without_a_note(tmp_path):
    path = tmp_path / "data.parquet"
    path.write_bytes(ORIGINAL)
    sidecar.build(path)
    result = edits.upgrade(path, "flat")
    assert result.outcome == "upgraded" and "sidecar" not in result.message


@pytest.mark.parametrize("verb", ["upgrade", "strip"])
def test_a_footer_with_questdbs_key_value_is_changed_with_a_note(tmp_path, verb):
    path = tmp_path / "exported.parquet"
    schema = pa.schema([("ts", pa.int64())], {"questdb": '{"version":1,"schema":[]}'})
    pq.write_table(pa.table([[1, 2]], schema=schema), path)
    if verb == "strip":
        edits.upgrade(path, "flat")
    result = edits.upgrade(path, "flat") if verb == "upgrade" else edits.strip(path)
    assert result.outcome in ("upgraded", "stripped")
    assert "QuestDB's key-value" in result.message
    assert "QuestDB" not in getattr(edits, verb)(path).message


def test_text_that_only_mentions_questdb_gets_no_note(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"questdb": [1]}), path)
    assert "QuestDB" not in edits.upgrade(path, "flat").message
