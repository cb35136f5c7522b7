"""Parquet files that another program appends to."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from parquetext import kernels
from parquetext.rewrite.structs import end_of_file
from parquetext.sidecar.store_rows import spliced, written


def grow(path: str | Path, table: pa.Table, at: int | None = None, **options) -> None:
    """Row groups behind the old footer, and a new footer; with `at` the first takes the place of a row group."""
    data = Path(path).read_bytes()
    old = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    more = written(len(data), table.schema, [(table, None)], **options)
    scan = kernels.scan.scan(old)
    position = scan.row_group_count if at is None else at
    gone = 0 if at is None else scan.row_groups("num_rows")[at]
    footer = spliced(old, more.footer, [position], scan.num_rows - gone + table.num_rows)
    with open(path, "ab") as file:
        file.write(more.data + end_of_file(footer))
