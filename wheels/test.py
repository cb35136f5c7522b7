"""Test an installed wheel: its kernels, and `pytest -m fast` on both implementations. Needs the extra `dev`.

On a free-threaded Python, several threads also run each kernel test at the same time (pytest-run-parallel).
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import smoke

ROOT = Path(__file__).resolve().parents[1]
THREADS = 4


def run(*arguments: str, **variables: str) -> int:
    """Run tests of the checkout with the installed package, which the option -P keeps in front of the checkout."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    print(*command[2:], *(f"{name}={value}" for name, value in variables.items()), flush=True)
    return subprocess.run(command, cwd=ROOT, env=os.environ | variables).returncode


def main() -> str | int | None:
    if problem := smoke.main():
        return problem
    failed = run("-m", "fast") or run("-m", "fast", PARQUETEXT_PURE="1")
    if not failed and sysconfig.get_config_var("Py_GIL_DISABLED"):
        failed = run("-m", "fast", f"--parallel-threads={THREADS}", "tests/kernels", PYTHON_GIL="0")
    return failed


if __name__ == "__main__":
    sys.exit(main())
