"""Write parts of a footer: a column order, and column chunks in a footer that has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import kernels, wire
from ..thrift import list_header
from ..thrift.values import joined

COLUMNS = bytes([wire.ROW_GROUP_COLUMNS << 4 | wire.TYPE_LIST])


def column_order(number: int) -> bytes:
    """Return the ColumnOrder union with this field."""
    return joined([(number, wire.TYPE_STRUCT, b"\0")]) + b"\0"


def with_row_groups(
    footer: bytes,
    structs: Mapping[int, Mapping[int, bytes]],
    tails: Mapping[int, bytes],
    leaves: Sequence[int],
    row_groups: Sequence[int],
) -> bytes:
    """Return a footer with these row groups instead of its own.

    Parameters
    ----------
    footer : bytes
        A FileMetaData struct.
    structs : mapping of int to mapping of int to bytes
        By leaf and row group, the ColumnChunk struct.
    tails : mapping of int to bytes
        By row group, the bytes that follow its list of chunks.
    leaves, row_groups : sequence of int
        In the order of the new footer; a row group may be repeated.
    """
    header = COLUMNS + list_header(len(leaves))
    groups = {
        number: b"".join((header, *(structs[leaf][number] for leaf in leaves), tails[number]))
        for number in {*row_groups}
    }
    begin, end = next(
        field[3:] for field in kernels.thrift.fields(footer) if field[0] == wire.FILE_META_DATA_ROW_GROUPS
    )
    parts = footer[:begin], list_header(len(row_groups)), *(groups[number] for number in row_groups), footer[end:]
    return b"".join(parts)
