"""Encode row groups for their future position in a Parquet file, and its footer with them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from .. import kernels, systems, wire
from ..errors import Refused
from ..rewrite.structs import LENGTH_BYTES, MAGIC, count_of, footer_fields, struct_list, structs, with_values
from ..thrift import integer, list_header

BESIDE_CHUNKS = ("offset_index_length", "column_index_length", "bloom_filter_length")


class RowGroups:
    """Row groups that pyarrow wrote for a position in a file.

    Attributes
    ----------
    data : bytes
        Row groups, Bloom filters and page indexes, as they belong at the place.
    footer : bytes
        A Thrift footer of these row groups alone.
    scan : Scan
        Of that footer.
    """

    def __init__(self, whole: bytes):
        at = len(whole) - LENGTH_BYTES - len(MAGIC)
        end = at - int.from_bytes(whole[at : at + LENGTH_BYTES], "little")
        self.data, self.footer = whole[:end], whole[end:at]
        self.scan = kernels.scan.scan(self.footer)


def written(at: int, schema: pa.Schema, tables: Iterable[tuple[pa.Table, int | None]], **options) -> RowGroups:
    """Row groups with the offsets of a file in which they begin at `at`.

    Parameters
    ----------
    tables : iterable of (pyarrow.Table, rows of a row group)
    **options
        Of `pyarrow.parquet.ParquetWriter`.
    """
    if options.get("encryption_properties") is not None:
        raise Refused("row groups of a store cannot be encrypted")
    with _scratch() as path, pa.OSFile(path, "wb") as sink:
        with pq.ParquetWriter(sink, schema, **options) as writer:
            # pyarrow begins every file at offset 0, but computes offsets from the current position of the file object.
            os.lseek(sink.fileno(), at, os.SEEK_SET)
            for table, row_group_size in tables:
                writer.write_table(table, row_group_size)
        with open(path, "rb") as file:
            file.seek(at)
            return RowGroups(file.read())


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    """Open a file in memory in which skipped bytes take no memory."""
    if not hasattr(os, "memfd_create"):
        with tempfile.TemporaryDirectory(prefix="parquetext-") as folder:
            yield os.path.join(folder, "rows")
        return
    file = os.memfd_create("parquetext")
    try:
        yield systems.path_of(file)
    finally:
        os.close(file)


def spliced(footer: bytes, more: bytes, at: Sequence[int], rows: int) -> bytes:
    """Return a Thrift footer with the row groups of another one in it.

    Parameters
    ----------
    footer, more : bytes
        Of the same columns; everything but row groups and rows is taken from `footer`.
    at : sequence of int
        The position in `footer` of each row group of `more`: that of a row group that it replaces, or one after the
        last.
    rows : int
        Of the result.

    Raises
    ------
    Refused
        The columns differ.
    Malformed
        A footer without columns, rows or row groups.
    """
    old, new = footer_fields(footer), footer_fields(more)
    schema, its_schema = old[wire.FILE_META_DATA_SCHEMA], new[wire.FILE_META_DATA_SCHEMA]
    if footer[slice(*schema)] != more[slice(*its_schema)]:
        raise Refused(
            "the columns are written otherwise than those of the file: give the options that it was written with"
        )
    groups = structs(more, new[wire.FILE_META_DATA_ROW_GROUPS][0])
    pieces = {
        wire.FILE_META_DATA_NUM_ROWS: integer(rows),
        wire.FILE_META_DATA_ROW_GROUPS: _row_groups(
            footer, *old[wire.FILE_META_DATA_ROW_GROUPS], dict(zip(at, groups, strict=True))
        ),
    }
    return with_values(footer, old, pieces)


def without_row_groups(footer: bytes) -> bytes:
    """Return a Thrift footer with the columns and key-values of another one alone."""
    none = {wire.FILE_META_DATA_NUM_ROWS: b"\0", wire.FILE_META_DATA_ROW_GROUPS: struct_list([])}
    return with_values(footer, footer_fields(footer), none)


def _row_groups(footer: bytes, start: int, end: int, put: Mapping[int, bytes]) -> bytes:
    """Return the list of row groups with some replaced; those after the last replaced one are not read."""
    count, at = count_of(footer, start)
    out, number = [], 0
    for position in sorted(index for index in put if index < count):
        begin = at
        for _ in range(number, position):
            at = kernels.thrift.struct_end(footer, at)
        out += [footer[begin:at], put[position]]
        at, number = kernels.thrift.struct_end(footer, at), position + 1
    added = [put[index] for index in sorted(put) if index >= count]
    return b"".join((list_header(count + len(added)), *out, footer[at:end], *added))


def bytes_of(scan, row_groups: Iterable[int]) -> int:
    """Return the ranges of a file that belong only to some of its row groups: chunks, page indexes, Bloom filters."""
    columns = [scan.chunks("total_compressed_size"), *map(scan.places, BESIDE_CHUNKS)]
    leaves = scan.leaf_count
    return sum(
        max(0, size)
        for group in row_groups
        for sizes in columns
        for size in sizes[group * leaves : (group + 1) * leaves]
    )


def dead_bytes(scan, footer_offset: int) -> int:
    """Return the ranges before a file's footer to which the footer has no reference."""
    return max(0, footer_offset - len(MAGIC) - bytes_of(scan, range(scan.row_group_count)))
