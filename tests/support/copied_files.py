"""Files with copies of columns in other encodings, for tests of their bytes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from support.footers import footer_of

from parquetext import edits, kernels
from parquetext.encoding.carried import Carried, copies_of, with_copies

__all__ = ["COPIED", "ROWS", "TABLE", "change_blocks", "copied_file", "copies"]

NUMBERS = random.Random(3)
ROWS = 2000
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "price": pa.array([round(NUMBERS.random() * 100, 2) if row % 7 else None for row in range(ROWS)]),
        "text": pa.array([f"name {row % 50}" * (row % 3) if row % 5 else None for row in range(ROWS)]),
        "list": pa.array([[*range(row % 4)] if row % 6 else None for row in range(ROWS)], pa.list_(pa.int32())),
    }
)
COPIED = {"price": "byte_stream_split", "text": "delta_byte_array", "list": "delta_binary_packed"}


def copied_file(
    path: Path, columns=COPIED, table: pa.Table = TABLE, codec: str = "none", row_group_size: int = 1500, **options
) -> Path:
    """Write a table with copies of some columns."""
    pq.write_table(table, path, row_group_size=row_group_size, **options)
    edits.encode(path, columns, codec=codec)
    return path


def copies(path: Path) -> list[Carried]:
    """All copies that the file's footer leads to, chunk by chunk."""
    return [copy for _, metadata in _metadata(footer_of(path.read_bytes())) for copy in copies_of(metadata)]


def change_blocks(path: Path, change: Callable[[Carried], Carried]) -> None:
    """Let the blocks of all copies say something else."""
    data = path.read_bytes()
    footer = footer_of(data)
    begin = len(data) - 8 - len(footer)
    for at, metadata in reversed(_metadata(footer)):
        if found := copies_of(metadata):
            changed = with_copies(metadata, [change(copy) for copy in found])
            footer = footer[:at] + changed + footer[at + len(metadata) :]
    path.write_bytes(data[:begin] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def _metadata(footer: bytes) -> list[tuple[int, bytes]]:
    """Where each ColumnMetaData stands in a footer, and its bytes."""
    scan = kernels.scan.scan(footer)
    positions = zip(scan.chunks("metadata_offset"), scan.chunks("metadata_length"), strict=True)
    return [(offset, footer[offset : offset + length]) for offset, length in positions]
