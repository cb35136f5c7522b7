"""Blocks of the arrow dialect made without the package: buffers by flatc, frames by zlib and pyarrow."""

from __future__ import annotations

import base64
import json
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from support.parquet_bytes import footer_of, with_footer
from support.varints import varint

__all__ = [
    "LZ4",
    "NEW_VECTOR",
    "RAW",
    "SCHEMA",
    "UUID",
    "compiled",
    "decompiled",
    "framed",
    "schema_of",
    "tool",
    "with_block",
]

DATA = Path(__file__).parents[1] / "data"
SCHEMA = DATA / "arrow_dialect.fbs"
UUID = bytes.fromhex("deadbeef" * 4)
MARKER = b"\x08\xff\xff\x01"
RAW, LZ4 = 0, 7
# A buffer by flatc of the schema c938fc7: one column a, INT32 OPTIONAL, field id 7, Int(32, signed), one row group,
# null_count 0, min 1, max 9, created_by x.
NEW_VECTOR = base64.b64decode(
    "FAAAABAAHAAEAAgAFAAMAAAAEAAQAAAAAgAAAOwAAAAYAAAADAAAAAUAAAAAAAAAAQAAAHgAAAABAAAAGAAAAAAAEgAwAAgADAAUAAAAHAAkAAYA"
    "EgAAAAAAAAAoAAAAZAAAAAAAAAAFAAAAAAAAAAQAAAAAAAAAWgAAAAAAAAAAAAAAAQAAAAwAAAAAAAYACAAEAAYAAAAcAAAAGAAkAAYAAAAMABQA"
    "AAAcAAAAAAAIAAcAGAAAAAAABgE0AAAAZAAAAAAAAABaAAAAAAAAAAQAAAAAAAAAGAAYABAAAAAIAAAAAAAGAAwAAAAAAAcAGAAAAAAABAQBAAAA"
    "CQAAAAAAAAAAAAAAAgAAAGQAAAAcAAAAGAAYAAQAAAAFAAgAAAAMAAYAEAAHABQAGAAAAAEBCQEoAAAABwAAABgAAAAIAAAABAAEAAQAAAAIAAgA"
    "BgAHAAgAAAAAACABAQAAAGEADgAMAAAAAAAAAAQACAAOAAAACAAAAAEAAAAEAAAAcm9vdAAAAAA="
)


def tool(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"{name} is not installed: nothing reads buffers by the public schema")


def compiled(value: dict, folder: Path, schema: Path = SCHEMA) -> bytes:
    """The buffer that flatc makes of JSON."""
    (folder / "buffer.json").write_text(json.dumps(value))
    subprocess.run([tool("flatc"), "-b", "-o", folder, schema, folder / "buffer.json"], check=True)
    return (folder / "buffer.bin").read_bytes()


def decompiled(buffer: bytes, folder: Path, schema: Path = SCHEMA) -> dict:
    """Return the fields that flatc reads in a buffer; absent fields are omitted."""
    (folder / "buffer.flat").write_bytes(buffer)
    options = ["--json", "--strict-json", "--raw-binary", "--defaults-json", "--allow-non-utf8"]
    subprocess.run([tool("flatc"), *options, "-o", folder, schema, "--", folder / "buffer.flat"], check=True)
    return json.loads(
        (folder / "buffer.json").read_text(),
        object_hook=lambda fields: {name: value for name, value in fields.items() if value is not None},
    )


def schema_of(name: str, folder: Path) -> Path:
    """Return the schema of another commit of the same pull request, by its differences."""
    text = SCHEMA.read_text()

    def change(before: str, after: str) -> None:
        nonlocal text
        assert before in text
        text = text.replace(before, after)

    if name == "c938fc7":
        return DATA / "parquet.fbs"
    if name == "f951a6d":
        change("bloom_filter: BloomFilterInfo;", "bloom_filter_offset: long = null; bloom_filter_length: int = null;")
        change(
            "table ColumnChunk {\n  meta_data: ColumnMetadata;\n  crypto_metadata: ColumnCryptoMetadata;\n"
            "  encrypted_column_metadata: [byte];\n",
            "table ColumnChunk {\n  file_path: string;\n  meta_data: ColumnMetadata;\n",
        )
        change("specification_version: byte = null;", "")
        change("  encryption_algorithm: EncryptionAlgorithm;\n  footer_signing_key_metadata: [byte];\n", "")
    if name in ("bf0825c", "5a0baf2"):
        change("null_count: int = null;", "null_count: long = null;")
        change("precision: int; scale: int;", "scale: int; precision: int;")
        change("prefix: string;", "prefix: [byte];")
        change("bloom_filter: BloomFilterInfo;", "bloom_filter: BloomFilterInfo;\n  geospatial_statistics: Empty;")
    if name == "bf0825c":
        change("min_len: byte = null;", "min_len: int = null;")
        change("max_len: byte = null;", "max_len: int = null;")
    file = folder / f"{name}.fbs"
    file.write_text(text)
    return file


def framed(buffer: bytes, codec: int = RAW) -> bytes:
    """Data and trailer."""
    data = pa.Codec("lz4_raw").compress(buffer, asbytes=True) if codec == LZ4 else buffer
    data += bytes([codec])
    lengths = struct.pack("<II", len(data) - 1, len(buffer))
    return data + struct.pack("<I", zlib.crc32(data)) + lengths + struct.pack("<I", zlib.crc32(lengths)) + UUID


def with_block(file: bytes, block: bytes, placement: str = "after-stop") -> bytes:
    """A Parquet file whose footer gets a block as its extension, as the public implementations append it."""
    footer = footer_of(file)
    front = footer if placement == "after-stop" else footer[:-1]
    return with_footer(file, front + MARKER + varint(len(block)) + block + b"\0")


# For the dialect's builder: one column, one row group.
ONE_CHUNK = {
    "version": 2,
    "num_rows": 5,
    "created_by": b"",
    "schema": [{"name": b"root", "num_children": 1}, {"name": b"a", "type": 1}],
    "row_groups": [
        {
            "num_rows": 5,
            "total_byte_size": 90,
            "file_offset": 4,
            "columns": [{"metadata": {"codec": 0, "total_compressed_size": 90, "data_page_offset": 4}}],
        }
    ],
}
