"""Parquet files taken apart and put together by hand."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import edits, extension

__all__ = ["EVERY_PLACE", "TABLE", "footer_of", "parquet_bytes", "with_footer", "write_upgraded"]

TABLE = pa.table({"a": list(range(300)), "b": [f"x{n}" for n in range(300)], "c": [[n, None] for n in range(300)]})

EVERY_PLACE = [
    {"marker": marker, "placement": placement}
    for marker, placement in itertools.product(extension.MARKERS, extension.PLACEMENTS)
]


def parquet_bytes(table: pa.Table = TABLE, row_group_size: int = 100) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=row_group_size)
    return sink.getvalue()


def write_upgraded(path: Path, table: pa.Table) -> str:
    """Write a file with row groups of 8 rows and a flat footer; its path."""
    pq.write_table(table, path, row_group_size=8)
    edits.upgrade(path, form="flat")
    return str(path)


def footer_of(file: bytes | Path) -> bytes:
    data = file.read_bytes() if isinstance(file, Path) else file
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def with_footer(file: bytes, footer: bytes, magic: bytes = b"PAR1") -> bytes:
    """The file with another footer."""
    return file[: -8 - len(footer_of(file))] + footer + len(footer).to_bytes(4, "little") + magic
