"""Tests of storage, edits, footers and commands pass without the functions that a system lacks: `pytest --system`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.systems import SYSTEMS

TESTS = Path(__file__).parent
PART = (
    *("storage/test_commits.py", "storage/test_rewriting.py"),
    *("edits/test_upgrade.py", "edits/test_refusals.py", "edits/test_many.py"),
    *("footer/test_open.py", "footer/test_locate.py"),
    "arrow/test_read.py",
    "arrow/test_replaced_files.py",
    "cli/test_exit_codes.py",
)


def passed(system: str, *paths: str) -> int:
    """How many tests pass there; none fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--system", system]
    done = subprocess.run(
        [*command, *(TESTS / path for path in paths)], capture_output=True, text=True, errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return int(re.search(r"(\d+) passed", done.stdout)[1])


@pytest.fixture(params=SYSTEMS)
def system(request) -> str:
    if request.config.getoption("--system"):
        pytest.skip("it is another system already")
    return request.param


@pytest.mark.slow
def test_a_part_of_them_passes(system, request):
    if system != "windows":
        request.getfixturevalue("long")
    assert passed(system, *PART) > 120


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("folder", ["storage", "edits", "footer", "cli"])
def test_all_of_them_pass(system, folder, long):
    assert passed(system, folder) > 350
