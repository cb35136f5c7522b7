"""No flipped bit in a footer ends the process, whichever verb reads it: there are values, or an error."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext

ROOT = Path(__file__).parents[2]
DRIVER = ROOT / "tests" / "support" / "footer_flips.py"
IMPORTED_FROM = Path(parquetext.__file__).parents[1]
SAMPLE = {"native": 299, "pure": 613}  # flips from one that is tried to the next
IMPLEMENTATIONS = ("native", "pure")


def simple(folder: Path) -> Path:
    """Two columns with ARROW:schema, as pyarrow writes them."""
    table = pa.table({"number": pa.array([1, 2, 3], pa.int32()), "text": ["x", None, "z"]})
    pq.write_table(table, folder / "simple.parquet", row_group_size=2)
    return folder / "simple.parquet"


def nested(folder: Path) -> Path:
    """Logical types, a list, page indexes and sorting columns, without ARROW:schema."""
    table = pa.table(
        {
            "number": pa.array([1, 2, 3], pa.int32()),
            "list": [[1.5], None, []],
            "when": pa.array([1, 2, 3], pa.timestamp("us")),
            "amount": pa.array([1, 2, 3], pa.decimal128(9, 2)),
        }
    )
    pq.write_table(
        table,
        folder / "nested.parquet",
        row_group_size=2,
        store_schema=False,
        write_page_index=True,
        sorting_columns=[pq.SortingColumn(0)],
    )
    return folder / "nested.parquet"


def indexed(folder: Path) -> Path:
    """An index beside the footer, by which slices are made of the footer's own bytes."""
    table = pa.table({"number": pa.array([1, 2, 3], pa.int64())})
    pq.write_table(table, folder / "indexed.parquet", row_group_size=2, store_schema=False)
    parquetext.upgrade(folder / "indexed.parquet", form="index")
    return folder / "indexed.parquet"


def check(path: Path, folder: Path, implementation: str, step: int, first: int = 0) -> None:
    progress = folder / "progress"
    command = [sys.executable, DRIVER, path, folder, progress, step, first, implementation]
    done = subprocess.run(
        list(map(str, command)), env={"PYTHONPATH": str(IMPORTED_FROM)}, capture_output=True, text=True
    )
    tried = progress.read_text().strip() if progress.exists() else "none"
    assert done.returncode == 0, f"flip {tried} of {path.name}: exit code {done.returncode}\n{done.stderr[-2000:]}"


@pytest.mark.slow
@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("make", [simple, nested, indexed], ids=lambda make: make.__name__)
def test_some_flipped_bits_end_no_process(make, implementation, tmp_path):
    check(make(tmp_path), tmp_path, implementation, SAMPLE[implementation])


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("make", [simple, nested, indexed], ids=lambda make: make.__name__)
def test_no_flipped_bit_ends_the_process(make, implementation, tmp_path, long):
    check(make(tmp_path), tmp_path, implementation, 1)


def test_the_package_never_calls_functions_that_end_the_process_on_refused_bytes():
    """pyarrow's `_reconstruct_filemetadata` lets C++ exceptions through; unpickling and copying metadata calls it."""
    sources = {path: path.read_text() for kind in ("*.py", "*.pyx") for path in (ROOT / "parquetext").rglob(kind)}
    assert len(sources) > 300
    assert [path for path, text in sources.items() if "_reconstruct_filemetadata" in text] == []
    copies = re.compile(r"^\s*(import copy|from copy import)\b", re.MULTILINE)
    assert [path for path, text in sources.items() if copies.search(text)] == []
