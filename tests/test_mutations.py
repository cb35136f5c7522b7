"""Damaged bytes end every verb with a result or an error of the package, of Arrow or of the system.

A bare KeyError, IndexError, UnicodeDecodeError, struct.error or MemoryError is a fault, and so is a crash or a verb
that does not end. Faults that were found are numbers of mutants in `FOUND`, so that each is tried again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import parquetext

TESTS = Path(__file__).parent
DRIVER = TESTS / "support" / "mutation_driver.py"
IMPORTED_FROM = Path(parquetext.__file__).parents[1]
SAMPLE = {"native": 4, "pure": 1}
LONG = 20_000
PROCESS = 500  # mutants for one process, so that the report of a crash is near
FOUND = {
    "native": [71, 135, 546, 929, 1375, 1461, 1476, 1528, 1620, 1769, 1886, 18119],
    "pure": [391, 715],
}


def check(folder: Path, implementation: str, numbers: str) -> None:
    progress = folder / "progress"
    done = subprocess.run(
        [sys.executable, DRIVER, folder, progress, implementation, numbers],
        env={"PYTHONPATH": f"{IMPORTED_FROM}:{TESTS}"},
        capture_output=True,
        text=True,
    )
    tried = progress.read_text().strip() if progress.exists() else "none"
    assert done.returncode == 0, f"mutant {tried}: exit code {done.returncode}\n{done.stderr[-4000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("implementation", SAMPLE)
def test_no_verb_raises_a_bare_error_for_some_mutants_and_those_that_had_faults(implementation, tmp_path):
    """One process tries both."""
    had_faults = ",".join(map(str, FOUND[implementation]))
    check(tmp_path, implementation, f"0-{SAMPLE[implementation] - 1},{had_faults}")


@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("implementation", SAMPLE)
def test_no_verb_raises_a_bare_error_for_20_000_mutants(implementation, tmp_path, long):
    for first in range(0, LONG, PROCESS):
        check(tmp_path, implementation, f"{first}-{first + PROCESS - 1}")
