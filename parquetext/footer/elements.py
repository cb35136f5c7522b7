"""A SchemaElement's facts, read from its Thrift bytes: what the schema's views and typed bounds are made of."""

from __future__ import annotations

from dataclasses import dataclass

from .. import kernels, wire

__all__ = ["Element", "LogicalType", "parse_element"]

LOGICAL_TYPES = {
    1: "STRING",
    2: "MAP",
    3: "LIST",
    4: "ENUM",
    5: "DECIMAL",
    6: "DATE",
    7: "TIME",
    8: "TIMESTAMP",
    10: "INTEGER",
    11: "UNKNOWN",
    12: "JSON",
    13: "BSON",
    14: "UUID",
    15: "FLOAT16",
    16: "VARIANT",
    17: "GEOMETRY",
    18: "GEOGRAPHY",
}
UNITS = {1: "ms", 2: "us", 3: "ns"}
_CONVERTED = {
    0: ("STRING",),
    1: ("MAP",),
    3: ("LIST",),
    4: ("ENUM",),
    5: ("DECIMAL",),
    6: ("DATE",),
    7: ("TIME", "ms"),
    8: ("TIME", "us"),
    9: ("TIMESTAMP", "ms"),
    10: ("TIMESTAMP", "us"),
    19: ("JSON",),
    20: ("BSON",),
    21: ("INTERVAL",),
}
_CONVERTED_INTEGERS = {
    11: (8, False),
    12: (16, False),
    13: (32, False),
    14: (64, False),
    15: (8, True),
    16: (16, True),
    17: (32, True),
    18: (64, True),
}


@dataclass(frozen=True, slots=True)
class LogicalType:
    """An annotation: its name and the parameters that it has (None where it has none)."""

    name: str
    scale: int | None = None
    precision: int | None = None
    unit: str | None = None
    utc: bool | None = None
    bits: int | None = None
    signed: bool | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """One schema element; what Thrift does not have is None."""

    name: str
    type: int | None
    type_length: int | None
    repetition: int | None
    num_children: int | None
    converted_type: int | None
    field_id: int | None
    logical: LogicalType | None


def _integer(data, field) -> int:
    if field[1] == wire.TYPE_BYTE:
        return int.from_bytes(data[field[3] : field[4]], "little", signed=True)
    return kernels.varint.zigzag_decode(kernels.varint.decode32(data, field[3])[0])


_INTEGERS = (wire.TYPE_BYTE, wire.TYPE_I16, wire.TYPE_I32)


def _by_id(data, at: int = 0) -> dict:
    return {field[0]: field for field in kernels.thrift.fields(data, at)}


def parse_element(thrift) -> Element:
    """Read one SchemaElement struct."""
    data = bytes(thrift)
    fields = _by_id(data)

    def number(key: int) -> int | None:
        field = fields.get(key)
        return _integer(data, field) if field and field[1] in _INTEGERS else None

    name = fields.get(wire.SCHEMA_ELEMENT_NAME)
    converted = number(wire.SCHEMA_ELEMENT_CONVERTED_TYPE)
    logical = fields.get(wire.SCHEMA_ELEMENT_LOGICAL_TYPE)
    if logical and logical[1] == wire.TYPE_STRUCT:
        annotation = _of_union(data, logical[3])
    else:
        annotation = _of_converted(converted, number(wire.SCHEMA_ELEMENT_SCALE), number(wire.SCHEMA_ELEMENT_PRECISION))
    return Element(
        _text(data, name),
        number(wire.SCHEMA_ELEMENT_TYPE),
        number(wire.SCHEMA_ELEMENT_TYPE_LENGTH),
        number(wire.SCHEMA_ELEMENT_REPETITION_TYPE),
        number(wire.SCHEMA_ELEMENT_NUM_CHILDREN),
        converted,
        number(wire.SCHEMA_ELEMENT_FIELD_ID),
        annotation,
    )


def _text(data: bytes, field) -> str:
    if field is None or field[1] != wire.TYPE_BINARY:
        return ""
    length, start = kernels.varint.decode32(data, field[3])
    return data[start : start + length].decode("utf-8", "surrogateescape")


def _of_converted(converted: int | None, scale: int | None, precision: int | None) -> LogicalType | None:
    if converted in _CONVERTED_INTEGERS:
        bits, signed = _CONVERTED_INTEGERS[converted]
        return LogicalType("INTEGER", bits=bits, signed=signed)
    known = _CONVERTED.get(converted)
    if known is None:
        return None
    name, *unit = known
    if name == "DECIMAL":
        return LogicalType(name, scale or 0, precision or 0)
    return LogicalType(name, unit=unit[0], utc=True) if unit else LogicalType(name)


def _of_union(data: bytes, at: int) -> LogicalType | None:
    members = kernels.thrift.fields(data, at)
    if not members or members[0][1] != wire.TYPE_STRUCT:
        return None
    member = members[0]
    name = LOGICAL_TYPES.get(member[0], f"UNKNOWN_{member[0]}")
    inner = _by_id(data, member[3])

    def number(key: int) -> int:
        field = inner.get(key)
        return _integer(data, field) if field and field[1] in _INTEGERS else 0

    def flag(key: int) -> bool:
        return key in inner and inner[key][1] == wire.TYPE_TRUE

    if name == "DECIMAL":
        return LogicalType(name, scale=number(1), precision=number(2))
    if name in ("TIME", "TIMESTAMP"):
        unit = kernels.thrift.fields(data, inner[2][3]) if 2 in inner and inner[2][1] == wire.TYPE_STRUCT else ()
        return LogicalType(name, unit=UNITS.get(unit[0][0]) if unit else None, utc=flag(1))
    if name == "INTEGER":
        return LogicalType(name, bits=number(1), signed=flag(2))
    return LogicalType(name)
