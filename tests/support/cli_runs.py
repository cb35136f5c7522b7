"""Commands run in this process."""

from __future__ import annotations

import json

from click.testing import Result
from support.typer_runner import CliRunner

from parquetext.cli.app import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def documents(*arguments: object) -> list[dict]:
    """The JSON documents that a command prints."""
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]
