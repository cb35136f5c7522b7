"""Lists and structs of what definition and repetition levels say."""

from __future__ import annotations

from array import array
from itertools import repeat

from .. import wire
from ..errors import wire_error
from .column_output import bitmap

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
    """The offsets and the validity of lists.

    Parameters
    ----------
    definition, repetition : buffer
        Levels of 16 bits, `entries` of each, as `Column` gives them; `definition` is None where every entry is at the
        highest level.
    entries : int
    ancestor_definition : int
        The definition level of the repeated field around the list, below which there is no list; 0 outside of lists.
    definition_level, repetition_level : int
        Those of the list's own repeated field. A list is null below `definition_level` − 1, and empty at it.

    Returns
    -------
    offsets, valid, nulls, count
        `count` + 1 numbers of 32 bits, the first one 0; a bitmap, or None without nulls; and how many lists and nulls
        there are.

    Raises
    ------
    Malformed
        The first entry goes on with a list that did not begin (ROW_START), or an entry goes on with one and says that
        it is empty or null, or the entry before said so (LEVELS_CONTRADICT). The offset is the number of the entry.
    """
    places, has_list = array("i", [0]), bytearray()
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
                places.append(elements)
            has_list.append(defined + 1 >= definition_level)
            elements += defined >= definition_level
        before = defined
    if has_list:
        places.append(elements)
    nulls = has_list.count(0)
    return places, bitmap(has_list) if nulls else None, nulls, len(has_list)


def validity(
    definition: Buffer | None,
    repetition: Buffer | None,
    entries: int,
    *,
    ancestor_definition: int,
    ancestor_repetition: int,
    level: int,
) -> tuple[bytes | None, int, int]:
    """The validity of structs.

    Parameters
    ----------
    definition, repetition : buffer or None
        As for `offsets`; `repetition` is None where the leaf has none.
    entries : int
    ancestor_definition, ancestor_repetition : int
        The levels of the innermost repeated field around the struct; 0 outside of lists.
    level : int
        The struct's own definition level, below which it is null.

    Returns
    -------
    valid, nulls, count
        A bitmap, or None without nulls; how many nulls and structs there are.
    """
    levels = zip(_levels(definition, entries), _levels(repetition, entries, 0), strict=False)
    is_there = bytearray(
        defined >= level
        for defined, repeated in levels
        if repeated <= ancestor_repetition and defined >= ancestor_definition
    )
    nulls = is_there.count(0)
    return bitmap(is_there) if nulls else None, nulls, len(is_there)


def _levels(levels: Buffer | None, entries: int, otherwise: int = 0xFFFF):
    if levels is None:
        return repeat(otherwise, entries)
    numbers = memoryview(levels).cast("B").cast("H")
    if len(numbers) < entries:
        raise wire_error(wire.BAD_ARGUMENT, 0, len(numbers), entries)
    return numbers[:entries]
