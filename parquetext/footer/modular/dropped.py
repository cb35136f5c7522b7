"""List the facts of a Thrift footer that a modular footer does not store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ... import kernels, thrift
from ..losses import Loss

FIRST_EXTENSION, EXTENSION = -16384, 32767  # field ids that a Thrift library reads from the markers of extensions
STORED = {
    "FileMetaData": {1, 2, 3, 4, 5, 6, 7},
    "RowGroup": {1, 2, 3},  # total_byte_size is the sum of the chunks
    "ColumnChunk": {3},
    "ColumnMetaData": {1, 3, 4, 5, 6, 7, 9, 11, 12},  # path_in_schema follows from the schema
    "Statistics": {3, 5, 6, 7, 8, 9},
}
BOUNDS = ({6, 2}, {5, 1})

Layout = tuple[str, tuple[int, ...]]  # the name of a struct, and the ids of its fields


def dropped_facts(scan) -> tuple[Loss, ...]:
    """Return the fields of a scanned footer that a modular footer does not store, in the order of their locations."""
    counts: dict[str, int] = {}
    firsts: dict[str, str] = {}
    for (name, ids), (count, label) in _layouts(scan).items():
        for field in _dropped_of(name, ids):
            counts[field] = counts.get(field, 0) + count
            firsts.setdefault(field, label)
    return tuple(Loss("the modular footer", field, "dropped", count, firsts[field]) for field, count in counts.items())


def _layouts(scan) -> dict[Layout, tuple[int, str]]:
    """Return how many structs have the same fields, and the first one: there are few combinations of fields."""
    data, leaves = scan.data, scan.leaf_count
    found: dict[Layout, tuple[int, str]] = {}

    def add(name: str, at: int, number: int, label: Callable[[int], str]) -> None:
        layout = name, tuple([field[0] for field in kernels.thrift.fields(data, at)])
        if layout in found:
            count, first = found[layout]
            found[layout] = count + 1, first
        else:
            found[layout] = 1, label(number)

    add("FileMetaData", 0, 0, lambda number: "footer")
    for number, at in enumerate(scan.row_groups("bytes_offset")):
        add("RowGroup", at, number, "row group {}".format)
    for name, member in (("ColumnChunk", "chunk"), ("ColumnMetaData", "metadata"), ("Statistics", "statistics")):
        for chunk, (at, length) in enumerate(
            zip(scan.chunks(f"{member}_offset"), scan.chunks(f"{member}_length"), strict=True)
        ):
            if length:
                add(name, at, chunk, lambda chunk: f"row group {chunk // leaves}, leaf {chunk % leaves}")
    return found


def _dropped_of(name: str, ids: tuple[int, ...]) -> Iterator[str]:
    """Yield the fields of a struct that are dropped."""
    names = thrift.STRUCTS[name]
    for id in sorted({*ids} - STORED[name]):
        if id not in (EXTENSION, FIRST_EXTENSION):
            yield f"{name}.{names[id][0] if id in names else id}"
        elif name != "FileMetaData":  # the one that has the block
            yield f"{name}'s extension"
    if name == "Statistics" and BOUNDS[0].isdisjoint(ids) != BOUNDS[1].isdisjoint(ids):
        yield "a bound without the other one"
