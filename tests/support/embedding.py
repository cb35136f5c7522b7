"""The examples of docs/embedding.md, commands that build them, and the functions of the public header."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CSRC = ROOT / "csrc"
SMALL_CARGO = '[package]\nname = "rows"\nversion = "0.1.0"\nedition = "2021"\n'


def declarations(header: Path = CSRC / "include/parquetext.h") -> dict[str, list[str]]:
    """Return the parameters of each public function."""
    code = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    found = re.findall(r"^PQX_API [^(;]*?\b(pqx_\w+)\(([^;]*)\);", code, re.MULTILINE)
    return {name: parameters.split(",") for name, parameters in found}


def needs(*commands: str) -> pytest.MarkDecorator:
    missing = [command for command in commands if not shutil.which(command)]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def example(language: str, title: str) -> str:
    """Return the code block of the page whose first line is a comment with the title."""
    page = (ROOT / "docs/embedding.md").read_text()
    for text in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL):
        if re.sub(r"[#/*]", "", text.partition("\n")[0]).strip() == title.replace("/", ""):
            return text
    raise LookupError(f"docs/embedding.md has no block of {language} with the title {title!r}")


def commands(title: str) -> str:
    """Return the commands after the comment with the title."""
    page = (ROOT / "docs/embedding.md").read_text()
    (found,) = re.findall(rf"^# {re.escape(title)}\n((?:[^#`\n].*\n)+)", page, re.MULTILINE)
    return found


def made(tmp_path_factory, *words: str) -> Path:
    """Run make with the words, and return the folder of its build, which the processes of a run of tests share."""
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "made"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run(["make", "-s", "-j2", "-C", CSRC, f"BUILD={folder}", "CFLAGS=-O0 -Werror", *words], CSRC)
    return folder


def run(command: list | str, folder: Path, environment: dict | None = None) -> str:
    """Run a command in a folder, and return its output, or fail with it."""
    done = subprocess.run(
        command, cwd=folder, env=environment, shell=isinstance(command, str), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
