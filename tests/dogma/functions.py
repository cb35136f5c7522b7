"""The functions that docs/parquet.dogma describes in prose, because the language cannot express them.

Each takes the document, the variables of the rule that calls it, and its arguments: numbers and conditions by value,
sets of numbers as a function that accepts a number or not, bits as a function that matches them.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode
from collections.abc import Callable

from .document import Document, Mismatch

__all__ = ["FUNCTIONS", "NOTED", "NoField", "read_field"]

NOTED = "leaf", "flat_element", "column_chunk_data", "encrypted_chunk"  # rules whose matches are looked up
COMPACT_TYPES = range(1, 14)
LONGEST = 10  # bytes of a varint
DAMAGED_BITS = range(1, 17)  # of a UUID
STOP = 0


def _varint(document: Document, at: int) -> tuple[int, int]:
    """Return the ULEB128 number that begins at a byte, and the position after it."""
    data, end, value, shift, begin = document.data, document.limit >> 3, 0, 0, at
    while at < end:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if value >> 64:
                raise document.fail("a varint does not fit in 64 bits", begin * 8)
            return value, at
        shift += 7
        if at - begin == LONGEST:
            raise document.fail(f"a varint runs on past {LONGEST} bytes", begin * 8)
    raise document.fail("a varint does not end", end * 8)


def _signed(value: int) -> int:
    return value >> 1 ^ -(value & 1)


def uleb128(document: Document, names: dict, accepts: Callable) -> None:
    begin = document.here
    value, end = _varint(document, begin)
    document.take(8 * (end - begin))
    if not accepts(value):
        raise document.fail(f"{value} is not one of the permitted numbers", begin * 8)


def zigzag(document: Document, names: dict, accepts: Callable) -> None:
    begin = document.here
    value, end = _varint(document, begin)
    document.take(8 * (end - begin))
    if not accepts(_signed(value)):
        raise document.fail(f"{_signed(value)} is not one of the permitted numbers", begin * 8)


class NoField(Mismatch):
    """None of a struct's own fields."""


def fields(document: Document, names: dict, members: Callable, other: Callable) -> None:
    before, document.field = document.field, 0
    while True:
        if document.at >= document.limit:
            raise document.fail("a struct does not end")
        if document.data[document.at >> 3] == STOP:
            break
        try:
            members()
        except NoField:
            other()
    document.take(8)
    document.field = before


def read_field(document: Document) -> tuple[int, int, int]:
    """Return id, type and bits of the field header at the position; nothing is skipped."""
    at = document.here
    if document.at >= document.limit:
        raise document.fail("a struct does not end")
    byte = document.data[at]
    type = byte & 15
    if type not in COMPACT_TYPES:
        raise document.fail(f"{type} is no Thrift compact type")
    if byte >> 4:
        return document.field + (byte >> 4), type, 8
    value, end = _varint(document, at + 1)
    return _signed(value), type, 8 * (end - at)


def field(document: Document, names: dict, ids: Callable, types: Callable) -> None:
    id, type, bits = read_field(document)
    if not (ids(id) and types(type)):
        raise NoField(document.here, f"a field {id} of type {type} has no place here")
    document.take(bits)
    document.field = id


def given(document: Document, names: dict, variable: Callable, otherwise: int) -> int:
    found = variable()
    return otherwise if found is None else found


def known(document: Document, names: dict, variable: Callable) -> bool:
    return variable() is not None


def demand(document: Document, names: dict, at: int, holds: bool) -> None:
    if not holds:
        raise document.fail("this value contradicts the rest", at * 8)


def crc32_after(document: Document, names: dict, crc: int, begin: int, length: int) -> int:
    if begin < 0 or length < 0 or begin + length > len(document.data):
        raise document.fail(f"a checksum over bytes {begin} to {begin + length} of {len(document.data)}")
    return zlib.crc32(memoryview(document.data)[begin : begin + length], crc)


def crc32_stopped(document: Document, names: dict, begin: int, length: int) -> int:
    return zlib.crc32(bytes(1), zlib.crc32(document.file[begin : begin + length]))


def resembles(document: Document, names: dict, uuid: int, other: int) -> bool:
    return (uuid ^ other).bit_count() in DAMAGED_BITS


def base64(document: Document, names: dict, length: int, contents: Callable) -> None:
    begin = document.take(8 * length)
    try:
        decoded = b64decode(document.bytes(begin, document.at), validate=True)
    except binascii.Error as error:
        raise document.fail(f"no base64: {error}", begin) from None
    before = document.at, document.limit, document.data
    document.at, document.limit, document.data, document.text = 0, len(decoded) * 8, decoded, begin >> 3
    contents()
    if document.at != document.limit:
        raise document.fail("text that is left over")
    document.at, document.limit, document.data = before


def between(document: Document, names: dict, rest: Callable) -> None:
    before = document.at, document.limit, document.data
    for begin, end in document.unclaimed():
        document.at, document.limit, document.data = begin, end, document.file
        try:
            rest()
        except Mismatch:
            raise document.fail("nothing claims this byte") from None
    document.at, document.limit, document.data = before


def encrypted_chunks(document: Document, names: dict) -> int:
    return len(document.noted.get("encrypted_chunk", ()))


def encrypted_from(document: Document, names: dict) -> int:
    return next((chunk["place"] for chunk in document.noted.get("encrypted_chunk", ())), 0)


def leaves(document: Document, names: dict) -> int:
    return len(document.noted.get("leaf", ()))


def elements(document: Document, names: dict) -> int:
    return len(document.noted.get("flat_element", ()))


def _leaf(document: Document, number: int) -> dict:
    found = document.noted.get("leaf", ())
    if number >= len(found):
        raise document.fail(f"a column chunk {number} of a schema of {len(found)} leaves")
    return found[number]


def definition_of(document: Document, names: dict, leaf: int) -> int:
    return _leaf(document, leaf)["definition"]


def repetition_of(document: Document, names: dict, leaf: int) -> int:
    return _leaf(document, leaf)["repetition"]


def _chunk_before(document: Document) -> dict:
    ended = (chunk for chunk in reversed(document.noted.get("column_chunk_data", ())) if chunk["end"] == document.here)
    return next(ended, {"row_group": -1, "column": -1})


def row_group_before(document: Document, names: dict) -> int:
    return _chunk_before(document)["row_group"]


def column_before(document: Document, names: dict) -> int:
    return _chunk_before(document)["column"]


FUNCTIONS: dict[str, Callable] = {
    "uleb128": uleb128,
    "zigzag": zigzag,
    "fields": fields,
    "field": field,
    "here": lambda document, names: document.here,
    "size": lambda document, names: len(document.file),
    "given": given,
    "known": known,
    "demand": demand,
    "crc32_after": crc32_after,
    "crc32_stopped": crc32_stopped,
    "resembles": resembles,
    "base64": base64,
    "between": between,
    "encrypted_chunks": encrypted_chunks,
    "encrypted_from": encrypted_from,
    "leaves": leaves,
    "elements": elements,
    "definition_of": definition_of,
    "repetition_of": repetition_of,
    "row_group_before": row_group_before,
    "column_before": column_before,
}
