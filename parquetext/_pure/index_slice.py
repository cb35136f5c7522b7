"""Slice a footer by its index: collect the parts of the Thrift footer that a projection needs as a small scan."""

from __future__ import annotations

from itertools import accumulate, pairwise

from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS
from .flat_ending import HAS_COLUMN_ORDERS
from .projection import projected
from .records import Records
from .scan import ELEMENT_MEMBERS, KEY_VALUE_MEMBERS, ROW_GROUP_MEMBERS, ScanArrays
from .slice import Real, Slicer, slice_with

RANGES = {"element": ("bytes", "name", "logical_type"), "pair": ("bytes", "key", "value")}


class SmallScan(ScanArrays):
    """A scan of the parts that a projection needs, with renumbered leaves and row groups."""

    def __init__(self, reader, leaves: list[int], row_groups: list[int]):
        self.reader, self.wanted, self.wanted_groups = reader, leaves, row_groups
        self.pieces: list[bytes] = []
        self.size = 0
        self.leaves: list[int] = []
        self.real: list[Real] = []
        self._elements, self._row_groups = Records(ELEMENT_MEMBERS), Records(ROW_GROUP_MEMBERS)
        self._chunks, self._key_values = Records(CHUNK_MEMBERS | PLACES_MEMBERS), Records(KEY_VALUE_MEMBERS)
        self.version, self.created_by, self.problem = reader.version, None, None
        self.has_column_orders = bool(reader.file.facts.flags & HAS_COLUMN_ORDERS)

    def add(self, data: bytes) -> int:
        """Add bytes, and return their offset."""
        self.pieces.append(data)
        self.size += len(data)
        return self.size - len(data)

    def fill(self, arrow_schema: bool, key_values: bool) -> None:
        reader = self.reader
        reader.check_projection(self.wanted, self.wanted_groups)
        reader.begin()
        self.add_elements()
        self.add_row_groups()
        reader.begin()  # the leaves' elements are read once more
        self.add_chunks()
        arrow = reader.file.facts.arrow_schema if arrow_schema and self.wanted else 0
        for index in range(reader.key_value_count) if key_values else [arrow - 1] if arrow else []:
            fields, data = reader.pair(index)
            self._key_values.append(
                shifted(fields, RANGES["pair"], self.add(data)) | {"has_value": int("value_offset" in fields)}
            )
        self.created_by, self.data = reader.read_created_by(), b"".join(self.pieces)

    def add_elements(self) -> None:
        """Add the requested leaves and the groups above them, with new numbers."""
        for number, part in enumerate(projected(self.wanted, self.reader.entry, keeps_order=True)):
            entry = part.entry
            element = shifted(entry.element, RANGES["element"], self.add(entry.thrift))
            tree = {"parent": part.above, "first_leaf": part.first_leaf, "leaf_count": part.leaves}
            self._elements.append(element | tree)
            self.real.append(Real(entry.position, entry.leaf_count))
            if part.is_leaf:
                self.leaves.append(number)

    def add_row_groups(self) -> None:
        """Add the requested row groups.

        Each is read once, together with those that follow it both in the file and in the slice.
        """
        found: dict[int, dict] = {}
        order = sorted(range(len(self.wanted_groups)), key=self.wanted_groups.__getitem__)
        while order:
            run = run_of(order, self.wanted_groups)
            first = self.wanted_groups[order[0]]
            if first in found:
                run = 1
            else:
                found |= enumerate(self.reader.row_group_fields(first, run), first)
            order = order[run:]
        for row_group in self.wanted_groups:
            self._row_groups.append(found[row_group] | {"chunk_count": self.leaf_count})

    def add_chunks(self) -> None:
        """Add the chunks' Thrift bytes, leaf by leaf. Each part is read once."""
        row_groups, columns = sorted(set(self.wanted_groups)), []
        for leaf in self.wanted:
            column, data = {}, self.reader.chunk_bytes(leaf, row_groups)
            ends = [0, *accumulate(thrift.length for thrift in data[1])]
            for row_group, thrift, (at, end) in zip(row_groups, data[1], pairwise(ends), strict=True):
                fields = self.reader.decode_chunk(data[0][at:end], 0, thrift)
                column[row_group] = fields | {"chunk_offset": self.add(data[0][at:end]), "chunk_length": end - at}
            columns.append(column)
        for row_group in self.wanted_groups:
            for column in columns:
                self._chunks.append(column[row_group])


def shifted(fields: dict[str, int], ranges: tuple[str, ...], by: int) -> dict[str, int]:
    """Return members whose ranges are shifted by `by`."""
    names = [f"{range}_offset" for range in ranges]
    return fields | {name: fields[name] + by for name in names if name in fields}


def run_of(order: list[int], row_groups: list[int]) -> int:
    """Return the number of row groups, in the order given, that are consecutive both in the file and in the slice."""
    first, run = order[0], 1
    while run < len(order) and order[run] == first + run and row_groups[order[run]] == row_groups[first] + run:
        run += 1
    return run


def slice_index(reader, leaves, row_groups, arrow_schema: bool, key_values: bool) -> bytes:
    """Return the slice of the footer of an open index reader; see `slice.slice_footer`."""
    leaves, row_groups = [int(leaf) for leaf in leaves], [int(index) for index in row_groups]
    scan = SmallScan(reader, leaves, row_groups)
    scan.fill(arrow_schema, key_values)
    slicer = Slicer(scan, range(len(leaves)), range(len(row_groups)), scan.real, reader.leaf_count + reader.node_count)
    return slice_with(slicer, arrow_schema, key_values)
