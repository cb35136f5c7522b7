"""Derive a sidecar's header from a scanned footer: columns, designated timestamp and sorting columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import kernels, wire
from ..errors import Unsupported, wire_error
from ..footer.elements import parse_element
from ..footer.thrift_form import key_values_of
from ..logical_types import entry_of
from ..pruning.questdb import Tag
from ..thrift import values
from .questdb_key_value import KEY, Declared, DeclaredColumn, parse
from .questdb_types import UNKNOWN, array_type, counts_otherwise, infer, is_descending, is_designated, tag_of

REPETITION_SHIFT = 2


class Header(NamedTuple):
    """The content of a sidecar's header, without Bloom filters.

    Attributes
    ----------
    columns : sequence of kernels.sidecar.Column
    types : set of int
        The codes among them.
    designated_timestamp : int
        -1: none.
    sorting_columns : list of int
    declared : Declared or None
    """

    columns: Sequence
    types: set[int]
    designated_timestamp: int
    sorting_columns: list[int]
    declared: Declared | None


def describe(scan) -> Header:
    """Read a scanned footer's schema, sorting columns and key-value `questdb`.

    Raises
    ------
    Unsupported
        If columns and chunks, or the key-value and the schema, do not fit together, or if row groups are sorted
        differently.
    """
    types: set[int] = set()

    def code_of(*fields) -> int:
        code = _code(*fields)
        types.add(code)
        return code

    columns, declared = kernels.sidecar.describe(scan, code_of), _declared(scan)
    marked = None
    if declared is not None:
        if len(declared.columns) != len(columns):
            raise wire_error(wire.MISMATCH, 0, len(columns), len(declared.columns))
        columns = [_as_declared(*pair) for pair in zip(columns, declared.columns, strict=True)]
        types = {column.type for column in columns}
        marked = next((index for index, column in enumerate(columns) if is_designated(column.type)), None)
    if marked is not None:
        sorting, timestamp = [(marked, is_descending(columns[marked].type))], marked
    else:
        sorting = _sorting(scan)
        timestamp = _timestamp(scan, sorting, columns)
    falling = [column for column, falls in sorting if falls]
    if falling:
        columns = list(columns)
    for column in falling:
        flags = columns[column].flags | wire.PM_COLUMN_FLAG_DESCENDING
        columns[column] = columns[column]._replace(flags=flags)
    return Header(columns, types, timestamp, [column for column, _ in sorting], declared)


def types_of(reader) -> list[int]:
    """Return the type codes of a sidecar's columns."""
    start, words = wire.PM_HEADER_BYTES, wire.PM_COLUMN_BYTES // 4
    descriptors = (
        memoryview(reader.data)[start : start + reader.column_count * wire.PM_COLUMN_BYTES].cast("B").cast("i")
    )
    return descriptors[wire.PM_COLUMN_TYPE // 4 :: words].tolist()


def _code(element: bytes, physical: int, width: int, is_nested: bool, lists: int) -> int:
    """Return a leaf's type code from its schema element; nested leaves have a code only if they are arrays."""
    if is_nested:
        return array_type(lists) if lists and physical == wire.PHYSICAL_DOUBLE else UNKNOWN
    return infer(physical, width, parse_element(element).logical)


def _as_declared(column, said: DeclaredColumn):
    flags = column.flags
    flags |= wire.PM_COLUMN_FLAG_LOCAL_KEY_IS_GLOBAL if said.has_global_keys else 0
    flags |= wire.PM_COLUMN_FLAG_IS_ASCII if said.is_ascii else 0
    # A program that rewrote the file with other units may have copied the key-value.
    kept = counts_otherwise(said.code, column.type, column.physical_type, column.fixed_byte_len)
    return column._replace(
        id=said.id if said.id >= 0 else column.id, type=column.type if kept else said.code, flags=flags
    )


def _declared(scan) -> Declared | None:
    """Parse the key-value `questdb`; ignore one without a value."""
    pairs = key_values_of(scan)
    return next((parse(value) for key, value in pairs if key == KEY and value is not None), None)


def _sorting(scan) -> list[tuple[int, bool]]:
    """Return the sorting columns shared by all row groups that declare any: (leaf, True if descending)."""
    data = memoryview(scan.data)
    positions = zip(scan.row_groups("sorting_columns_offset"), scan.row_groups("sorting_columns_length"), strict=True)
    declared = {bytes(data[at : at + size]): at for at, size in positions if size}
    found = {tuple(_sorting_columns(text, at)) for text, at in declared.items()} - {()}
    if len(found) > 1:
        raise Unsupported("row groups are sorted by different columns", offset=min(declared.values()))
    sorting = list(found.pop()) if found else []
    for column, _ in sorting:
        if not 0 <= column < scan.leaf_count:
            raise wire_error(wire.MISMATCH, min(declared.values()), scan.leaf_count, column)
    return sorting


def _sorting_columns(text: bytes, offset: int) -> list[tuple[int, bool]]:
    """Decode a Thrift list of SortingColumn."""
    count, at = text[0] >> 4, 1
    if count == 15:
        count, at = kernels.varint.decode32(text, 1)
    columns = []
    for _ in range(count):
        column, at = values.read_at("SortingColumn", text, at)
        if "column_idx" not in column:
            raise wire_error(wire.MISSING_FIELD, offset, wire.SORTING_COLUMN_COLUMN_IDX)
        columns.append((column["column_idx"], column.get("descending", False)))
    return columns


def _timestamp(scan, sorting: list[tuple[int, bool]], columns: Sequence) -> int:
    """Return the first sorting column if it is an ascending, required timestamp; else -1."""
    if not sorting:
        return -1
    index, descending = sorting[0]
    column = columns[index]
    if descending or column.flags >> REPETITION_SHIFT & 3 != wire.REPETITION_REQUIRED:
        return -1
    return index if tag_of(column.type) == Tag.TIMESTAMP or _is_timestamp(scan, index) else -1


def _is_timestamp(scan, leaf: int) -> bool:
    """Return True if a leaf is annotated as a timestamp."""
    element = scan.leaves[leaf]
    at, size = scan.elements("bytes_offset")[element], scan.elements("bytes_length")[element]
    return entry_of(parse_element(memoryview(scan.data)[at : at + size]).logical).is_timestamp
