"""Typer's runner of commands, which makes the commands of the app once and not for each call.

Making them takes 40 ms, longer than most calls.
"""

from __future__ import annotations

from functools import cache

import typer.testing
from typer.testing import CliRunner

__all__ = ["CliRunner"]

typer.testing._get_command = cache(typer.testing._get_command)
