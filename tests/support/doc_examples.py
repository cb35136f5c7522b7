"""The files that examples in docstrings go by."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["make"]


def make(folder: str | Path) -> None:
    """A file of two columns and 300 rows in three row groups, and a directory with one of nine rows."""
    folder = Path(folder)
    table = pa.table({"id": range(300), "price": [float(n) for n in range(300)]})
    pq.write_table(table, folder / "wide.parquet", row_group_size=100)
    part = folder / "lake" / "day=2024-01-01" / "part.parquet"
    part.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": range(9), "price": [100.0 + n for n in range(9)]}), part)
