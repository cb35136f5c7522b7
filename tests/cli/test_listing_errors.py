"""Paths that cannot be listed: one line that names them, exit code 2, and nothing is done."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading

import pytest
from support.parquet_bytes import parquet_bytes
from support.typer_runner import CliRunner

from parquetext import systems
from parquetext.cli.app import app

COMMANDS = [("verify",), ("inspect",), ("upgrade", "--form", "flat"), ("strip",), ("recover",), ("sidecar", "build")]


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.parquet"
    path.write_bytes(parquet_bytes())
    return path


@pytest.fixture(scope="module")
def forbidding():
    """The address of a store that gives nobody access."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(403)

        do_HEAD = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def check(path: str, good, named: str | None = None) -> None:
    before = good.read_bytes()
    for command in COMMANDS:
        done = CliRunner().invoke(app, [*command, str(good), path])
        assert done.exit_code == 2 and done.stdout == "", (command, done.output, done.exception)
        assert len(done.stderr.splitlines()) == 1 and (named or path) in done.stderr, (command, done.stderr)
        assert "SECRET" not in done.stderr
    assert good.read_bytes() == before and [entry.name for entry in good.parent.iterdir() if entry.is_file()] == [
        "good.parquet"
    ]


@pytest.mark.parametrize("path", ["http://127.0.0.1:9/x.parquet", "https://127.0.0.1:9/", "foo://bar/x", "s3:///"])
def test_schemes_that_nothing_reads(good, path):
    check(path, good)


def test_a_store_that_gives_no_access(good, forbidding):
    check(
        f"s3://key:SECRET@bucket/x?endpoint_override={forbidding}&scheme=http&region=x",
        good,
        f"@bucket/x?endpoint_override={forbidding}",
    )


def test_pipes_and_devices(good):
    os.mkfifo(good.parent / "pipe")
    check(str(good.parent / "pipe"), good)
    check("/dev/null", good)


def test_a_pipe_within_a_folder_fails_alone(good):
    os.mkfifo(good.parent / "pipe.parquet")
    done = CliRunner().invoke(app, ["verify", str(good.parent)])
    assert done.exit_code == 1 and "2 files: 1 fine, 0 with findings, 1 unreadable" in done.stdout
    assert done.stderr == f"{good.parent}/pipe.parquet: not a regular file\n"


def test_an_error_without_a_file_is_printed_with_its_file(good, monkeypatch):
    def fails(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(systems, "pread", fails)
    done = CliRunner().invoke(app, ["verify", str(good)])
    monkeypatch.undo()
    assert done.stderr == f"{good}: Input/output error\n", done.output


def test_jobs_without_pyspark_are_one_line_and_exit_code_2():
    program = (
        "import sys, runpy; sys.modules['pyspark'] = None; sys.argv[1:] = ['verify', '/lake']; "
        "runpy.run_module('parquetext.spark', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith("Unsupported: jobs need pyspark: pip install 'parquetext[spark]'")
