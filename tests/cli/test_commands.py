"""The command line as a user meets it: real processes would be slow, so the app runs in this one."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from support.cli_runs import run
from support.flat_files import as_par3
from support.parquet_bytes import footer_of, parquet_bytes, with_footer

import parquetext
from parquetext import demo, edits, extension
from parquetext.cli import choices
from parquetext.cli.app import app
from parquetext.cli.choices import Reader
from parquetext.demo.readers import READERS
from parquetext.edits.options import PLACEMENTS, STATS
from parquetext.inspection.content import file_differences
from parquetext.inspection.content.schema_text import FORMATS


@pytest.fixture
def lake(tmp_path) -> Path:
    """A folder with two good files in partitions, one bad one, and names to be skipped."""
    table = pa.table({"a": list(range(100)), "b": [f"x{n}" for n in range(100)]})
    for part in ("day=1", "day=2"):
        (tmp_path / part).mkdir()
        pq.write_table(table, tmp_path / part / "part-0.parquet")
    (tmp_path / "day=2" / "_hidden.parquet").write_bytes(b"not looked at")
    return tmp_path


def test_encode_and_strip(lake):
    before = {path: path.read_bytes() for path in lake.rglob("part-*.parquet")}
    options = ("--column", "a", "--encoding", "DELTA_BINARY_PACKED", "--column", "b", "--encoding", "delta_byte_array")
    done = run("encode", lake, *options, "--codec", "zstd")
    assert done.exit_code == 0, done.output
    assert "2 files: 2 encoded" in done.output
    assert re.search(r"2 column chunks of [\d,]+ bytes have copies of", done.output)
    assert run("encode", lake, *options, "--codec", "zstd").output.strip().endswith("2 files: 2 unchanged")
    first = min(before)
    out = lake / "out.parquet"
    message = json.loads(run("encode", "--json", first, "--column", "a", "--encoding", "plain", "--out", out).stdout)
    assert (message["outcome"], message["bytes_after"]) == ("encoded", out.stat().st_size)
    assert message["message"].startswith(f"written to {out}; 1 column chunk of ")
    again = json.loads(run("encode", "--json", out, "--column", "a", "--encoding", "plain", "--out", lake / "x").stdout)
    assert (again["outcome"], again["message"]) == (
        "unchanged",
        "every column chunk with values has its copy; nothing is written",
    )
    out.unlink()
    content = first.read_bytes()
    would = json.loads(run("encode", "--json", "--dry-run", first, "--column", "b", "--encoding", "plain").stdout)
    assert (would["outcome"], first.read_bytes()) == ("would-encode", content)
    assert run("strip", lake).exit_code == 0
    assert {path: path.read_bytes() for path in lake.rglob("part-*.parquet")} == before


def test_encode_reports_impossible_requests(lake):
    path = next(lake.rglob("part-*.parquet"))
    for arguments in (
        ("--column", "a", "--encoding", "no such"),
        ("--column", "a", "--encoding", "plain", "--codec", "lzo"),
        ("--column", "a", "--column", "b", "--column", "c", "--encoding", "plain", "--encoding", "plain"),
    ):
        done = run("encode", path, *arguments)
        assert done.exit_code == 2, done.output
    for arguments in ((), ("--column", "a"), ("--encoding", "plain")):
        done = run("encode", path, *arguments)
        assert done.exit_code == 2 and "no column with an encoding" in done.output
    assert run("encode", lake, "--column", "a", "--encoding", "plain", "--out", lake / "x").exit_code == 2
    assert run("encode", path, "--column", "nothing", "--encoding", "plain").exit_code == 1


def test_upgrade_inspect_verify_strip(lake):
    before = {path: path.read_bytes() for path in lake.rglob("part-*.parquet")}
    done = run("upgrade", "--form", "flat", lake)
    assert done.exit_code == 0, done.output
    assert "2 files: 2 upgraded" in done.output
    assert run("upgrade", "--form", "flat", lake).output.strip().endswith("2 files: 2 unchanged")

    shown = [json.loads(line) for line in run("inspect", "--json", lake).stdout.splitlines()]
    assert [fields["form"] for fields in shown] == ["flat", "flat"]
    assert all(fields["rows"] == 100 and fields["columns"] == 2 and fields["findings"] == [] for fields in shown)
    assert all(fields["blocks"][0]["bytes"] > 0 for fields in shown)

    checked = run("verify", "--deep", lake)
    assert checked.exit_code == 0, checked.output
    assert "2 fine, 0 with findings" in checked.output

    assert run("strip", lake).exit_code == 0
    assert {path: path.read_bytes() for path in lake.rglob("part-*.parquet")} == before


def test_finalize_and_restore(lake):
    before = {path: path.read_bytes() for path in lake.rglob("part-*.parquet")}
    assert "2 files: 2 would-finalize" in run("finalize", "--dry-run", lake).output
    done = run("finalize", "--yes", "--in-place", "--keep-mtime", lake)
    assert done.exit_code == 0 and "2 files: 2 finalized" in done.output
    shown = [json.loads(line) for line in run("inspect", "--json", lake).stdout.splitlines()]
    assert [(fields["form"], fields["thrift_bytes"], fields["findings"]) for fields in shown] == [
        ("par3", None, [])
    ] * 2
    assert "2 fine, 0 with findings" in run("verify", "--deep", lake).output
    assert run("upgrade", "--form", "flat", lake).exit_code == 0  # each is refused
    results = [json.loads(line) for line in run("restore", "--json", lake).stdout.splitlines()]
    assert [(result["outcome"], result["form_after"]) for result in results] == [("restored", "thrift")] * 2
    assert {path: path.read_bytes() for path in lake.rglob("part-*.parquet")} == before

    run("upgrade", "--form", "flat", lake)
    assert run("finalize", "--yes", lake).exit_code == 0
    assert run("restore", "--bare", lake).exit_code == 0
    assert {path: path.read_bytes() for path in lake.rglob("part-*.parquet")} == before


ONLY_US = "only parquetext reads a finalized file, until restore"


def test_finalize_stops_without_confirmation(lake):
    before = {path: path.read_bytes() for path in lake.rglob("part-*.parquet")}
    for arguments in ((), ("--json",), ("--in-place",)):
        done = run("finalize", *arguments, lake)
        assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"{ONLY_US}; give --yes to go on\n")
    assert run("finalize", "--dry-run", lake).exit_code == 0
    assert {path: path.read_bytes() for path in lake.rglob("part-*.parquet")} == before


def test_finalize_asks_at_a_terminal(lake):
    path = lake / "day=1" / "part-0.parquet"
    for answer, code, magic in ((b"n\n", 2, b"PAR1"), (b"\n", 2, b"PAR1"), (b"\x04", 2, b"PAR1"), (b"y\n", 0, b"PAR3")):
        terminal, end = pty.openpty()
        os.write(terminal, answer)
        done = subprocess.run(
            [sys.executable, "-m", "parquetext", "finalize", str(path)], stdin=end, check=False, capture_output=True
        )
        os.close(end)
        os.close(terminal)
        assert (done.returncode, path.read_bytes()[-4:]) == (code, magic), done.stderr
        assert f"O{ONLY_US[1:]}. Go on? [y/N]" in done.stderr.decode()


def test_the_help_names_the_readers_of_finalized_files_and_the_dialect_first():
    commands = typer.main.get_command(app).commands
    assert commands["finalize"].help.startswith("Make files that ONLY PARQUETEXT READS")
    (dialect,) = (option.help for option in commands["upgrade"].params if option.name == "form")
    assert "no released reader reads it" in dialect and "parquet-go" in dialect


def test_foreign_blocks_are_wrapped_named_and_removed_on_request(tmp_path):
    path, kind = tmp_path / "x.parquet", UUID("4b6d2f0e-93a1-4c58-b7e2-6f1d08a95c37")
    original = parquet_bytes()
    theirs = with_footer(original, extension.append(footer_of(original), b"free-form bytes"))
    path.write_bytes(theirs)
    assert run("upgrade", "--form", "flat", path).exit_code == 1
    assert run("upgrade", "--form", "flat", "--wrap", "--placement", "in-struct", path).exit_code == 0
    upgraded = path.read_bytes()
    path.write_bytes(with_footer(upgraded, extension.append_block(footer_of(upgraded), kind, b"payload")))
    shown = json.loads(run("inspect", "--json", path).stdout)
    assert [block["kind"] for block in shown["blocks"]] == [
        f"unknown {kind}",
        "FlatBuffers footer, v1",
        "wrapped free-form bytes",
    ]
    assert [run(command, path).exit_code for command in ("inspect", "verify")] == [0, 0]
    assert run("strip", "--kind", kind, path).exit_code == 0
    assert path.read_bytes() == upgraded
    assert run("strip", path).exit_code == 0
    assert path.read_bytes() == theirs
    assert run("strip", "--all", path).exit_code == 0
    assert path.read_bytes() == original
    assert run("strip", "--kind", "acme", path).exit_code != 0


def test_one_bad_file_stops_no_other_and_counts_in_code_and_last_line(lake):
    (lake / "day=1" / "bad.parquet").write_bytes(b"this is no Parquet file")
    done = run("upgrade", "--form", "flat", lake)
    assert done.exit_code == 1
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("3 files:")
    assert "2 upgraded" in last
    assert "1 failed" in last
    assert "bad.parquet" in done.output


@pytest.fixture
def table_file(lake) -> Path:
    """A file of a Delta table within the lake."""
    (lake / "table" / "_delta_log").mkdir(parents=True)
    path = lake / "table" / "part-0.parquet"
    path.write_bytes(parquet_bytes())
    return path


def test_a_refused_file_in_a_folder_is_counted_and_is_no_failure(lake, table_file):
    done = run("upgrade", "--form", "flat", lake)
    assert done.exit_code == 0, done.output
    assert done.stdout.strip().splitlines()[-1] == "3 files: 2 upgraded, 1 refused"
    assert f"refused: {table_file}: it belongs to the Delta Lake table" in done.stderr
    message = [json.loads(line) for line in run("upgrade", "--form", "flat", "--json", lake).stdout.splitlines()]
    assert sorted(each["outcome"] for each in message) == ["refused", "unchanged", "unchanged"]


@pytest.mark.parametrize("command", [["upgrade", "--form", "flat"], ["strip"]], ids=" ".join)
def test_a_par3_file_in_a_folder_is_refused_and_is_no_failure(lake, command):
    path = lake / "day=1" / "final.parquet"
    path.write_bytes(as_par3(parquet_bytes()))
    done = run(*command, lake)
    assert done.exit_code == 0, done.output
    assert "1 refused" in done.stdout.strip().splitlines()[-1]
    assert f"refused: {path}: a PAR3 file has no Thrift footer; parquetext.restore brings it back" in done.stderr


@pytest.mark.parametrize("name", [str, lambda path: f"file://{path}"], ids=["path", "URI"])
def test_a_refused_file_that_was_named_sets_the_exit_code(lake, table_file, name):
    done = run("upgrade", "--form", "flat", name(table_file), lake / "day=1")
    assert done.exit_code == 1
    assert done.stdout.strip().splitlines()[-1] == "2 files: 1 refused, 1 upgraded"
    assert run("upgrade", "--ignore", "table-format", "--form", "flat", name(table_file)).exit_code == 0


def test_a_change_that_is_impossible_here_is_a_failure_and_no_refusal(lake):
    (lake / "day=1" / "link.parquet").hardlink_to(lake / "day=1" / "part-0.parquet")
    stray = lake / "day=2" / "stray.parquet"
    stray.write_bytes(with_footer(parquet_bytes(), footer_of(parquet_bytes()) + b"?"))
    done = run("upgrade", "--form", "flat", lake)
    assert done.exit_code == 1
    assert done.stdout.strip().splitlines()[-1] == "4 files: 2 refused, 1 upgraded, 1 failed"


def test_a_dry_run_reports_changes_and_makes_none(lake):
    path = lake / "day=1" / "part-0.parquet"
    before = path.read_bytes()
    done = run("upgrade", "--form", "flat", "--dry-run", "--json", path)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["outcome"] == "would-upgrade"
    assert path.read_bytes() == before


def test_json_has_one_document_per_file_also_for_failures(lake):
    bad = lake / "bad.parquet"
    bad.write_bytes(b"this is no Parquet file")
    records = [json.loads(line) for line in run("upgrade", "--form", "flat", "--json", lake).stdout.splitlines()]
    assert len(records) == 3
    failure = next(record for record in records if record["outcome"] == "failed")
    assert failure["path"] == str(bad)
    assert failure["error"] == "Malformed"


def test_json_names_a_file_as_it_was_given(lake, monkeypatch):
    monkeypatch.chdir(lake)
    for command in ("inspect", "verify", "upgrade", "strip", "recover"):
        records = [json.loads(line) for line in run(command, "--json", "day=1", "none.parquet").stdout.splitlines()]
        assert [record["path"] for record in records] == ["day=1/part-0.parquet", "none.parquet"]


def test_files_without_checksums_and_without_a_footer_are_distinguished(lake):
    path = lake / "day=1" / "part-0.parquet"
    assert run("verify", "--pages", path).stdout.startswith(f"ok  {path}  (thrift footer, no checksums, 4 pages)\n")
    run("upgrade", "--form", "flat", path)
    assert " KiB under checksums)" in run("verify", path).stdout
    path.write_bytes(b"text of no kind that anybody reads")
    message = run("verify", path).stdout
    assert f"findings  {path}  (no readable footer)" in message and "not in b'PAR1' (at offset 30)" in message


def test_one_row_group_is_no_plural(lake):
    assert "100 rows, 1 row group, 2 columns" in run("inspect", lake / "day=1").stdout


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--form", "fast"), ("auto", "flat", "index", "arrow")),
        (("--placement", "here"), ("aside", "in-struct", "after-stop")),
        (("--marker", "none"), ("spec", "thrift")),
        (("--stats", "no"), ("full", "compact")),
        (("--ignore", "it"), ("attributes", "free-form", "hard-links")),
    ],
    ids=lambda value: value[0].strip("-"),
)
def test_a_wrong_choice_is_exit_code_2_and_names_the_known_ones(option, message, lake):
    done = run("upgrade", *option, lake)
    assert (done.exit_code, done.stdout) == (2, "") and f"'{option[1]}' is not one of" in done.stderr
    assert [name for name in message if f"'{name}'" not in done.stderr.replace("\n│ ", "")] == []


def test_choices_are_those_of_the_library():
    assert [*choices.Ignorable] == [*edits.IGNORABLE] and [*choices.DiffKind] == [*file_differences.KINDS]
    assert {*choices.Placement} == {*PLACEMENTS} and {*choices.Stats} == {*STATS}
    assert {*choices.Marker} == {*extension.MARKERS} and {*choices.SchemaFormat} == {*FORMATS}


@pytest.mark.parametrize("command", ["upgrade", "inspect", "verify", "strip", "recover"])
def test_nothing_to_work_on_is_exit_code_2(command, tmp_path):
    for nothing in (tmp_path, tmp_path / "*.parquet"):
        done = run(command, nothing)
        assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"no Parquet files there: {nothing}\n")


@pytest.mark.parametrize("command", ["upgrade", "strip", "recover", "inspect", "verify"])
def test_a_missing_file_is_reported_and_counted(command, tmp_path, lake):
    done = run(command, tmp_path / "none.parquet")
    assert done.exit_code == 2
    message, *counts = done.stderr.splitlines()
    assert message == f"{tmp_path / 'none.parquet'}: No such file or directory" and counts == []
    assert run(command, tmp_path / "none.parquet", lake / "day=1").exit_code == 1
    records = [json.loads(line) for line in run(command, "--json", tmp_path / "none.parquet").stdout.splitlines()]
    assert [(record["outcome"], record["error"]) for record in records] == [("failed", "FileNotFoundError")]


@pytest.mark.parametrize("content", [b"", b"text of no kind that anybody reads"])
@pytest.mark.parametrize("command", ["upgrade", "strip", "inspect", "verify"])
def test_a_file_that_is_no_parquet_file_is_exit_code_1_and_stays_as_it_is(command, content, tmp_path):
    path = tmp_path / "no.parquet"
    path.write_bytes(content)
    done = run(command, path)
    assert done.exit_code == 1
    assert "not a Parquet file" in done.output
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "wrong",
    [
        ("--form", "par4"),
        ("--placement", "nowhere"),
        ("--marker", "none"),
        ("--ignore", "everything"),
    ],
)
def test_a_wrong_option_is_exit_code_2_before_any_file(wrong, lake):
    done = run("upgrade", *wrong, lake)
    assert (done.exit_code, done.stdout) == (2, "")
    assert wrong[1] in done.stderr


def test_the_help_names_every_refusal_that_can_be_forced():
    options = typer.main.get_command(app).commands["upgrade"].params
    (ignore,) = (option.help for option in options if option.name == "ignore")
    assert [name for name in edits.IGNORABLE if name not in ignore] == []


def test_findings_are_exit_code_1(lake):
    path = lake / "day=1" / "part-0.parquet"
    run("upgrade", "--form", "flat", "--placement", "in-struct", path)
    data = bytearray(path.read_bytes())
    data[-300] ^= 1
    path.write_bytes(data)
    done = run("verify", path)
    assert done.exit_code == 1
    assert "block-checksum" in done.output
    assert run("inspect", path).exit_code in (0, 1)


def test_the_version_names_the_active_kernels(implementation):
    done = run("--version")
    assert done.exit_code == 0
    assert parquetext.__version__ in done.output
    assert f"{implementation} kernels" in done.output


def test_python_m_runs_the_same_program(lake):
    command = [sys.executable, "-m", "parquetext", "inspect", "--json", str(lake / "day=1" / "part-0.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["form"] == "thrift"


def test_the_demo_runs_on_a_small_table(tmp_path):
    done = run("demo", "--columns", 50, "--row-groups", 2, "--folder", tmp_path, "--reader", "pyarrow")
    assert done.exit_code == 0, done.output
    assert "byte for byte" in done.output
    assert "everything is as it should be" in done.output


def test_the_demo_creates_the_folder_that_keeps_its_files(tmp_path):
    options = "--columns", 50, "--row-groups", 2, "--folder", tmp_path / "new/folder", "--reader", "pyarrow"
    assert run("demo", *options).exit_code == 0
    assert (tmp_path / "new/folder/wide-upgraded.parquet").is_file()


def test_a_command_without_a_required_package_names_it_and_the_remedy_in_one_line(tmp_path):
    (tmp_path / "parquetext").symlink_to(Path(parquetext.__file__).parent)
    command = [sys.executable, "-S", "-m", "parquetext", "--version"]  # -S: without the installed packages
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert done.stderr == "parquetext: No module named 'typer': pip install pyarrow rich typer zlib-ng\n"


def test_the_demo_without_a_temporary_folder_names_one_line_of_remedies(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    done = run("demo")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "set TMPDIR to a folder that can be written, or use --folder" in done.stderr
    done = run("demo", "--columns", 50, "--row-groups", 2, "--folder", tmp_path, "--reader", "pyarrow")
    assert done.exit_code == 0, done.output


def test_the_demo_shows_that_fastparquet_may_fail(tmp_path):
    pytest.importorskip("fastparquet")
    done = run("demo", "--columns", 50, "--row-groups", 2, "--folder", tmp_path, "--reader", "fastparquet")
    assert done.exit_code == 0, done.output
    assert "fastparquet reads the upgraded file" in done.output


def test_the_demo_shows_its_progress(tmp_path):
    message, advanced = [], []

    def say(what, total=None):
        message.append((what, total))
        return lambda: advanced.append(what)

    assert all(step.ok for step in demo.run(str(tmp_path), 14, 3, say=say, readers=["pyarrow"]))
    writing = "writing 14 columns × 3 row groups"
    assert (message[0], advanced) == ((writing, 3), [writing] * 3)


def test_the_choices_of_readers_are_those_that_there_are():
    assert list(Reader) == list(READERS)
    done = run("demo", "--reader", "nobody")
    assert (done.exit_code, done.stdout) == (2, "") and "'nobody' is not one of" in done.stderr


def test_json_names_our_own_classes_of_errors(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"not a Parquet file")
    assert json.loads(run("schema", "--json", path).stdout)["error"] == "Malformed"
