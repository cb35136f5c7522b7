"""Recognize the metadata that older writers store after each column chunk, and that no reader uses."""

from __future__ import annotations

from ... import kernels, wire
from ...errors import ParquetextError

__all__ = ["copy_size"]

MOST_BYTES = 1 << 16
COPIES = (
    {wire.COLUMN_CHUNK_FILE_OFFSET: wire.TYPE_I64, wire.COLUMN_CHUNK_META_DATA: wire.TYPE_STRUCT},
    {
        wire.COLUMN_META_DATA_TYPE: wire.TYPE_I32,
        wire.COLUMN_META_DATA_ENCODINGS: wire.TYPE_LIST,
        wire.COLUMN_META_DATA_PATH_IN_SCHEMA: wire.TYPE_LIST,
        wire.COLUMN_META_DATA_CODEC: wire.TYPE_I32,
    },
)
COPY_BEGINS = b"\x26", b"\x15", b"\x18"  # headers of fields 2 and 1 of a ColumnChunk, and 1 of a ColumnMetaData


def copy_size(source, begin: int, end: int) -> int:
    """How many bytes a ColumnChunk or ColumnMetaData takes that begins here, as older writers put behind each chunk."""
    data = source.read(begin, min(MOST_BYTES, end - begin))
    if data[:1] not in COPY_BEGINS:
        return 0
    try:
        found = {field[0]: field[1] for field in kernels.thrift.fields(data)}
        size = kernels.thrift.struct_end(data)
    except ParquetextError:
        return 0
    return size if any(found.items() >= wanted.items() for wanted in COPIES) else 0
