"""Files of a lake: data, and files that listings leave out."""

from __future__ import annotations

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
