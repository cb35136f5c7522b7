"""Numbers of the wire by their names, as everybody is shown them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .. import kernels, wire
from ..encoding.registry import names as encoding_names
from .elements import LogicalType, parse_element
from .leaf_types import OF_ONE_COLUMN

__all__ = ["annotation", "name_of_codec", "name_of_type", "names_of_encodings", "names_of_types"]

UNITS = {"ms": "MILLIS", "us": "MICROS", "ns": "NANOS"}


def name_of_codec(number: int) -> str:
    return wire.NAMES_OF_COMPRESSION_CODEC.get(number, f"UNKNOWN_{number}")


def name_of_type(number: int | None) -> str:
    return wire.NAMES_OF_TYPE.get(number, f"UNKNOWN_{number}")


def names_of_types(thrift: bytes) -> tuple[str, str | None]:
    """Return the physical type and the annotation of a leaf's SchemaElement, such as ``("INT32", "DATE")``."""
    return _names_of_types(kernels.thrift.blanked(thrift, OF_ONE_COLUMN))


@lru_cache(maxsize=1 << 10)
def _names_of_types(thrift: bytes) -> tuple[str, str | None]:
    element = parse_element(thrift)
    return name_of_type(element.type), None if element.logical is None else annotation(element.logical)


def names_of_encodings(masks: Iterable[int]) -> list[str]:
    """The encodings of chunks, each once, by their numbers; bit e of a mask stands for encoding e."""
    bits = 0
    for mask in masks:
        bits |= mask
    known = encoding_names() if bits else {}
    return [known.get(bit, f"UNKNOWN_{bit}") for bit in range(bits.bit_length()) if bits >> bit & 1]


def annotation(logical: LogicalType) -> str:
    """A logical type as parquet-java writes it: ``TIMESTAMP(MICROS,true)``."""
    if logical.name == "DECIMAL":
        return f"DECIMAL({logical.precision},{logical.scale})"
    if logical.name in ("TIME", "TIMESTAMP"):
        return f"{logical.name}({UNITS.get(logical.unit, 'UNKNOWN')},{str(bool(logical.utc)).lower()})"
    if logical.name == "INTEGER":
        return f"INTEGER({logical.bits},{str(bool(logical.signed)).lower()})"
    return logical.name
