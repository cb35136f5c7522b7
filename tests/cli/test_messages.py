"""Messages of the command for mistyped arguments and damaged files."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.typer_runner import CliRunner
from support.users import ANNA, as_user, shared_folder

import parquetext
from parquetext import kernels
from parquetext.cli import output
from parquetext.cli.app import app
from parquetext.cli.new_form import FormOfCopy
from parquetext.cli.outcomes import failure
from parquetext.errors import ColumnError, ParquetextError
from parquetext.footer import forms


def run(*words: object):
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.stderr


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"price": [1.5, 2.5], "qty": [1, 2], "name": ["x or y = 2", "z"], "n": [{"a": 1}, {"a": 2}]})
    pq.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("price => 999.9", "no operator '=>' in 'price => 999.9'; did you mean '>='?"),
        ("price =< 9", "no operator '=<' in 'price =< 9'; did you mean '<='?"),
        ("price === 9", "no operator '===' in 'price === 9'; did you mean '=='?"),
        ("price <<= 9", "no operator '<<=' in 'price <<= 9'; there are =, ==, !=, <>, <, <=, >, >="),
        ("price > 1 and qty < 5", "--filter 'price > 1' --filter 'qty < 5'"),
        ("name = x AND qty < 5", "--filter 'name = x' --filter 'qty < 5'"),
        ("price > 1 or qty < 5", "there is no 'or'"),
        ("n.a > 1", "'n.a' is a part of column 'n', and conditions are about whole columns"),
        ('"n.a" > 1', "no column '\"n.a\"'"),
    ],
)
def test_a_mistyped_condition_shows_the_syntax(path, condition, message):
    code, said = run("head", path, "--filter", condition)
    assert (code, said.count("\n")) == (2, 1) and message in said and said.startswith(f"{path}: ")
    assert said.count(str(path)) == 1


@pytest.mark.parametrize("condition", ["name = 'x or y = 2'", 'name = "x or y = 2"', "name in ('x or y = 2', q)"])
def test_a_quoted_value_may_look_like_a_condition(path, condition):
    done = CliRunner().invoke(app, ["head", str(path), "--json", "--filter", condition])
    assert done.exit_code == 0 and len(done.stdout.splitlines()) == 1


def test_no_name_is_suggested_for_itself():
    error = ColumnError("no column 'n.a'", absent="n.a")
    error.suggest(["n.a"])
    assert error.message == "no column 'n.a'"
    error = ColumnError("no column ('n', 'a')", absent=("n", "a"))
    error.suggest(["n.a", "n.b"])
    assert error.message == "no column ('n', 'a'); the nearest: 'n.b'"


def test_encode_suggests_columns(path):
    code, said = run("encode", path, "--column", "prise", "--encoding", "alp")
    assert code == 1 and f"{path}: no column 'prise'; the nearest: 'price'\n" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("head -n abc", "'abc' is not a valid int"),
        ("head -n -5", "-5 is not in the range x>=0"),
        ("rewrite --out x.parquet --codec zst", "'zst' is not one of"),
        ("upgrade --form flatt", "'flatt' is not one of"),
        ("rewrite --out x.parquet --form parx", "'parx' is not one of"),
        ("merge --out x.parquet --form par3", "'par3' is not one of"),
        ("split --out x --form parx", "'parx' is not one of"),
        ("sidecar build --ignore x", "'x' is not one of"),
    ],
)
def test_a_wrong_option_is_reported_in_plain_words(path, words, message):
    code, said = run(*words.split(), path)
    said = " ".join(said.replace("│", " ").split())
    assert code == 2 and message in said


def test_the_forms_of_new_files_are_those_that_the_functions_accept():
    def is_accepted(form: str) -> bool:
        try:
            forms.check_writable(form, forms.THRIFT.name)
        except ParquetextError:
            return False
        return True

    assert [*FormOfCopy] == [form for form in forms.Form if is_accepted(form)]
    assert {"auto", "flat", "modular", "thrift"} <= {*FormOfCopy} < {*forms.Form}


@pytest.mark.parametrize("command", ["merge", "split", "rewrite"])
def test_the_help_lists_the_forms_that_the_command_accepts(command):
    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0 and "modular" in done.output
    assert "par3" not in done.output and "parx" not in done.output


def test_advice_to_rewrite_a_file_names_the_new_one():
    advice = [spec.no_thrift for spec in forms.SPECS if "rewrite" in spec.no_thrift]
    advice += (Path(__file__).parents[2] / "docs" / "formats.md").read_text().splitlines()
    advised = [line for line in advice if "parquetext rewrite --form thrift" in line]
    assert len(advised) >= 3 and all("rewrite --form thrift --out NEW.parquet" in line for line in advised)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("rewrite", "x.parquet"),
        ("merge", "x.parquet"),
        ("encode --column price --encoding alp", "x.parquet"),
        ("layout", "x.html"),
    ],
)
def test_an_output_without_its_folder_is_named_once(path, tmp_path, words, name):
    out = tmp_path / "no" / "such" / name
    command, *options = words.split()
    code, said = run(command, path, *options, "--html" if command == "layout" else "--out", out)
    line = said.splitlines()[0]
    assert code in (1, 2) and line == f"{out}: there is no folder {out.parent}"


@pytest.mark.parametrize("command", ["head", "columns", "upgrade", "inspect", "verify", "layout"])
def test_a_cut_file_is_said_to_be_one(path, tmp_path, command):
    data = path.read_bytes()
    cut, text = tmp_path / "cut.parquet", tmp_path / "text.parquet"
    cut.write_bytes(data[: len(data) // 2])
    text.write_bytes(b"some text, and no Parquet file")
    message = "it begins as a Parquet file (b'PAR1') and does not end as one: it was cut, not written to its end"
    for file, is_cut in ((cut, True), (text, False)):
        done = CliRunner().invoke(app, [command, str(file)])
        assert done.exit_code in (1, 2)
        assert (message in done.output) == is_cut
        assert ("not a Parquet file" in done.output) != is_cut


def test_bytes_of_a_cut_file_are_said_to_be_cut(path):
    with pytest.raises(parquetext.errors.Malformed, match="was cut"):
        parquetext.open(path.read_bytes()[:300])


def test_missing_kernels_are_reported_with_the_reason():
    program = """
import importlib.machinery, sys

importlib.machinery.EXTENSION_SUFFIXES = []  # so that no file is found to be the compiled library
from parquetext.cli import main
sys.argv = ["parquetext", "--version"]
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and "_native" not in done.stdout
    if not kernels.is_pure_asked_for():
        assert "no compiled kernels for this Python: the package has core." in done.stdout
        assert "RuntimeWarning: parquetext is slow: no compiled kernels for this Python" in done.stderr


@pytest.mark.parametrize("command", ["count", "head", "meta", "pages"])
def test_json_describes_a_wrong_path_in_plain_words(tmp_path, command):
    absent = tmp_path / "absent.parquet"
    (document,) = map(json.loads, CliRunner().invoke(app, [command, str(absent), "--json"]).stdout.splitlines())
    assert document["error"] == "FileNotFoundError" and document["path"] == str(absent)
    assert document["message"] == f"{absent}: No such file or directory"


@pytest.mark.parametrize("command", ["head", "pages", "columns", "schema"])
def test_a_directory_in_place_of_a_file_is_reported_with_the_remedy(tmp_path, command):
    folder = tmp_path / "dir.parquet"
    folder.mkdir()
    done = CliRunner().invoke(app, [command, str(folder)])
    assert done.exit_code == 2 and done.stderr.count(str(folder)) == 1
    assert "name a file in it" in done.stderr or "no Parquet files there" in done.stderr


def test_a_new_file_in_a_missing_folder_is_reported_in_json_too(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    words = "rewrite", str(path), "--out", str(tmp_path / "none" / "b.parquet"), "--json"
    done = CliRunner().invoke(app, words)
    message = json.loads(done.stdout)["message"]
    assert done.exit_code == 1 and message == f"{tmp_path}/none/b.parquet: there is no folder {tmp_path}/none"


def test_every_line_of_json_is_json_for_infinities_too(tmp_path):
    path = tmp_path / "a.parquet"
    values = [1.5, float("inf"), float("-inf"), float("nan")]
    pq.write_table(pa.table({"d": values}), path, write_page_index=True)

    def refuse(name: str):
        raise AssertionError(name)

    for words in (["pages"], ["columns"], ["columns", "-g"], ["head"], ["cat"]):
        lines = CliRunner().invoke(app, [*words, str(path), "--json"]).stdout.splitlines()
        documents = [json.loads(line, parse_constant=refuse) for line in lines]
        assert documents
    assert [document["d"] for document in documents] == [1.5, "inf", "-inf", "nan"]
    pages = [json.loads(line) for line in CliRunner().invoke(app, ["pages", str(path), "--json"]).stdout.splitlines()]
    assert (pages[-1]["min"], pages[-1]["max"]) == ("-inf", "inf")


folder_of_root = pytest.fixture(shared_folder)


def test_a_folder_that_must_not_be_written_is_named_instead_of_a_hidden_file(folder_of_root):
    folder_of_root.chmod(0o755)
    path = folder_of_root / "a.parquet"
    path.write_bytes(b"")

    def work() -> str:
        hidden = PermissionError(13, "Permission denied", f"{folder_of_root}/.a.parquet.parquetext-new")
        there = PermissionError(13, "Permission denied", str(path))
        return "\n".join(failure(path, error)["message"] for error in (hidden, there))

    first, second = as_user(ANNA, work).splitlines()
    assert first.endswith(f"parquetext-new: no permission to write to the folder {folder_of_root}")
    assert second == f"{path}: Permission denied"


@pytest.mark.parametrize("name", ["a", "d", "it", "1", "."])
@pytest.mark.parametrize("command", ["head", "columns", "rewrite --out x.parquet"])
def test_a_path_that_is_a_word_of_the_message_is_named(tmp_path, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).mkdir(exist_ok=True)
    command, *options = command.split()
    code, said = run(command, name, *options)
    assert code == 2 and said.startswith(f"{name}: a ")


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_damaged_file_is_named_once(path, scheme):
    path.write_bytes(path.read_bytes()[:-1])
    code, said = run("head", f"{scheme}{path}")
    assert code == 2 and said.startswith(f"{path}: ") and said.count(str(path)) == 1


@pytest.mark.parametrize(("command", "option"), [("explain", "--where"), ("head", "--filter")])
def test_a_condition_about_a_group_that_lost_its_leaves_is_refused(path, command, option):
    def cut(footer: dict) -> None:
        group = next(element for element in footer["schema"] if element["name"] == "n")
        group["num_children"] = 0
        footer["schema"].pop()
        for row_group in footer["row_groups"]:
            row_group["columns"].pop()

    with_footer(path, cut)
    assert run(command, path, option, "n = 3") == (
        2,
        f"{path}: column 'n' is a group without leaves, which has no values\n",
    )


def test_a_message_is_written_at_once_also_if_the_stream_is_not_buffered(monkeypatch):
    class Unbuffered(io.StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    written: list[str] = []
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stderr", Unbuffered())
    output.tell(("Refused: ", "red"), "a\n", "b", is_error=True)
    assert written == ["Refused: a\\nb\n"]
