"""Files of a lake: data, and files that listings leave out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

NAMES = (
    "day=1/b.parquet",
    "day=1/a.parquet",
    "day=2/c.PARQUET",
    "_part=3/d.parq",
    "000000_0",
    "_SUCCESS",
    "_temporary/e.parquet",
    ".hidden.parquet",
    "day=1/.g.parquet.crc",
    "day=1/_h.parquet",
)


def hive_files(folder: Path, name: str) -> Iterator[tuple[int, Path]]:
    """Yield the numbers and the paths of three files in the new folders k=0, k=1 and k=2."""
    for number in range(3):
        path = folder / f"k={number}" / name
        path.parent.mkdir()
        yield number, path
