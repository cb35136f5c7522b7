"""Examples in docstrings: the files that they use, and the output that they show."""

from __future__ import annotations

import doctest
import inspect
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import parquetext

__all__ = ["failures", "make"]


def make(folder: str | Path) -> None:
    """A file of two columns and 300 rows in three row groups, and a directory with one of nine rows."""
    folder = Path(folder)
    table = pa.table({"id": range(300), "price": [float(n) for n in range(300)]})
    pq.write_table(table, folder / "wide.parquet", row_group_size=100)
    part = folder / "lake" / "day=2024-01-01" / "part.parquet"
    part.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": range(9), "price": [100.0 + n for n in range(9)]}), part)


def failures(name: str, function: object, **names: object) -> str:
    """Return the differences between an example's output and the output it shows; an empty string if there are none."""
    names |= {"parquetext": parquetext, "pa": pa, "os": os}
    example = doctest.DocTestParser().get_doctest(function.__doc__, names, name, inspect.getsourcefile(function), 0)
    assert example.examples, f"{name} has no example"
    message: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=message.append)
    return "".join(message) if failed else ""
