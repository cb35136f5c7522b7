"""Ctrl-C: how many files were done, that the same command goes on, exit code 130, and no file half written."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.commands import OF_MANY, OF_ONE
from support.typer_runner import CliRunner

from parquetext import demo, edits, kernels, sidecar
from parquetext.cli import outcomes
from parquetext.cli.app import app
from parquetext.inspection import integrity
from parquetext.sidecar import describing
from parquetext.storage.source import LocalSource, Source

FILES = 5


@pytest.fixture
def lake(tmp_path):
    for number in range(FILES):
        pq.write_table(pa.table({"a": [number]}), tmp_path / f"part-{number}.parquet")
    return tmp_path


def third_time(action):
    """An action that is interrupted when it is done for the third time."""
    calls = []

    def interrupted(*arguments, **options):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return action(*arguments, **options)

    return interrupted


@pytest.mark.parametrize(
    ("command", "where", "message"),
    [
        ("upgrade --form flat", (edits, "upgrade"), "2 of 5 files done; the same command goes on with the rest"),
        ("strip", (edits, "strip"), "2 of 5 files done; the same command goes on with the rest"),
        ("sidecar build", (sidecar, "build"), "2 of 5 files done; the same command goes on with the rest"),
        ("verify", (integrity, "verify"), "2 of 5 files verified"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_an_interrupted_command_reports_the_finished_files(lake, monkeypatch, command, where, message):
    module, name = where
    monkeypatch.setattr(module, name, third_time(getattr(module, name)))
    done = CliRunner().invoke(app, [*command.split(), str(lake)])
    assert (done.exit_code, done.stderr) == (130, f"stopped by Ctrl-C: {message}\n")


@pytest.mark.parametrize("command", [*OF_MANY, *OF_ONE, "sidecar prune", "demo"])
def test_every_command_ends_in_one_line_and_code_130(lake, monkeypatch, command):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    for module, name in (
        (kernels.local, "LocalFile"), (edits, "recover"), (sidecar, "prune"), (Source, "read"),
        (demo.wide_table, "make_file"), (sidecar, "build"), (sidecar, "update"), (sidecar, "compact"),
        (sidecar, "compare"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, interrupted)
    monkeypatch.setattr(LocalSource, "read", interrupted)
    monkeypatch.setattr(describing, "description", interrupted)
    where = [lake / "part-0.parquet"] if command in OF_ONE else [] if command == "demo" else [lake]
    done = CliRunner().invoke(app, [*command.split(), *map(str, where), *(OF_MANY | OF_ONE).get(command, [])])
    assert done.exit_code == 130, (done.output, done.exception)
    *said, last = done.stderr.splitlines()
    assert last.startswith("stopped by Ctrl-C: ") and len(said) <= (command == "demo")


def test_the_same_command_continues_with_the_rest(lake, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(edits, "upgrade", third_time(edits.upgrade))
        assert CliRunner().invoke(app, ["upgrade", "--form", "flat", str(lake)]).exit_code == 130
    done = CliRunner().invoke(app, ["upgrade", "--form", "flat", str(lake)])
    assert done.exit_code == 0 and done.stdout.splitlines()[-1] == "5 files: 3 upgraded, 2 unchanged"


def test_a_real_process_ends_so(lake):
    program = """
import signal, sys
from parquetext import edits
upgrade, done = edits.upgrade, []

def slow(path, **options):
    if done:
        print("ready", flush=True)
        signal.pause()
    done.append(path)
    return upgrade(path, **options)

edits.upgrade = slow
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have let its children ignore it
from parquetext.cli import main
sys.argv = ["parquetext", "upgrade", "--form", "flat", "--quiet", sys.argv[1]]
main()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(lake)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=30)
    assert process.returncode == outcomes.STOPPED
    assert message == "stopped by Ctrl-C: 1 of 5 files done; the same command goes on with the rest\n"
    assert not [path for path in lake.iterdir() if not path.name.startswith("part-")]


A_LONG_CALL = 'hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)'  # half an hour, in which nothing interrupts it


def stopped(program: str, *words: object) -> tuple[int, str]:
    """Run a program until it reports that it is ready, stop it, and return its exit code and output."""
    begin = "import hashlib, signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    end = "from parquetext.cli import main\nmain()\n"
    command = [sys.executable, "-c", begin + program + end, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            _, message = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, message


def test_a_long_call_ends_with_the_command_and_leaves_no_new_file(lake):
    before = {path.name: path.read_bytes() for path in lake.iterdir()}
    program = f"""
from parquetext.arrow.writing import writer

def slow(self, *_, **__):
    print("ready", flush=True)
    {A_LONG_CALL}

writer.ParquetWriter.write_table = writer.ParquetWriter.write_batch = slow
"""
    code, message = stopped(program, "rewrite", lake / "part-0.parquet", "--out", lake / "new.parquet")
    assert (code, message) == (130, "stopped by Ctrl-C: nothing is written; the same command begins again\n")
    assert {path.name: path.read_bytes() for path in lake.iterdir()} == before


def test_a_thread_in_a_long_call_is_not_waited_for(lake):
    program = f"""
from parquetext import threads
from parquetext.inspection import integrity

def slow(*_, **__):
    with threads.Pool(1) as pool:
        task = pool.submit(lambda: {A_LONG_CALL})
        print("ready", flush=True)
        task.result()

integrity.verify = slow
"""
    assert stopped(program, "verify", lake) == (130, "stopped by Ctrl-C: 0 of 5 files verified\n")


def test_a_change_in_place_is_ended_first(lake):
    path = lake / "part-0.parquet"
    before = path.read_bytes()
    program = """
from parquetext.storage.operations import Operations
truncate = Operations.truncate

def slow(self, *arguments):
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 4_000_000)  # longer than a command has to end by itself
    truncate(self, *arguments)

Operations.truncate = slow
"""
    code, _ = stopped(program, "upgrade", "--form", "flat", "--in-place", path)
    assert code == 130 and len(list(lake.iterdir())) == FILES
    if path.read_bytes() != before:
        edits.strip(path)
    assert path.read_bytes() == before


def test_the_line_is_there_if_a_command_is_stopped_before_it_begins_its_work(lake):
    program = f"""
from parquetext.cli import footer_commands, outcomes

def slow(*_, **__):
    print("ready", flush=True)
    {A_LONG_CALL}

outcomes.targets_of = slow
from parquetext.cli import each_file
each_file.targets_of = slow
"""
    assert stopped(program, "count", lake) == (130, "stopped by Ctrl-C: no work had started\n")


def test_a_command_that_is_stopped_while_it_is_imported_ends_in_one_line(lake):
    program = """
import sys
from importlib.abc import MetaPathFinder

class Stops(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == "parquetext.cli.app":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stops())
from parquetext.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program, "verify", str(lake)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped by Ctrl-C: no work had started\n")


def test_ctrl_c_before_the_command_is_known_ends_in_one_line():
    """Interrupt the main thread while it waits for the thread that watches for Ctrl-C."""
    code = (
        "import signal, sys, threading, time\n"
        "start = threading.Thread.start\n"
        "def interrupted(thread):\n"
        "    start(thread)\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "threading.Thread.start = interrupted\n"
        "sys.argv = ['parquetext', '--version']\n"
        "from parquetext.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "stopped by Ctrl-C: no work had started\n")
