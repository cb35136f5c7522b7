"""Write fuzz inputs to two folders: footers of files that pyarrow makes here, and of the files in PARQUETEXT_CORPUS;
and column chunks that pyarrow makes here.

python csrc/fuzz/seeds.py FOOTERS CHUNKS
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import sys
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path

LARGEST = 1 << 13
EXTENSION = (
    bytes.fromhex("08ffff01")
    + bytes([33])
    + b"hello"
    + bytes.fromhex("86a61036050000002e2f9a16000102030405060708090a0b0c0d0e0f")
)


def footer_of(file) -> bytes | None:
    """The Thrift bytes between a file's data and its last 8 bytes."""
    size = file.seek(0, os.SEEK_END)
    if size < 12:
        return None
    file.seek(size - 8)
    length, magic = struct.unpack("<I4s", file.read())
    if magic != b"PAR1" or length > min(size - 12, LARGEST):
        return None
    file.seek(size - 8 - length)
    return file.read(length)


def from_corpus(folder: Path) -> Iterator[bytes]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                footer = footer_of(file)
            if footer:
                yield footer


def from_pyarrow() -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        "numbers": pa.array([1, None, 3], pa.int32()),
        "texts": pa.array(["a", "bc", None]),
        "times": pa.array([0, 1, 2], pa.timestamp("us", "UTC")),
        "money": pa.array([Decimal(1), None, Decimal("2.50")], pa.decimal128(20, 2)),
        "lists": pa.array([[1, 2], [], None], pa.list_(pa.int64())),
        "structs": pa.array([{"x": 1.5, "y": b"z"}] * 3),
        "maps": pa.array([[("k", 1)]] * 3, pa.map_(pa.string(), pa.int8())),
    }
    for names in ([], ["numbers"], ["texts", "times"], list(columns)):
        table = pa.table({name: columns[name] for name in names})
        for options in (
            {},
            {"row_group_size": 1},
            {"write_statistics": False},
            {"store_schema": False},
            {"write_page_index": True},
        ):
            file = io.BytesIO()
            pq.write_table(table, file, **options)
            yield footer_of(file)


def chunks() -> Iterator[bytes]:
    """Column chunks of a few small pages, of both versions."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"n": [None, 1, 2, 3] * 9, "l": [[1, None], [], None, [4]] * 9, "t": ["a", "bc", None, "a"] * 9})
    for version in ("1.0", "2.0"):
        file = io.BytesIO()
        options = {"data_page_version": version, "write_page_checksum": True, "compression": "none"}
        pq.write_table(table, file, write_batch_size=8, data_page_size=16, **options)
        row_group = pq.read_metadata(file).row_group(0)
        for column in map(row_group.column, range(row_group.num_columns)):
            file.seek(column.dictionary_page_offset or column.data_page_offset)
            yield file.read(column.total_compressed_size)


def main(folder: Path, chunk_folder: Path) -> None:
    for made in (folder, chunk_folder):
        made.mkdir(parents=True, exist_ok=True)
    for chunk in chunks():
        (chunk_folder / hashlib.sha256(chunk).hexdigest()[:16]).write_bytes(chunk + bytes([40, 1, 1, 9, 0, 0, 0, 0]))
    corpus = os.environ.get("PARQUETEXT_CORPUS")
    steering = bytes([12, 64, 4, 0, 1, 0, 0, 0])
    for footer in chain(from_pyarrow(), from_corpus(Path(corpus)) if corpus else ()):
        for seed in (footer, footer[:-1] + EXTENSION + b"\0"):
            (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed + steering)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
