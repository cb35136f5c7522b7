"""Slices of a footer as pyarrow's own objects."""

from __future__ import annotations

import pyarrow as pa
from pyarrow._parquet import FileMetaData, ParquetReader

__all__ = ["metadata_of", "reader_of", "schema_of"]

MAGIC = b"PAR1"


def reader_of(footer: bytes) -> ParquetReader:
    """A reader over a file that has nothing but this Thrift footer."""
    reader = ParquetReader()
    whole = b"".join((MAGIC, footer, len(footer).to_bytes(4, "little"), MAGIC))
    reader.open(pa.BufferReader(whole), arrow_extensions_enabled=True)
    return reader


def metadata_of(footer: bytes) -> FileMetaData:
    """What pyarrow takes as `metadata=`."""
    return reader_of(footer).metadata


def schema_of(footer: bytes) -> pa.Schema:
    """The Arrow schema as pyarrow reads it, key-values as its metadata."""
    return reader_of(footer).schema_arrow
