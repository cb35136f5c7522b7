"""Completion in shells, -h for every command, and --quiet for each command that checks or changes files."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.typer_runner import CliRunner
from typer.main import get_command

from parquetext import sidecar
from parquetext.cli.app import PANELS, app, build

COMMANDS = get_command(app).commands
SIDECAR = COMMANDS["sidecar"].commands
ANSWERS = {"schema", "meta", "columns", "row-groups", "count", "rowcount", "head", "cat", "explain", "pages"}
OTHERS = {"sidecar"}


def test_commands_of_every_level_answer_h():
    for name in ("", *COMMANDS, *(f"sidecar {name}" for name in SIDECAR)):
        done = CliRunner().invoke(app, [*name.split(), "-h"])
        assert done.exit_code == 0 and "--help" in done.output, name


def test_each_command_is_found_in_the_module_that_is_imported_for_it():
    for modules in PANELS.values():
        for names in modules.values():
            for name in names:
                assert get_command(build(name)).commands.keys() == set(names)
    assert COMMANDS.keys() == {name for modules in PANELS.values() for names in modules.values() for name in names}


def test_a_command_of_the_footer_imports_no_other_command_and_no_decoder(tmp_path):
    """Their imports take longer than the answer."""
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    program = """
import sys
from parquetext.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
    for command in ("columns", "count", "meta", "row-groups"):
        words = [sys.executable, "-c", program, command, str(tmp_path / "a.parquet")]
        done = subprocess.run(words, capture_output=True, text=True)
        imported = done.stderr.split()
        assert done.returncode == 0 and "parquetext.cli.footer_commands" in imported
        assert not {"parquetext.cli.row_commands", "parquetext.arrow.file"} & set(imported)


def test_commands_that_check_or_change_files_have_quiet():
    have = {name for name, command in COMMANDS.items() if "quiet" in {option.name for option in command.params}}
    assert have == COMMANDS.keys() - ANSWERS - OTHERS
    assert all("quiet" in {option.name for option in command.params} for command in SIDECAR.values())


@pytest.mark.parametrize("command", ["verify", "upgrade --form flat", "strip", "recover", "sidecar build"])
def test_quiet_leaves_errors(tmp_path, command):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    done = CliRunner().invoke(app, [*command.split(), "--quiet", str(tmp_path / "a.parquet")])
    assert (done.exit_code, done.output) == (0, "")
    done = CliRunner().invoke(app, [*command.split(), "-q", str(tmp_path / "none.parquet"), str(tmp_path)])
    assert (done.exit_code, done.stdout) == (1, "") and "none.parquet" in done.stderr
    assert CliRunner().invoke(app, ["count", str(tmp_path)]).stdout, "it holds for one command alone"


def test_quiet_prints_one_line_for_each_finding_of_verify(tmp_path):
    fine, torn = tmp_path / "fine.parquet", tmp_path / "torn.parquet"
    pq.write_table(pa.table({"a": [1]}), fine)
    torn.write_bytes(fine.read_bytes()[:-4] + b"torn")
    done = CliRunner().invoke(app, ["verify", "-q", str(fine), str(torn)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{torn}: tail: it begins as a Parquet file") and done.stderr.count("\n") == 1

    sidecar.build(fine)
    pq.write_table(pa.table({"a": [2]}), fine)
    done = CliRunner().invoke(app, ["sidecar", "verify", "-q", str(fine)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr and all(line.startswith(f"{fine}: ") for line in done.stderr.splitlines())


@pytest.fixture
def shell(monkeypatch, capsys):
    """Return the program's output for a shell that sets these variables."""

    def answer(**variables: str) -> str:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            app(args=[], prog_name="parquetext")
        return capsys.readouterr().out

    return answer


@pytest.fixture
def complete(shell):
    """Return the completions of the last word."""

    def completed(words: str, name: str = "bash") -> str:
        return shell(
            _PARQUETEXT_COMPLETE=f"complete_{name}",
            _TYPER_COMPLETE_ARGS=words,
            _TYPER_COMPLETE_FISH_ACTION="get-args",
            COMP_WORDS=words,
            COMP_CWORD=str(words.count(" ")),
        )

    return completed


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_choices(complete, name):
    assert "row-groups" in complete("parquetext ro", name)
    found = complete("parquetext schema --format ", name)
    assert [choice for choice in ("parquet", "arrow", "spark", "duckdb") if choice not in found] == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell, name):
    assert f"_PARQUETEXT_COMPLETE=complete_{name}" in shell(_PARQUETEXT_COMPLETE=f"source_{name}")


def test_columns_of_the_file_and_encodings_are_completed(complete, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"price": [1], "prize": [{"won": 1}], "name": ["x"]}), path)
    assert complete(f"parquetext columns {path} pri").split() == ["price", "prize.won"]
    assert complete(f"parquetext head {path} --column n").split() == ["name"]
    assert complete(f"parquetext bloom {path} ").split() == ["price", "prize.won", "name"]
    assert complete(f"parquetext columns {tmp_path / 'none.parquet'} p").strip() == ""
    assert complete(f"parquetext encode {path} --encoding byte").split() == ["byte_stream_split"]


RIDDLES = re.compile(r"\b(stands?|is told|goes on|somebody|ours?|with so many)\b|exit code \d where|, and says")


def _texts(name, command):
    yield name, command.help
    for each in command.params:
        if each.name not in {"install_completion", "show_completion"}:
            yield f"{name} {each.opts[0]}", each.help


def test_help_texts_are_sentences_without_riddles():
    commands = COMMANDS | {f"sidecar {name}": command for name, command in SIDECAR.items()}
    for name, text in (each for command in commands for each in _texts(command, commands[command])):
        assert text[0].isupper() or text.startswith("arrow:"), (name, text)
        assert text.rstrip().endswith("."), (name, text)
        assert not RIDDLES.search(text), (name, text)


def test_completion_is_not_installed_in_a_home_that_cannot_be_written(tmp_path):
    (tmp_path / ".bash_completions").touch()  # not a folder
    command = [sys.executable, "-m", "parquetext", "--install-completion"]
    environment = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run([*command, "bash"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert done.stderr.startswith(f"parquetext: {tmp_path}/.bash_completions: ") and done.stderr.count("\n") == 1
