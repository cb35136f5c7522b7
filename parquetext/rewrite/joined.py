"""Concatenate the row groups of several files: copy pages and patch offsets, without decoding.

The row groups of each file are followed by their Bloom filters and page indexes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Protocol

from .. import __version__, extension, kernels, wire
from ..encoding.carried import copies_of
from ..encoding.pages import OVERRUN
from ..errors import Malformed, ParquetextError, Unsupported
from ..footer.elements import Element, parse_element
from ..footer.thrift_form import refuse_encrypted
from ..logical_types import LogicalType, parquet_text
from ..thrift import integer, values
from .chunks import MovedChunk, moved_group
from .encoding import chunk_structs
from .segments import Claim, divided
from .structs import MAGIC, Fields, footer_fields, row_groups_of, struct_list, structs, with_fields, without


class CopiedGroups:
    """Row groups, their Bloom filters and their page indexes.

    Parameters
    ----------
    part : joined.Part
    groups : list of bytes
        The row groups' structs.
    leaf_count : int
        Number of leaves in the schema.
    is_odd : bool
        True if the writer excluded the dictionary page's header from the chunk's size: some bytes after each chunk
        are then copied, too.

    Attributes
    ----------
    lost : set of str
        Descriptions of everything that could not be copied.

    Raises
    ------
    Malformed
        If chunks, filters or indexes overlap or exceed the file, or if a row group does not have one chunk per leaf.
    Unsupported
        If a chunk is in another file.
    """

    def __init__(self, part, groups: list[bytes], leaf_count: int, *, is_odd: bool):
        self.lost: set[str] = set()
        self._source, self._end, self._slack = part.source, part.end, OVERRUN if is_odd else 0
        self._groups = [Fields(self._bare(group, "row groups")) for group in groups]
        self._chunks = [[self._chunk(struct) for struct in chunk_structs(group)] for group in self._groups]
        for number, chunks in enumerate(self._chunks):
            if len(chunks) != leaf_count:
                raise Malformed(f"row group {number} has {len(chunks)} column chunks, the schema {leaf_count} leaves")
        self._new: dict[tuple[int, int], int] = {}  # new offsets of filters and column indexes, which chunks may share
        divided(self._claims(), len(self._groups), self._end)

    def write(self, sink) -> list[bytes]:
        """Write the row groups to `sink`, a `storage.Appender` of the file, and return their structs."""
        for chunks in self._chunks:
            for chunk in sorted(chunks, key=lambda chunk: chunk.begin):
                at = sink.size
                sink.copy(chunk.begin, min(chunk.begin + chunk.size + self._slack, self._end))
                chunk.move_pages(at)
        for chunk in self._all_chunks():
            if (position := chunk.bloom_filter(self._source)) is not None:
                chunk.move_bloom_filter(self._kept(sink, position))
        for chunk in self._all_chunks():
            if chunk.column_index is not None:
                chunk.move_column_index(self._kept(sink, chunk.column_index))
        for chunk in self._all_chunks():
            if chunk.offset_index is not None:
                index = chunk.shifted(self._source.read(*chunk.offset_index))
                chunk.move_offset_index(sink.size, len(index))
                sink.write(index)
        return [
            moved_group(group, chunks, map(MovedChunk.to_bytes, chunks))
            for group, chunks in zip(self._groups, self._chunks, strict=True)
        ]

    def _kept(self, sink, position: tuple[int, int]) -> int:
        """Copy a range unless it has been copied before, and return its new offset."""
        if position not in self._new:
            self._new[position] = sink.size
            sink.copy(position[0], sum(position))
        return self._new[position]

    def _all_chunks(self) -> Iterator[MovedChunk]:
        return chain.from_iterable(self._chunks)

    def _claims(self) -> Iterator[Claim]:
        for group, chunks in enumerate(self._chunks):
            for leaf, chunk in enumerate(chunks):
                yield from chunk.claims(self._source, group, leaf)

    def _bare(self, struct: bytes, what: str) -> bytes:
        """Remove the extension of a struct, because an extension may contain offsets."""
        if kernels.extension.find(struct) is None:
            return struct
        self.lost.add(f"extensions of {what} are left out")
        return extension.strip(struct)

    def _chunk(self, struct: bytes) -> MovedChunk:
        struct = self._bare(struct, "column chunks")
        outer = Fields(struct)
        position = outer.places.get(wire.COLUMN_CHUNK_META_DATA)
        if position is not None:
            outer.put(wire.COLUMN_CHUNK_META_DATA, self._bare_metadata(struct[slice(*position)]))
        chunk = MovedChunk(outer.to_bytes())
        if chunk.size < 0:
            raise Malformed(f"a column chunk of {chunk.size} bytes", offset=chunk.begin)
        return chunk

    def _bare_metadata(self, metadata: bytes) -> bytes:
        if kernels.extension.find(metadata) is None:
            return metadata
        try:
            has_copies = bool(copies_of(metadata))
        except ParquetextError:
            has_copies = False
        what = "copies of columns in other encodings" if has_copies else "extensions of columns"
        self.lost.add(f"{what} are left out" + "; encode makes them anew" * has_copies)
        return extension.strip(metadata)


WRITER = f"parquetext version {__version__}".encode()
MOST_ORDINALS = 1 << 15  # ordinals have 16 bits
DEPRECATED = (wire.STATISTICS_MAX, wire.STATISTICS_MIN)  # readers use these only for some writers' names
# Readers detect deviations from parquet-format by these names only.
_ODD_WRITER = re.compile(r"parquet-mr(?: version (?:0\.|1\.[0-7]\.|1\.[0-7]\D)|\s*\Z)")
COMPARED = "name", "type", "type_length", "repetition", "logical", "field_id", "num_children"


class Part(Protocol):
    """A file whose row groups are copied.

    Attributes
    ----------
    source : storage.Source
    footer : bytes
        Its Thrift footer without an extension.
    end : int
        The end of its data.
    row_groups : sequence of int or None
        The row groups to copy; None for all.
    """

    source: Any
    footer: bytes
    end: int
    row_groups: Sequence[int] | None


def check_same_schema(first: bytes, other: bytes) -> None:
    """Raise Unsupported if two footers have different schemas; the root's name is ignored.

    The message names the first element that differs, and the difference.
    """
    positions = [footer_fields(footer)[wire.FILE_META_DATA_SCHEMA] for footer in (first, other)]
    if first[slice(*positions[0])] == other[slice(*positions[1])]:
        return
    ours, theirs = (
        [parse_element(struct) for struct in structs(footer, at)]
        for footer, (at, _) in zip((first, other), positions, strict=True)
    )
    for number, (one, another) in enumerate(zip(ours, theirs, strict=False)):
        for fact in COMPARED if number else ():
            if getattr(one, fact) != getattr(another, fact):
                raise _different(one, another, fact)
    if len(ours) != len(theirs):
        longer = max(ours, theirs, key=len)
        raise Unsupported(
            f"its schema has {len(theirs) - 1} elements, that of the first file {len(ours) - 1}: "
            f"{longer[min(len(ours), len(theirs))].name!r} is in one of them alone"
        )


def top_level_names(footer: bytes) -> frozenset[str]:
    """Return the names of a footer's top-level columns."""
    names = []
    open_groups: list = []
    for element in map(parse_element, structs(footer, footer_fields(footer)[wire.FILE_META_DATA_SCHEMA][0])):
        if len(open_groups) == 1:
            names.append(element.name)
        if open_groups:
            open_groups[-1] -= 1
        open_groups.append(element.num_children or 0)
        while open_groups and not open_groups[-1]:
            open_groups.pop()
    return frozenset(names)


def _different(one: Element, another: Element, fact: str) -> Unsupported:
    what = {"logical": "logical type"}.get(fact, fact.replace("_", " "))
    if fact == "name":
        return Unsupported(f"its schema has {another.name!r} where that of the first file has {one.name!r}")
    found, expected = (_shown(getattr(element, fact), fact) for element in (another, one))
    return Unsupported(f"column {one.name!r} has the {what} {found}, in the first file {expected}")


def _shown(value: Any, fact: str) -> str:
    if isinstance(value, LogicalType):
        return parquet_text(value)
    names = {"type": wire.NAMES_OF_TYPE, "repetition": wire.NAMES_OF_FIELD_REPETITION_TYPE}.get(fact, {})
    return str(names.get(value, "none" if value is None else value))


class Joiner:
    """Write a file up to its footer, part by part.

    Parameters
    ----------
    sink : storage.Appender

    Attributes
    ----------
    row_groups, rows : int
        Row groups and rows that were added so far.
    notes : list of str
        Descriptions of everything that could not be copied.
    """

    def __init__(self, sink):
        self._sink, self._first = sink, None
        self._groups: list[bytes] = []
        self._writers: dict[bytes | None, None] = {}
        self._orders: dict[bytes | None, None] = {}
        self._pairs: dict[str, bytes] = {}
        self._lost: dict[str, None] = {}
        self.rows = 0
        sink.write(MAGIC)

    @property
    def row_groups(self) -> int:
        return len(self._groups)

    @property
    def notes(self) -> list[str]:
        return list(self._lost)

    def add(self, part: Part) -> None:
        """Copy the row groups of a file.

        Raises
        ------
        Unsupported
            If its schema differs from that of the first file, or if a chunk is in another file.
        Refused
            If it is encrypted.
        Malformed
            If parts of it overlap or exceed the file.
        """
        scan = kernels.scan.scan(part.footer)
        refuse_encrypted(scan)
        if self._first is None:
            self._first = part.footer
        else:
            check_same_schema(self._first, part.footer)
        self._add_file_fields(part.footer, scan)
        groups = row_groups_of(part.footer)
        wanted = range(len(groups)) if part.row_groups is None else part.row_groups
        self._sink.use(part.source)
        copied = CopiedGroups(
            part, [groups[number] for number in wanted], scan.leaf_count, is_odd=_is_odd(scan.created_by)
        )
        self._groups += copied.write(self._sink)
        self._lost |= dict.fromkeys(copied.lost)
        rows = scan.row_groups("num_rows")
        self.rows += sum(rows[number] for number in wanted)

    def flush(self) -> None:
        """Write all added data to the new file, so that the last source file can be closed."""
        self._sink.flush()

    def footer(self) -> bytes:
        """Return the Thrift footer for everything that was added.

        Raises
        ------
        Unsupported
            If readers need the name of the writer to read the pages and the files have different writers, or if there
            are too many rows.
        """
        if self.rows >= 1 << 63:
            raise Unsupported(f"{self.rows} rows: a footer counts to {(1 << 63) - 1}")
        several = len(self._writers) > 1
        if several:
            self._check_writers()
            self._lost["the files have several writers: the new one names parquetext"] = None
        groups = self._numbered(without_deprecated=several)
        fields = {
            wire.FILE_META_DATA_NUM_ROWS: (wire.TYPE_I64, integer(self.rows)),
            wire.FILE_META_DATA_ROW_GROUPS: (wire.TYPE_LIST, struct_list(list(groups))),
        }
        if self._pairs:
            fields[wire.FILE_META_DATA_KEY_VALUE_METADATA] = wire.TYPE_LIST, struct_list(self._pairs.values())
        if several:
            fields[wire.FILE_META_DATA_CREATED_BY] = wire.TYPE_BINARY, kernels.varint.encode(len(WRITER)) + WRITER
        footer = self._first
        if len(self._orders) > 1:
            footer = without(footer, (wire.FILE_META_DATA_COLUMN_ORDERS,))
            self._lost["the files say differently how columns are ordered: readers pass over minima and maxima"] = None
        return with_fields(footer, fields)

    def _check_writers(self) -> None:
        for writer in self._writers:
            if writer is not None and _is_odd(writer):
                name = bytes(writer).decode("utf-8", "replace")
                raise Unsupported(
                    f"row groups of {name!r} are read rightly by that name alone, and other files have another writer: "
                    "write them anew first"
                )

    def _add_file_fields(self, footer: bytes, scan) -> None:
        """Add a footer's values that belong to the file and not to a row group."""
        self._writers[None if scan.created_by is None else bytes(scan.created_by)] = None
        positions = footer_fields(footer)
        orders = positions.get(wire.FILE_META_DATA_COLUMN_ORDERS)
        self._orders[None if orders is None else footer[slice(*orders)]] = None
        pairs = positions.get(wire.FILE_META_DATA_KEY_VALUE_METADATA)
        for struct in () if pairs is None else structs(footer, pairs[0]):
            key = values.read("KeyValue", struct).get("key", "")
            if self._pairs.setdefault(key, struct) != struct:
                self._lost[f"key-value {key!r} differs: that of the first file is kept"] = None

    def _numbered(self, *, without_deprecated: bool) -> Iterator[bytes]:
        """Yield the row groups' structs with their new ordinals."""
        for number, struct in enumerate(self._groups):
            group = Fields(struct if len(self._groups) <= MOST_ORDINALS else without(struct, (wire.ROW_GROUP_ORDINAL,)))
            if wire.ROW_GROUP_ORDINAL in group.places:
                group.put(wire.ROW_GROUP_ORDINAL, number)
            if without_deprecated:
                chunks = [_without_deprecated(chunk) for chunk in chunk_structs(group)]
                group.put(wire.ROW_GROUP_COLUMNS, struct_list(chunks))
            yield group.to_bytes()


def _is_odd(writer: bytes | None) -> bool:
    return _ODD_WRITER.match(bytes(writer or b"").decode("utf-8", "replace")) is not None


def _without_deprecated(chunk: bytes) -> bytes:
    """Remove the deprecated minima and maxima, which only some writers wrote correctly, from a chunk's struct."""
    outer = Fields(chunk)
    begin, end = outer.places[wire.COLUMN_CHUNK_META_DATA]
    metadata = Fields(chunk[begin:end])
    position = metadata.places.get(wire.COLUMN_META_DATA_STATISTICS)
    if position is None:
        return chunk
    metadata.put(wire.COLUMN_META_DATA_STATISTICS, without(metadata.data[slice(*position)], DEPRECATED))
    outer.put(wire.COLUMN_CHUNK_META_DATA, metadata.to_bytes())
    return outer.to_bytes()
