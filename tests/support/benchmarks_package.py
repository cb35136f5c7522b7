"""Make the package `benchmarks` importable, which is beside `parquetext` in a checkout and in no installation.

The checkout itself is not added to `sys.path`, because its `parquetext` would replace the installed package.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"


def make_importable() -> None:
    spec = importlib.util.spec_from_file_location(
        "benchmarks", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["benchmarks"] = package
    spec.loader.exec_module(package)
