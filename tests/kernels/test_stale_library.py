"""A library of compiled kernels that was built from other sources than the package around it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext

PACKAGE = Path(parquetext.__file__).parent


@pytest.fixture
def stale(tmp_path) -> Path:
    """Return a folder with a copy of the package whose library lacks one module."""
    shutil.copytree(PACKAGE, tmp_path / "parquetext", ignore=shutil.ignore_patterns("__pycache__", "jars"))
    if not [*(tmp_path / "parquetext/_native").glob("core*.so")]:
        pytest.skip("the compiled kernels are not built")
    package = tmp_path / "parquetext/_native/__init__.py"
    text = package.read_text("utf-8")
    assert "EXPORTS.splitlines()" in text
    package.write_text(text.replace("EXPORTS.splitlines()", 'EXPORTS.replace("\\nscan ", "\\nscam ").splitlines()'))
    return tmp_path


def test_a_library_of_another_version_gives_one_line_with_a_remedy(stale):
    pq.write_table(pa.table({"x": [1]}), stale / "x.parquet")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PARQUETEXT_")}
    environment["PYTHONPATH"] = str(stale)
    command = [sys.executable, "-m", "parquetext", "columns", "x.parquet"]
    done = subprocess.run(command, cwd=stale, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "the compiled kernels belong to another version of parquetext" in done.stderr
    assert "install parquetext again, or in a checkout run python setup.py build_ext --inplace" in done.stderr
