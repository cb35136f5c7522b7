"""Files with a jump table, made in the test from the bytes of a Parquet file."""

from __future__ import annotations

import pyarrow as pa

from parquetext import kernels
from parquetext.footer.jump_table.index_struct import build_index
from parquetext.footer.jump_table.pointer import LZ4_RAW, ZSTD, Pointer, with_pointer

from .footers import footer_of

__all__ = ["behind_the_struct", "compressed", "with_index", "with_jump_table"]

NOTHING = Pointer(1, 0, 0, 0)


def compressed(struct: bytes, version: int) -> bytes:
    """Return the bytes of an index in the file; version 1 is not compressed."""
    codec = {ZSTD: "zstd", LZ4_RAW: "lz4_raw"}.get(version)
    return struct if codec is None else pa.Codec(codec).compress(struct, asbytes=True)


def index_of(thrift: bytes) -> bytes:
    """The plain index of a footer to which a pointer will be added."""
    return build_index(kernels.scan.scan(thrift), len(with_pointer(thrift, NOTHING)) - len(thrift))


def with_index(data: bytes, index: bytes, version: int = 1) -> bytes:
    """A Parquet file's bytes, with these bytes in front of its footer as its index."""
    thrift = footer_of(data)
    at = len(data) - 8 - len(thrift)
    length = len(with_pointer(thrift, NOTHING))
    new = with_pointer(thrift, Pointer(version, at, len(index), length))
    return data[:at] + index + new + length.to_bytes(4, "little") + b"PAR1"


def with_jump_table(data: bytes, version: int = 1) -> bytes:
    """A Parquet file's bytes with a jump table, whose index is compressed as its version demands."""
    index = index_of(footer_of(data))
    return with_index(data, compressed(index, version), version)


def behind_the_struct(data: bytes) -> bytes:
    """The same as the proposal's converter writes it: the index follows the struct, and belongs to the footer."""
    thrift = footer_of(data)
    at, index = len(data) - 8 - len(thrift), index_of(thrift)
    length = len(with_pointer(thrift, NOTHING))
    footer = with_pointer(thrift, Pointer(1, at + length, len(index), length)) + index
    return data[:at] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
