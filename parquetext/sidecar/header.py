"""From a scanned footer to a sidecar's header: columns, the designated timestamp, what rows are sorted by."""

from __future__ import annotations

from typing import NamedTuple

from .. import kernels, wire
from ..errors import Unsupported, wire_error
from ..footer.elements import LogicalType, parse_element
from ..footer.types import PHYSICAL_TYPES
from ..thrift import values
from .questdb import KEY, Declared, parse
from .types import TIMESTAMP, infer, is_descending, is_designated, tag_of

__all__ = ["Header", "describe"]

REQUIRED, OPTIONAL, REPEATED = range(3)
REPETITION_SHIFT = 2
NO_FIELD_ID = -1 << 31


class Header(NamedTuple):
    """What a sidecar's header says, but for Bloom filters.

    Attributes
    ----------
    columns : list of kernels.sidecar.Column
    designated_timestamp : int
        -1: none.
    sorting_columns : list of int
    declared : Declared or None
    """

    columns: list
    designated_timestamp: int
    sorting_columns: list[int]
    declared: Declared | None


class Leaf(NamedTuple):
    """What the schema says of a leaf."""

    name: bytes
    physical: int
    width: int
    repetition: int
    field_id: int
    logical: LogicalType | None
    depth: int
    repeated: int
    definition: int


def describe(scan) -> Header:
    """Read a scanned footer's schema, sorting columns and key-value `questdb`.

    Raises
    ------
    Unsupported
        Columns and chunks, or the key-value and the schema, do not fit together, or row groups are sorted differently.
    """
    leaves, declared = list(_leaves(scan)), _declared(scan)
    if declared is not None and len(declared.columns) != len(leaves):
        raise wire_error(wire.MISMATCH, 0, len(leaves), len(declared.columns))
    codes = [column.code for column in declared.columns] if declared else [
        infer(PHYSICAL_TYPES[leaf.physical], leaf.width, leaf.logical, leaf.depth, leaf.repeated) for leaf in leaves]
    marked = next((index for index, code in enumerate(codes) if is_designated(code)), None) if declared else None
    if marked is not None:
        sorting, timestamp = [(marked, is_descending(codes[marked]))], marked
    else:
        sorting = _sorting(scan)
        timestamp = _timestamp(sorting, leaves, codes)
    descending = {column for column, falls in sorting if falls}
    columns = [_column(index, leaf, codes[index], declared, index in descending) for index, leaf in enumerate(leaves)]
    return Header(columns, timestamp, [column for column, _ in sorting], declared)


def _column(index: int, leaf: Leaf, code: int, declared: Declared | None, descending: bool):
    flags = leaf.repetition << REPETITION_SHIFT | (wire.PM_COLUMN_FLAG_DESCENDING if descending else 0)
    identity = -1 if leaf.field_id == NO_FIELD_ID else leaf.field_id
    if declared is not None:
        said = declared.columns[index]
        identity = said.id if said.id >= 0 else identity
        flags |= wire.PM_COLUMN_FLAG_LOCAL_KEY_IS_GLOBAL if said.has_global_keys else 0
        flags |= wire.PM_COLUMN_FLAG_IS_ASCII if said.is_ascii else 0
    return kernels.sidecar.Column(leaf.name, identity, code, flags, leaf.width, leaf.physical, leaf.repeated,
                                  leaf.definition)


def _leaves(scan):
    """Each leaf, under the name and repetition of its top-level field."""
    data, fact = memoryview(scan.data), scan.elements
    parents, repetitions, physicals, widths = fact("parent"), fact("repetition"), fact("type"), fact("type_length")
    name_at, name_size, field_ids = fact("name_offset"), fact("name_length"), fact("field_id")
    at, size = fact("bytes_offset"), fact("bytes_length")
    annotated, converted = fact("logical_type_length"), fact("converted_type")
    definitions, repeated = fact("max_definition"), fact("max_repetition")
    for element in scan.leaves:
        top, depth = element, 1
        while parents[top] > 0:
            top, depth = parents[top], depth + 1
        physical = physicals[element]
        if not 0 <= physical < len(PHYSICAL_TYPES):
            raise Unsupported(f"a leaf of physical type {physical}", offset=at[element])
        logical = None
        if annotated[element] or converted[element] >= 0:
            logical = parse_element(data[at[element]:at[element] + size[element]]).logical
        name = bytes(data[name_at[top]:name_at[top] + name_size[top]])
        repetition = repetitions[top] if repetitions[top] in (REQUIRED, OPTIONAL, REPEATED) else OPTIONAL
        width = max(0, widths[element]) if PHYSICAL_TYPES[physical] == "FIXED_LEN_BYTE_ARRAY" else 0
        yield Leaf(name, physical, width, repetition, field_ids[element], logical, depth, repeated[element],
                   definitions[element])


def _declared(scan) -> Declared | None:
    """What the key-value `questdb` says; one without a value counts for nothing."""
    data, fact = memoryview(scan.data), scan.key_values
    at, size, value_at, value_size, has_value = (
        fact(name) for name in ("key_offset", "key_length", "value_offset", "value_length", "has_value"))
    for index in range(scan.key_value_count):
        if data[at[index]:at[index] + size[index]] == KEY and has_value[index]:
            return parse(bytes(data[value_at[index]:value_at[index] + value_size[index]]))
    return None


def _sorting(scan) -> list[tuple[int, bool]]:
    """The sorting columns on which all row groups that declare any agree: (leaf, whether it descends)."""
    data = memoryview(scan.data)
    places = zip(scan.row_groups("sorting_columns_offset"), scan.row_groups("sorting_columns_length"), strict=True)
    declared = {bytes(data[at:at + size]): at for at, size in places if size}
    found = {tuple(_sorting_columns(text, at)) for text, at in declared.items()} - {()}
    if len(found) > 1:
        raise Unsupported("row groups are sorted by different columns", offset=min(declared.values()))
    sorting = list(found.pop()) if found else []
    for column, _ in sorting:
        if not 0 <= column < scan.leaf_count:
            raise wire_error(wire.MISMATCH, min(declared.values()), scan.leaf_count, column)
    return sorting


def _sorting_columns(text: bytes, offset: int) -> list[tuple[int, bool]]:
    """A Thrift list of SortingColumn."""
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


def _timestamp(sorting: list[tuple[int, bool]], leaves: list[Leaf], codes: list[int]) -> int:
    """The first sorting column where it ascends, is required and is a timestamp; -1 otherwise."""
    if not sorting:
        return -1
    column, descending = sorting[0]
    leaf = leaves[column]
    is_timestamp = tag_of(codes[column]) == TIMESTAMP or (leaf.logical is not None and leaf.logical.name == "TIMESTAMP")
    return column if is_timestamp and not descending and leaf.repetition == REQUIRED else -1
