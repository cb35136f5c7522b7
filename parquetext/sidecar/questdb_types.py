"""QuestDB's column types: codes, names, and the type of a Parquet leaf if none is declared."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from .. import wire
from ..footer.leaf_types import LeafType
from ..logical_types import LogicalType, arrow_type, decimal_type, questdb_type
from ..pruning.questdb import Tag

UNKNOWN, UNKNOWN_NAME = -1, "UNKNOWN"
NANOSECONDS, DESIGNATED, DESCENDING = 1 << 18, 1 << 17, 1 << 20
MOST_DIMENSIONS = 32
PRECISION_SHIFT, SCALE_SHIFT = 8, 18
MISPLACED_SCALE_SHIFT = 24  # position of the scale in our sidecars of layout 1 (wire.PM_ORIGIN_LAYOUT)
_TEXTS = {Tag.STRING, Tag.SYMBOL, Tag.VARCHAR}


def tag_of(code: int) -> int:
    """Return the tag of a code, its lowest byte; -1 for an unknown type."""
    return code & 0xFF if code >= 0 else UNKNOWN


def is_designated(code: int) -> bool:
    """Return True if the code marks the designated timestamp."""
    return tag_of(code) == Tag.TIMESTAMP and bool(code & DESIGNATED)


def is_descending(code: int) -> bool:
    """Return True if the designated timestamp of this code descends."""
    return bool(code & DESCENDING)


def is_decimal(code: int) -> bool:
    """Return True if the code is that of a decimal, with any number of digits."""
    return Tag.DECIMAL8 <= tag_of(code) <= Tag.DECIMAL256


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
    """Return True if any of the codes is a decimal with digits after the point."""
    return any(code >> SCALE_SHIFT and is_decimal(code) for code in codes)


def means_the_same(older: int, code: int) -> bool:
    """Return True if a code is that of the same type, as older versions of parquetext may have written it.

    They stored the scale of decimals in other bits, and treated lists of structs as arrays.
    """
    if is_decimal(older) and decimal_digits(older) is None:
        digits, scale = older & (1 << SCALE_SHIFT) - 1, older >> MISPLACED_SCALE_SHIFT
        return code in (older, digits | scale << SCALE_SHIFT)
    return code == older or (code == UNKNOWN and tag_of(older) == Tag.ARRAY)


def type_name(code: int) -> str:
    """Return a name such as ``"TIMESTAMP_NS"``, ``"DECIMAL64(18,2)"``, ``"DOUBLE[][]"``, or ``"UNKNOWN"``."""
    tag = tag_of(code)
    name = _name(tag)
    if tag == Tag.TIMESTAMP:
        return f"{name}_NS" if code & NANOSECONDS else name
    if is_decimal(code):
        digits = decimal_digits(code)
        return f"{name}({digits[0]},{digits[1]})" if digits else name
    if tag == Tag.ARRAY:
        return _name(code >> 8 & 0x3F) + "[]" * ((code >> 14 & 0x1F) + 1)
    return name


def _name(tag: int) -> str:
    return Tag(tag).name if tag in list(Tag) else UNKNOWN_NAME


def array_type(dimensions: int) -> int:
    """Return the code of an array of doubles; -1 if QuestDB does not support this number of dimensions."""
    return Tag.ARRAY | Tag.DOUBLE << 8 | dimensions - 1 << 14 if dimensions <= MOST_DIMENSIONS else UNKNOWN


def infer(physical: int, width: int, logical: LogicalType | None) -> int:
    """Return the type code of a top-level leaf from its Parquet type, or -1 if there is none.

    Parameters
    ----------
    physical : int
    width : int
        Bytes of a FIXED_LEN_BYTE_ARRAY.
    logical : LogicalType or None
    """
    name, _, digits = (questdb_type(logical, physical, width) or "").partition("(")
    base = name.removesuffix("_NS")
    if base not in Tag.__members__:
        return UNKNOWN
    code = Tag[base] | (0 if name == base else NANOSECONDS)
    if not digits:
        return code
    precision, scale = map(int, digits.removesuffix(")").split(","))
    return code | precision << PRECISION_SHIFT | scale << SCALE_SHIFT


def leaf_type(code: int, physical: int, width: int) -> LeafType:
    """Return the Arrow type of a column's bounds, which are stored at the physical type's width.

    If QuestDB's type has another width or unit than the Parquet file, use the physical type.
    """
    tag = tag_of(code)
    if physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and width > 0:
        return LeafType(physical, width, _decimal_arrow(code) or pa.binary(width))
    known = physical if physical in wire.WIDTH_OF_TYPE else wire.PHYSICAL_BYTE_ARRAY
    arrow = arrow_type(None, known, 0)
    if tag == Tag.TIMESTAMP and physical in (wire.PHYSICAL_INT64, wire.PHYSICAL_INT96):
        arrow = pa.timestamp("ns" if code & NANOSECONDS else "us")
    elif tag == Tag.DATE:
        arrow = {wire.PHYSICAL_INT64: pa.timestamp("ms"), wire.PHYSICAL_INT32: pa.date32()}.get(physical, arrow)
    elif tag == Tag.IPv4 and physical == wire.PHYSICAL_INT32:
        arrow = pa.uint32()
    elif tag in _TEXTS and physical == wire.PHYSICAL_BYTE_ARRAY:
        arrow = pa.string()
    elif physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_BYTE_ARRAY):
        arrow = _decimal_arrow(code) or arrow
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
    return digits and decimal_type(*digits)
