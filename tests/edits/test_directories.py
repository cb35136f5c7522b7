"""Verbs for one file take a directory, and return one result for each of its files."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ParquetextError

NAMES = ["a.parquet", "b.parquet", "year=2024/c.parquet"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "year=2024").mkdir()
    for name in NAMES:
        pq.write_table(pa.table({"x": range(10)}), tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def names(results, folder):
    return [str(result.path).removeprefix(f"{folder}/") for result in results]


def test_each_verb_returns_one_result_for_each_file(folder):
    before = [(folder / name).read_bytes() for name in NAMES]
    steps = [
        (parquetext.upgrade, {"form": "flat"}, "upgraded"),
        (parquetext.upgrade, {"form": "flat"}, "unchanged"),
        (parquetext.finalize, {"confirm": True}, "finalized"),
        (parquetext.restore, {}, "restored"),
        (parquetext.strip, {}, "stripped"),
        (parquetext.encode, {"columns": {"x": "pfor"}}, "encoded"),
        (parquetext.strip, {}, "stripped"),
        (parquetext.recover, {}, "unchanged"),
    ]
    for verb, options, outcome in steps:
        results = verb(folder, **options)
        assert names(results, folder) == NAMES
        assert [result.outcome for result in results] == [outcome] * 3, (verb.__name__, results)
    assert [(folder / name).read_bytes() for name in NAMES] == before


def test_a_file_keeps_its_single_result(folder):
    assert parquetext.upgrade(folder / "a.parquet", form="flat").outcome == "upgraded"
    assert parquetext.verify(folder / "a.parquet").ok


def test_verify_returns_one_report_for_each_file(folder):
    (folder / "b.parquet").write_bytes(b"PAR1 cut")
    reports = parquetext.verify(folder, pages=True)
    assert names(reports, folder) == NAMES
    assert [report.ok for report in reports] == [True, False, True]


def test_one_damaged_file_does_not_stop_the_others(folder):
    (folder / "a.parquet").write_bytes(b"PAR1 cut")
    failed, *others = parquetext.upgrade(folder, form="flat")
    assert (failed.outcome, [result.outcome for result in others]) == ("failed", ["upgraded"] * 2)
    assert "a.parquet" in failed.message


def test_refused_files_have_a_reason(folder):
    (folder / "_delta_log").mkdir()
    results = parquetext.upgrade(folder, form="flat")
    assert [result.outcome for result in results] == ["refused"] * 3
    assert all("Delta" in result.message for result in results)


def test_a_wrong_argument_is_an_error_and_not_a_result_of_each_file(folder):
    with pytest.raises(ParquetextError, match="nosuch"):
        parquetext.upgrade(folder, form="nosuch")


def test_a_directory_without_parquet_files_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no Parquet files"):
        parquetext.upgrade(tmp_path)


def test_a_remote_directory_ends_in_a_slash(folder):
    filesystem = pafs.SubTreeFileSystem(str(folder), pafs.LocalFileSystem())
    results = parquetext.upgrade((filesystem, "year=2024/"), form="flat")
    assert [result.outcome for result in results] == ["upgraded"]
