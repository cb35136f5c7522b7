"""Derive lists and structs from definition and repetition levels."""

from __future__ import annotations

from array import array
from itertools import repeat

from .. import wire
from ..errors import wire_error
from .encoding_runs import pack_booleans

__all__ = ["offsets", "validity"]

Buffer = bytes | bytearray | memoryview


def offsets(
    definition: Buffer | None,
    repetition: Buffer,
    entries: int,
    *,
    ancestor_definition: int,
    definition_level: int,
    repetition_level: int,
) -> tuple[array, bytes | None, int, int]:
    """Return the offsets and the validity of lists.

    Parameters
    ----------
    definition, repetition : buffer
        `entries` levels of 16 bits each, as `Column` returns them; `definition` is None if all entries have the highest
        level.
    entries : int
    ancestor_definition : int
        The definition level of the repeated field around the list; below it there is no list. 0 outside of lists.
    definition_level, repetition_level : int
        The levels of the list's repeated field. A list is null below `definition_level` − 1, and empty at it.

    Returns
    -------
    offsets, valid, nulls, count
        `count` + 1 numbers of 32 bits, the first one 0; a bitmap, or None if there are no nulls; and the numbers of
        nulls and of lists.

    Raises
    ------
    Malformed
        If the first entry continues a list (ROW_START), or if an entry continues a list although it, or the entry
        before it, marks the list as empty or null (LEVELS_CONTRADICT). The offset is the number of the entry.
    """
    positions, has_list = array("i", [0]), bytearray()
    elements, before = 0, definition_level
    levels = zip(_levels(definition, entries), _levels(repetition, entries), strict=False)
    for entry, (defined, repeated) in enumerate(levels):
        if repeated >= repetition_level:
            if min(defined, before) < definition_level:
                raise wire_error(wire.LEVELS_CONTRADICT, entry, definition_level, min(defined, before))
            if not entry:
                raise wire_error(wire.ROW_START, entry, 0, repeated)
            if repeated == repetition_level:
                elements += 1
        elif defined >= ancestor_definition:
            if has_list:
                positions.append(elements)
            has_list.append(defined + 1 >= definition_level)
            elements += defined >= definition_level
        before = defined
    if has_list:
        positions.append(elements)
    nulls = has_list.count(0)
    return positions, pack_booleans(has_list) if nulls else None, nulls, len(has_list)


def validity(
    definition: Buffer | None,
    repetition: Buffer | None,
    entries: int,
    *,
    ancestor_definition: int,
    ancestor_repetition: int,
    level: int,
) -> tuple[bytes | None, int, int]:
    """Return the validity of structs.

    Parameters
    ----------
    definition, repetition : buffer or None
        As for `offsets`; `repetition` is None if the leaf has no repetition levels.
    entries : int
    ancestor_definition, ancestor_repetition : int
        The levels of the innermost repeated field around the struct; 0 outside of lists.
    level : int
        The struct's definition level; below it the struct is null.

    Returns
    -------
    valid, nulls, count
        A bitmap, or None if there are no nulls; and the numbers of nulls and of structs.
    """
    levels = zip(_levels(definition, entries), _levels(repetition, entries, 0), strict=False)
    is_there = bytearray(
        defined >= level
        for defined, repeated in levels
        if repeated <= ancestor_repetition and defined >= ancestor_definition
    )
    nulls = is_there.count(0)
    return pack_booleans(is_there) if nulls else None, nulls, len(is_there)


def _levels(levels: Buffer | None, entries: int, otherwise: int = 0xFFFF):
    if levels is None:
        return repeat(otherwise, entries)
    numbers = memoryview(levels).cast("B").cast("H")
    if len(numbers) < entries:
        raise wire_error(wire.BAD_ARGUMENT, 0, len(numbers), entries)
    return numbers[:entries]
