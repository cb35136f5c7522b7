"""docs/scale.md says what its script says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_the_tables_are_the_scripts():
    printed = subprocess.run([sys.executable, DOCS / "scale.py"], capture_output=True, text=True, check=True).stdout
    page = (DOCS / "scale.md").read_text()
    assert page.split("<!-- tables -->\n")[1].split("<!-- end of tables -->")[0] == printed
