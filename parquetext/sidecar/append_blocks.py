"""Append blocks of new or changed row groups and a footer to a sidecar; update the size in its header last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from .. import compute as pc
from .. import kernels, wire
from ..footer.pyarrow_footer import metadata_of
from ..footer.row_counts import RowsMissing, check_rows
from ..pruning.questdb import Tag
from ..storage import LocalSource
from ..storage.operations import Operations
from .blooms import bitsets
from .header import Header
from .questdb_types import means_the_same, tag_of

WIDTH = 8


def backfill(scan, header, data: pa.NativeFile) -> dict[tuple[int, int], tuple[bytes, bytes]]:
    """Return minimum and maximum, as stored, of the designated timestamp in row groups that lack either.

    If pyarrow loses rows of a row group, it gets no bounds, because a missing row may be outside them.

    Parameters
    ----------
    scan : Scan
        The Thrift footer.
    header : header.Header
    data : pyarrow.NativeFile
        The file, for reading those chunks.

    Returns
    -------
    dict
        By (row group, column).
    """
    column = header.designated_timestamp
    if column < 0:
        return {}
    fields = header.columns[column]
    if tag_of(fields.type) != Tag.TIMESTAMP or fields.physical_type != wire.PHYSICAL_INT64:
        return {}
    found = {}
    for row_group in _lacking(scan.column(column)):
        bounds = _bounds(kernels.slice.slice_footer(scan, [column], [row_group], arrow_schema=False), data)
        if bounds is not None:
            found[row_group, column] = bounds
    return found


def _lacking(chunks) -> Iterable[int]:
    fields = (chunks.array(name) for name in ("present", "num_values", "min_value_length", "max_value_length"))
    both = wire.PRESENT_MIN_VALUE | wire.PRESENT_MAX_VALUE
    for row_group, (present, values, low, high) in enumerate(zip(*fields, strict=True)):
        if values > 0 and not (present & both == both and low == high == WIDTH):
            yield row_group


def _bounds(footer: bytes, data: pa.NativeFile) -> tuple[bytes, bytes] | None:
    file = pq.ParquetFile(data, metadata=metadata_of(footer))
    table = file.read()
    try:
        check_rows(table.num_rows, file.metadata.num_rows)
    except RowsMissing:
        return None
    stored = pa.chunked_array([chunk.view(pa.int64()) for chunk in table.column(0).chunks], pa.int64())
    bounds = pc.min_max(stored)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if low is None:
        return None
    return low.to_bytes(WIDTH, "little", signed=True), high.to_bytes(WIDTH, "little", signed=True)


SIZE_BYTES = 8
NUMBERS = (
    "codec",
    "encodings",
    "num_values",
    "byte_range_start",
    "total_compressed_size",
    "null_count",
    "distinct_count",
)
FACTS = ("flags", "sizes", *NUMBERS)
MIN, MAX = 1, 2


def append(operations: Operations, sidecar: LocalSource, tail: bytes) -> None:
    """Append bytes to a sidecar and sync them before the header's size covers them."""
    operations.write(sidecar.fd, tail, sidecar.size)
    operations.fsync(sidecar.fd)
    operations.write(sidecar.fd, (sidecar.size + len(tail)).to_bytes(SIZE_BYTES, "little"), 0)
    operations.fsync(sidecar.fd)


def header_of(reader) -> Header:
    """Read the columns and the designated timestamp of an existing sidecar."""
    columns = [reader.column(index) for index in range(reader.column_count)]
    return Header(columns, {column.type for column in columns}, reader.designated_timestamp, [], None)


def add_row_groups(
    writer, scan, at: Sequence[int] | None, data: LocalSource, header: Header, *, external_blooms: bool = False
) -> None:
    """Write blocks of the row groups of a file; O(added row groups).

    Parameters
    ----------
    scan : Scan
        Of a footer that contains only these row groups.
    at : sequence of int or None
        Index of the row group that each block replaces, or one past the last; None if all are new.
    """
    with pa.OSFile(data.name) as file:
        bounds = backfill(scan, header, file)
    writer.add_scan(scan, at=at, bounds=bounds, blooms={} if external_blooms else bitsets(scan, data))


def outdated(old, new, *, keeps_header: bool = False) -> list[int] | None:
    """Return the row groups that the older of two sidecars lacks or describes differently.

    Return None if the newer one cannot be appended to the older one: its columns differ, or it has fewer row groups.
    With `keeps_header`, types and ids of columns may be those that older versions of parquetext assigned: the header
    remains unchanged.
    """
    if not _is_same_header(old, new, keeps_header) or new.row_group_count < old.row_group_count:
        return None
    both = old.row_group_count
    found = set(range(both, new.row_group_count)) | _differing(old.row_counts, new.row_counts, both)
    for column in range(new.column_count):
        ours, theirs = old.chunks(column), new.chunks(column, 0, both)
        for name in FACTS:
            found |= _differing(ours.array(name), theirs.array(name), both)
        for bit in (MIN, MAX):
            found |= _differing(ours.bound_values(bit), theirs.bound_values(bit), both)
    for column in new.bloom_columns:
        before, after = ([_filter(reader, group, column) for group in range(both)] for reader in (old, new))
        found |= _differing(before, after, both)
    return sorted(found)


def _is_same_header(old, new, is_kept: bool) -> bool:
    """Return True if two sidecars agree in the header, which all of their snapshots share."""
    if _without_columns(old) != _without_columns(new):
        return False
    for index in range(new.column_count):
        ours, theirs = old.column(index), new.column(index)
        if is_kept and means_the_same(ours.type, theirs.type):
            theirs = theirs._replace(type=ours.type, id=ours.id)
        if ours != theirs:
            return False
    return True


def _without_columns(reader) -> tuple:
    return (
        reader.features,
        reader.designated_timestamp,
        reader.squash_tracker,
        list(reader.sorting_columns),
        list(reader.bloom_columns),
        reader.column_count,
    )


def _differing(ours: Sequence, theirs: Sequence, count: int) -> set[int]:
    if ours == theirs[:count]:
        return set()
    return {index for index in range(count) if ours[index] != theirs[index]}


def _filter(reader, row_group: int, column: int) -> tuple:
    """Return a filter's content, independent of its position in the sidecar."""
    kind, offset, length = reader.bloom(row_group, column)
    if kind == "inline":
        return kind, bytes(memoryview(reader.data)[offset : offset + length])
    return kind, offset, length


def advanced(old, base: int, source: LocalSource, scan, new, groups: Sequence[int], **end) -> bytes:
    """Return the bytes that update an older sidecar to a newer one when they are appended at `base`.

    Parameters
    ----------
    scan : Scan
        Of the Parquet file's whole footer.
    groups : sequence of int
        The result of `outdated`.
    **end
        Arguments of the writer's `finish`.
    """
    writer = kernels.sidecar.Writer.on(old, base)
    if groups:
        part = kernels.scan.scan(kernels.slice.slice_footer(scan, range(scan.leaf_count), groups, arrow_schema=False))
        add_row_groups(writer, part, groups, source, header_of(old), external_blooms=is_external(old))
    footer = new.footer
    return writer.finish(footer.parquet_footer_offset, footer.parquet_footer_length, **end)


def is_external(reader) -> bool:
    """Return True if Bloom filters remain in the Parquet file."""
    return bool(reader.features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL)
