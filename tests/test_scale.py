"""docs/scale.md contains the results of its script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_tables_are_the_scripts(long):
    printed = subprocess.run([sys.executable, DOCS / "scale.py"], capture_output=True, text=True, check=True).stdout
    page = (DOCS / "scale.md").read_text()
    assert page.split("<!-- tables -->\n")[1].split("<!-- end of tables -->")[0] == printed


def test_tasks_are_as_long_as_those_of_jobs(monkeypatch):
    """Of files of the mean size the simulation makes tasks as `pack` does."""
    monkeypatch.syspath_prepend(str(DOCS))
    import scale

    from parquetext.spark.actions import ACTIONS
    from parquetext.spark.parallelism import pack

    files, slots = 40_000, 4
    for name, moves in (("upgrade", True), ("build_catalog", False)):
        weight = ACTIONS[name].weight(int(scale.MEAN_BYTES), {})
        packed = pack([weight] * files, slots)
        assert abs(files / len(packed) - scale._files_per_task(scale.Cost(1, 1, 1, 1, 1, moves=moves))) <= 2
