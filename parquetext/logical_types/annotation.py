"""Logical type annotations, and the parameters that they can have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from enum import IntEnum
from typing import NamedTuple

from .. import kernels, wire
from ..errors import Unsupported
from ..records import frozen

UNITS = {"ms": "MILLIS", "us": "MICROS", "ns": "NANOS"}  # in the order of the Thrift union TimeUnit
_UNIT_NAMES = tuple(UNITS)
_INTEGERS = (wire.TYPE_BYTE, wire.TYPE_I16, wire.TYPE_I32)


class SortOrder(IntEnum):
    """The order of a type's values in statistics, as the kernels number it."""

    UNDEFINED = 0
    SIGNED = 1
    UNSIGNED = 2
    FLOAT16 = 3
    LITTLE_ENDIAN = 4


class SqlText(NamedTuple):
    """The type's name in the SQL of each system; None if the system has no such type."""

    spark: str | None = None
    duckdb: str | None = None


@frozen
class LogicalType:
    """A logical type annotation: its name, and its parameters (None for those that the type does not have)."""

    name: str
    scale: int | None = None
    precision: int | None = None
    unit: str | None = None
    utc: bool | None = None
    bits: int | None = None
    signed: bool | None = None
    crs: str | None = None
    algorithm: str | None = None
    version: int | None = None

    def as_dict(self) -> dict:
        """Return the name and the parameters for JSON."""
        return {name: value for name, value in asdict(self).items() if value is not None}


class ParameterKind(NamedTuple):
    """How parameters of one kind are stored and printed.

    Attributes
    ----------
    read : callable
        ``read(data, field)`` returns the value of a Thrift field of `kernels.thrift.fields`, or of None.
    to_thrift : callable
        Convert a value for `thrift.values`.
    from_slot, to_slot : callable
        Convert a number of the public FlatBuffers footer to the value for `thrift.values`, and back.
    text : callable
        Format a value as parquet-java does.
    """

    read: Callable
    to_thrift: Callable
    from_slot: Callable
    to_slot: Callable
    text: Callable


class Parameter(NamedTuple):
    """A parameter of a logical type.

    Attributes
    ----------
    attribute : str
        Attribute of `LogicalType`.
    id, field : int, str
        Field in parquet.thrift.
    slot : str
        Field in the public FlatBuffers footer.
    words : mapping of value to str
        The texts of the values in a catalog, if they are not those of `str`.
    default : int
        The value in the public FlatBuffers footer if the field is absent.
    """

    attribute: str
    id: int
    field: str
    slot: str
    kind: ParameterKind
    words: dict | None = None
    default: int = 0

    def word(self, value) -> str:
        """Format a value for a catalog."""
        return str(value) if self.words is None else self.words[value]

    def parse(self, word: str):
        """Parse the result of `word`; raise ValueError if it is not a number, or KeyError if it is an unknown word."""
        return int(word) if self.words is None else {text: value for value, text in self.words.items()}[word]


def read_integer(data, field) -> int | None:
    """Return the number in a field of `kernels.thrift.fields`; None if the field is absent or not an integer."""
    if not field or field[1] not in _INTEGERS:
        return None
    if field[1] == wire.TYPE_BYTE:
        return int.from_bytes(data[field[3] : field[4]], "little", signed=True)
    return kernels.varint.zigzag_decode(kernels.varint.decode32(data, field[3])[0])


def read_text(data, field) -> str | None:
    """Return the text in a field of `kernels.thrift.fields`; None if the field is absent or no text."""
    if not field or field[1] != wire.TYPE_BINARY:
        return None
    length, start = kernels.varint.decode32(data, field[3])
    return bytes(data[start : start + length]).decode("utf-8", "surrogateescape")


def _read_flag(data, field) -> bool:
    return bool(field) and field[1] == wire.TYPE_TRUE


def _read_unit(data, field) -> str | None:
    members = kernels.thrift.fields(data, field[3]) if field and field[1] == wire.TYPE_STRUCT else []
    known = members and 1 <= members[0][0] <= len(_UNIT_NAMES)
    return _UNIT_NAMES[members[0][0] - 1] if known else None


def _unit_of_slot(slot: int) -> dict:
    units = tuple(UNITS.values())
    if not 0 <= slot < len(units):
        raise Unsupported(f"an unknown time unit {slot}", expected=len(units), found=slot, code=wire.UNSUPPORTED_VALUE)
    return {units[slot]: {}}


def _slot_of_unit(unit: dict | None) -> int:
    name = next(iter(unit or {None: None}))
    if name not in UNITS.values():
        raise Unsupported(f"the dialect has no time unit {name}", code=wire.UNSUPPORTED_VALUE)
    return tuple(UNITS.values()).index(name)


NUMBER = ParameterKind(lambda data, field: read_integer(data, field) or 0, int, int, lambda value: value, str)
FLAG = ParameterKind(_read_flag, bool, bool, int, lambda value: str(bool(value)).lower())
UNIT = ParameterKind(
    _read_unit,
    lambda unit: {UNITS[unit]: {}},
    _unit_of_slot,
    _slot_of_unit,
    lambda unit: UNITS.get(unit, "UNKNOWN"),
)
UNIT_WORDS = {unit: unit for unit in UNITS} | {None: "unknown"}
