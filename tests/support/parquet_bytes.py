"""Parquet files taken apart and put together by hand."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["TABLE", "footer_of", "parquet_bytes", "with_footer"]

TABLE = pa.table({"a": list(range(300)), "b": [f"x{n}" for n in range(300)], "c": [[n, None] for n in range(300)]})


def parquet_bytes(table: pa.Table = TABLE, row_group_size: int = 100) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=row_group_size)
    return sink.getvalue()


def footer_of(file: bytes | Path) -> bytes:
    data = file.read_bytes() if isinstance(file, Path) else file
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def with_footer(file: bytes, footer: bytes, magic: bytes = b"PAR1") -> bytes:
    """The file with another footer."""
    return file[: -8 - len(footer_of(file))] + footer + len(footer).to_bytes(4, "little") + magic
