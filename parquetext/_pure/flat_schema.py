"""Convert schema elements to the flat footer: SchemaElement and LogicalType (docs/formats.md, 3.5)."""

from __future__ import annotations

from typing import Any

from .. import wire
from ..errors import wire_error
from . import thrift, varint
from .flat_names import hash_field_id, hash_path
from .flat_tables import Shared, Table, table_of
from .scan import ELEMENT_MEMBERS, NO_FIELD_ID

MILLIS, MICROS, NANOS = range(3)
WITH_BYTES = (wire.FLAT_LOGICAL_GEOMETRY, wire.FLAT_LOGICAL_GEOGRAPHY)  # members whose tables are not shared

ABSENT = -1
NO_MEMBER = 9  # field id that LogicalType does not use; the flat schema's later tags are lower by one


def integer(bits: int, signed: bool) -> tuple[int, Table]:
    return wire.FLAT_LOGICAL_INTEGER, table_of("IntOptions", bit_width=bits, is_signed=int(signed))


def time(tag: int, utc: int, unit: int) -> tuple[int, Table]:
    return tag, table_of("TimeOptions", is_adjusted_to_utc=utc, unit=unit)


def decimal(scale: int, precision: int) -> tuple[int, Table]:
    return wire.FLAT_LOGICAL_DECIMAL, table_of("DecimalOptions", scale=scale, precision=precision)


def plain(tag: int) -> tuple[int, Table]:
    return tag, table_of("Empty")


# ConvertedType -> logical type. DECIMAL takes its options from the element; MAP_KEY_VALUE and INTERVAL have none.
CONVERTED = {
    wire.CONVERTED_UTF8: plain(wire.FLAT_LOGICAL_STRING),
    wire.CONVERTED_MAP: plain(wire.FLAT_LOGICAL_MAP),
    wire.CONVERTED_LIST: plain(wire.FLAT_LOGICAL_LIST),
    wire.CONVERTED_ENUM: plain(wire.FLAT_LOGICAL_ENUM),
    wire.CONVERTED_DATE: plain(wire.FLAT_LOGICAL_DATE),
    wire.CONVERTED_TIME_MILLIS: time(wire.FLAT_LOGICAL_TIME, 1, MILLIS),
    wire.CONVERTED_TIME_MICROS: time(wire.FLAT_LOGICAL_TIME, 1, MICROS),
    wire.CONVERTED_TIMESTAMP_MILLIS: time(wire.FLAT_LOGICAL_TIMESTAMP, 1, MILLIS),
    wire.CONVERTED_TIMESTAMP_MICROS: time(wire.FLAT_LOGICAL_TIMESTAMP, 1, MICROS),
    **{getattr(wire, f"CONVERTED_UINT_{bits}"): integer(bits, False) for bits in (8, 16, 32, 64)},
    **{getattr(wire, f"CONVERTED_INT_{bits}"): integer(bits, True) for bits in (8, 16, 32, 64)},
    wire.CONVERTED_JSON: plain(wire.FLAT_LOGICAL_JSON),
    wire.CONVERTED_BSON: plain(wire.FLAT_LOGICAL_BSON),
}


class Struct:
    """The fields of a Thrift struct by id. If an id repeats, the last field counts, and only if its type matches."""

    def __init__(self, data, at: int):
        self.data = data
        self.list = thrift.fields(data, at)
        self.by_id = {field[0]: field for field in self.list}

    def value(self, id: int, type: int) -> int | None:
        """Return the offset of the value of field `id`, or None."""
        _, found, _, value, _ = self.by_id.get(id, (0, 0, 0, 0, 0))
        return value if found == type else None

    def integer(self, id: int, type: int = wire.TYPE_I32) -> int | None:
        at = self.value(id, type)
        if at is None:
            return None
        if type == wire.TYPE_BYTE:
            return self.data[at]
        return varint.zigzag_decode(varint.decode64(self.data, at)[0])

    def boolean(self, id: int) -> int | None:
        found = self.by_id[id][1] if id in self.by_id else 0
        return {wire.TYPE_TRUE: 1, wire.TYPE_FALSE: 0}.get(found)

    def binary(self, id: int) -> bytes | None:
        at = self.value(id, wire.TYPE_BINARY)
        if at is None:
            return None
        length, begin = varint.decode32(self.data, at)
        return bytes(self.data[begin : begin + length])

    def first(self, limit: int) -> tuple[int, int, int] | None:
        """Return a union's member, (id, type, value), if its id is 1 to `limit`."""
        if not self.list or not 1 <= self.list[0][0] <= limit:
            return None
        id, type, _, value, _ = self.list[0]
        return id, type, value


def list_header(data, at: int) -> tuple[int, int, int]:
    """Return (type of the items, count, offset of the first item) of a scanned list."""
    return thrift.Walk(data, at, wire.MAX_DEPTH).list_header(at)


def list_structs(data, at: int) -> list[int]:
    """Return the offsets of the structs in the list at `at`."""
    type, count, position = list_header(data, at)
    positions = []
    if count and type != wire.TYPE_STRUCT:
        raise wire_error(wire.FIELD_TYPE, at, wire.TYPE_STRUCT, type)
    for _ in range(count):
        positions.append(position)
        position = thrift.skip(data, position, wire.TYPE_STRUCT)
    return positions


def small(value: int | None) -> int | None:
    """Return an enum's value if it fits in the flat schema's signed byte, else None."""
    return value if value is not None and 0 <= value <= 127 else None


def _time(tag: int, options: Struct) -> tuple[int, Table] | None:
    """Convert TimeType or TimestampType; return None, for no logical type, if the unit is unknown."""
    unit = options.value(2, wire.TYPE_STRUCT)
    member = None if unit is None else Struct(options.data, unit).first(3)
    return member and time(tag, options.boolean(1) or 0, member[0] - 1)


def from_logical_type(data, at: int) -> tuple[int, Table] | None:
    """Return the tag and the table for the LogicalType union at `at`; its first field decides."""
    member = Struct(data, at).first(wire.LOGICAL_GEOGRAPHY)
    if member is None or member[0] == NO_MEMBER or member[1] != wire.TYPE_STRUCT:
        return None
    tag, options = member[0] - (member[0] > NO_MEMBER), Struct(data, member[2])
    if tag == wire.FLAT_LOGICAL_DECIMAL:
        return decimal(options.integer(1) or 0, options.integer(2) or 0)
    if tag in (wire.FLAT_LOGICAL_TIME, wire.FLAT_LOGICAL_TIMESTAMP):
        return _time(tag, options)
    if tag == wire.FLAT_LOGICAL_INTEGER:
        return integer(options.integer(1, wire.TYPE_BYTE) or 0, bool(options.boolean(2)))
    if tag == wire.FLAT_LOGICAL_VARIANT:
        return tag, table_of("VariantType", specification_version=options.integer(1, wire.TYPE_BYTE))
    if tag == wire.FLAT_LOGICAL_GEOMETRY:
        return tag, table_of("GeometryType", crs=options.binary(1))
    if tag == wire.FLAT_LOGICAL_GEOGRAPHY:
        return tag, table_of("GeographyType", crs=options.binary(1), algorithm=small(options.integer(2)))
    return plain(tag)


def from_converted_type(data, element: int, converted: int) -> tuple[int, Table] | None:
    """Return the tag and the table for an element without a logicalType."""
    if converted != wire.CONVERTED_DECIMAL:
        return CONVERTED.get(converted)
    fields = Struct(data, element)
    return decimal(fields.integer(wire.SCHEMA_ELEMENT_SCALE) or 0, fields.integer(wire.SCHEMA_ELEMENT_PRECISION) or 0)


class Elements:
    """The schema of a scanned footer: tables, Thrift bytes and paths of its elements."""

    converted_type: list[int]
    field_id: list[int]
    parent: list[int]
    type: list[int]
    sort_order: list[int]

    def __init__(self, scan):
        self.data = scan.data
        self.count = scan.element_count
        self.leaves = list(scan.leaves)
        is_leaf = set(self.leaves)
        self.nodes = [index for index in range(self.count) if index not in is_leaf]
        self.node_of = {index: node for node, index in enumerate(self.nodes)}
        self.is_leaf = [index in is_leaf for index in range(self.count)]
        for member in ELEMENT_MEMBERS:
            setattr(self, member, list(scan.elements(member)))
        self.thrift_places, self.logical_places, self.name_places = (
            list(zip(scan.elements(f"{range}_offset"), scan.elements(f"{range}_length"), strict=True))
            for range in ("bytes", "logical_type", "name")
        )
        self.names = [bytes(self.data[at : at + length]) for at, length in self.name_places]
        self.paths, self.position, children = [b""] * self.count, [0] * self.count, [0] * self.count
        for index in range(1, self.count):
            self.position[index] = children[self.parent[index]]
            children[self.parent[index]] += 1
            above = self.paths[self.parent[index]] + b"\0" if self.parent[index] > 0 else b""
            self.paths[index] = above + self.names[index]

    def thrift(self, index: int) -> bytes:
        """Return the SchemaElement's bytes."""
        at, length = self.thrift_places[index]
        return bytes(self.data[at : at + length])

    def around_name(self, index: int) -> tuple[bytes, bytes]:
        """Return the SchemaElement's bytes before and after its name; all are before it if it has no name."""
        thrift, (name, length) = self.thrift(index), self.name_places[index]
        begin = name - self.thrift_places[index][0]
        if not 0 < begin <= len(thrift) - length:
            return thrift, b""
        return thrift[:begin], thrift[begin + length :]

    def name_entries(self, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return (hash, word) of elements, which are given with their words, by path, then of those with a field id."""
        return [(hash_path(self.paths[index]), word) for index, word in words] + [
            (hash_field_id(self.field_id[index]), word) for index, word in words if self.field_id[index] != NO_FIELD_ID
        ]

    def _logical_type(self, index: int) -> tuple[int | None, Table | None]:
        at, length = self.logical_places[index]
        found = (
            from_logical_type(self.data, at)
            if length
            else from_converted_type(self.data, self.thrift_places[index][0], self.converted_type[index])
        )
        return found or (None, None)

    def table(self: Any, index: int) -> Table:
        """Return the element as a table of the flat schema."""
        leaf = self.is_leaf[index]
        tag, options = self._logical_type(index)
        ordered = leaf and self.column_order[index] == wire.ORDER_TYPE_ORDER
        type_length, field_id, children = self.type_length[index], self.field_id[index], self.num_children[index]
        return table_of(
            "SchemaElement",
            type=small(self.type[index]),
            type_length=None if type_length == ABSENT else type_length,
            repetition_type=small(self.repetition[index]),
            name=self.names[index],
            num_children=None if leaf or children < 0 else children,
            field_id=None if field_id == NO_FIELD_ID else field_id,
            logical_type_type=tag,
            logical_type=options if tag in WITH_BYTES else options and Shared(options),
            column_order_type=1 if ordered else None,
            column_order=Shared(table_of("Empty")) if ordered else None,
        )
