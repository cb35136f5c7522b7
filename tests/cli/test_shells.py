"""What shells complete, -h for every command, and --quiet wherever a command checks or changes files."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from parquetext.cli.app import app

COMMANDS = get_command(app).commands
SIDECAR = COMMANDS["sidecar"].commands
ANSWERS = {"schema", "meta", "columns", "row-groups", "count", "rowcount", "head", "cat", "inspect", "layout", "pages"}
OTHERS = {"bench", "demo", "sidecar"}


def test_commands_of_every_level_answer_h():
    for name in ("", "schema", "upgrade", "sidecar", "sidecar build"):
        done = CliRunner().invoke(app, [*name.split(), "-h"])
        assert done.exit_code == 0 and "--help" in done.output, name


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


@pytest.fixture
def shell(monkeypatch, capsys):
    """What the program prints to a shell that asks it by these variables."""

    def answer(**variables: str) -> str:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit):
            app(args=[], prog_name="parquetext")
        return capsys.readouterr().out

    return answer


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_choices(shell, name):
    def completed(words: str) -> str:
        return shell(
            _PARQUETEXT_COMPLETE=f"complete_{name}",
            _TYPER_COMPLETE_ARGS=words,
            _TYPER_COMPLETE_FISH_ACTION="get-args",
            COMP_WORDS=words,
            COMP_CWORD=str(words.count(" ")),
        )

    assert "row-groups" in completed("parquetext ro")
    found = completed("parquetext schema --format ")
    assert [choice for choice in ("parquet", "arrow", "spark", "duckdb") if choice not in found] == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell, name):
    assert f"_PARQUETEXT_COMPLETE=complete_{name}" in shell(_PARQUETEXT_COMPLETE=f"source_{name}")
