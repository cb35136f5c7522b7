"""Exit code 2 where no file is there, 1 where some of them are, for every command alike."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.commands import OF_MANY, OF_NONE, OF_ONE
from support.typer_runner import CliRunner
from typer.main import get_command

import parquetext
from parquetext.cli.app import app
from parquetext.storage.folder import NEW, beside

CHECKS_OR_CHANGES = {
    "upgrade", "add-page-index", "encode", "strip", "finalize", "restore", "verify", "inspect", "layout", "merge",
    "split", "rewrite", "sidecar build", "sidecar show", "sidecar verify", "sidecar update"
}  # fmt: skip
CHANGES_NOTHING_HERE = {"recover", "sidecar compact"}


def run(command: str, *arguments: object):
    return CliRunner().invoke(app, [*command.split(), *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A file, and an empty folder."""
    folder = tmp_path_factory.mktemp("there")
    write(folder / "there.parquet")
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def path(tmp_path) -> Path:
    path = write(tmp_path / "there.parquet")
    assert run("sidecar build", path).exit_code == 0
    return path


def write(path: Path) -> Path:
    """A file that is there."""
    pq.write_table(pa.table({"a": [1, 2, 3]}), path)
    return path


def test_every_command_is_among_these():
    commands = get_command(app).commands
    names = {name for name in commands if name != "sidecar"}
    names |= {f"sidecar {name}" for name in commands["sidecar"].commands}
    assert names == {name.removesuffix(" --advise") for name in OF_MANY} | OF_ONE.keys() | OF_NONE


@pytest.mark.parametrize("command", [*OF_MANY, *OF_ONE])
@pytest.mark.parametrize("missing", ["missing.parquet", "missing/x.parquet", "there.parquet/x.parquet", "empty"])
def test_without_any_file_a_command_can_do_nothing(folder, command, missing):
    done = run(command, folder / missing, *(OF_MANY | OF_ONE)[command])
    assert done.exit_code == 2, done.output
    assert missing.split("/")[0] in done.output


@pytest.mark.parametrize("command", [*OF_MANY, *OF_ONE])
def test_a_file_that_is_no_parquet_file_has_failed_or_could_not_be_read(path, command):
    """Commands that check or change exit with 1; commands that show the content of the only file exit with 2."""
    path.write_bytes(b"not a Parquet file")
    done = run(command, path, *(OF_MANY | OF_ONE)[command])
    if command in CHANGES_NOTHING_HERE:
        assert (done.exit_code, done.stderr) == (0, ""), done.output
    else:
        assert done.exit_code == (1 if command in CHECKS_OR_CHANGES else 2), done.output
        assert str(path) in done.output


@pytest.mark.parametrize("command", OF_MANY)
def test_one_missing_file_of_several_is_a_failure(path, command):
    done = run(command, path.parent / "missing.parquet", path, *OF_MANY[command])
    assert done.exit_code == 1, done.output


def test_recover_of_a_folder_removes_a_new_file_that_never_got_its_name(path):
    killed = """
import os, sys
from parquetext import edits
from parquetext.storage.operations import Operations
Operations.rename = lambda *_, **__: os._exit(9)
edits.encode(sys.argv[1], {"a": "plain"}, out=sys.argv[2])
"""
    new, left = path.parent / "new.parquet", path.parent / f".new.parquet.{NEW}"
    assert subprocess.run([sys.executable, "-c", killed, path, new], check=False).returncode == 9
    assert left.exists() and not new.exists()
    done = run("recover", "--json", path.parent)
    assert done.exit_code == 0, done.output
    message = {Path(line["path"]).name: line["outcome"] for line in map(json.loads, done.stdout.splitlines())}
    assert message == {"new.parquet": "recovered", "there.parquet": "unchanged"}
    assert not left.exists()
    assert run("recover", new).exit_code == 2


def test_recover_of_a_folder_knows_long_names_by_their_digest(path):
    for name in ("n" * 240 + ".parquet", "there" * 48 + ".parquet"):
        Path(beside(str(path.parent / name), NEW)).write_bytes(b"half")
    there = path.rename(path.parent / ("there" * 48 + ".parquet"))
    done = run("recover", "--json", path.parent)
    assert done.exit_code == 0, done.output
    outcomes = [json.loads(line)["outcome"] for line in done.stdout.splitlines()]
    assert outcomes == ["recovered", "recovered"]
    assert {found.name for found in path.parent.iterdir()} == {there.name, f"_{path.name}.pm"}


def test_recover_leaves_a_new_file_that_is_being_written(path):
    table = pa.table({"a": [4]})
    with parquetext.ParquetWriter(path.parent / "new.parquet", table.schema) as writer:
        writer.write_table(table)
        done = run("recover", path.parent)
        assert done.exit_code == 1 and "another process is changing it" in done.output
    assert pq.read_table(path.parent / "new.parquet").equals(table)
