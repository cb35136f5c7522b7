"""Changes killed at every system call, by the program `kill_driver.py`; skips where nothing may trace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import parquetext

DRIVER = Path(__file__).parent / "kill_driver.py"
IMPORTED_FROM = Path(parquetext.__file__).parents[1]


def kill_at_every_call(folder: Path, cases: list[dict]) -> dict[str, dict[str, int]]:
    """Run the cases in `folder`; for each how often which call was reached, and killed.

    The k-th kill at a call leaves its files in the folder CASE-CALL-k.
    """
    if not shutil.which("strace"):
        pytest.skip("strace is not installed: nothing kills changes half-way")
    done = subprocess.run(
        [sys.executable, DRIVER, folder, json.dumps(cases)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(IMPORTED_FROM)},
    )
    if "strace may not trace" in done.stderr:
        pytest.skip("strace may not trace processes here")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
