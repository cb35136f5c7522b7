"""`parquetext layout` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.typer_runner import CliRunner

from parquetext.cli.app import app


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": range(3000), "evil\x1b[31m": ["x"] * 3000}), path)
    return path


def run(*arguments) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["layout", *map(str, arguments)])
    return result.exit_code, result.output


def test_the_table_names_kinds_and_columns_with_names_escaped(file):
    code, output = run(file)
    assert code == 0
    assert "page header" in output and "footer length" in output
    assert "\\x1b[31m" in output
    assert "\x1b[31m" not in output


def test_without_colours_the_bar_is_letters_that_the_table_explains(file):
    _, output = run(file)
    bar = output.splitlines()[1]
    assert len(bar) == 78
    assert set(bar) <= set("vdlhibfx.")
    assert "v  values" in output or "v  levels and values" in output


def test_columns_are_shown_largest_first_and_the_others_counted(file):
    _, output = run(file, "--columns", 1)
    assert "1 more" in output
    code, output = run(file, "--decompress")
    assert code == 0
    assert "plain dict" in output


def test_json_is_one_document_that_covers_every_byte(file):
    code, output = run(file, "--json")
    message = json.loads(output)
    assert code == 0
    assert sum(message["parts"]["length"]) == file.stat().st_size
    assert message["findings"] == []


def test_with_a_page_json_contains_its_path_and_size(file, tmp_path):
    target = tmp_path / "out.html"
    code, output = run(file, "--html", target, "--json")
    assert code == 0
    size = target.stat().st_size
    assert json.loads(output) == {"path": str(file), "html": str(target), "html_bytes": size, "findings": []}


def test_a_page_that_cannot_be_written_is_json_too(file, tmp_path):
    code, output = run(file, "--html", tmp_path, "--json")
    assert code == 2
    assert json.loads(output)["path"] == str(tmp_path)
    assert "is a folder" in json.loads(output)["message"]


def test_a_damaged_file_is_laid_out_and_ends_with_findings(file):
    file.write_bytes(file.read_bytes()[:-1])
    code, output = run(file)
    assert code == 1
    assert "finding tail" in output


def test_a_missing_file_is_one_line(tmp_path):
    code, _ = run(tmp_path / "none.parquet")
    assert code == 2
