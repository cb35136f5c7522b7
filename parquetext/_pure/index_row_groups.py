"""Read the Thrift bytes of row groups that the index refers to, without the list of columns."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError
from .scan import IN_LISTED_STRUCT, ROW_GROUP_FIELDS
from .scan_chunk import ChunkReader, fields_of

__all__ = ["read_row_group", "read_sorting_columns"]

SORTING_COLUMN_FIELDS = fields_of("SORTING_COLUMN", i32="column_idx", true="descending nulls_first")


def read_row_group(own: bytes, columns_at: int) -> dict[str, int] | None:
    """Return the members before and after the list of columns, which is omitted at `columns_at`.

    Return None if the bytes are not a complete struct.
    """
    reader, fields = ChunkReader(memoryview(own)), {}

    def read(id: int, type: int, at: int) -> int:
        if id != wire.ROW_GROUP_COLUMNS:
            return reader.field(id, type, at, ROW_GROUP_FIELDS, fields, IN_LISTED_STRUCT)
        return at if at == columns_at else reader.walk.skip(at, type, IN_LISTED_STRUCT)

    try:
        end = reader.walk.each(0, read)
    except ParquetextError:
        return None
    return fields if end == len(own) and "num_rows" in fields else None


def read_sorting_columns(own: bytes, offset: int) -> list[tuple[int, bool, bool]]:
    """Return (column_idx, descending, nulls_first) of each item of the list at `offset`."""
    reader, columns = ChunkReader(memoryview(own)), []
    count, at = reader.list_of(offset, wire.TYPE_STRUCT, IN_LISTED_STRUCT)
    for _ in range(count or 0):
        absent = {"column_idx": 0, "descending": False, "nulls_first": False}
        found, at = reader.struct(at, SORTING_COLUMN_FIELDS, absent, IN_LISTED_STRUCT)
        columns.append((found["column_idx"], found["descending"], found["nulls_first"]))
    return columns
