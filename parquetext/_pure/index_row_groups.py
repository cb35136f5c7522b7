"""Read the Thrift bytes of row groups that the index refers to, without the list of columns."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError
from .scan import IN_LISTED_STRUCT, ROW_GROUP_FIELDS
from .scan_chunk import ChunkReader

__all__ = ["ROW_GROUP_CODES", "read_row_group", "read_sorting_columns"]

ROW_GROUP_CODES = {
    **dict.fromkeys(("num_rows", "total_byte_size", "file_offset", "total_compressed_size"), "q"),
    "ordinal": "i",
    "chunk_count": "I",
}
BOOLEANS = (wire.TYPE_TRUE, wire.TYPE_FALSE)


def read_row_group(own: bytes, columns_at: int) -> dict[str, int] | None:
    """Return the members before and after the list of columns, which is omitted at `columns_at`.

    Return None if the bytes are not a complete struct.
    """
    reader, fields, id, at = ChunkReader(memoryview(own)), {}, 0, 0
    try:
        while True:
            id, type, at = reader.walk.field_header(at, id)
            if type == 0:
                break
            if id != wire.ROW_GROUP_COLUMNS:
                at = reader.field(id, type, at, ROW_GROUP_FIELDS, fields, IN_LISTED_STRUCT)
            elif at != columns_at:
                at = reader.walk.skip(at, type, IN_LISTED_STRUCT)
    except ParquetextError:
        return None
    return fields if at == len(own) and "num_rows" in fields else None


def read_sorting_columns(own: bytes, offset: int) -> list[tuple[int, bool, bool]]:
    """Return (column_idx, descending, nulls_first) of each item of the list at `offset`."""
    reader, columns = ChunkReader(memoryview(own)), []
    count, at = reader.list_of(offset, wire.TYPE_STRUCT, IN_LISTED_STRUCT)
    for _ in range(count or 0):
        column, at = _sorting_column(reader, at)
        columns.append(column)
    return columns


def _sorting_column(reader: ChunkReader, at: int) -> tuple[tuple[int, bool, bool], int]:
    column, descending, nulls_first, id = 0, False, False, 0
    while True:
        id, type, at = reader.walk.field_header(at, id)
        if type == 0:
            return (column, descending, nulls_first), at
        if (id, type) == (wire.SORTING_COLUMN_COLUMN_IDX, wire.TYPE_I32):
            column, at = reader.number(type, at)
        elif id == wire.SORTING_COLUMN_DESCENDING and type in BOOLEANS:
            descending = type == wire.TYPE_TRUE
        elif id == wire.SORTING_COLUMN_NULLS_FIRST and type in BOOLEANS:
            nulls_first = type == wire.TYPE_TRUE
        else:
            at = reader.walk.skip(at, type, IN_LISTED_STRUCT)
