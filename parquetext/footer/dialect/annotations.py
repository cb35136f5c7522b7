"""Annotations: the dialect's union LogicalType, parquet.thrift's, and the ConvertedType that stands for the same."""

from __future__ import annotations

from ... import wire
from ...errors import Unsupported
from ..elements import CONVERTED_INTEGERS

__all__ = ["DEFAULT_CRS", "MEMBERS", "TABLES", "annotation_of", "converted_type", "from_union", "text", "to_union"]

# The union's members are parquet.thrift's in their order, up to GEOGRAPHY; its field ids leave out 9.
MEMBERS = tuple(name for id, name in wire.NAMES_OF_LOGICAL_TYPE.items() if id <= wire.LOGICAL_GEOGRAPHY)
UNITS = ("MILLIS", "MICROS", "NANOS")
DEFAULT_CRS = "OGC:CRS84"  # what an absent one stands for
_CONVERTED = {
    wire.CONVERTED_UTF8: "STRING",
    wire.CONVERTED_MAP: "MAP",
    wire.CONVERTED_LIST: "LIST",
    wire.CONVERTED_ENUM: "ENUM",
    wire.CONVERTED_DATE: "DATE",
    wire.CONVERTED_JSON: "JSON",
    wire.CONVERTED_BSON: "BSON",
}
_CONVERTED_TIMES = {
    wire.CONVERTED_TIME_MILLIS: ("TIME", "MILLIS"),
    wire.CONVERTED_TIME_MICROS: ("TIME", "MICROS"),
    wire.CONVERTED_TIMESTAMP_MILLIS: ("TIMESTAMP", "MILLIS"),
    wire.CONVERTED_TIMESTAMP_MICROS: ("TIMESTAMP", "MICROS"),
}
_TIMES = {value: key for key, value in _CONVERTED_TIMES.items()}
_INTEGERS = {value: key for key, value in CONVERTED_INTEGERS.items()}
_PLAIN = {value: key for key, value in _CONVERTED.items()}


def from_union(reading, element) -> dict | None:
    """The LogicalType of parquet.thrift that an element of a buffer has, as `thrift.values` reads it.

    Raises
    ------
    Unsupported
        A member or a time unit that the layout does not have.
    """
    tag = reading.get("SchemaElement", element, "logical_type_type", 0)
    if tag == 0:
        return None
    if tag > len(MEMBERS):
        raise Unsupported(
            f"a logical type of the unknown kind {tag}",
            offset=element.at,
            expected=len(MEMBERS),
            found=tag,
            code=wire.UNSUPPORTED_VALUE,
        )
    name = MEMBERS[tag - 1]
    table = element.table(reading.layout.tables["SchemaElement"]["logical_type"].slot)
    kind = TABLES.get(name)
    if kind is None or table is None:
        return {name: _options(name, lambda _, default: default)}
    table = reading.checked(kind, table)
    return {name: _options(name, lambda field, default: reading.get(kind, table, field, default))}


TABLES = {
    "DECIMAL": "DecimalOptions",
    "TIME": "TimeOptions",
    "TIMESTAMP": "TimeOptions",
    "INTEGER": "IntOptions",
    "VARIANT": "VariantType",
    "GEOMETRY": "GeometryType",
    "GEOGRAPHY": "GeographyType",
}


def _options(name: str, get) -> dict:
    """A member's fields, in the order of parquet.thrift; absent ones are those that have no default."""
    if name == "DECIMAL":
        return {"scale": get("scale", 0), "precision": get("precision", 0)}
    if name in ("TIME", "TIMESTAMP"):
        unit = get("unit", 0)
        if not 0 <= unit < len(UNITS):
            raise Unsupported(
                f"an unknown time unit {unit}", expected=len(UNITS), found=unit, code=wire.UNSUPPORTED_VALUE
            )
        return {"isAdjustedToUTC": bool(get("is_adjusted_to_utc", 0)), "unit": {UNITS[unit]: {}}}
    if name == "INTEGER":
        return {"bitWidth": get("bit_width", 8), "isSigned": bool(get("is_signed", 0))}
    crs = get("crs", None) if name in ("GEOMETRY", "GEOGRAPHY") else None
    found = {
        "specification_version": get("specification_version", None) if name == "VARIANT" else None,
        "crs": crs.decode("utf-8", "surrogateescape") if crs else None,
        "algorithm": get("algorithm", 0) if name == "GEOGRAPHY" else None,
    }
    return {field: value for field, value in found.items() if value is not None}


def annotation_of(element: dict) -> dict | None:
    """An element's LogicalType, or the one that its ConvertedType stands for (times are adjusted to UTC then)."""
    if element.get("logicalType"):
        return element["logicalType"]
    converted = element.get("converted_type")
    if converted in _CONVERTED:
        return {_CONVERTED[converted]: {}}
    if converted == wire.CONVERTED_DECIMAL:
        return {"DECIMAL": {"scale": element.get("scale", 0), "precision": element.get("precision", 0)}}
    if converted in _CONVERTED_TIMES:
        name, unit = _CONVERTED_TIMES[converted]
        return {name: {"isAdjustedToUTC": True, "unit": {unit: {}}}}
    if converted in CONVERTED_INTEGERS:
        bits, signed = CONVERTED_INTEGERS[converted]
        return {"INTEGER": {"bitWidth": bits, "isSigned": signed}}
    return None


def converted_type(annotation: dict | None) -> int | None:
    """The ConvertedType that says the same as a LogicalType, if there is one."""
    ((name, options),) = annotation.items() if annotation else ((None, {}),)
    if name == "DECIMAL":
        return 5
    if name in ("TIME", "TIMESTAMP"):
        return _TIMES.get((name, next(iter(options["unit"])))) if options["isAdjustedToUTC"] else None
    if name == "INTEGER":
        return _INTEGERS.get((options["bitWidth"], options["isSigned"]))
    return _PLAIN.get(name)


def to_union(element: dict) -> tuple[int, dict] | None:
    """The union's tag and table for an element, None where it has no annotation.

    Raises
    ------
    Unsupported
        An annotation that the dialect has no member for, and without which the values would be read as something else.
    """
    annotation = annotation_of(element)
    converted = element.get("converted_type")
    if annotation is None:
        if converted not in (None, wire.CONVERTED_INTERVAL):
            raise Unsupported(
                f"the dialect has nothing for ConvertedType {converted}", found=converted, code=wire.UNSUPPORTED_VALUE
            )
        return None
    name, options = next(iter(annotation.items()))
    if len(annotation) != 1 or name not in MEMBERS or not isinstance(options, dict):
        raise Unsupported(f"the dialect has no logical type {name}", code=wire.UNSUPPORTED_VALUE)
    return MEMBERS.index(name) + 1, _union_table(name, options)


def _union_table(name: str, options: dict) -> dict:
    if name == "DECIMAL":
        return {"precision": options.get("precision", 0), "scale": options.get("scale", 0)}
    if name in ("TIME", "TIMESTAMP"):
        unit = next(iter(options.get("unit") or {None: None}))
        if unit not in UNITS:
            raise Unsupported(f"the dialect has no time unit {unit}", code=wire.UNSUPPORTED_VALUE)
        return {"is_adjusted_to_utc": int(options.get("isAdjustedToUTC", False)), "unit": UNITS.index(unit)}
    if name == "INTEGER":
        return {"bit_width": options.get("bitWidth", 0), "is_signed": int(options.get("isSigned", False))}
    if name == "VARIANT":
        return {"specification_version": options.get("specification_version")}
    if name in ("GEOMETRY", "GEOGRAPHY"):
        # The public C++ reader follows this offset unasked: what an absent CRS stands for is written out.
        crs = {"crs": text(options.get("crs", DEFAULT_CRS))}
        return crs | ({"algorithm": options.get("algorithm", 0)} if name == "GEOGRAPHY" else {})
    return {}


def text(value: str) -> bytes:
    """Text as the dialect has it.

    Raises
    ------
    Unsupported
        It is not UTF-8.
    """
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Unsupported(
            f"not UTF-8: {value!r}, and readers of the dialect take it for that", code=wire.UNSUPPORTED_VALUE
        ) from None
