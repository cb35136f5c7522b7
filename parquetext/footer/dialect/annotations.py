"""Convert annotations between the dialect's union LogicalType and that of parquet.thrift, and from ConvertedType."""

from __future__ import annotations

from ... import wire
from ...errors import Unsupported
from ...logical_types import Entry, entry_named, entry_of, entry_of_converted, parse_converted
from .slots import Row

# The union's members are parquet.thrift's in their order, up to GEOGRAPHY; its field ids leave out 9.
MEMBERS = tuple(wire.NAMES_OF_LOGICAL_TYPE.values())[: wire.FLAT_LOGICAL_GEOGRAPHY]


def from_union(element: Row) -> dict | None:
    """Return the LogicalType of an element of a buffer, as `thrift.values` reads it.

    Raises
    ------
    Unsupported
        If parquet.thrift has no such member or time unit.
    """
    tag = element.get("logical_type_type", 0)
    if tag == 0:
        return None
    if tag > len(MEMBERS):
        message = f"a logical type of the unknown kind {tag}"
        raise Unsupported(message, offset=element.at, expected=len(MEMBERS), found=tag, code=wire.UNSUPPORTED_VALUE)
    name = MEMBERS[tag - 1]
    entry = entry_named(name)
    if entry.table == Entry.table:
        element.follow("logical_type")  # a type without parameters has an empty table, whose offset must be valid
        return {name: entry.from_table(lambda _, default: default)}
    options = element.child("logical_type", entry.table)
    return {name: entry.from_table(lambda field, default: default if options is None else options.get(field, default))}


def annotation_of(element: dict) -> dict | None:
    """Return an element's LogicalType, or the one that its ConvertedType means (then times are adjusted to UTC)."""
    if element.get("logicalType"):
        return element["logicalType"]
    parameters = element.get("scale"), element.get("precision")
    logical = parse_converted(element.get("converted_type"), *parameters)
    if logical is None or logical.name not in MEMBERS:
        return None
    return {logical.name: entry_of(logical).options(logical)}


def converted_type(annotation: dict | None) -> int | None:
    """Return the ConvertedType with the same meaning as a LogicalType, if there is one."""
    ((name, options),) = annotation.items() if annotation else ((None, {}),)
    return entry_named(name).converted_type(options)


def to_union(element: dict) -> tuple[int, dict] | None:
    """Return the union's tag and table for an element; None if it has no annotation.

    Raises
    ------
    Unsupported
        If the dialect has no member for the annotation, because the values would be read as another type.
    """
    annotation = annotation_of(element)
    converted = element.get("converted_type")
    if annotation is None:
        if converted is not None and not entry_of_converted(converted).converted.get(converted):
            raise Unsupported(
                f"the dialect has nothing for ConvertedType {converted}", found=converted, code=wire.UNSUPPORTED_VALUE
            )
        return None
    name, options = next(iter(annotation.items()))
    if len(annotation) != 1 or name not in MEMBERS or not isinstance(options, dict):
        raise Unsupported(f"the dialect has no logical type {name}", code=wire.UNSUPPORTED_VALUE)
    table = entry_named(name).to_table(options)
    return MEMBERS.index(name) + 1, {
        slot: text(value) if isinstance(value, str) else value for slot, value in table.items()
    }


def union_table(tag: int) -> str:
    """Return the name of the table of a member of the union."""
    return entry_named(MEMBERS[tag - 1]).table


def text(value: str) -> bytes:
    """Encode text for the dialect.

    Raises
    ------
    Unsupported
        If it is not UTF-8.
    """
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Unsupported(
            f"not UTF-8: {value!r}, and readers of the dialect take it for that", code=wire.UNSUPPORTED_VALUE
        ) from None
