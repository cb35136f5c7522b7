"""A SchemaElement's facts, read from its Thrift bytes: what the schema's views and typed bounds are made of."""

from __future__ import annotations

from dataclasses import dataclass

from .. import kernels, wire

__all__ = ["CONVERTED_INTEGERS", "Element", "LogicalType", "parse_element"]

UNITS = {1: "ms", 2: "us", 3: "ns"}
_CONVERTED = {
    wire.CONVERTED_UTF8: ("STRING",),
    wire.CONVERTED_MAP: ("MAP",),
    wire.CONVERTED_LIST: ("LIST",),
    wire.CONVERTED_ENUM: ("ENUM",),
    wire.CONVERTED_DECIMAL: ("DECIMAL",),
    wire.CONVERTED_DATE: ("DATE",),
    wire.CONVERTED_TIME_MILLIS: ("TIME", "ms"),
    wire.CONVERTED_TIME_MICROS: ("TIME", "us"),
    wire.CONVERTED_TIMESTAMP_MILLIS: ("TIMESTAMP", "ms"),
    wire.CONVERTED_TIMESTAMP_MICROS: ("TIMESTAMP", "us"),
    wire.CONVERTED_JSON: ("JSON",),
    wire.CONVERTED_BSON: ("BSON",),
    wire.CONVERTED_INTERVAL: ("INTERVAL",),
}
CONVERTED_INTEGERS = {
    wire.CONVERTED_UINT_8: (8, False),
    wire.CONVERTED_UINT_16: (16, False),
    wire.CONVERTED_UINT_32: (32, False),
    wire.CONVERTED_UINT_64: (64, False),
    wire.CONVERTED_INT_8: (8, True),
    wire.CONVERTED_INT_16: (16, True),
    wire.CONVERTED_INT_32: (32, True),
    wire.CONVERTED_INT_64: (64, True),
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
    if converted in CONVERTED_INTEGERS:
        bits, signed = CONVERTED_INTEGERS[converted]
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
    name = wire.NAMES_OF_LOGICAL_TYPE.get(member[0], f"UNKNOWN_{member[0]}")
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
