"""`parquetext sidecar` as a user meets it."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from support import sidecars
from support.foreign_sidecars import build_foreign
from support.typer_runner import CliRunner

from parquetext import kernels, sidecar
from parquetext.cli import output
from parquetext.cli.app import app


@pytest.fixture
def lake(tmp_path) -> Path:
    table = pa.table({"a": list(range(100)), "b": [f"x{n}" for n in range(100)]})
    for part in ("day=1", "day=2"):
        (tmp_path / part).mkdir()
        pq.write_table(table, tmp_path / part / "part-0.parquet", row_group_size=50)
    return tmp_path


def run(*arguments: object):
    return CliRunner().invoke(app, ["sidecar", *(str(argument) for argument in arguments)])


def test_build_show_verify(lake):
    done = run("build", lake)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip().endswith("2 files: 2 built")
    assert len(list(lake.rglob("_part-0.parquet.pm"))) == 2
    checked = run("verify", lake)
    assert (checked.exit_code, checked.stdout.count("ok  ")) == (0, 2)
    shown = run("show", lake / "day=1")
    assert shown.exit_code == 0
    for words in ("100 rows, 2 row groups, 2 columns", "a: LONG, INT64", "b: VARCHAR, BYTE_ARRAY", "0 B dead"):
        assert words in shown.stdout


@pytest.mark.parametrize("verb", ["build", "verify", "update", "compact"])
def test_on_a_terminal_a_bar_counts_the_files(lake, monkeypatch, verb):
    run("build", lake)
    monkeypatch.setenv("FORCE_COLOR", "1")
    for options, counted in ((), True), (("--json",), False):
        terminal = Console(file=io.StringIO(), force_terminal=True, width=100)
        monkeypatch.setattr(output, "errors", cache(lambda terminal=terminal: terminal))
        assert run(verb, *options, lake).exit_code == 0
        assert ("2/2" in terminal.file.getvalue()) == counted


def test_json(lake):
    records = [json.loads(line) for line in run("build", "--json", lake).stdout.splitlines()]
    assert [(record["outcome"], record["columns"], record["row_groups"]) for record in records] == [("built", 2, 2)] * 2
    shown = json.loads(run("show", "--json", lake / "day=1").stdout)
    assert (shown["belongs"], shown["findings"]) == ("file", [])
    assert [column["type"] for column in shown["columns"]] == ["LONG", "VARCHAR"]
    assert [group["rows"] for group in shown["row_groups"]] == [50, 50]
    assert json.loads(run("verify", "--json", lake / "day=1").stdout)["ok"]


def test_a_stale_sidecar_is_a_finding(lake):
    path = lake / "day=1" / "part-0.parquet"
    run("build", path)
    pq.write_table(pa.table({"a": list(range(1, 101)), "b": [f"y{n}" for n in range(100)]}), path, row_group_size=50)
    checked = run("verify", path)
    assert checked.exit_code == 1
    assert "sidecar-stale" in checked.stdout
    assert "statistics" in checked.stdout
    assert run("show", path).exit_code == 1
    assert run("build", path).exit_code == 0
    assert run("verify", path).exit_code == 0


def test_a_changed_byte_is_a_finding(lake):
    path = lake / "day=1" / "part-0.parquet"
    run("build", path)
    position = path.with_name("_part-0.parquet.pm")
    data = bytearray(position.read_bytes())
    data[44] ^= 1
    position.write_bytes(data)
    done = run("verify", "--json", path)
    assert done.exit_code == 1
    assert [found["kind"] for found in json.loads(done.stdout)["findings"]] == ["sidecar-damaged"]
    position.write_bytes(sidecars.with_checksum(bytes(data)))
    found = json.loads(run("verify", "--json", path).stdout)["findings"]
    assert [(one["kind"], one["place"]) for one in found] == [("sidecar-differs", "column 0")]


def test_the_chain_shows_live_and_dead_bytes(lake):
    path = lake / "day=1" / "part-0.parquet"
    kernel = kernels.sidecar
    data = sidecars.sidecar(kernel)
    for row_group in (None, 0):
        data = sidecars.appended(kernel, data, kernel.Reader(data), row_group, (path.stat().st_size - 20, 12))
    path.with_name("_part-0.parquet.pm").write_bytes(data)
    shown = json.loads(run("show", "--json", "--parquet-size", path.stat().st_size, path).stdout)
    sizes = [(commit["row_groups"], commit["live_bytes"] + commit["dead_bytes"]) for commit in shown["commits"]]
    assert sizes == [(3, len(data)), *((f.row_group_count, f.size) for f in kernel.Reader(data).footers()[1:])]
    dead = [commit["dead_bytes"] for commit in shown["commits"]]
    assert dead[-1] == 0
    assert dead[0] > dead[1] > 0


def test_a_file_without_a_sidecar_is_reported_and_counted(lake):
    run("build", lake / "day=1")
    for command in ("show", "verify"):
        done = run(command, lake)
        assert done.exit_code == 1
        assert done.stdout.strip().endswith("1 failed")
        assert "_part-0.parquet.pm" in done.stderr


def test_nothing_there(tmp_path):
    for command in ("build", "show", "verify", "update", "compact"):
        assert run(command, tmp_path).exit_code == 2


def test_build_replaces_an_existing_sidecar(lake):
    path = lake / "day=1" / "part-0.parquet"
    run("build", path)
    assert run("build", "--external-blooms", path).exit_code == 0
    assert sidecar.open(path).num_rows == 100


def test_update_appends_and_compact_lets_old_commits_go(lake):
    path = lake / "day=1" / "part-0.parquet"
    first = run("update", lake)
    assert (first.exit_code, first.stdout.count("built")) == (0, 2)
    pq.write_table(pa.table({"a": list(range(150)), "b": [f"x{n}" for n in range(150)]}), path, row_group_size=50)
    records = [json.loads(line) for line in run("update", "--json", lake).stdout.splitlines()]
    assert [(record["outcome"], record["row_groups"]) for record in records] == [("updated", 1), ("current", 0)]
    shown = run("show", path)
    assert shown.exit_code == 0
    assert shown.stdout.count("commit ") == 2, "both commits are drawn"
    assert "3 row groups" in shown.stdout
    commits = json.loads(run("show", "--json", path).stdout)["commits"]
    assert [commit["row_groups"] for commit in commits] == [3, 2]
    assert commits[0]["size"] == commits[0]["live_bytes"] + commits[0]["dead_bytes"] > commits[1]["size"]
    assert commits[1]["dead_bytes"] == 0
    assert commits[0]["parquet_size"] == path.stat().st_size
    assert "current" in run("compact", path).stdout
    compacted = run("compact", "--always", path)
    assert (compacted.exit_code, "compacted" in compacted.stdout) == (0, True)
    assert len(json.loads(run("show", "--json", path).stdout)["commits"]) == 1
    assert run("verify", lake).exit_code == 0


def test_update_and_compact_accept_globs_and_continue_after_a_failure(lake):
    bad = lake / "day=1" / "part-9.parquet"
    bad.write_bytes(b"PAR1 no footer PAR1")
    done = run("update", "--json", lake / "*" / "*.parquet")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.exit_code == 1
    assert sorted(record.get("outcome", "failed") for record in records) == ["built", "built", "failed"]
    assert [record["path"] for record in records if "error" in record] == [str(bad)]
    bad.unlink()
    done = run("compact", "--always", "--json", lake / "day=[12]" / "*.parquet")
    assert done.exit_code == 0
    assert [json.loads(line)["outcome"] for line in done.stdout.splitlines()] == ["compacted"] * 2


def test_stores(tmp_path):
    store = sidecar.Store(tmp_path / "store")
    for number in range(4):
        store.append(pa.table({"a": [number]}))
    shown = run("show", store.path)
    assert (shown.exit_code, shown.stdout.count("commit ")) == (0, 4)
    assert run("verify", store.directory).exit_code == 0
    assert "compacted" in run("compact", store.directory).stdout
    assert store.token().generation == 1
    assert json.loads(run("update", "--json", store.path).stdout)["outcome"] == "current"


def test_a_sidecar_that_is_not_there_cannot_be_compacted(lake):
    done = run("compact", lake)
    assert (done.exit_code, "2 failed" in done.stdout) == (1, True)


@pytest.mark.parametrize("verb", ["build", "update", "compact"])
def test_foreign_sidecars_are_refused_and_counted_apart(lake, verb):
    path = lake / "day=1" / "part-0.parquet"
    run("build", lake)
    theirs = build_foreign(path, path.with_name("_part-0.parquet.pm"))
    before = theirs.read_bytes()
    done = run(verb, lake)
    assert done.exit_code == 0, done.output
    assert "refused: " in done.stderr and str(theirs) in done.stderr.replace("\n", "")
    assert "2 files: 1 " in done.stdout and done.stdout.strip().endswith(", 1 refused")
    assert run(verb, path).exit_code == 1, "the file that must not be touched was asked for by name"
    [record] = [json.loads(line) for line in run(verb, "--json", lake / "day=1").stdout.splitlines()]
    assert record["outcome"] == "refused"
    assert theirs.read_bytes() == before
    assert (
        run(verb, "--ignore", "foreign-sidecar", lake)
        .stdout.strip()
        .endswith({"build": "2 built", "update": "2 up to date", "compact": "2 compact"}[verb])
    )


def test_a_refusal_of_another_name_cannot_be_forced(lake):
    assert run("build", "--ignore", "nonsense", lake).exit_code == 2
