"""Row groups as they will stand in a Parquet file, and its footer with them."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from .. import kernels, wire
from ..errors import Malformed, Refused, wire_error

__all__ = [
    "MAGIC",
    "RowGroups",
    "bytes_of",
    "dead_bytes",
    "end_of_file",
    "list_header",
    "row_groups_of",
    "spliced",
    "structs",
    "with_row_groups",
    "without_row_groups",
    "written",
]

MAGIC = b"PAR1"
LENGTH_BYTES = 4
SHORT_LIST = 15
BESIDE_CHUNKS = ("offset_index_length", "column_index_length", "bloom_filter_length")


class RowGroups:
    """What pyarrow wrote for a place in a file.

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
            # pyarrow begins files of its own only, but takes offsets from where the file stands.
            os.lseek(sink.fileno(), at, os.SEEK_SET)
            for table, row_group_size in tables:
                writer.write_table(table, row_group_size)
        with open(path, "rb") as file:
            file.seek(at)
            return RowGroups(file.read())


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    """A file in memory: what is skipped in it takes no room."""
    if not hasattr(os, "memfd_create"):
        with tempfile.NamedTemporaryFile() as file:
            yield file.name
        return
    file = os.memfd_create("parquetext")
    try:
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)


def end_of_file(footer: bytes) -> bytes:
    """A footer with what follows it in the file."""
    return b"".join((footer, len(footer).to_bytes(LENGTH_BYTES, "little"), MAGIC))


def spliced(footer: bytes, more: bytes, at: Sequence[int], rows: int) -> bytes:
    """A Thrift footer with the row groups of another one in it.

    Parameters
    ----------
    footer, more : bytes
        Of the same columns; everything but row groups and rows is taken from `footer`.
    at : sequence of int
        Where in `footer` each row group of `more` belongs: a row group that it takes the place of, or one behind the
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
    old, new = _fields(footer), _fields(more)
    if _value(footer, old, wire.FILE_META_DATA_SCHEMA) != _value(more, new, wire.FILE_META_DATA_SCHEMA):
        raise Refused(
            "the columns are written otherwise than those of the file: give the options that it was written with"
        )
    groups = structs(more, new[wire.FILE_META_DATA_ROW_GROUPS][0])
    pieces = {
        wire.FILE_META_DATA_NUM_ROWS: kernels.varint.encode(kernels.varint.zigzag_encode(rows)),
        wire.FILE_META_DATA_ROW_GROUPS: _row_groups(
            footer, *old[wire.FILE_META_DATA_ROW_GROUPS], dict(zip(at, groups, strict=True))
        ),
    }
    return _with(footer, old, pieces)


def without_row_groups(footer: bytes) -> bytes:
    """A Thrift footer with the columns and key-values of another one alone."""
    none = {wire.FILE_META_DATA_NUM_ROWS: b"\0", wire.FILE_META_DATA_ROW_GROUPS: list_header(0)}
    return _with(footer, _fields(footer), none)


def row_groups_of(footer: bytes) -> list[bytes]:
    """The row groups' structs."""
    return structs(footer, _fields(footer)[wire.FILE_META_DATA_ROW_GROUPS][0])


def with_row_groups(footer: bytes, groups: Sequence[bytes]) -> bytes:
    """A Thrift footer with other row groups of the same rows."""
    made = b"".join((list_header(len(groups)), *groups))
    return _with(footer, _fields(footer), {wire.FILE_META_DATA_ROW_GROUPS: made})


def _with(footer: bytes, places: Mapping[int, tuple[int, int]], pieces: Mapping[int, bytes]) -> bytes:
    """The struct with other values in some of its fields."""
    out, begin = [], 0
    for id, (start, end) in places.items():
        if id in pieces:
            out += [footer[begin:start], pieces[id]]
            begin = end
    return b"".join((*out, footer[begin:]))


def _fields(footer: bytes) -> dict[int, tuple[int, int]]:
    """Where the values of the struct's fields are."""
    places = {id: (start, end) for id, _, _, start, end in kernels.thrift.fields(footer)}
    for id in (wire.FILE_META_DATA_SCHEMA, wire.FILE_META_DATA_NUM_ROWS, wire.FILE_META_DATA_ROW_GROUPS):
        if id not in places:
            raise wire_error(wire.MISSING_FIELD, 0, id)
    return places


def _value(footer: bytes, places: Mapping[int, tuple[int, int]], id: int) -> bytes:
    start, end = places[id]
    return footer[start:end]


def _list(footer: bytes, at: int) -> tuple[int, int]:
    """How many structs a list has, and where the first one is."""
    if footer[at] & 15 != wire.TYPE_STRUCT:
        raise Malformed("a footer whose row groups are no structs", offset=at)
    return (footer[at] >> 4, at + 1) if footer[at] >> 4 < SHORT_LIST else kernels.varint.decode32(footer, at + 1)


def structs(footer: bytes, at: int) -> list[bytes]:
    """The structs of a list."""
    count, at = _list(footer, at)
    found = []
    for _ in range(count):
        end = kernels.thrift.struct_end(footer, at)
        found.append(footer[at:end])
        at = end
    return found


def _row_groups(footer: bytes, start: int, end: int, put: Mapping[int, bytes]) -> bytes:
    """The list of row groups with others in it; those behind the last one that is replaced are not looked at."""
    count, at = _list(footer, start)
    out, number = [], 0
    for place in sorted(index for index in put if index < count):
        begin = at
        for _ in range(number, place):
            at = kernels.thrift.struct_end(footer, at)
        out += [footer[begin:at], put[place]]
        at, number = kernels.thrift.struct_end(footer, at), place + 1
    added = [put[index] for index in sorted(put) if index >= count]
    return b"".join((list_header(count + len(added)), *out, footer[at:end], *added))


def list_header(count: int) -> bytes:
    """Of a list of structs."""
    if count < SHORT_LIST:
        return bytes([count << 4 | wire.TYPE_STRUCT])
    return bytes([SHORT_LIST << 4 | wire.TYPE_STRUCT]) + kernels.varint.encode(count)


def bytes_of(scan, row_groups: Iterable[int]) -> int:
    """Bytes of a file that are there for some of its row groups alone: chunks, page indexes, Bloom filters."""
    columns = [scan.chunks("total_compressed_size"), *map(scan.places, BESIDE_CHUNKS)]
    leaves = scan.leaf_count
    return sum(
        max(0, size)
        for group in row_groups
        for sizes in columns
        for size in sizes[group * leaves : (group + 1) * leaves]
    )


def dead_bytes(scan, footer_offset: int) -> int:
    """Bytes before a file's footer that it does not lead to."""
    return max(0, footer_offset - len(MAGIC) - bytes_of(scan, range(scan.row_group_count)))
