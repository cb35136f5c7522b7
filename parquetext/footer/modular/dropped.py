"""List the facts of a Thrift footer that a modular footer does not store."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels, thrift, wire
from ...records import frozen

FIRST_EXTENSION, EXTENSION = -16384, 32767  # field ids that a Thrift library reads from the markers of extensions
STORED = {
    "FileMetaData": {1, 2, 3, 4, 5, 6, 7},
    "RowGroup": {1, 2, 3},  # total_byte_size is the sum of the chunks
    "ColumnChunk": {3},
    "ColumnMetaData": {1, 3, 4, 5, 6, 7, 9, 11, 12},  # path_in_schema follows from the schema
    "Statistics": {3, 5, 6, 7, 8, 9},
}
BOUNDS = ({6, 2}, {5, 1})


@frozen
class Dropped:
    """A field that the modular footer does not store: the number of times, and the first location."""

    field: str
    count: int
    first: str

    def __str__(self) -> str:
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        return f"the modular footer: {self.field} is dropped: {self.first}{more}"


def dropped_facts(scan) -> tuple[Dropped, ...]:
    """Return the fields of a scanned footer that a modular footer does not store, in the order of their locations."""
    counts: dict[str, int] = {}
    firsts: dict[str, str] = {}
    for field, location in _fields(scan):
        counts[field] = counts.get(field, 0) + 1
        firsts.setdefault(field, location)
    return tuple(Dropped(field, count, firsts[field]) for field, count in counts.items())


def _fields(scan) -> Iterator[tuple[str, str]]:
    """Yield each field that is dropped, and its location."""
    data, leaves = scan.data, scan.leaf_count
    yield from _of_struct("FileMetaData", data, 0, "footer")
    for number, at in enumerate(scan.row_groups("bytes_offset")):
        yield from _of_struct("RowGroup", data, at, f"row group {number}")
    for chunk, at in enumerate(scan.chunks("chunk_offset")):
        row_group, leaf = divmod(chunk, leaves)
        location = f"row group {row_group}, leaf {leaf}"
        yield from _of_struct("ColumnChunk", data, at, location)
        found = kernels.thrift.find(data, wire.COLUMN_CHUNK_META_DATA, at)
        if found is None:
            continue
        yield from _of_struct("ColumnMetaData", data, found[3], location)
        statistics = kernels.thrift.find(data, wire.COLUMN_META_DATA_STATISTICS, found[3])
        if statistics is not None and statistics[1] == wire.TYPE_STRUCT:
            yield from _of_struct("Statistics", data, statistics[3], location)


def _of_struct(name: str, data, at: int, location: str) -> Iterator[tuple[str, str]]:
    ids = {field[0] for field in kernels.thrift.fields(data, at)}
    for id in sorted(ids - STORED[name]):
        if id in (EXTENSION, FIRST_EXTENSION):
            if name != "FileMetaData":  # the one that has the block
                yield f"{name}'s extension", location
        else:
            names = thrift.STRUCTS[name]
            yield f"{name}.{names[id][0] if id in names else id}", location
    if name == "Statistics" and bool(ids & BOUNDS[0]) != bool(ids & BOUNDS[1]):
        yield "a bound without the other one", location
