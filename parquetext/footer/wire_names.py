"""Names for the numbers of the wire format."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .. import kernels, wire
from ..encoding.registry import names as encoding_names
from ..logical_types import parquet_text
from .elements import parse_element
from .leaf_types import OF_ONE_COLUMN


def name_of_codec(number: int) -> str:
    return wire.NAMES_OF_COMPRESSION_CODEC.get(number, f"UNKNOWN_{number}")


def name_of_type(number: int | None) -> str:
    return wire.NAMES_OF_TYPE.get(-1 if number is None else number, f"UNKNOWN_{number}")


def names_of_types(thrift: bytes) -> tuple[str, str | None]:
    """Return the physical type and the annotation of a leaf's SchemaElement, such as ``("INT32", "DATE")``."""
    return _names_of_types(kernels.thrift.blanked(thrift, OF_ONE_COLUMN))


@lru_cache(maxsize=1 << 10)
def _names_of_types(thrift: bytes) -> tuple[str, str | None]:
    element = parse_element(thrift)
    return name_of_type(element.type), None if element.logical is None else parquet_text(element.logical)


def names_of_encodings(masks: Iterable[int]) -> list[str]:
    """Return the names of encodings in the order of their numbers; bit e of a mask is encoding e."""
    bits = 0
    for mask in masks:
        bits |= mask
    known = encoding_names() if bits else {}
    return [known.get(bit, f"UNKNOWN_{bit}") for bit in range(bits.bit_length()) if bits >> bit & 1]
