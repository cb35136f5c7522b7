"""The leaves of a schema as columns, computed once for all files with the same schema."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from .. import wire
from ..errors import wire_error
from ..footer.elements import Element, parse_element
from ..footer.leaf_types import PHYSICAL_TYPES
from ..logical_types import catalog_text, reading_of

__all__ = ["Leaves", "leaves_of"]

KEPT = 64  # maximal number of cached schemas
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
        "logical_type": pa.array([catalog_text(elements[leaf].logical) for leaf in leaves], pa.string()),
    }
    columns = {
        name: column.dictionary_encode() if column.type == pa.string() else column for name, column in columns.items()
    }
    definitions = scan.elements("max_definition")
    is_required = pa.array([definitions[leaf] == 0 for leaf in leaves], pa.bool_())
    described = (elements[leaf] for leaf in leaves)
    readings = (reading_of(each.logical, each.type, each.type_length or 0) for each in described)
    return Leaves(columns, bytes(readings), is_required)


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
