"""The version before the placement aside: it reads such files by Thrift, says so, and harms nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import TABLE

import parquetext

ROOT = Path(__file__).parents[2]
LAST_WITHOUT = "ed0b6b65bab626ac3c3aa458b3730c5d4e33dc6f"
PROGRAM = """
import json, sys
import parquetext
from parquetext import edits

def tried(action):
    try:
        return action().outcome
    except parquetext.errors.ParquetextError as error:
        return type(error).__name__

path, told = sys.argv[1], {}
with parquetext.open(path) as file:
    told["form"], told["findings"] = file.form, [finding.kind for finding in file.findings]
    told["rows"], told["max"] = file.read().num_rows, file.column("b").max.to_pylist()
told["verify"] = [finding.kind for finding in parquetext.verify(path).findings]
for name in ("strip", "upgrade", "finalize", "restore"):
    told[name] = tried(lambda: getattr(edits, name)(path))
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def older(tmp_path_factory) -> Path:
    """The package as it was, in a folder of its own."""
    archive = subprocess.run(["git", "-C", ROOT, "archive", LAST_WITHOUT, "parquetext"], capture_output=True)
    if archive.returncode:
        pytest.skip(f"no history of the project here: {archive.stderr.decode().strip()}")
    folder = tmp_path_factory.mktemp("older")
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder


@pytest.mark.parametrize("form", ["flat", "index"])
def test_it_reads_by_thrift_and_leaves_the_file_as_it_is(older, tmp_path, form):
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=100)
    parquetext.upgrade(path, form=form)
    before = path.read_bytes()
    environment = {**os.environ, "PYTHONPATH": str(older), "PARQUETEXT_PURE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, path], env=environment, cwd=older, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == {
        "form": "thrift",
        "findings": ["extension-unread"],
        "rows": TABLE.num_rows,
        "max": ["x99", "x199", "x299"],
        "verify": ["extension-unread"],
        "strip": "unchanged",
        "upgrade": "Refused",
        "finalize": "finalized",
        "restore": "restored",
    }
    assert path.read_bytes() == before
