"""QuestDB's column types: codes, names, and the type of a Parquet leaf if none is declared."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from .. import wire
from ..footer.elements import LogicalType
from ..footer.leaf_types import PHYSICAL_TYPES, LeafType

__all__ = [
    "TIMESTAMP",
    "UNKNOWN",
    "array_type",
    "counts_otherwise",
    "decimal_digits",
    "has_scales",
    "infer",
    "is_decimal",
    "is_descending",
    "is_designated",
    "leaf_type",
    "means_the_same",
    "tag_of",
    "type_name",
]

TAGS = {
    1: "BOOLEAN",
    2: "BYTE",
    3: "SHORT",
    4: "CHAR",
    5: "INT",
    6: "LONG",
    7: "DATE",
    8: "TIMESTAMP",
    9: "FLOAT",
    10: "DOUBLE",
    11: "STRING",
    12: "SYMBOL",
    13: "LONG256",
    14: "GEOBYTE",
    15: "GEOSHORT",
    16: "GEOINT",
    17: "GEOLONG",
    18: "BINARY",
    19: "UUID",
    24: "LONG128",
    25: "IPv4",
    26: "VARCHAR",
    27: "ARRAY",
    28: "DECIMAL8",
    29: "DECIMAL16",
    30: "DECIMAL32",
    31: "DECIMAL64",
    32: "DECIMAL128",
    33: "DECIMAL256",
}
CODES = {name: tag for tag, name in TAGS.items()}
UNKNOWN = -1
TIMESTAMP, ARRAY = CODES["TIMESTAMP"], CODES["ARRAY"]
NANOSECONDS, DESIGNATED, DESCENDING = 1 << 18, 1 << 17, 1 << 20
MOST_DIMENSIONS = 32
DECIMALS = ((2, 28), (4, 29), (9, 30), (18, 31), (38, 32), (76, 33))  # up to so many digits: the tag
PRECISION_SHIFT, SCALE_SHIFT = 8, 18
MISPLACED_SCALE_SHIFT = 24  # position of the scale in our sidecars of layout 1 (wire.PM_ORIGIN_LAYOUT)
PLAIN = {
    "BOOLEAN": "BOOLEAN",
    "INT32": "INT",
    "INT64": "LONG",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "BYTE_ARRAY": "BINARY",
}
FIXED = {16: "LONG128", 32: "LONG256"}
_PLAIN_ARROW = {
    "BOOLEAN": pa.bool_(),
    "INT32": pa.int32(),
    "INT64": pa.int64(),
    "INT96": pa.timestamp("ns"),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "BYTE_ARRAY": pa.binary(),
}
_TEXTS = {CODES["STRING"], CODES["SYMBOL"], CODES["VARCHAR"]}


def tag_of(code: int) -> int:
    """Return the tag of a code, its lowest byte; -1 for an unknown type."""
    return code & 0xFF if code >= 0 else UNKNOWN


def is_designated(code: int) -> bool:
    """Return True if the code marks the designated timestamp."""
    return tag_of(code) == TIMESTAMP and bool(code & DESIGNATED)


def is_descending(code: int) -> bool:
    """Return True if the designated timestamp of this code descends."""
    return bool(code & DESCENDING)


def is_decimal(code: int) -> bool:
    """Return True if the code is that of a decimal, with any number of digits."""
    return DECIMALS[0][1] <= tag_of(code) <= DECIMALS[-1][1]


def decimal_digits(code: int) -> tuple[int, int] | None:
    """Return a decimal's precision and scale, or None if the code does not define them unambiguously.

    This is the case if they are not those of a decimal, or if the code has another meaning with the scale at bit 24.
    """
    if not is_decimal(code):
        return None
    precision, scale = code >> PRECISION_SHIFT & 0xFF, code >> SCALE_SHIFT & 0xFF
    is_ambiguous = scale and not code & (1 << MISPLACED_SCALE_SHIFT) - (1 << SCALE_SHIFT)
    return None if code >> SCALE_SHIFT > precision or not 0 < precision <= 76 or is_ambiguous else (precision, scale)


def has_scales(codes: Iterable[int]) -> bool:
    """Return True if any of the codes is a decimal with digits behind the point."""
    return any(code >> SCALE_SHIFT and is_decimal(code) for code in codes)


def means_the_same(older: int, code: int) -> bool:
    """Return True if a code is that of the same type, as older versions of parquetext may have written it.

    They stored the scale of decimals in other bits, and treated lists of structs as arrays.
    """
    if is_decimal(older) and decimal_digits(older) is None:
        digits, scale = older & (1 << SCALE_SHIFT) - 1, older >> MISPLACED_SCALE_SHIFT
        return code in (older, digits | scale << SCALE_SHIFT)
    return code == older or (code == UNKNOWN and tag_of(older) == ARRAY)


def type_name(code: int) -> str:
    """Return a name such as ``"TIMESTAMP_NS"``, ``"DECIMAL64(18,2)"``, ``"DOUBLE[][]"``, or ``"UNKNOWN"``."""
    tag = tag_of(code)
    name = TAGS.get(tag, "UNKNOWN")
    if tag == TIMESTAMP:
        return f"{name}_NS" if code & NANOSECONDS else name
    if is_decimal(code):
        digits = decimal_digits(code)
        return f"{name}({digits[0]},{digits[1]})" if digits else name
    if tag == ARRAY:
        return TAGS.get(code >> 8 & 0x3F, "UNKNOWN") + "[]" * ((code >> 14 & 0x1F) + 1)
    return name


def array_type(dimensions: int) -> int:
    """Return the code of an array of doubles; -1 if QuestDB does not support so many dimensions."""
    return ARRAY | CODES["DOUBLE"] << 8 | dimensions - 1 << 14 if dimensions <= MOST_DIMENSIONS else UNKNOWN


def infer(physical: str, width: int, logical: LogicalType | None) -> int:
    """Return the type code of a top-level leaf from its Parquet type, or -1 if there is none.

    Parameters
    ----------
    physical : str
        The physical type's name.
    width : int
        Bytes of a FIXED_LEN_BYTE_ARRAY.
    logical : LogicalType or None
    """
    name = logical.name if logical else None
    if name == "DECIMAL" and physical in ("INT32", "INT64", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"):
        return _decimal(logical)
    if physical == "INT96":
        return TIMESTAMP | NANOSECONDS
    if physical == "INT64" and name == "TIMESTAMP" and logical.unit:
        return {"ms": CODES["DATE"], "us": TIMESTAMP, "ns": TIMESTAMP | NANOSECONDS}[logical.unit]
    if physical == "INT32" and name == "DATE":
        return CODES["DATE"]
    if physical == "INT32" and name == "INTEGER" and logical.signed and logical.bits in (8, 16):
        return CODES["BYTE" if logical.bits == 8 else "SHORT"]
    if physical == "BYTE_ARRAY" and name == "STRING":
        return CODES["VARCHAR"]
    if physical == "FIXED_LEN_BYTE_ARRAY":
        return CODES["UUID"] if width == 16 and name == "UUID" else CODES.get(FIXED.get(width, ""), UNKNOWN)
    return CODES.get(PLAIN.get(physical, ""), UNKNOWN)


def _decimal(logical: LogicalType) -> int:
    precision, scale = logical.precision or 0, logical.scale or 0
    tag = next((tag for digits, tag in DECIMALS if 0 < precision <= digits), None)
    is_one = tag is not None and 0 <= scale <= precision
    return tag | precision << PRECISION_SHIFT | scale << SCALE_SHIFT if is_one else UNKNOWN


def leaf_type(code: int, physical: int, width: int) -> LeafType:
    """Return the Arrow type of a column's bounds, which are stored at the physical type's width.

    If QuestDB's type has another width or unit than the Parquet file, use the physical type.
    """
    name = PHYSICAL_TYPES[physical] if physical < len(PHYSICAL_TYPES) else "BYTE_ARRAY"
    tag = tag_of(code)
    if name == "FIXED_LEN_BYTE_ARRAY" and width > 0:
        return LeafType(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, width, _decimal_arrow(code) or pa.binary(width))
    arrow = _PLAIN_ARROW.get(name, pa.binary())
    if tag == TIMESTAMP and physical in (wire.PHYSICAL_INT64, wire.PHYSICAL_INT96):
        arrow = pa.timestamp("ns" if code & NANOSECONDS else "us")
    elif tag == CODES["DATE"]:
        arrow = {wire.PHYSICAL_INT64: pa.timestamp("ms"), wire.PHYSICAL_INT32: pa.date32()}.get(physical, arrow)
    elif tag == CODES["IPv4"] and physical == wire.PHYSICAL_INT32:
        arrow = pa.uint32()
    elif tag in _TEXTS and physical == wire.PHYSICAL_BYTE_ARRAY:
        arrow = pa.string()
    elif physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_BYTE_ARRAY):
        arrow = _decimal_arrow(code) or arrow
    known = physical if name in _PLAIN_ARROW else wire.PHYSICAL_BYTE_ARRAY
    return LeafType(known, wire.WIDTH_OF_TYPE.get(known, 0), arrow)


def counts_otherwise(declared: int, inferred: int, physical: int, width: int) -> bool:
    """Return True if a declared code gives the stored numbers another unit or scale than the Parquet type."""
    if declared == inferred:
        return False
    if is_decimal(declared) and (is_decimal(inferred) or decimal_digits(declared) is None):
        return declared >> SCALE_SHIFT != inferred >> SCALE_SHIFT
    says, stored = (leaf_type(code, physical, width).arrow for code in (declared, inferred))
    return says != stored and _is_counted(says) and _is_counted(stored)


def _is_counted(kind: pa.DataType) -> bool:
    return pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_decimal(kind)


def _decimal_arrow(code: int) -> pa.DataType | None:
    digits = decimal_digits(code)
    if digits is None:
        return None
    precision, scale = digits
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
