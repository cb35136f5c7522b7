"""Parse SchemaElement structs."""

from __future__ import annotations

from .. import kernels, wire
from ..logical_types import LogicalType, parse_converted, parse_union, read_integer
from ..records import frozen

_TYPES = {wire.SCHEMA_ELEMENT_NAME: wire.TYPE_BINARY, wire.SCHEMA_ELEMENT_LOGICAL_TYPE: wire.TYPE_STRUCT}


@frozen
class Element:
    """One schema element; absent fields are None."""

    name: str
    type: int | None
    type_length: int | None
    repetition: int | None
    num_children: int | None
    converted_type: int | None
    field_id: int | None
    logical: LogicalType | None


def parse_element(thrift) -> Element:
    """Read one SchemaElement struct; a field of another type than its own counts as an unknown one."""
    data = bytes(thrift)
    known = (field for field in kernels.thrift.fields(data) if field[1] == _TYPES.get(field[0], wire.TYPE_I32))
    fields = {field[0]: field for field in known}

    def number(key: int) -> int | None:
        field = fields.get(key)
        return read_integer(data, field)

    name = fields.get(wire.SCHEMA_ELEMENT_NAME)
    converted = number(wire.SCHEMA_ELEMENT_CONVERTED_TYPE)
    logical = fields.get(wire.SCHEMA_ELEMENT_LOGICAL_TYPE)
    if logical:
        annotation = parse_union(data, logical[3])
    else:
        scale, precision = number(wire.SCHEMA_ELEMENT_SCALE), number(wire.SCHEMA_ELEMENT_PRECISION)
        annotation = parse_converted(converted, scale, precision)
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
    if field is None:
        return ""
    length, start = kernels.varint.decode32(data, field[3])
    return data[start : start + length].decode("utf-8", "surrogateescape")
