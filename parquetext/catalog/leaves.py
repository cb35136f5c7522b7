"""The leaves of a schema as columns, computed once for all files with the same schema."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from .. import wire
from ..errors import wire_error
from ..footer.elements import Element, parse_element
from ..footer.leaf_types import LONG_TIMESTAMP, PHYSICAL_TYPES
from .logical_text import text_of

__all__ = ["Leaves", "leaves_of"]

KEPT = 64  # maximal number of cached schemas
_UNITS = {"ms": wire.READING_MILLISECONDS, "us": wire.READING_MICROSECONDS, "ns": wire.READING_NANOSECONDS}
_TEXT = ("STRING", "ENUM", "JSON")
_NUMBERS = {
    wire.PHYSICAL_BOOLEAN: wire.READING_BOOLEAN,
    wire.PHYSICAL_INT32: wire.READING_SIGNED,
    wire.PHYSICAL_INT64: wire.READING_SIGNED,
    wire.PHYSICAL_FLOAT: wire.READING_FLOAT,
    wire.PHYSICAL_DOUBLE: wire.READING_FLOAT,
}
_known: dict[bytes, Leaves] = {}


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of a schema: columns with one entry per leaf, how bounds are read, and which leaves are required.

    Texts are dictionary-encoded.
    """

    columns: dict[str, pa.Array]
    readings: bytes
    is_required: pa.BooleanArray


def leaves_of(scan) -> Leaves:
    """Return the leaves of a scanned footer; they are cached, because files of a dataset often have the same schema."""
    offsets, lengths = scan.elements("bytes_offset"), scan.elements("bytes_length")
    schema = bytes(scan.data[offsets[0] : offsets[-1] + lengths[-1]]) if len(offsets) else b""
    found = _known.get(schema)
    if found is None:
        if len(_known) >= KEPT:
            _known.clear()
        found = _known[schema] = _described(scan, offsets, lengths)
    return found


def _described(scan, offsets, lengths) -> Leaves:
    elements = [
        parse_element(scan.data[start : start + length]) for start, length in zip(offsets, lengths, strict=True)
    ]
    leaves, repetitions, parents = list(scan.leaves), scan.elements("max_repetition"), list(scan.elements("parent"))
    depths = _depths(scan, parents, leaves)
    columns = {
        "leaf": pa.array(range(len(leaves)), pa.int32()),
        "column": pa.array([_shown(_path(elements, parents, leaf)) for leaf in leaves], pa.string()),
        "depth": pa.array([depths[leaf] for leaf in leaves], pa.int32()),
        "max_repetition_level": pa.array([repetitions[leaf] for leaf in leaves], pa.int32()),
        "physical_type": pa.array([_physical(elements[leaf]) for leaf in leaves], pa.string()),
        "type_length": pa.array([elements[leaf].type_length for leaf in leaves], pa.int32()),
        "logical_type": pa.array([text_of(elements[leaf].logical) for leaf in leaves], pa.string()),
    }
    columns = {
        name: column.dictionary_encode() if column.type == pa.string() else column for name, column in columns.items()
    }
    definitions = scan.elements("max_definition")
    is_required = pa.array([definitions[leaf] == 0 for leaf in leaves], pa.bool_())
    return Leaves(columns, bytes(_reading(elements[leaf]) for leaf in leaves), is_required)


def _depths(scan, parents: list[int], leaves: list[int]) -> list[int]:
    """Return the depth of each element.

    Raise OUT_OF_PROPORTION if the leaves' paths are too long for the footer's size, as for a flat footer.
    """
    depths, sizes = [0] * len(parents), list(scan.elements("name_length"))
    for index, parent in enumerate(parents):
        if parent >= 0:
            depths[index] = depths[parent] + 1
            sizes[index] += sizes[parent] + 1 if parent else 0
    limit, found = wire.FLAT_MOST_TIMES * scan.end + wire.FLAT_MOST_BESIDE, sum(sizes[leaf] for leaf in leaves)
    if found > limit:
        raise wire_error(wire.OUT_OF_PROPORTION, 0, limit, found)
    return depths


def _path(elements: list[Element], parents: list[int], leaf: int) -> str:
    names = []
    while leaf > 0:
        names.append(elements[leaf].name)
        leaf = parents[leaf]
    return ".".join(reversed(names))


def _shown(name: str) -> str:
    """Replace the bytes of a name that are not UTF-8, so that Arrow accepts it."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _physical(element: Element) -> str | None:
    known = element.type is not None and 0 <= element.type < len(PHYSICAL_TYPES)
    return PHYSICAL_TYPES[element.type] if known else None


def _reading(element: Element) -> int:
    """Return how the leaf's bounds are read; an annotation that does not fit the type is ignored."""
    logical, physical = element.logical, element.type
    name = None if logical is None else logical.name
    if physical == wire.PHYSICAL_BYTE_ARRAY:
        return wire.READING_TEXT if name in _TEXT else wire.READING_DECIMAL if name == "DECIMAL" else 0
    if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        if name == "TIMESTAMP" and element.type_length == LONG_TIMESTAMP:
            return wire.READING_SIGNED | _UNITS.get(logical.unit, 0)
        return {"DECIMAL": wire.READING_DECIMAL, "FLOAT16": wire.READING_FLOAT}.get(name, 0)
    reading = _NUMBERS.get(physical, 0)
    if physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64) and name == "INTEGER":
        return wire.READING_SIGNED if logical.signed else wire.READING_UNSIGNED
    if physical == wire.PHYSICAL_INT32 and name == "DATE":
        return reading | wire.READING_DAYS
    if physical == wire.PHYSICAL_INT64 and name == "TIMESTAMP":
        return reading | _UNITS.get(logical.unit, 0)
    return reading
