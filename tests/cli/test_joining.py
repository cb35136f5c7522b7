"""merge and split as commands: output, exit codes, and the state after Ctrl-C."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.cli_runs import run
from support.described import ROWS, table, write

from parquetext import edits
from parquetext.cli.arguments import size_of


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "a.parquet")


def test_merge_names_rewrite_if_pages_would_change(path, tmp_path):
    out = tmp_path / "out.parquet"
    done = run("merge", path, path, "-o", out, "--optimize-for", "random_access")
    assert done.exit_code != 0 and "rewrite the new file with optimize_for='random_access'" in done.stderr
    assert not out.exists()


def test_split_then_merge(path, tmp_path):
    done = run("split", path, "--out", tmp_path / "parts", "--files", 2)
    assert done.exit_code == 0, done.output
    first, _, last = done.stdout.splitlines()
    assert first.startswith(f"{tmp_path}/parts/a-00000.parquet: 2 row groups, 600 rows, ")
    assert last.startswith(f"2 files: {ROWS:,} rows, ")
    done = run("merge", tmp_path / "parts", "-o", tmp_path / "parts" / "out.parquet", "--json")
    made = json.loads(done.stdout)
    assert (made["files"], made["rows"], made["row_groups"]) == (2, ROWS, 4)
    assert pq.read_table(tmp_path / "parts" / "out.parquet").equals(table())
    again = run("merge", tmp_path / "parts", "-o", tmp_path / "parts" / "out.parquet", "--json")
    assert json.loads(again.stdout) == made, "the new file is none of those that the folder stands for"


def test_quiet_prints_only_failures(path, tmp_path):
    assert run("split", "-q", path, "-o", tmp_path / "parts").output == ""
    assert (run("split", "-q", path, "-o", tmp_path / "parts").output, len(list((tmp_path / "parts").iterdir()))) == (
        "",
        4,
    )
    (tmp_path / "parts" / "a-00002.parquet").write_bytes(b"theirs")
    done = run("split", "-q", path, "-o", tmp_path / "parts")
    assert (done.exit_code, done.stdout) == (1, "") and "the file already exists" in done.stderr
    assert run("split", path, "-o", tmp_path / "parts", "--overwrite").exit_code == 0


def test_other_schemas_are_exit_code_1_and_name_the_file(path, tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "b.parquet")
    done = run("merge", path, tmp_path / "b.parquet", "-o", tmp_path / "out.parquet")
    assert done.exit_code == 1 and f"{tmp_path}/b.parquet: its schema has 'a'" in done.stderr
    failed = json.loads(run("merge", path, tmp_path / "b.parquet", "-o", tmp_path / "out.parquet", "--json").stdout)
    assert (failed["path"], failed["error"]) == (str(tmp_path / "b.parquet"), "Unsupported")


@pytest.mark.parametrize(
    "options", [["--files", 0], ["--files", 1, "--row-groups", 1], ["--max-bytes", "much"], ["--form", "par3"]]
)
def test_wrong_options_are_exit_code_2(path, tmp_path, options):
    done = run("split", path, "-o", tmp_path / "parts", *options)
    assert (done.exit_code, done.stdout) == (2, "") and not (tmp_path / "parts").exists()


def test_sizes():
    assert [size_of(text) for text in ("1", "1_000 b", "2KiB", "1.5 mib", "3GB", "4k")] == [
        1,
        1000,
        2048,
        3 << 19,
        3 * 10**9,
        4096,
    ]


def test_ctrl_c_reports_finished_files_and_leaves_no_partial_file(path, tmp_path, monkeypatch):
    join, asked = edits.split.__globals__["join"], []

    def interrupted(*arguments, **options):
        asked.append(arguments)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return join(*arguments, **options)

    monkeypatch.setitem(edits.split.__globals__, "join", interrupted)
    done = run("split", path, "-o", tmp_path / "parts")
    assert done.exit_code == 130
    assert "stopped by Ctrl-C: 2 files written; the same command goes on with the rest" in done.stderr
    assert sorted(found.name for found in (tmp_path / "parts").iterdir()) == ["a-00000.parquet", "a-00001.parquet"]
    monkeypatch.undo()
    first = {found: found.stat().st_ino for found in (tmp_path / "parts").iterdir()}
    lines = run("split", path, "-o", tmp_path / "parts").stdout.splitlines()
    assert [line.endswith(", kept") for line in lines[:-1]] == [True, True, False, False]
    assert {found: found.stat().st_ino for found in first} == first
    assert lines[-1].startswith("4 files: 1,000 rows")
