"""Output that nobody reads to its end: quiet, with the code that shells give a command that SIGPIPE has ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file whose rows are more than a pipe holds."""
    path = tmp_path_factory.mktemp("long") / "long.parquet"
    pq.write_table(pa.table({"a": range(100_000)}), path, row_group_size=100)
    return path


def run_in_shell(command: str) -> subprocess.CompletedProcess:
    """A line of bash in which `parquetext` is the command."""
    program = f'parquetext() {{ {sys.executable} -m parquetext "$@"; }}; {command}'
    return subprocess.run(["bash", "-c", program], capture_output=True, text=True)


@pytest.mark.parametrize("command", ["cat", "cat --json", "cat --format table", "pages", "head -n 50000"])
def test_a_pipe_that_closes_after_a_line_ends_a_command_as_it_ends_cat(path, command):
    done = run_in_shell(f"parquetext {command} {path} | head -1; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (141, "", 1)


@pytest.mark.parametrize("command", ["count", "meta --json", "schema", "verify", "-h", "--version"])
def test_a_pipe_that_was_never_read_does_so_too(path, command):
    done = run_in_shell(f"(sleep 0; parquetext {command} {path}; echo $? >&2) | exec true")
    assert done.stderr == "141\n"


def test_output_that_was_read_leaves_the_code_as_it_is(path):
    for command, code in ((f"count {path}", 0), (f"diff {path} {path}", 0), ("count nowhere.parquet", 2)):
        assert run_in_shell(f"parquetext {command} 2>/dev/null | cat; exit ${{PIPESTATUS[0]}}").returncode == code


def test_a_closed_stream_discards_the_output(path):
    done = run_in_shell(f"parquetext count {path} >&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = run_in_shell("parquetext count nowhere.parquet 2>&-")
    assert (done.returncode, done.stderr) == (2, "")


OTHERS = "cat --json", "pages", "count", "count --json", "verify", "--version"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "command",
    ["cat", "-h", *(pytest.param(command, marks=pytest.mark.slow) for command in OTHERS)],
)
def test_a_full_disk_behind_the_output_is_no_fault_of_the_file(path, command, unbuffered):
    done = run_in_shell(f"export PYTHONUNBUFFERED={unbuffered}; parquetext {command} {path} > /dev/full")
    assert (done.returncode, done.stderr) == (2, "parquetext: standard output: No space left on device\n")


@pytest.mark.parametrize("command", ["cat --json", "columns"])
def test_characters_that_the_output_lacks_are_written_as_json_does(tmp_path, command):
    pq.write_table(pa.table({"größe": ["長 😀"]}), tmp_path / "x.parquet")
    done = run_in_shell(f"export PYTHONIOENCODING=ascii; parquetext {command} {tmp_path / 'x.parquet'}")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"gr\u00f6\u00dfe" in done.stdout
    assert command == "columns" or json.loads(done.stdout) == {"größe": "長 😀"}
