"""`python -m benchmarks` prints one row per contender and comparison."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from support.typer_runner import CliRunner

from benchmarks.__main__ import bench
from benchmarks.workspace import Workspace
from parquetext import kernels

APP = typer.Typer()
APP.command()(bench)


def run(*arguments: object):
    return CliRunner().invoke(APP, [str(argument) for argument in arguments])


@pytest.mark.slow
def test_footers_values_and_writes_are_compared_on_small_shapes(tmp_path):
    done = run("--columns", 70, "--row-groups", 2, "--rounds", 1, "--no-other-shapes", "--folder", tmp_path, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["case"] for row in rows} >= {
        "whole Thrift footer",
        "open + one column's places, sizes, null counts, raw minima",
        "open + one column's places, sizes, null counts, raw minima, through pyarrow.fs",
        "open + one column's places, sizes, null counts, raw minima, by Thrift alone",
        "open + one column's min and max as Arrow arrays",
        "kept open, one more column's places, sizes, null counts, raw minima",
        "kept open, 70 columns' places, sizes, null counts, raw minima",
        "remote, one column's facts, before data",
        "remote, one column's values, before data",
        "one column's values",
        "memory held",
        "CRC-32",
        "footer bytes",
        "build",
        "upgrade",
        "write_table",
    }
    assert all(row["value"] > 0 for row in rows)
    for row in rows:
        ours_over_theirs = row["case"] in ("memory held", "write_table")
        bases = ("parquetext", "Thrift", "plain scan")
        on_its_own = row["contender"] in bases or row["case"].startswith("remote")
        assert (row["ratio"] is None) == (on_its_own and not ours_over_theirs)
        if row["unit"] == "s":  # medians and the best rounds, and the ratios of both
            assert 0 < row["minimum"] <= row["value"]
            assert (row["minimum_ratio"] is None) == (row["ratio"] is None)


@pytest.mark.usefixtures("long")
def test_command_measures_a_copy_of_the_users_file(tmp_path):
    path = tmp_path / "own.parquet"
    pq.write_table(pa.table({"n": range(100), "s": ["a"] * 100}), path)
    before = path.read_bytes()
    done = run("opening", "--file", path, "--rounds", 1, "--json")
    assert [row for row in map(json.loads, done.stdout.splitlines()) if row["case"] == "one column's values"]
    assert path.read_bytes() == before


def test_an_interrupted_run_ends_in_one_line_and_code_130(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Workspace, "__enter__", interrupted)
    done = run()
    assert done.exit_code == 130
    assert done.stderr.startswith("stopped by Ctrl-C: ") and done.stderr.count("\n") == 1


def test_command_requires_compiled_kernels(monkeypatch):
    monkeypatch.setattr(kernels, "implementation", lambda: "pure")
    done = run()
    assert done.exit_code == 2 and "compiled kernels" in done.stderr
