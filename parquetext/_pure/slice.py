"""Write a small, valid Thrift footer for a projection, with only its row groups, leaves and the groups above them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import arrow_copy, arrow_schema, thrift
from .arrow_schema import Schema
from .scan import ARROW_SCHEMA
from .slice_write import Chunk, Element, Parts, RowGroup, write

__all__ = ["Real", "Slicer", "arrow_build", "arrow_names", "arrow_pieces", "slice_footer", "slice_with"]

FACTS = ("present", "total_uncompressed_size", "total_compressed_size", "data_page_offset", "dictionary_page_offset")
LIST_OR_MAP_CONVERTED = (wire.CONVERTED_MAP, wire.CONVERTED_MAP_KEY_VALUE, wire.CONVERTED_LIST)
LIST_OR_MAP_LOGICAL = (wire.LOGICAL_MAP, wire.LOGICAL_LIST)


class Real(NamedTuple):
    """The properties of an element that a scan of only some elements lacks."""

    position: int  # among its siblings
    leaf_count: int  # number of leaves below it


class Slicer:
    """A projection of a scan. If the scan has only the needed elements, `real` describes them in the full schema."""

    def __init__(
        self,
        scan,
        leaves: Sequence[int],
        row_groups: Sequence[int],
        real: Sequence[Real] | None = None,
        real_elements: int = 0,
    ):
        self.scan, self.leaves, self.row_groups = scan, leaves, row_groups
        self.real, self.real_elements = real, real_elements
        self.data = memoryview(scan.data).cast("B")
        self.parents = scan.elements("parent")
        self.row_group_count = scan.row_group_count

    @property
    def paths(self) -> list[bytes]:
        """Return the leaves' paths, with NUL between the names, for chunks that lack their path."""
        found = []
        for leaf in self.leaves:
            names, at = [], self.scan.leaves[leaf]
            while at:
                names.append(self.scan.content(self.scan.elements, "name", at))
                at = self.parents[at]
            found.append(b"\0".join(reversed(names)))
        return found

    def check(self) -> None:
        """Raise an error for an invalid footer, leaves that do not ascend, and missing or irregular row groups."""
        scan = self.scan
        if scan.problem is not None:
            raise scan.problem
        for indexes, limit in ((self.leaves, scan.leaf_count), (self.row_groups, self.row_group_count)):
            for index in indexes:
                if not 0 <= index < limit:
                    raise wire_error(wire.BAD_ARGUMENT, 0, limit, index)
        for leaf, next_leaf in pairwise(self.leaves):
            if next_leaf <= leaf:
                raise wire_error(wire.BAD_ARGUMENT, 0, leaf, next_leaf)
        self.check_row_groups()

    def check_row_groups(self) -> None:
        """Raise an error unless the requested row groups have one chunk per leaf."""
        scan = self.scan
        counts, offsets = scan.row_groups("chunk_count"), scan.row_groups("bytes_offset")
        for index in self.row_groups:
            if counts[index] != scan.leaf_count:
                raise wire_error(wire.IRREGULAR, offsets[index], scan.leaf_count, counts[index])

    def elements(self) -> list[Element]:
        """Return the root, the leaves, and the groups above them, in preorder."""
        wanted = {0}
        for leaf in self.leaves:
            at = self.scan.leaves[leaf]
            while at not in wanted:
                wanted.add(at)
                at = self.parents[at]
        order = sorted(wanted)
        children = dict.fromkeys(order, 0)
        for at in order[1:]:
            children[self.parents[at]] += 1
        orders = self.scan.elements("column_order")
        return [Element(self.scan.content(self.scan.elements, "bytes", at), children[at], orders[at]) for at in order]

    def chunks(self) -> list[list[Chunk]]:
        scan = self.scan
        first = [0, *accumulate(scan.row_groups("chunk_count"))]
        offsets, lengths = scan.chunks("chunk_offset"), scan.chunks("chunk_length")
        sizes = [scan.chunks(name) for name in FACTS]

        def chunk(at: int) -> Chunk:
            fields = dict(zip(FACTS, (column[at] for column in sizes), strict=True))
            return Chunk(fields, bytes(self.data[offsets[at] : offsets[at] + lengths[at]]))

        return [[chunk(first[index] + leaf) for leaf in self.leaves] for index in self.row_groups]

    def row_group_fields(self) -> list[RowGroup]:
        rows, offsets, ordinals = (self.scan.row_groups(name) for name in ("num_rows", "file_offset", "ordinal"))
        return [RowGroup(rows[index], offsets[index], ordinals[index]) for index in self.row_groups]

    def is_arrow_schema(self, index: int) -> bool:
        return self.scan.content(self.scan.key_values, "key", index) == ARROW_SCHEMA

    def key_values(self) -> list[bytes]:
        """Return the key-values except ARROW:schema."""
        indexes = range(self.scan.key_value_count)
        return [self.scan.content(self.scan.key_values, "bytes", i) for i in indexes if not self.is_arrow_schema(i)]

    # ARROW:schema

    def arrow_schema(self) -> bytes:
        """Return the projection's ARROW:schema, or nothing if the footer has none that can be trusted.

        The number of top-level fields must equal the root's children, and the requested fields must have their names.
        """
        pair = self.scan.arrow_schema()
        if pair is None or not len(self.leaves):
            return b""
        try:
            return self._project(arrow_schema.parse(self.scan.content(self.scan.key_values, "value", pair)))
        except ParquetextError:
            return b""

    def _project(self, schema: Schema) -> bytes:
        if schema.field_count != self.scan.elements("num_children")[0]:
            return b""
        columns = [at for at in range(1, self.scan.element_count) if self.parents[at] == 0]
        fields = [self.real[at].position for at in columns] if self.real else range(len(columns))
        wanted = [(field, at) for field, at in zip(fields, columns, strict=True) if self._wanted_below(at)]
        pieces, names, keep = [], [], []
        for field, at in wanted:
            name = self.scan.content(self.scan.elements, "name", at)
            if schema.name(field) != name:
                return b""
            names.append(name)
            pieces.append(schema.piece(field))
            leaf_count = self.real[at].leaf_count if self.real else self.scan.elements("leaf_count")[at]
            cut = self._is_struct(at) and self._wanted_below(at) < leaf_count
            keep.append(self._keep(at, 0) if cut else None)
        return arrow_copy.build(pieces, names, keep)

    def _wanted_below(self, element: int) -> int:
        first = self.scan.elements("first_leaf")[element]
        end = first + self.scan.elements("leaf_count")[element]
        return bisect_left(self.leaves, end) - bisect_left(self.leaves, first)

    def _is_struct(self, element: int) -> bool:
        """Return True if Arrow reads the group as a struct."""
        elements = self.scan.elements
        if elements("num_children")[element] <= 0 or elements("repetition")[element] == wire.REPETITION_REPEATED:
            return False
        if elements("logical_type_length")[element]:
            members = thrift.fields(self.data, elements("logical_type_offset")[element])
            if members and members[0][0] in LIST_OR_MAP_LOGICAL:
                return False
        return elements("converted_type")[element] not in LIST_OR_MAP_CONVERTED

    def _keep(self, group: int, depth: int) -> bytes:
        """Return the selected children of the struct, then those of its children."""
        if depth > wire.MAX_DEPTH:
            raise wire_error(wire.TOO_DEEP, 0, wire.MAX_DEPTH)
        children, at = [], group + 1
        while at < self.scan.element_count and self.parents[at] >= group:
            if self.parents[at] == group:
                children.append(at)
            at += 1
        stays = [child for child in children if self._wanted_below(child)]
        below = [self._keep(child, depth + 1) for child in stays if self._is_struct(child)]
        return self._mask(group, children, stays) + b"".join(below)

    def _mask(self, group: int, children: list[int], stays: list[int]) -> bytes:
        """Return a byte for each child of a struct: 1 if it is selected."""
        if self.real is None:
            return bytes(child in stays for child in children)
        count = self.scan.elements("num_children")[group]
        positions = {self.real[child].position for child in stays}
        if count > self.real_elements or max(positions) >= count:
            raise wire_error(wire.SCHEMA, 0, self.real_elements, count)
        return bytes(position in positions for position in range(count))


def slice_footer(scan, leaves, row_groups, *, arrow_schema: bool = True, key_values: bool = False) -> bytes:
    """Return the slice of a scanned footer.

    Parameters
    ----------
    scan : Scan
    leaves : sequence of int
        Ascending. Lists and maps should be complete, so that readers can interpret them.
    row_groups : sequence of int
        In the requested order.
    arrow_schema : bool
        Include ``ARROW:schema``, projected to these leaves, if the footer has a valid one.
    key_values : bool
        Include the other key-values.

    Returns
    -------
    bytes
        A FileMetaData in Thrift's compact protocol: elements with updated ``num_children``, unchanged chunks, and
        recomputed sums of sizes and rows. Sorting columns and extensions of the footer and its row groups are omitted.

    Raises
    ------
    ParquetextError
        If an index is out of range or out of order.
    Unsupported
        If a row group does not have one chunk per leaf.
    """
    leaves, row_groups = [int(leaf) for leaf in leaves], [int(index) for index in row_groups]
    return slice_with(Slicer(scan, leaves, row_groups), arrow_schema, key_values)


def slice_with(slicer: Slicer, arrow_schema: bool, key_values: bool) -> bytes:
    """Return the slice of a slicer's projection."""
    scan = slicer.scan
    slicer.check()
    parts = Parts(
        version=scan.version,
        elements=slicer.elements(),
        row_groups=slicer.row_group_fields(),
        chunks=slicer.chunks(),
        paths=slicer.paths,
        key_values=slicer.key_values() if key_values else [],
        arrow_schema=slicer.arrow_schema() if arrow_schema else b"",
        created_by=scan.created_by,
        has_column_orders=scan.has_column_orders,
    )
    return write(parts)


def arrow_names(text) -> list[bytes]:
    """Return the names of the top-level fields of an ``ARROW:schema`` value."""
    schema = arrow_schema.parse(text)
    return [schema.name(index) for index in range(schema.field_count)]


def arrow_pieces(text) -> list[bytes]:
    """Return the top-level fields of an ``ARROW:schema`` value as self-contained pieces without their names.

    A piece is a FlatBuffers Field table at offset 0. All of its offsets point forward, and that of its name points to
    the piece's end, where a string may be appended. Its length is a multiple of 8.

    Raises
    ------
    Malformed
        If the value is not a Schema in an IPC message, or if Schema.fbs does not define a field. Offsets count from the
        decoded message.
    """
    schema = arrow_schema.parse(text)
    return [schema.piece(index) for index in range(schema.field_count)]


def arrow_build(pieces, names, keep=None) -> bytes:
    """Combine pieces and names into an ``ARROW:schema`` value.

    Parameters
    ----------
    pieces, names : sequences of bytes
        Pieces made by `arrow_pieces`, and the fields' names. Pieces are checked, not trusted.
    keep : sequence of bytes or None, optional
        The selected children of each field. For a struct: one byte per child, 0 if it is dropped, then the same, in
        order, for each selected child that is a struct itself. Everything below lists, maps and dictionaries is kept.
        None keeps the whole field.

    Raises
    ------
    Malformed
        If a piece is not a Field or takes more than 4 × its size + 1024 bytes, or if `keep` does not fit it. Offsets
        count from the piece.
    """
    pieces, names = [bytes(piece) for piece in pieces], [bytes(name) for name in names]
    keep = [None] * len(pieces) if keep is None else [None if one is None else bytes(one) for one in keep]
    if len(names) != len(pieces) or len(keep) != len(pieces):
        raise ValueError("pieces, names and keep differ in number")
    return arrow_copy.build(pieces, names, keep)
